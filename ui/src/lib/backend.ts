// The one door to the engine. Nothing else in the window imports Tauri.
//
// A command is called by its name in snake_case with named arguments; a
// refusal or failure arrives as a `Problem`. Streams are Tauri channels: the
// command answers with what there is and a number, and `unsubscribe` with that
// number ends it.

import { Channel, invoke } from '@tauri-apps/api/core'
import { WholeOverview } from './overview'
import type {
  AskId,
  Chatter,
  CheckedModel,
  CouncilId,
  CouncilPreview,
  CouncilView,
  Edit,
  Estimate,
  Followed,
  Hash,
  Json,
  KeyState,
  KeyTried,
  Link,
  LocalServer,
  McpServerView,
  ModelProfile,
  Overview,
  OverviewNews,
  PlanId,
  PlanMode,
  PlanSummary,
  PlanView,
  RoomId,
  RoomNews,
  RoomSize,
  RoomUsage,
  RoomView,
  SandboxView,
  SettingsView,
  SidekickView,
  StepComment,
  StepId,
  Stored,
  Tested,
  ToolEntry,
} from './wire'

export type {
  ConfigProblem,
  Json,
  KeyState,
  Link,
  LocalServer,
  Overview,
  PlanSummary,
  Problem,
  RoomNews,
  RoomSummary,
  SettingsView,
} from './wire'

export type Unsubscribe = () => void

/** What a room sends while it is open. */
export interface RoomListener {
  events(events: Stored[]): void
  view(view: RoomView): void
  chatter(chatter: Chatter): void
}

export interface Backend {
  /** `overview {channel: Channel<OverviewNews>} -> Followed<OverviewNews>` */
  overview(onChange: (overview: Overview) => void): Promise<Unsubscribe>
  /** `open_room {room, after, channel: Channel<RoomNews>} -> Followed<RoomNews>`. First events
   *  after `after` (only the last page of them), then a view, then what happens. */
  openRoom(room: RoomId, after: number, on: RoomListener): Promise<Unsubscribe>
  /** Older events, oldest first; `before` null: the newest. */
  history(room: RoomId, before: number | null, limit: number): Promise<Stored[]>

  /** Without a workspace the room works in the sample folder. */
  createRoom(room: { title?: string; workspace?: string; plan_mode?: PlanMode }): Promise<RoomView>
  renameRoom(room: RoomId, title: string): Promise<void>
  archiveRoom(room: RoomId, archived: boolean): Promise<void>
  deleteRoom(room: RoomId): Promise<void>
  /** What deleting the room frees. */
  roomSize(room: RoomId): Promise<RoomSize>
  /** Gives the room another folder. */
  moveRoom(room: RoomId, path: string): Promise<void>
  /** Why the room's folder can't be used, beginning with its path; null when it can. */
  folderProblem(room: RoomId): Promise<string | null>
  setMode(room: RoomId, mode: PlanMode): Promise<void>
  forgetRule(room: RoomId, rule: string): Promise<void>
  say(room: RoomId, text: string): Promise<void>
  /** Stops the agent's turn in a room without an active plan. */
  stop(room: RoomId): Promise<void>
  /** Hands a goal to agents, in a room of its own on the same folder; gives that room. */
  setGoal(room: RoomId, goal: string): Promise<RoomId>
  /** The room's sidekicks, those that ended included. */
  sidekicks(room: RoomId): Promise<SidekickView[]>
  /** Gives a task to a new sidekick of the room. */
  spawnSidekick(room: RoomId, task: string): Promise<void>
  /** Stops the sidekick whose room this is. Steering it, and letting it go on, is `say` there. */
  stopSidekick(room: RoomId): Promise<void>
  /** What a council here would be and may take. */
  councilPreview(room: RoomId): Promise<CouncilPreview>
  /** Without members all who can sit there do; `options` by the names of the configuration. */
  startCouncil(room: RoomId, task: string, members: string[], options: Record<string, Json>): Promise<CouncilId>
  /** Lets the votes or answers so far decide. */
  councilAnswerNow(room: RoomId): Promise<void>
  /** The person's own vote; a later one replaces it. */
  councilVote(room: RoomId, member: string, reason: string): Promise<void>
  /** Says who wins, whatever the votes say. */
  councilPick(room: RoomId, member: string): Promise<void>
  /** Gives a member that is out another chance. */
  councilRetry(room: RoomId, member: string): Promise<void>
  /** All councils of a room, newest first. */
  councils(room: RoomId): Promise<CouncilView[]>
  /** Which room the person looks at; null when none. */
  inFront(room: RoomId | null): Promise<void>

