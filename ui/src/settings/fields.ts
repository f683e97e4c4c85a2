// Every single value the settings screen offers, in its words.

import type { Json } from '../lib/backend'
import { TEXT } from './words'

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

/** The label of a setting and what is said below it. */
const text = (path: keyof typeof TEXT.fields): { label: string; help?: string } => TEXT.fields[path]

const number = (path: keyof typeof TEXT.fields, unit: string, usual: number | null | undefined, stored?: { times: number; most: number }): Field => ({
  type: 'number',
  path,
  ...text(path),
  unit,
  usual,
  stored,
})

const strictness = (path: keyof typeof TEXT.fields): Field => ({
  type: 'choice',
  path,
  ...text(path),
  options: [
    { value: 'lenient', label: TEXT.options.lenient },
    { value: 'balanced', label: TEXT.options.balanced },
    { value: 'strict', label: TEXT.options.strict },
  ],
})

/** A time as it is typed and shown: `45 s`, `5 min`, `1.5 h`. */
export function timeWords(seconds: number): string {
  if (seconds >= 3600 && seconds % 1800 === 0) return `${seconds / 3600} h`
  return seconds >= 60 && seconds % 30 === 0 ? `${seconds / 60} min` : `${seconds} s`
}

/** How many seconds such words are; a number alone is seconds. */
export function secondsOf(words: string): number | null {
  const [, n, unit = 's'] = /^(\d+(?:\.\d+)?)\s*(s|sec|seconds?|m|min|minutes?|h|hours?)?$/i.exec(words.trim()) ?? []
  if (n === undefined) return null
  const letter = unit[0]?.toLowerCase()
  return Number(n) * (letter === 'h' ? 3600 : letter === 'm' ? 60 : 1)
}

/** What a field's words mean to the file; or, where the file counts in another unit, why they can't be that. */
export function read(field: Field, text: string): { value: Json } | { problem: string } {
  const words = text.trim()
  if (field.type === 'list') {
    const lines = words.split('\n').map((line) => line.trim())
    return { value: lines.some(Boolean) ? lines.filter(Boolean) : null }
  }
  if (words === '') return { value: field.type === 'text' && field.keepsEmpty ? '' : null }
  if (field.type !== 'number') return { value: words }
  const shown = field.unit === TEXT.units.seconds ? (secondsOf(words) ?? Number.NaN) : Number(words)
  // What is no number goes as it is: the refusal says what is allowed.
  if (!field.stored) return { value: Number.isFinite(shown) ? shown : words }
  // The refusal would speak of the unit of the file, which nobody typed.
  const { times, most } = field.stored
  const value = Math.round(shown * times)
  if (value >= 1 && shown <= most) return { value }
  return { problem: TEXT.field.range(field.unit, field.unit === TEXT.units.dollars ? '2.50' : '90', most, field.usual === null) }
}

export const PLAN_MODES = [
  { value: 'off', label: TEXT.options.off },
  { value: 'soft', label: TEXT.options.soft },
  { value: 'strict', label: TEXT.options.strict },
]

/** What few people change: it stands behind a fold. */
const ADVANCED = new Set([
  'caps.repeats', 'caps.idle_turns', 'caps.planning_turns', 'caps.tokens', 'spending.room_tokens', 'spending.day_tokens', 'caps.tool_seconds',
  'limits.all_memory_mb', 'limits.processes', 'limits.all_processes', 'limits.processors', 'caps.sidekicks_per_plan', 'caps.sidekick_turns', 'caps.stalled_seconds',
  'caps.depth', 'planner.decompositionModel', 'planner.synthesisAgent', 'planner.onPartialCompletion',
  'orchestrator.max_new_answers_global', 'orchestrator.answer_novelty_requirement', 'caps.council_restarts', 'orchestrator.tokens', 'orchestrator.coordination.planning_mode_instruction',
  'timeout_settings.subsequent_round_timeout_seconds', 'timeout_settings.round_timeout_grace_seconds', 'orchestrator.fairness_lead_cap_answers', 'orchestrator.max_midstream_injections_per_round',
  'orchestrator.snapshot_storage', 'orchestrator.agent_temporary_workspace', 'redact', 'api.listen', 'workspaces',
])

/** Whether a field stands behind the fold of its group. */
export function isAdvanced({ path }: Field): boolean {
  return ADVANCED.has(path) || /^agents\..*\.(domains|capabilities|permissions\.open)$/.test(path)
}

