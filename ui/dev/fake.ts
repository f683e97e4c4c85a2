// A backend that answers from made-up rooms, to look at the window without the engine.

import type { Backend, KeyState, Overview, RoomListener, RoomSummary, SettingsView } from '../src/lib/backend'
import { isOpen, leader } from '../src/council/facts'
import type { CouncilPreview, CouncilView, McpServerView, ModelProfile, PlanView, ProfileFields, RoomView, ToolEntry } from '../src/lib/wire'
import { ELSEWHERE, ELSEWHERE_ASK, fixture, OTHER_ASKS, overview, STATES, type State } from './fixtures'
import { NAMES, sidekick } from './sidekicks'
import { CAPS, NOW, RUNNING } from './make'

export function fakeBackend(state: State): Backend {
  const open = fixture(state)
  let keys: KeyState = state.endsWith('locked') ? { ...KEYS, keyring: 'locked' } : KEYS
  let view = open.view
  let settings: SettingsView = { ...SETTINGS, first_run: open.firstRun ?? false }
  if (open.firstRun) {
    // Nobody has a key or a model at the first start.
    keys = { ...keys, providers: { ...keys.providers, anthropic: 'none' } }
    settings = { ...settings, agent: { name: 'default', model: 'rehearsal/tour' }, models: [] }
  }
  let profiles = PROFILES
  const listeners = new Set<RoomListener>()
  let tell: (overview: Overview) => void = () => undefined
  const gone = new Set<string>()
  const away = new Map<string, boolean>()
  const answered = new Set<string>()
  const spawned: RoomSummary[] = []
  const stopped = new Set<string>()
  const shown = () => {
    const all = overview(state, { ...open, view })
    const rooms = [...all.rooms, ...spawned]
      .filter((room) => !gone.has(room.id))
      .map((room) => ({ ...room, archived: away.get(room.id) ?? room.archived, sidekick: room.sidekick && stopped.has(room.id) ? { ...room.sidekick, state: 'stopped' as const, tool: null } : room.sidekick }))
    return { rooms, asks: [...view.asks, ...(state === 'empty' ? [] : OTHER_ASKS), ...(state === 'elsewhere' ? [ELSEWHERE_ASK] : [])].filter((ask) => !answered.has(ask.id)) }
  }
  const done = async () => undefined
  let lost = state === 'gone'

  function change(next: Partial<RoomView>): void {
    view = { ...view, ...next, seq: view.seq + 1 } as RoomView
    for (const on of listeners) on.view(view)
    tell(shown())
  }
  function changePlan(next: Partial<PlanView>): void {
    if (view.plan) change({ plan: { ...view.plan, ...next } })
  }
  function changeCouncil(next: (council: CouncilView) => CouncilView): void {
    if (view.kind === 'chat' && view.council) change({ council: next(view.council) } as Partial<RoomView>)
  }
  /** The plan in the other room has its answer. */
  function there(): void {
    answered.add(ELSEWHERE_ASK.id)
    tell(shown())
  }
  const inCouncil = () => view.kind === 'chat' && isOpen(view.council)
  const run = async () => inCouncil() ? changeCouncil((council) => ({ ...council, state: 'voting', pause_reason: null, deadline: Date.now() + 600_000, actions: ['answer_now', 'pick', 'vote', 'pause', 'cancel'] })) : changePlan({ state: 'running', pause_reason: null, actions: [...RUNNING], running_since: Date.now() })
  const pause = async () => inCouncil() ? changeCouncil((council) => ({ ...council, state: 'paused', pause_reason: 'supervisor', deadline: null, actions: ['answer_now', 'pick', 'vote', 'resume', 'cancel'] })) : changePlan({ state: 'paused', pause_reason: 'supervisor', pauses_after: false, actions: ['resume', 'change', 'skip', 'cancel'], running_since: null })

  return {
    overview: async (onChange) => {
      tell = onChange
      setTimeout(() => onChange(shown()))
      return () => undefined
    },
    openRoom: async (_room, _after, on) => {
      listeners.add(on)
      setTimeout(() => {
        on.view(view)
        on.events(open.events.slice(-200))
        if (state === 'stream') stream(on, () => listeners.has(on))
      })
      return () => listeners.delete(on)
    },
    history: async (room, before, limit) => (room === 'notes' ? ELSEWHERE : open).events.filter((one) => before === null || one.seq < before).slice(-limit),
    createRoom: async () => view,
    renameRoom: async (_room, title) => change({ title }),
    archiveRoom: async (room, archived) => {
      if (room === 'room') return change({ archived })
      away.set(room, archived)
      tell(shown())
    },
    deleteRoom: async (room) => {
      gone.add(room)
      tell(shown())
    },
    roomSize: async () => ({ bytes: 3_355_443, sidekicks: 4 }),
    moveRoom: async (_room, workspace) => {
      lost = false
      change({ workspace })
    },
    folderProblem: async () => (lost ? `${view.workspace} is not there` : null),
    setMode: async (_room, plan_mode) => change({ plan_mode }),
    forgetRule: async (_room, rule) => change({ rules: view.rules.filter((kept) => kept !== rule) }),
    say: async (_room, text) => {
      const seq = (open.events.at(-1)?.seq ?? 0) + 1
      open.events.push({ seq, at: Date.now(), event: { type: 'said', message: `m${seq}`, text, by: { kind: 'person', principal: 'you', surface: 'window' } } })
      for (const on of listeners) {
        on.events([open.events.at(-1)!])
        stream(on, () => listeners.has(on))
      }
    },
    stop: async () => change({ busy: false }),
    setGoal: async () => 'notes',
    sidekicks: async (room) => shown().rooms.flatMap(({ parent, sidekick }) => (parent === room && sidekick ? [sidekick] : [])),
    spawnSidekick: async (room, task) => {
      spawned.push(sidekick(`new-${spawned.length}`, NAMES[spawned.length % NAMES.length]!, { parent: room, task, state: 'queued' }))
      tell(shown())
    },
    stopSidekick: async (room) => {
      stopped.add(room)
      if (view.sidekick && room === 'room') change({ busy: false, sidekick: { ...view.sidekick, state: 'stopped', tool: null } })
      tell(shown())
    },
    councilPreview: async () => (state === 'bare' ? FEW_AGENTS : PREVIEW),
    startCouncil: async (_room, task) => {
      const begun = fixture('council-begun').view as RoomView & { kind: 'chat' }
      change({ plan: null, council: { ...begun.council!, task } } as Partial<RoomView>)
      return 'council'
    },
    councilAnswerNow: async () => changeCouncil((council) => ({ ...council, winner: leader(council)?.member ?? council.members[0]!.id, decided_by: 'person', state: 'decided', actions: ['pause', 'cancel'] })),
    councilVote: async (_room, member, reason) => changeCouncil((council) => ({ ...council, person_vote: { for: member, label: council.members.find((one) => one.id === member)?.answers.at(-1)?.label ?? member, reason } })),
    councilPick: async (_room, member) => changeCouncil((council) => ({ ...council, winner: member, decided_by: 'person', state: 'decided', actions: ['pause', 'cancel'] })),
    councilRetry: async (_room, member) => changeCouncil((council) => ({ ...council, members: council.members.map((one) => (one.id === member ? { ...one, state: 'working', problem: null } : one)) })),
    councils: async () => (view.kind === 'chat' && view.council ? [view.council] : []),
    inFront: done,
    pause,
    pauseAfterStep: async (_room, on) => changePlan({ pauses_after: on }),
    stopStep: pause,
    resume: run,
    cancel: async () => inCouncil() ? changeCouncil((council) => ({ ...council, state: 'cancelled', actions: [], deadline: null })) : changePlan({ state: 'cancelled', actions: [], running_since: null }),
    approve: async (room) => (room === 'notes' ? there() : run()),
    reject: async (room) => room === 'notes' ? there() : changePlan({ state: 'draft', sent_back: true, actions: ['change', 'cancel'] }),
    edit: async () => changePlan({ revision: (view.plan?.revision ?? 1) + 1 }),
    skip: done,
    retry: done,
    overrideCheck: async (_room, id) => changePlan({ steps: view.plan?.steps.map((step) => (step.id === id ? { ...step, status: 'done', check_failed: undefined } : step)) ?? [] }),
    letChange: async (_room, id, on) =>
      changePlan({
        revision: (view.plan?.revision ?? 1) + (view.plan?.state === 'awaiting_approval' ? 1 : 0),
        steps: view.plan?.steps.map((step) => (step.id === id ? { ...step, may_change: on, grants: on ? 'may change the workspace' : 'read only' } : step)) ?? [],
      }),
    comment: async () => {
      change({ asks: [] })
      changePlan({ state: 'draft', sent_back: true, actions: ['change', 'cancel'] })
    },
    answer: async (id) => {
      answered.add(id)
      change({ asks: view.asks.filter((ask) => ask.id !== id) })
    },
    plans: async (_room, query = '') =>
      [
        { id: 'plan', goal: view.plan?.goal ?? 'A plan of the past', state: 'done', revision: 2, created_at: NOW - 86_400_000, updated_at: NOW },
        { id: 'other', goal: 'List what is unfinished', state: 'cancelled', revision: 1, created_at: NOW - 200_000_000, updated_at: NOW },
      ].filter((one) => one.goal.toLowerCase().includes(query.toLowerCase())),
    plan: async (id) => (id === 'plan-notes' ? ELSEWHERE.view.plan! : null) ?? view.plan ?? fixture('done').view.plan!,
    estimate: async (_room, model) => ({
      model: model ?? 'anthropic/claude-sonnet', input_tokens: 38_000, output_tokens: 4_200, cost: model?.startsWith('ollama/') ? null : model?.endsWith('opus') ? 0.88 : 0.18,
      basis: 'four steps like those this room ran before',
    }),
    usage: async () => ({ models: [{ model: 'anthropic/claude-opus', turns: 3, input_tokens: 21_000, output_tokens: 1_900, cost: 0.45 }, { model: 'anthropic/claude-sonnet', turns: 11, input_tokens: 64_000, output_tokens: 7_400, cost: 0.3 }] }),
    exportPlan: async (_id, format) => (format === 'json' ? JSON.stringify(view.plan, null, 2) : `# ${view.plan?.goal}\n\n${view.plan?.steps.map((step) => `${step.number}. ${step.text}`).join('\n')}\n`),
    saveExport: async () => '/home/you/plan.md',
    blob: async (hash) => open.blobs?.[hash] ?? Promise.reject({ code: 'GONE', message: 'It is no longer kept.' }),
    files: async (_room, prefix) => lost ? Promise.reject({ code: 'BAD_WORKSPACE', message: `${view.workspace} is not there` }) : ['README.md', 'src/auth/policy.toml', 'src/auth/routes.rs', 'docs/auth.md'].filter((path) => path.includes(prefix)),
    pickFolder: async () => '/home/you/code/gateway',
    settings: async () => settings,
    sandbox: async () => (state === 'locked' ? { ok: false, message: 'This kernel lets nothing be confined.' } : { ok: true }),
    saveSetting: async (path, value) => {
      if (path === 'caps.steps' && typeof value !== 'number') return Promise.reject({ code: 'BAD_VALUE', message: 'caps.steps must be a whole number from 1 to 200' })
      settings = { ...settings, first_run: path === 'ui.first_run_done' ? false : settings.first_run, values: put(settings.values, path.split('.'), value) as SettingsView['values'] }
      return settings
    },
    setKey: async (provider, key) => {
      const place = key === '' ? 'none' : keys.keyring === 'ready' ? 'keyring' : 'session'
      return (keys = { ...keys, providers: { ...keys.providers, [provider]: place } })
    },
    async tryKey(provider, model, key) {
      const tested = await this.testModel(provider, model)
      const kept = tested.code !== 'MODEL_INVALID_KEY' && tested.code !== 'MODEL_FORBIDDEN'
      return { tested, kept, keys: kept ? await this.setKey(provider, key) : await this.keyState() }
    },
    keyState: async () => keys,
    async openKeyring() {
      return this.keyState()
    },
    testModel: async (provider, model) => {
      const asked = `${provider}/${model}`
      if (provider === 'anthropic') return { model: asked, ok: false, code: 'MODEL_INVALID_KEY', message: 'Anthropic says that this key is not valid.' }
      return { model: asked, ok: true, message: `${asked} answers.` }
    },
    localServers: async () => [{ provider: 'ollama', name: 'Ollama', address: 'http://127.0.0.1:11434', models: ['qwen3:8b', 'llama3.3:70b', 'gpt-oss:20b'] }],
    modelProfiles: async () => profiles,
    checkProfile: async (model) => {
      const words = ['Plans reliably.', 'Window: 200,000 tokens.']
      profiles = profiles.map((one) => (one.model === model ? { ...one, source: 'probe', checked_at: NOW, words: one.plan_model ? [...one.words] : words } : one))
      return { model, ok: true, words, profile: ABLE, requests: 6, input_tokens: 1_040, output_tokens: 210, cost: model.startsWith('ollama/') ? undefined : 0.005 }
    },
    catalogue: async () => TOOLS,
    mcpServers: async () => SERVERS,
    mcpLogin: async () => {},
    mcpLogout: async () => {},
    mcpSaid: async (name) => (name === 'files' ? 'files-server 1.4.0\nlistening on stdio\n' : ''),
    diagnostics: async () => 'Plancard 0.1.0\nLinux\n',
    onLink: async () => () => undefined,
    openExternal: done,
    uiReady: done,
    quit: done,
  }
}