  pause(room: RoomId): Promise<void>
  /** Whether the plan pauses when the step under way has ended. */
  pauseAfterStep(room: RoomId, on: boolean): Promise<void>
  /** Stops the call under way and pauses the plan; the step is done again on resume. */
  stopStep(room: RoomId): Promise<void>
  resume(room: RoomId): Promise<void>
  cancel(room: RoomId, reason: string): Promise<void>
  /** The revision and hash are those of what is painted. */
  approve(room: RoomId, revision: number, hash: Hash, model: string | null, freshContext: boolean): Promise<void>
  reject(room: RoomId, reason: string): Promise<void>
  edit(room: RoomId, revision: number, edits: Edit[], reason?: string): Promise<void>
  skip(room: RoomId, step: StepId): Promise<void>
  retry(room: RoomId, step: StepId): Promise<void>
  /** Takes a step as done whose check failed. */
  overrideCheck(room: RoomId, step: StepId): Promise<void>
  /** Comments on single steps of the revision that is painted, and words about the whole, as one round. */
  comment(room: RoomId, seen: number, on: StepComment[], text: string): Promise<void>
  /** Lets a step that names nothing change the workspace, or no longer; `seen` is the revision that is painted. */
  letChange(room: RoomId, step: StepId, on: boolean, seen: number): Promise<void>
  answer(ask: AskId, answer: string, note?: string, revision?: number, hash?: Hash): Promise<void>

  /** Plans of a room, newest first; `query` looks in goals and steps. */
  plans(room: RoomId, query?: string): Promise<PlanSummary[]>
  plan(id: PlanId): Promise<PlanView>
  /** What the rest of the room's plan may take; `model` null: the one that will execute. */
  estimate(room: RoomId, model: string | null): Promise<Estimate>
  /** What the room used, model by model. */
  usage(room: RoomId): Promise<RoomUsage>
  exportPlan(id: PlanId, format: 'markdown' | 'json'): Promise<string>
  /** Asks for a place and writes it there; the path, or null when dismissed. */
  saveExport(id: PlanId, format: 'markdown' | 'json'): Promise<string | null>
  /** The whole of a text that an event names by its hash. */
  blob(hash: string): Promise<string>
  /** Paths in the room's workspace that match what was typed after @. */
  files(room: RoomId, prefix: string): Promise<string[]>

  pickFolder(): Promise<string | null>
  settings(): Promise<SettingsView>
  /** Whether commands can be confined; the first answer takes a moment. */
  sandbox(): Promise<SandboxView>
  /** `value` null: back to the default. Refused with the same words as the file would be. */
  saveSetting(path: string, value: Json): Promise<SettingsView>
  /** An empty key forgets it. */
  setKey(provider: string, key: string): Promise<KeyState>
  /** One small real call with a key, which is kept unless the provider refuses it. */
  tryKey(provider: string, model: string, key: string): Promise<KeyTried>
  /** What is seen without asking anybody. */
  keyState(): Promise<KeyState>
  /** Has a locked keyring unlocked. */
  openKeyring(): Promise<KeyState>
  /** One small real call. */
  testModel(provider: string, model: string): Promise<Tested>
  localServers(): Promise<LocalServer[]>
  /** What is known of every model that an agent uses; nothing is asked. */
  modelProfiles(): Promise<ModelProfile[]>
  /** Finds out what a model can do, by a few short real calls. */
  checkProfile(model: string): Promise<CheckedModel>
  /** Every tool there is, the harness's own first. */
  catalogue(): Promise<ToolEntry[]>
  /** Every MCP server and how it stands. */
  mcpServers(): Promise<McpServerView[]>
  /** A server's last words on its error output. */
  mcpSaid(server: string): Promise<string>
  mcpLogin(server: string): Promise<void>
  mcpLogout(server: string): Promise<void>
  /** What a maintainer wants to know, without secrets. */
  diagnostics(): Promise<string>