export const LIMITS: Group[] = [
  {
    title: TEXT.groups.plans,
    fields: [
      number('caps.auto_steps', TEXT.units.steps, 8),
      number('caps.steps', TEXT.units.steps, 20),
      number('caps.attempts', TEXT.units.attempts, 3),
      number('caps.repeats', TEXT.units.times, 3),
      number('caps.idle_turns', TEXT.units.turns, 3),
      number('caps.planning_turns', TEXT.units.turns, 12),
      number('caps.cost_micros', TEXT.units.dollars, null, { times: 1_000_000, most: 1_000_000 }),
      number('caps.tokens', TEXT.units.tokens, null),
      number('caps.seconds', TEXT.units.seconds, null),
    ],
  },
  {
    title: TEXT.groups.roomsAndDays,
    fields: [
      number('spending.room_cost_micros', TEXT.units.dollars, null, { times: 1_000_000, most: 1_000_000 }),
      number('spending.room_tokens', TEXT.units.tokens, null),
      number('spending.day_cost_micros', TEXT.units.dollars, null, { times: 1_000_000, most: 1_000_000 }),
      number('spending.day_tokens', TEXT.units.tokens, null),
    ],
  },
  {
    title: TEXT.groups.tools,
    fields: [
      number('caps.shell_seconds', TEXT.units.seconds, 120),
      number('caps.tool_seconds', TEXT.units.seconds, 30),
    ],
  },
  {
    title: TEXT.groups.commands,
    note: TEXT.groups.commandsNote,
    fields: [
      number('limits.memory_mb', TEXT.units.MB, undefined),
      number('limits.all_memory_mb', TEXT.units.MB, undefined),
      number('limits.processes', TEXT.units.processes, 2048),
      number('limits.all_processes', TEXT.units.processes, 16384),
      number('limits.processors', TEXT.units.processors, null),
    ],
  },
  {
    title: TEXT.groups.sidekicks,
    fields: [
      number('caps.sidekicks', TEXT.units.sidekicks, 6),
      number('caps.sidekicks_per_plan', TEXT.units.sidekicks, 3),
      number('caps.sidekick_turns', TEXT.units.turns, 25),
      number('caps.sidekick_seconds', TEXT.units.seconds, 300),
      number('caps.stalled_seconds', TEXT.units.seconds, 60),
    ],
  },
]

export const GOALS: Group[] = [
  {
    title: TEXT.groups.goals,
    fields: [
      { type: 'switch', path: 'planner.enabled', ...text('planner.enabled') },
      number('caps.nodes', TEXT.units.steps, 60),
      number('caps.parallelism', TEXT.units.steps, 6),
      number('caps.depth', TEXT.units.levels, 4),
      number('caps.timeout_ms', TEXT.units.seconds, 300_000, { times: 1000, most: 86_400 }),
      { type: 'model', path: 'planner.decompositionModel', ...text('planner.decompositionModel'), placeholder: TEXT.placeholders.planner },
      { type: 'text', path: 'planner.synthesisAgent', ...text('planner.synthesisAgent'), placeholder: TEXT.placeholders.agent },
      {
        type: 'choice',
        path: 'planner.onPartialCompletion',
        ...text('planner.onPartialCompletion'),
        options: [
          { value: 'synthesize', label: TEXT.options.synthesize },
          { value: 'fail', label: TEXT.options.fail },
        ],
      },
    ],
  },
  {
    title: TEXT.groups.councils,
    fields: [
      number('caps.council_seconds', TEXT.units.seconds, 1800),
      number('orchestrator.max_new_answers_per_agent', TEXT.units.answers, 2),
      number('orchestrator.max_new_answers_global', TEXT.units.answers, null),
      {
        type: 'switch',
        path: 'orchestrator.defer_voting_until_all_answered',
        ...text('orchestrator.defer_voting_until_all_answered'),
      },
      strictness('orchestrator.voting_sensitivity'),
      strictness('orchestrator.answer_novelty_requirement'),
      {
        type: 'select',
        path: 'orchestrator.final_answer_strategy',
        ...text('orchestrator.final_answer_strategy'),
        options: [
          { value: 'winner_present', label: TEXT.options.winner_present },
          { value: 'synthesize', label: TEXT.options.synthesizeType },
          { value: 'winner_reuse', label: TEXT.options.winner_reuse },
        ],
      },
      number('caps.council_restarts', TEXT.units.times, 0),
      number('orchestrator.tokens', TEXT.units.tokens, null),
      number('orchestrator.cost_micros', TEXT.units.dollars, null, { times: 1_000_000, most: 1_000_000 }),
      {
        type: 'switch',
        path: 'orchestrator.coordination.enable_planning_mode',
        ...text('orchestrator.coordination.enable_planning_mode'),
      },
      {
        type: 'text',
        long: true,
        path: 'orchestrator.coordination.planning_mode_instruction',
        ...text('orchestrator.coordination.planning_mode_instruction'),
      },
    ],
  },
  {
    title: TEXT.groups.councilsTimingAndFolders,
    fields: [
      number('timeout_settings.initial_round_timeout_seconds', TEXT.units.seconds, null),
      number('timeout_settings.subsequent_round_timeout_seconds', TEXT.units.seconds, null),
      number('timeout_settings.round_timeout_grace_seconds', TEXT.units.seconds, 120),
      number('orchestrator.fairness_lead_cap_answers', TEXT.units.answers, 2),
      number('orchestrator.max_midstream_injections_per_round', TEXT.units.times, 2),
      { type: 'text', path: 'orchestrator.snapshot_storage', ...text('orchestrator.snapshot_storage'), placeholder: TEXT.placeholders.data },
      { type: 'text', path: 'orchestrator.agent_temporary_workspace', ...text('orchestrator.agent_temporary_workspace'), placeholder: TEXT.placeholders.data },
    ],
  },
]

