// Every single value the settings screen offers, in its words.

import type { Json } from '../lib/backend'

export type Field = { path: string; label: string; help?: string } & (
  | {
      type: 'number'
      unit: string
      /** What it is unless someone changed it; null: no limit; missing: it depends on the computer. */
      usual?: number | null
      /** Stored as this many for one shown, and no more than `most` shown. */
      stored?: { times: number; most: number }
    }
  | { type: 'switch'; /** On while the list there has this word. */ word?: string }
  | { type: 'text'; placeholder?: string; long?: boolean; /** Empty is a value of its own, not the default. */ keepsEmpty?: boolean }
  /** The name of a model, with those known offered. */
  | { type: 'model'; placeholder?: string }
  /** Several, one a line. */
  | { type: 'list'; placeholder?: string }
  | { type: 'choice'; options: { value: string; label: string }[] }
  | { type: 'select'; options: { value: string; label: string }[] }
)

export interface Group {
  title: string
  /** What is to be known of all of it. */
  note?: string
  fields: Field[]
  /** What is taken out of the settings when the whole group is removed. */
  remove?: string
}

/** The groups and fields that say one of the words looked for. */
export function matching(groups: Group[], query: string): Group[] {
  const words = query.trim().toLowerCase()
  const says = (...texts: (string | undefined)[]) => texts.some((text) => text?.toLowerCase().includes(words))
  return groups
    .map((group) => ({
      ...group,
      fields: says(group.title) ? group.fields : group.fields.filter((field) => says(field.label, field.help, field.path)),
    }))
    .filter((group) => group.fields.length > 0)
}

const number = (path: string, label: string, unit: string, usual: number | null | undefined, help?: string, stored?: { times: number; most: number }): Field => ({
  type: 'number',
  path,
  label,
  unit,
  usual,
  help,
  stored,
})

const strictness = (path: string, label: string, help: string): Field => ({
  type: 'choice',
  path,
  label,
  help,
  options: [
    { value: 'lenient', label: 'Lenient' },
    { value: 'balanced', label: 'Balanced' },
    { value: 'strict', label: 'Strict' },
  ],
})

/** What a field's words mean to the file; or, where the file counts in another unit, why they can't be that. */
export function read(field: Field, text: string): { value: Json } | { problem: string } {
  const words = text.trim()
  if (field.type === 'list') {
    const lines = words.split('\n').map((line) => line.trim())
    return { value: lines.some(Boolean) ? lines.filter(Boolean) : null }
  }
  if (words === '') return { value: field.type === 'text' && field.keepsEmpty ? '' : null }
  if (field.type !== 'number') return { value: words }
  const shown = Number(words)
  // What is no number goes as it is: the refusal says what is allowed.
  if (!field.stored) return { value: Number.isFinite(shown) ? shown : words }
  // The refusal would speak of the unit of the file, which nobody typed.
  const { times, most } = field.stored
  const value = Math.round(shown * times)
  if (value >= 1 && shown <= most) return { value }
  const none = field.usual === null ? '; leave it empty for no limit' : ''
  return { problem: `This has to be a number of ${field.unit} above 0, such as ${field.unit === 'dollars' ? '2.50' : '90'}, and at most ${most}${none}.` }
}

export const PLAN_MODES = [
  { value: 'off', label: 'Off' },
  { value: 'soft', label: 'Soft' },
  { value: 'strict', label: 'Strict' },
]