  /** `links {channel: Channel<Link>} -> Followed<Link>`. First those that waited for the window. */
  onLink(callback: (link: Link) => void): Promise<Unsubscribe>
  /** https only. */
  openExternal(url: string): Promise<void>
  /** The window is painted and can be shown. */
  uiReady(): Promise<void>
  /** Pauses everything and ends the app. */
  quit(): Promise<void>
}

/** A stream that was asked for. What comes by the channel follows what comes with the answer,
 * whichever is here first. */
interface Asked<T> {
  channel: Channel<T>
  early: T[]
  answer: Promise<Followed<T>>
}

function ask<T>(command: string, args: object): Asked<T> {
  const channel = new Channel<T>()
  const early: T[] = []
  channel.onmessage = (message) => early.push(message)
  return { channel, early, answer: invoke<Followed<T>>(command, { ...args, channel }) }
}

async function subscribe<T>(command: string, args: object, onMessage: (message: T) => void): Promise<Unsubscribe> {
  const { channel, early, answer } = (taken(command, args) as Asked<T> | undefined) ?? ask<T>(command, args)
  const { id, first } = await answer
  for (const message of [...first, ...early]) onMessage(message)
  channel.onmessage = onMessage
  return () => void invoke('unsubscribe', { id })
}

/** What was asked for before the window's code was there, until that code asks for it. */
const asked = new Map<string, unknown>()
const nameOf = (command: string, args: object) => command + JSON.stringify(args)

function taken(command: string, args: object): unknown {
  const name = nameOf(command, args)
  const found = asked.get(name)
  asked.delete(name)
  return found
}

const once = <T>(command: string): Promise<T> => (taken(command, {}) as Promise<T> | undefined) ?? invoke<T>(command)

/** Asks for what the window shows first. */
export function askAhead(room: RoomId | null): void {
  const keep = (command: string, args: object, what: unknown, answer: Promise<unknown>) => {
    asked.set(nameOf(command, args), what)
    // Whoever takes it hears of a failure.
    answer.catch(() => undefined)
  }
  const stream = (command: string, args: object) => {
    const asking = ask(command, args)
    keep(command, args, asking, asking.answer)
  }
  const single = (command: string) => {
    const answer = invoke(command)
    keep(command, {}, answer, answer)
  }
  single('settings')
  stream('links', {})
  stream('overview', {})
  if (room) stream('open_room', { room, after: 0 })
}