export function stateFrom(search: string): State {
  const name = new URLSearchParams(search).get('state') as State
  return STATES.includes(name) ? name : 'running'
}

function stream(on: RoomListener, listens: () => boolean): void {
  const words = 'Here is what I found so far. The policy file defines `admin:write` **twice**:\n\n- once in line 12\n- once in line 41\n\n```toml\n[scopes]\nadmin = ["read", "write"]\n```\n\nI will report the second one as a finding and go on with the tests.'.split(/(?<= )/)
  on.chatter({ type: 'thinking', after: 0 })
  on.chatter({ type: 'thought', delta: 'The parser stops at line 41.' })
  let at = 0
  const timer = setInterval(() => {
    const delta = words[at++]
    if (delta === undefined || !listens()) clearInterval(timer)
    else on.chatter({ type: 'text', delta })
  }, 30)
}

function put(at: unknown, path: string[], value: unknown): unknown {
  const [name, ...rest] = path
  if (name === undefined) return value
  const record = (at ?? {}) as Record<string, unknown>
  const { [name]: before, ...others } = record
  if (rest.length === 0 && value === null) return others
  return { ...record, [name]: put(before, rest, value) }
}

const PREVIEW: CouncilPreview = {
  members: [['claude', 'anthropic/claude-opus'], ['codex', 'openai/gpt-5'], ['gemini', 'gemini/gemini-3-pro'], ['claude-2', 'anthropic/claude-opus']].map(([agent, model]) => ({ agent: agent!, model: model!, tokens: 20_100, cost_micros: 160_000 })),
  shared_models: ['anthropic/claude-opus'], turns: 12, tokens: 80_400, cost_micros: 640_000, basis: 'a guess: 3 turns for each member, and nothing to go by yet',
  minutes: 30,
  answers_each: 2,
}
const FEW_AGENTS: CouncilPreview = { members: [{ agent: 'default', model: 'anthropic/claude-sonnet', tokens: 20_100 }], shared_models: [], problem: 'A council needs two agents or more. Add another under Settings, Agents.', turns: 6, tokens: 40_200, basis: 'a guess', minutes: 30, answers_each: 2 }