export const WINDOW: Group[] = [
  {
    title: TEXT.groups.looks,
    fields: [
      {
        type: 'choice',
        path: 'ui.theme',
        ...text('ui.theme'),
        options: [
          { value: 'system', label: TEXT.options.system },
          { value: 'light', label: TEXT.options.light },
          { value: 'dark', label: TEXT.options.dark },
        ],
      },
    ],
  },
  {
    title: TEXT.groups.notifications,
    fields: [
      { type: 'switch', path: 'ui.notifications', ...text('ui.notifications') },
      { type: 'text', path: 'ui.quiet_hours', ...text('ui.quiet_hours'), placeholder: '22:00-07:00' },
    ],
  },
  {
    title: TEXT.groups.whilePlansRun,
    fields: [
      { type: 'switch', path: 'ui.keep_awake', ...text('ui.keep_awake') },
      {
        type: 'text',
        path: 'ui.pause_shortcut',
        keepsEmpty: true,
        ...text('ui.pause_shortcut'),
        placeholder: TEXT.placeholders.none,
      },
    ],
  },
]

export const API: Group[] = [
  {
    title: TEXT.groups.localAPI,
    fields: [
      { type: 'switch', path: 'api.enabled', ...text('api.enabled') },
      { type: 'text', path: 'api.listen', ...text('api.listen'), placeholder: '127.0.0.1:7435' },
      {
        type: 'switch',
        path: 'api.rights',
        word: 'approve',
        ...text('api.rights'),
      },
      {
        type: 'list',
        path: 'workspaces',
        ...text('workspaces'),
        placeholder: '~/code',
      },
    ],
  },
]

