// Every single value the settings screen offers, in its words.

export type Field = { path: string; label: string; help?: string } & (
  | { type: 'number'; unit?: string }
  /** Empty means no limit. */
  | { type: 'limit'; unit?: string; /** Stored as this many for one shown. */ times?: number }
  | { type: 'switch' }
  | { type: 'text'; placeholder?: string; long?: boolean }
  | { type: 'choice'; options: { value: string; label: string }[] }
)

export interface Group {
  title: string
  fields: Field[]
}

const number = (path: string, label: string, unit?: string, help?: string): Field => ({ type: 'number', path, label, unit, help })

export const LIMITS: Group[] = [
  {
    title: 'Plans',
    fields: [
      number('caps.auto_steps', 'Steps on its own before it checks in', 'steps', 'What ⚡ is full at'),
      number('caps.steps', 'Most steps in a plan', 'steps'),
      number('caps.attempts', 'Failed attempts before a step stops', 'attempts'),
      number('caps.repeats', 'Same failing call counts as an attempt after', 'times'),
      number('caps.idle_turns', 'Turns without progress before it pauses', 'turns'),
      number('caps.planning_turns', 'Turns the planning model may look around', 'turns'),
      { type: 'limit', path: 'caps.cost_micros', label: 'Most a plan may cost', unit: '$', times: 1_000_000 },
      { type: 'limit', path: 'caps.tokens', label: 'Most tokens a plan may use', unit: 'tokens' },
      { type: 'limit', path: 'caps.seconds', label: 'Longest a plan may run', unit: 'seconds' },
    ],
  },
  {
    title: 'Tools',
    fields: [
      number('caps.shell_seconds', 'A command may take', 'seconds'),
      number('caps.tool_seconds', 'Any other tool may take', 'seconds'),
    ],
  },
  {
    title: 'Sidekicks',
    fields: [
      number('caps.sidekicks', 'At once in the whole app', 'sidekicks'),
      number('caps.sidekicks_per_plan', 'At once for one plan', 'sidekicks'),
      number('caps.sidekick_turns', 'Turns each may take', 'turns'),
      number('caps.sidekick_seconds', 'Time each may take', 'seconds'),
      number('caps.stalled_seconds', 'Shown as stalled after', 'seconds'),
    ],
  },
]

export const GOALS: Group[] = [
  {
    title: 'Goals',
    fields: [
      { type: 'switch', path: 'planner.enabled', label: 'Split goals into steps for several agents' },
      number('caps.nodes', 'Most steps of a goal', 'steps'),
      number('caps.parallelism', 'Steps at once', 'steps'),
      number('caps.depth', 'How deep a goal may be split', 'levels'),
      number('caps.timeout_ms', 'Longest a goal may take', 'ms'),
      { type: 'text', path: 'planner.decompositionModel', label: 'Model that splits the goal', placeholder: 'provider/model' },
      { type: 'text', path: 'planner.synthesisAgent', label: 'Agent that sums up' },
      {
        type: 'choice',
        path: 'planner.onPartialCompletion',
        label: 'When some steps failed',
        options: [
          { value: 'synthesize', label: 'Sum up what there is' },
          { value: 'fail', label: 'The goal failed' },
        ],
      },
    ],
  },
  {
    title: 'Councils',
    fields: [
      number('caps.council_seconds', 'Longest a council may take', 'seconds'),
      number('caps.council_restarts', 'How often it may start again', 'times'),
      { type: 'limit', path: 'orchestrator.max_new_answers_per_agent', label: 'Most answers of one agent', unit: 'answers' },
      {
        type: 'choice',
        path: 'orchestrator.voting_sensitivity',
        label: 'How strict votes are',
        options: [
          { value: 'lenient', label: 'Lenient' },
          { value: 'balanced', label: 'Balanced' },
          { value: 'strict', label: 'Strict' },
        ],
      },
      {
        type: 'text',
        long: true,
        path: 'orchestrator.coordination.planning_mode_instruction',
        label: 'Words for agents while they only plan',
      },
    ],
  },
]

export const WINDOW: Group[] = [
  {
    title: 'Looks',
    fields: [
      {
        type: 'choice',
        path: 'ui.theme',
        label: 'Colours',
        options: [
          { value: 'system', label: 'As the desktop' },
          { value: 'light', label: 'Light' },
          { value: 'dark', label: 'Dark' },
        ],
      },
    ],
  },
  {
    title: 'Notifications',
    fields: [
      { type: 'text', path: 'ui.quiet_hours', label: 'Quiet hours', placeholder: '22:00-07:00', help: 'No notifications then' },
    ],
  },
  {
    title: 'Local API',
    fields: [
      { type: 'switch', path: 'api.enabled', label: 'Other programs on this computer may use Plancard', help: 'With a token, never from outside' },
      { type: 'text', path: 'api.listen', label: 'Address', placeholder: '127.0.0.1:7435' },
    ],
  },
]

/** Whole sections that are edited as text. */
export const SECTIONS: { path: string; label: string; help: string }[] = [
  { path: 'mcp_servers', label: 'MCP servers', help: 'By name: a command with arguments, or an address' },
  { path: 'models', label: 'Models', help: 'Short names, and facts such as prices and window' },
  { path: 'orchestrator', label: 'Orchestrator', help: 'Everything about councils' },
  { path: 'planner', label: 'Planner', help: 'Everything about goals' },
]