export const LIMITS: Group[] = [
  {
    title: 'Plans',
    fields: [
      number('caps.auto_steps', 'Steps on its own before it checks in', 'steps', 8, 'What ⚡ is full at'),
      number('caps.steps', 'Most steps in a plan', 'steps', 20),
      number('caps.attempts', 'Failed attempts before a step stops', 'attempts', 3),
      number('caps.repeats', 'Same failing call counts as an attempt after', 'times', 3),
      number('caps.idle_turns', 'Turns without progress before it pauses', 'turns', 3),
      number('caps.planning_turns', 'Turns the planning model may look around', 'turns', 12),
      number('caps.cost_micros', 'Most a plan may cost', 'dollars', null, undefined, { times: 1_000_000, most: 1_000_000 }),
      number('caps.tokens', 'Most tokens a plan may use', 'tokens', null),
      number('caps.seconds', 'Longest a plan may run', 'seconds', null),
    ],
  },
  {
    title: 'Rooms and days',
    fields: [
      number('spending.room_cost_micros', 'Most a room may cost', 'dollars', null, undefined, { times: 1_000_000, most: 1_000_000 }),
      number('spending.room_tokens', 'Most tokens a room may use', 'tokens', null),
      number('spending.day_cost_micros', 'Most a day may cost', 'dollars', null, 'All rooms together', { times: 1_000_000, most: 1_000_000 }),
      number('spending.day_tokens', 'Most tokens a day may use', 'tokens', null, 'All rooms together'),
    ],
  },
  {
    title: 'Tools',
    fields: [
      number('caps.shell_seconds', 'A command may take', 'seconds', 120),
      number('caps.tool_seconds', 'Any other tool may take', 'seconds', 30),
    ],
  },
  {
    title: 'Commands',
    note: 'Commands, jobs, MCP servers and external agents. What goes over a limit is ended',
    fields: [
      number('limits.memory_mb', 'Memory of one command', 'MB', undefined, 'Half of the computer unless set'),
      number('limits.all_memory_mb', 'Memory of all commands', 'MB', undefined, 'Three quarters of the computer unless set'),
      number('limits.processes', 'Processes and threads of one command', 'processes', 2048),
      number('limits.all_processes', 'Processes and threads of all commands', 'processes', 16384),
      number('limits.processors', 'Processors of one command', 'processors', null, 'Commands give way to everything else in any case'),
    ],
  },
  {
    title: 'Sidekicks',
    fields: [
      number('caps.sidekicks', 'At once in the whole app', 'sidekicks', 6),
      number('caps.sidekicks_per_plan', 'At once for one plan', 'sidekicks', 3),
      number('caps.sidekick_turns', 'Turns each may take', 'turns', 25),
      number('caps.sidekick_seconds', 'Time each may take', 'seconds', 300),
      number('caps.stalled_seconds', 'Shown as stalled after', 'seconds', 60),
    ],
  },
]

export const GOALS: Group[] = [
  {
    title: 'Goals',
    fields: [
      { type: 'switch', path: 'planner.enabled', label: 'Split goals into steps for several agents' },
      number('caps.nodes', 'Most steps of a goal', 'steps', 60),
      number('caps.parallelism', 'Steps at once', 'steps', 6),
      number('caps.depth', 'How deep a goal may be split', 'levels', 4),
      number('caps.timeout_ms', 'Longest a goal may take', 'seconds', 300_000, undefined, { times: 1000, most: 86_400 }),
      { type: 'model', path: 'planner.decompositionModel', label: 'Model that splits the goal', placeholder: 'the one that plans' },
      { type: 'text', path: 'planner.synthesisAgent', label: 'Agent that sums up', placeholder: 'the default agent' },
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
      number('caps.council_seconds', 'Council time limit', 'seconds', 1800),
      number('orchestrator.max_new_answers_per_agent', 'Answers per member', 'answers', 2),
      number('orchestrator.max_new_answers_global', 'Answers per council', 'answers', null),
      {
        type: 'switch',
        path: 'orchestrator.defer_voting_until_all_answered',
        label: 'Blind start',
        help: 'Nobody reads an answer or votes before every member answered once',
      },
      strictness('orchestrator.voting_sensitivity', 'Voting sensitivity', 'How good an answer has to be to get a vote'),
      strictness('orchestrator.answer_novelty_requirement', 'Answer novelty', 'Balanced and strict refuse an answer that repeats an earlier one'),
      {
        type: 'select',
        path: 'orchestrator.final_answer_strategy',
        label: 'Final answer',
        options: [
          { value: 'winner_present', label: 'The winner executes its plan' },
          { value: 'synthesize', label: 'The winner combines all answers first' },
          { value: 'winner_reuse', label: 'Show the answer only' },
        ],
      },
      number('caps.council_restarts', 'Restarts after executing', 'times', 0),
      number('orchestrator.tokens', 'Tokens before it asks', 'tokens', null),
      number('orchestrator.cost_micros', 'Cost before it asks', 'dollars', null, undefined, { times: 1_000_000, most: 1_000_000 }),
      {
        type: 'switch',
        path: 'orchestrator.coordination.enable_planning_mode',
        label: 'Council for every task',
        help: 'A message that asks for work starts a council. Needs two agents or more.',
      },
      {
        type: 'text',
        long: true,
        path: 'orchestrator.coordination.planning_mode_instruction',
        label: 'Planning instructions',
        help: 'Members read this while they propose and vote',
      },
    ],
  },
  {
    title: 'Councils: timing and folders',
    fields: [
      number('timeout_settings.initial_round_timeout_seconds', 'First turn', 'seconds', null),
      number('timeout_settings.subsequent_round_timeout_seconds', 'Later turns', 'seconds', null),
      number('timeout_settings.round_timeout_grace_seconds', 'Grace period', 'seconds', 120, 'Only answering and voting are left then'),
      number('orchestrator.fairness_lead_cap_answers', 'Max lead', 'answers', 2, 'How many answers a member can be ahead of the slowest'),
      number('orchestrator.max_midstream_injections_per_round', 'News per turn', 'times', 2, 'How often a working member is told of new answers in one round'),
      { type: 'text', path: 'orchestrator.snapshot_storage', label: 'Snapshot folder', placeholder: 'with the app’s data' },
      { type: 'text', path: 'orchestrator.agent_temporary_workspace', label: 'Folder for members’ copies', placeholder: 'with the app’s data' },
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
      { type: 'switch', path: 'ui.notifications', label: 'Notify me', help: 'When a plan needs you, is done or failed' },
      { type: 'text', path: 'ui.quiet_hours', label: 'Quiet hours', placeholder: '22:00-07:00', help: 'No notifications then' },
    ],
  },
  {
    title: 'While plans run',
    fields: [
      { type: 'switch', path: 'ui.keep_awake', label: 'Keep the computer awake' },
      {
        type: 'text',
        path: 'ui.pause_shortcut',
        keepsEmpty: true,
        label: 'Shortcut that pauses everything',
        placeholder: 'none',
        help: 'Works in every program; usually Ctrl+Alt+Shift+P, empty for none',
      },
    ],
  },
]