/** The engine behind this window. */
export const tauriBackend: Backend = {
  overview: (onChange) => {
    const whole = new WholeOverview()
    return subscribe<OverviewNews>('overview', {}, (news) => onChange(whole.take(news)))
  },
  openRoom: (room, after, on) =>
    subscribe<RoomNews>('open_room', { room, after }, (news) => {
      switch (news.type) {
        case 'events':
          return on.events(news.events)
        case 'view':
          return on.view(news.view)
        case 'chatter':
          return on.chatter(news.chatter)
      }
    }),
  history: (room, before, limit) => invoke('history', { room, before, limit }),

  createRoom: (room) => invoke('create_room', { room }),
  renameRoom: (room, title) => invoke('rename_room', { room, title }),
  archiveRoom: (room, archived) => invoke('archive_room', { room, archived }),
  deleteRoom: (room) => invoke('delete_room', { room }),
  roomSize: (room) => invoke('room_size', { room }),
  moveRoom: (room, path) => invoke('move_room', { room, path }),
  folderProblem: (room) => invoke('folder_problem', { room }),
  setMode: (room, mode) => invoke('set_mode', { room, mode }),
  forgetRule: (room, rule) => invoke('forget_rule', { room, rule }),
  say: (room, text) => invoke('say', { room, text }),
  stop: (room) => invoke('stop', { room }),
  setGoal: (room, goal) => invoke('set_goal', { room, goal }),
  sidekicks: (room) => invoke('sidekicks', { room }),
  spawnSidekick: (room, task) => invoke('spawn_sidekick', { room, task }),
  stopSidekick: (room) => invoke('stop_sidekick', { room }),
  councilPreview: (room) => invoke('council_preview', { room }),
  startCouncil: (room, task, members, options) => invoke('start_council', { room, task, members, options }),
  councilAnswerNow: (room) => invoke('council_answer_now', { room }),
  councilVote: (room, member, reason) => invoke('council_vote', { room, member, reason }),
  councilPick: (room, member) => invoke('council_pick', { room, member }),
  councilRetry: (room, member) => invoke('council_retry', { room, member }),
  councils: (room) => invoke('councils', { room }),
  inFront: (room) => invoke('in_front', { room }),

  pause: (room) => invoke('pause', { room }),
  pauseAfterStep: (room, on) => invoke('pause_after_step', { room, on }),
  stopStep: (room) => invoke('stop_step', { room }),
  resume: (room) => invoke('resume', { room }),
  cancel: (room, reason) => invoke('cancel', { room, reason }),
  approve: (room, revision, hash, model, freshContext) =>
    invoke('approve', { room, revision, hash, model, freshContext }),
  reject: (room, reason) => invoke('reject', { room, reason }),
  edit: (room, revision, edits, reason) => invoke('edit', { room, revision, edits, reason }),
  skip: (room, step) => invoke('skip', { room, step }),
  retry: (room, step) => invoke('retry', { room, step }),
  overrideCheck: (room, step) => invoke('override_check', { room, step }),
  comment: (room, seen, on, text) => invoke('comment', { room, seen, on, text }),
  letChange: (room, step, on, seen) => invoke('let_change', { room, step, on, seen }),
  answer: (ask, answer, note, revision, hash) => invoke('answer', { ask, answer, note, revision, hash }),

  plans: (room, query) => invoke('plans', { room, query }),
  plan: (id) => invoke('plan', { id }),
  estimate: (room, model) => invoke('estimate', { room, model }),
  usage: (room) => invoke('usage', { room }),
  exportPlan: (id, format) => invoke('export_plan', { id, format }),
  saveExport: (id, format) => invoke('save_export', { id, format }),
  blob: (hash) => invoke('blob', { hash }),
  files: (room, prefix) => invoke('files', { room, prefix }),

  pickFolder: () => invoke('pick_folder'),
  settings: () => once('settings'),
  sandbox: () => invoke('sandbox'),
  saveSetting: (path, value) => invoke('save_setting', { path, value }),
  setKey: (provider, key) => invoke('set_key', { provider, key }),
  tryKey: (provider, model, key) => invoke('try_key', { provider, model, key }),
  keyState: () => invoke('key_state'),
  openKeyring: () => invoke('open_keyring'),
  testModel: (provider, model) => invoke('test_model', { provider, model }),
  localServers: () => invoke('local_servers'),
  modelProfiles: () => invoke('model_profiles'),
  checkProfile: (model) => invoke('check_profile', { model }),
  catalogue: () => invoke('catalogue'),
  mcpServers: () => invoke('mcp_servers'),
  mcpSaid: (server) => invoke('mcp_said', { server }),
  mcpLogin: (server) => invoke('mcp_login', { server }),
  mcpLogout: (server) => invoke('mcp_logout', { server }),
  diagnostics: () => invoke('diagnostics'),

  onLink: (callback) => subscribe<Link>('links', {}, callback),
  openExternal: (url) => invoke('open_external', { url }),
  uiReady: () => invoke('ui_ready'),
  quit: () => invoke('quit'),
}