const TOOLS: ToolEntry[] = [
  { name: 'plan', effect: 'control', touches: 'the plan', does: 'Writes, follows and changes the plan of the room.' },
  { name: 'ask_user', effect: 'control', touches: 'the person', does: 'Asks the person something and waits for the answer.' },
  { name: 'read_file', effect: 'read', touches: 'a file', does: 'Reads a text file, or some lines of it.' },
  { name: 'write_file', effect: 'write', touches: 'a file', does: 'Writes a whole file.' },
  { name: 'shell', effect: 'exec', touches: 'a command, and the hosts it names', does: 'Runs a command in the sandbox; one that only looks counts as reading, one that asks for the network as network.' },
  { name: 'fetch', effect: 'network', touches: 'a host', does: 'Gets the text at an address on the web.' },
]

const SERVERS: McpServerView[] = [
  {
    name: 'files', reached_by: 'npx -y files-server', trusted: true, state: 'running', problem: null, needs_login: false, logged_in: false, processes: 2,
    tools: [
      { name: 'files.read_text', description: 'Reads a text file from the folder the server was given.', effect: 'read', changed: false },
      { name: 'files.write_text', description: 'Writes a text file.', effect: 'write_outside', changed: true },
      { name: 'files.stat', description: 'Tells size and times of a file.', effect: 'write', changed: false },
    ],
    installed: { package: 'files-server', version: '2.1.0', packages: 14, lockfile: '/home/you/.local/share/plancard/mcp/packages/4f1c09aa7be2d3c8/package-lock.json', hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' },
  },
  { name: 'weather', reached_by: 'https://mcp.example.org/', trusted: false, state: 'failed', problem: 'mcp.example.org can\'t be reached: connection refused', needs_login: false, logged_in: false, processes: 0, tools: [] },
]

const ABLE: ProfileFields = { tools: 'native', simple: false, parallel: true, schema: true, forced_tool: false, thinks: true, context_window: 1_000_000 }

const PROFILES: ModelProfile[] = [
  { model: 'anthropic/claude-sonnet', address: 'https://api.anthropic.com', agents: ['default'], plans_for: [], source: 'table', words: ['Plans reliably.', 'Thinks before it answers.', 'Window: 1,000,000 tokens.'], profile: ABLE },
  { model: 'anthropic/claude-opus', address: 'https://api.anthropic.com', agents: [], plans_for: ['default'], source: 'table', words: ['Plans reliably.', 'Thinks before it answers.', 'Window: 1,000,000 tokens.'], profile: ABLE },
  {
    model: 'ollama/qwen3:4b', address: 'http://127.0.0.1:11434/v1', agents: ['helper'], plans_for: [], source: 'name', plan_model: 'anthropic/claude-opus',
    words: ['Not checked yet: small by its name, so it gets the simple plan form.', 'Set plan_model to anthropic/claude-opus: it plans, and this model does the steps.'], profile: { ...ABLE, simple: true, context_window: undefined },
  },
  { model: 'claude_code/default', agents: ['coder'], plans_for: [], source: 'default', words: ['External agent: it plans and uses tools in its own way.'], profile: { ...ABLE, schema: false, thinks: false, context_window: undefined } },
]

const KEYS: KeyState = { keyring: 'ready', providers: { anthropic: 'keyring', openai: 'none', gemini: 'none', xai: 'none', ollama: 'not_needed' } }

const SETTINGS: SettingsView = {
  values: {
    providers: {
      anthropic: { type: 'anthropic', base_url: 'https://api.anthropic.com/' }, gemini: { type: 'gemini', base_url: 'https://generativelanguage.googleapis.com/' },
      claude_code: { type: 'command_line', base_url: null, key_env: null, command: ['claude-code-acp'], hosts: ['api.anthropic.com'], read: [], env: ['ANTHROPIC_API_KEY'], not_installed: 'claude_code is not installed: there is no program claude-code-acp. Install it with `npm install -g @zed-industries/claude-code-acp`, or set command of the provider claude_code to where it is.' },
      ollama: { type: 'ollama', base_url: 'http://127.0.0.1:11434/' }, openai: { type: 'openai', base_url: 'https://api.openai.com/v1/' }, xai: { type: 'xai', base_url: 'https://api.x.ai/v1/' },
    },
    agents: { default: { model: 'anthropic/claude-sonnet', plan_model: 'anthropic/claude-opus', plan_mode: 'strict', domains: [], capabilities: [], permissions: { allow: ['shell(git log *)'], ask: [], deny: [{ rule: 'shell(git push *)', examples: ['git push origin main'], not_examples: ['git pull'] }, 'fetch'], open: ['shell(npm install*)'] } } },
    caps: { ...CAPS }, limits: { memory_mb: 8_000, all_memory_mb: 12_000, processes: 2_048, all_processes: 16_384, processors: null }, planner: { enabled: true, onPartialCompletion: 'synthesize' }, orchestrator: { voting_sensitivity: 'lenient', max_new_answers_per_agent: 2, defer_voting_until_all_answered: true, answer_novelty_requirement: 'lenient', final_answer_strategy: 'winner_present', fairness_lead_cap_answers: 2, max_midstream_injections_per_round: 2 }, timeout_settings: { round_timeout_grace_seconds: 120 },
    mcp_servers: { files: { command: 'npx', args: ['-y', 'files-server'], env: ['FILES_ROOT'], trusted: true, effects: { stat: 'write' } }, weather: { url: 'https://mcp.example.org/', headers: [], trusted: false, effects: {} } }, network: { private_hosts: ['printer.lan'] }, sandbox: { read: [] }, workspaces: [], redact: [], models: { small: 'ollama/qwen3:8b', home: { model: 'ollama/llama3.3:70b', context_window: 32_000, max_output: null, vision: false, prices: { input: 0.1, output: 0.4, cache_read: 0.1, cache_write: 0.1 } } },
    ui: { notifications: true, quiet_hours: null, pause_shortcut: 'Ctrl+Alt+Shift+P', keep_awake: true }, api: { enabled: true, listen: '127.0.0.1:7435', rights: ['read', 'supervise', 'run'] },
  },
  by_person: ['caps.attempts', 'agents.default.plan_model'],
  problems: [{ level: 'warning', path: 'agents.default.colour', message: 'agents.default.colour is not known; did you mean model?', file: '/home/you/.config/plancard/plancard.yaml', line: 4 }],
  person_file: '/home/you/.config/plancard/plancard.yaml', settings_file: '/home/you/.config/plancard/settings.yaml',
  agent: { name: 'default', model: 'anthropic/claude-sonnet', plan_model: 'anthropic/claude-opus' },
  models: ['anthropic/claude-sonnet', 'anthropic/claude-opus', 'ollama/qwen3:8b'],
  api: { enabled: true, address: 'http://127.0.0.1:7435', clients: 2, token_file: '/home/you/.local/share/plancard/token' },
  first_run: false, sample_folder: '/home/you/.local/share/plancard/sample', home: '/home/you',
}