export const API: Group[] = [
  {
    title: 'Local API',
    fields: [
      { type: 'switch', path: 'api.enabled', label: 'Other programs on this computer may use Plancard', help: 'With a token, never from outside' },
      { type: 'text', path: 'api.listen', label: 'Address', placeholder: '127.0.0.1:7435' },
      {
        type: 'switch',
        path: 'api.rights',
        word: 'approve',
        label: 'May approve plans and answer questions',
        help: 'Whoever has the token then says yes in your place: to plans, to calls beyond them and to what a tool may do. It can turn plan mode off, too',
      },
      {
        type: 'list',
        path: 'workspaces',
        label: 'Folders for its rooms',
        placeholder: '~/code',
        help: 'One a line. A token that may not approve can also open rooms below these, and in folders that you opened in the window',
      },
    ],
  },
]

export const NETWORK: Group[] = [
  {
    title: 'Network',
    fields: [
      {
        type: 'list',
        path: 'network.private_hosts',
        label: 'Hosts near this computer it may reach',
        placeholder: 'localhost:3000',
        help: 'One a line, such as printer.lan; without a port never this computer itself. Each call is still asked about',
      },
    ],
  },
  {
    title: 'Commands and secrets',
    fields: [
      {
        type: 'list',
        path: 'sandbox.read',
        label: 'Folders that commands may read',
        placeholder: '~/data/maps',
        help: 'One a line, beside the workspace and the toolchains. Nothing there can be changed',
      },
      {
        type: 'list',
        path: 'redact',
        label: 'Patterns of secrets',
        placeholder: 'ACME-[0-9]{8}',
        help: 'Regular expressions, one a line. What fits is blanked out before models, the log and exports see it',
      },
    ],
  },
]

const THINKING = 'off, low, medium, high, or a number of tokens'

export function agentGroup(name: string, title: string): Group {
  const at = `agents.${name}`
  return {
    title,
    remove: at,
    fields: [
      { type: 'model', path: `${at}.model`, label: 'Model that runs', placeholder: 'provider/model' },
      { type: 'model', path: `${at}.plan_model`, label: 'Model that plans', placeholder: 'the same', help: 'Often a stronger one' },
      { type: 'text', path: `${at}.thinking`, label: 'How much the one that runs may think', placeholder: 'as the provider likes', help: THINKING },
      { type: 'text', path: `${at}.plan_thinking`, label: 'How much the one that plans may think', placeholder: 'as the one that runs', help: THINKING },
      { type: 'choice', path: `${at}.plan_mode`, label: 'Plan mode of its rooms', options: PLAN_MODES },
      { type: 'text', long: true, path: `${at}.instructions`, label: 'Instructions' },
      { type: 'list', path: `${at}.domains`, label: 'Domains', placeholder: 'security', help: 'Steps of a goal in these are its own' },
      { type: 'list', path: `${at}.capabilities`, label: 'Capabilities', placeholder: 'review code', help: 'What it is good at' },
      { type: 'list', path: `${at}.permissions.allow`, label: 'Calls that need no question', placeholder: 'shell(git log *)' },
      { type: 'list', path: `${at}.permissions.ask`, label: 'Calls it always asks about', placeholder: 'shell(git push *)' },
      { type: 'list', path: `${at}.permissions.deny`, label: 'Calls it never makes', placeholder: 'fetch' },
      {
        type: 'list',
        path: `${at}.permissions.open`,
        label: 'Commands that may reach any host',
        placeholder: 'shell(npm install*)',
        help: 'Once they may run; without it, hosts are granted call by call',
      },
    ],
  }
}