export const NETWORK: Group[] = [
  {
    title: TEXT.groups.network,
    fields: [
      {
        type: 'list',
        path: 'network.private_hosts',
        ...text('network.private_hosts'),
        placeholder: 'localhost:3000',
      },
    ],
  },
  {
    title: TEXT.groups.commandsAndSecrets,
    fields: [
      {
        type: 'list',
        path: 'sandbox.read',
        ...text('sandbox.read'),
        placeholder: '~/data/maps',
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

const EFFORTS = [
  { value: 'off', label: TEXT.options.off },
  { value: 'low', label: TEXT.options.low },
  { value: 'medium', label: TEXT.options.medium },
  { value: 'high', label: TEXT.options.high },
]

export function agentGroup(name: string, title: string): Group {
  const at = `agents.${name}`
  return {
    title,
    remove: at,
    fields: [
      { type: 'model', path: `${at}.model`, ...text('agent.model'), placeholder: TEXT.placeholders.model },
      { type: 'model', path: `${at}.plan_model`, ...text('agent.plan_model'), placeholder: TEXT.placeholders.same },
      { type: 'select', path: `${at}.thinking`, ...text('agent.thinking'), options: [{ value: '', label: TEXT.options.providerEffort }, ...EFFORTS] },
      { type: 'select', path: `${at}.plan_thinking`, ...text('agent.plan_thinking'), options: [{ value: '', label: TEXT.placeholders.sameEffort }, ...EFFORTS] },
      { type: 'choice', path: `${at}.plan_mode`, ...text('agent.plan_mode'), options: PLAN_MODES },
      { type: 'text', long: true, path: `${at}.instructions`, ...text('agent.instructions') },
      { type: 'list', path: `${at}.domains`, ...text('agent.domains'), placeholder: 'security' },
      { type: 'list', path: `${at}.capabilities`, ...text('agent.capabilities'), placeholder: 'review code' },
      { type: 'list', path: `${at}.permissions.allow`, ...text('agent.permissions.allow'), placeholder: 'shell(git log *)' },
      { type: 'list', path: `${at}.permissions.ask`, ...text('agent.permissions.ask'), placeholder: 'shell(git push *)' },
      { type: 'list', path: `${at}.permissions.deny`, ...text('agent.permissions.deny'), placeholder: 'fetch' },
      {
        type: 'list',
        path: `${at}.permissions.open`,
        ...text('agent.permissions.open'),
        placeholder: 'shell(npm install*)',
      },
    ],
  }
}

/** The ways to speak to a provider, in the words of the file. */
export const PROVIDER_TYPES = [
  { value: 'anthropic', label: TEXT.options.anthropic },
  { value: 'openai', label: TEXT.options.openai },
  { value: 'chatcompletion', label: TEXT.options.chatcompletion },
  { value: 'gemini', label: TEXT.options.gemini },
  { value: 'xai', label: TEXT.options.xai },
  { value: 'ollama', label: TEXT.options.ollama },
  { value: 'lmstudio', label: TEXT.options.lmstudio },
]

/** Agents that are programs of their own. */
export const PROGRAM_TYPES = [
  { value: 'claude_code', label: TEXT.options.claude_code },
  { value: 'codex', label: TEXT.options.codex },
  { value: 'copilot', label: TEXT.options.copilot },
  { value: 'gemini_cli', label: TEXT.options.gemini_cli },
  { value: 'goose', label: TEXT.options.goose },
  { value: 'opencode', label: TEXT.options.opencode },
  { value: 'acp', label: TEXT.options.acp },
]

/** What the file calls each of these once it is read. */
export const PROGRAM = 'command_line'

/** Those that can be spoken to in more than one way. */
const SPEAK_OPENAI = ['openai', 'chatcompletion', 'xai', 'ollama', 'lmstudio']

export function providerFields(name: string, type: string): Field[] {
  const at = `providers.${name}`
  if (type === PROGRAM) {
    return [
      { type: 'list', path: `${at}.command`, ...text('provider.command'), placeholder: 'my-agent' },
      { type: 'list', path: `${at}.hosts`, ...text('provider.hosts'), placeholder: 'api.anthropic.com' },
      { type: 'list', path: `${at}.read`, ...text('provider.read'), placeholder: '~/.my-agent' },
    ]
  }
  return [
    { type: 'select', path: `${at}.type`, ...text('provider.type'), options: PROVIDER_TYPES },
    { type: 'text', path: `${at}.base_url`, ...text('provider.base_url'), placeholder: 'https://…' },
    { type: 'text', path: `${at}.key_env`, ...text('provider.key_env'), placeholder: TEXT.placeholders.keyring },
    ...(SPEAK_OPENAI.includes(type) ? [{ ...PROTOCOL, path: `${at}.api` }] : []),
  ]
}

const PROTOCOL: Field = {
  type: 'select',
  path: 'api',
  ...text('provider.api'),
  options: [
    { value: '', label: TEXT.options.usual },
    { value: 'responses', label: TEXT.options.responses },
    { value: 'chat', label: TEXT.options.chat },
  ],
}

export function serverGroup(name: string, remote: boolean): Group {
  const at = `mcp_servers.${name}`
  return {
    title: name,
    remove: at,
    fields: [
      ...(remote
        ? [{ type: 'text', path: `${at}.url`, ...text('server.url') } as const]
        : [
            { type: 'text', path: `${at}.command`, ...text('server.command') } as const,
            { type: 'list', path: `${at}.args`, ...text('server.args') } as const,
            { type: 'text', path: `${at}.cwd`, ...text('server.cwd'), placeholder: TEXT.placeholders.workspace } as const,
            { type: 'list', path: `${at}.read`, ...text('server.read'), placeholder: '/opt/server' } as const,
            {
              type: 'switch',
              path: `${at}.share`,
              ...text('server.share'),
            } as const,
          ]),
      { type: 'switch', path: `${at}.trusted`, ...text('server.trusted') },
    ],
  }
}