/** The ways to speak to a provider, in the words of the file. */
export const PROVIDER_TYPES = [
  { value: 'anthropic', label: 'Anthropic' },
  { value: 'openai', label: 'OpenAI' },
  { value: 'chatcompletion', label: 'Compatible with OpenAI' },
  { value: 'gemini', label: 'Gemini' },
  { value: 'xai', label: 'xAI' },
  { value: 'ollama', label: 'Ollama' },
  { value: 'lmstudio', label: 'LM Studio' },
]

/** Agents that are programs of their own. */
export const PROGRAM_TYPES = [
  { value: 'claude_code', label: 'Claude Code' },
  { value: 'codex', label: 'Codex' },
  { value: 'copilot', label: 'Copilot' },
  { value: 'gemini_cli', label: 'Gemini CLI' },
  { value: 'goose', label: 'Goose' },
  { value: 'opencode', label: 'OpenCode' },
  { value: 'acp', label: 'Another program' },
]

/** What the file calls each of these once it is read. */
export const PROGRAM = 'command_line'

/** Those that can be spoken to in more than one way. */
const SPEAK_OPENAI = ['openai', 'chatcompletion', 'xai', 'ollama', 'lmstudio']

export function providerFields(name: string, type: string): Field[] {
  const at = `providers.${name}`
  if (type === PROGRAM) {
    return [
      { type: 'list', path: `${at}.command`, label: 'Program', placeholder: 'my-agent', help: 'And its arguments, one a line. It speaks the Agent Client Protocol' },
      { type: 'list', path: `${at}.hosts`, label: 'Hosts it may reach', placeholder: 'api.anthropic.com', help: 'One a line, such as that of its provider; without them it has no network' },
      { type: 'list', path: `${at}.read`, label: 'Folders it may read', placeholder: '~/.my-agent', help: READ },
    ]
  }
  return [
    { type: 'select', path: `${at}.type`, label: 'Speaks like', options: PROVIDER_TYPES },
    { type: 'text', path: `${at}.base_url`, label: 'Address', placeholder: 'https://…', help: 'A key belongs to its address: another one asks for it again' },
    { type: 'text', path: `${at}.key_env`, label: 'Environment variable with the key', placeholder: 'the keyring', help: 'Only its name, such as HOME_LLM_KEY' },
    ...(SPEAK_OPENAI.includes(type) ? [{ ...PROTOCOL, path: `${at}.api` }] : []),
  ]
}

const PROTOCOL: Field = {
  type: 'select',
  path: 'api',
  label: 'Protocol',
  help: 'Usually Responses at OpenAI’s own address, and Chat Completions elsewhere',
  options: [
    { value: '', label: 'As usual' },
    { value: 'responses', label: 'Responses' },
    { value: 'chat', label: 'Chat Completions' },
  ],
}

const READ = 'Outside the workspace, one a line, such as where it is installed or keeps its login. It can’t change them'

export function serverGroup(name: string, remote: boolean): Group {
  const at = `mcp_servers.${name}`
  return {
    title: name,
    remove: at,
    fields: [
      ...(remote
        ? [{ type: 'text', path: `${at}.url`, label: 'Address' } as const]
        : [
            { type: 'text', path: `${at}.command`, label: 'Program' } as const,
            { type: 'list', path: `${at}.args`, label: 'Arguments' } as const,
            { type: 'text', path: `${at}.cwd`, label: 'Folder it starts in', placeholder: 'the workspace' } as const,
            { type: 'list', path: `${at}.read`, label: 'Folders it may read', placeholder: '/opt/server', help: READ } as const,
            {
              type: 'switch',
              path: `${at}.share`,
              label: 'One process for all rooms',
              help: 'In an empty folder that it can’t change; for servers that touch no files',
            } as const,
          ]),
      { type: 'switch', path: `${at}.trusted`, label: 'Believe what it says about its tools', help: 'Else each of them may change anything, and is asked about' },
    ],
  }
}
