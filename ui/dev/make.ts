// Small builders for made-up rooms.

import type {
  Action,
  Actor,
  Allows,
  AskView,
  CallRequest,
  Caps,
  Content,
  Event,
  Outcome,
  PlanView,
  RoomView,
  Text,
  StepSpec,
  StepView,
  Stored,
  Usage,
} from '../src/lib/wire'

export const NOW = Date.now()
export const PERSON: Actor = { kind: 'person', principal: 'you', surface: 'window' }
export const AGENT: Actor = { kind: 'agent', principal: 'default', surface: 'turn' }

/** What a person may do to a plan that runs. */
export const RUNNING: Action[] = ['pause', 'pause_after', 'stop_step', 'skip', 'cancel']

export const CAPS: Caps = {
  steps: 20, nodes: 60, attempts: 3, repeats: 3, idle_turns: 3, planning_turns: 12, auto_steps: 8,
  sidekicks: 6, sidekicks_per_plan: 3, sidekick_turns: 25, sidekick_seconds: 300, stalled_seconds: 60,
  parallelism: 6, depth: 4, timeout_ms: 300_000, council_seconds: 1_800, council_restarts: 0,
  shell_seconds: 120, tool_seconds: 30, tokens: null, cost_micros: null, seconds: null,
}

export function usage(tokens = 0, dollars = 0): Usage {
  return { input: Math.round(tokens * 0.9), output: Math.round(tokens * 0.1), cache_read: 0, cost_micros: Math.round(dollars * 1e6) }
}

export function step(number: number, text: string, status = 'pending', more: Partial<StepView> = {}): StepView {
  return {
    id: `s${number}`, number, text, status, attempts: 0, max_attempts: 3, needs: number > 1 ? [`s${number - 1}`] : [],
    grants: more.target ? `${more.tool} ${more.target}` : 'read only', took_ms: 0, usage: usage(), changed: [], warnings: [], added: [], ...more,
  }
}

export const NOTHING: Allows = { files: 0, patterns: 0, commands: 0, with_more: 0, any_folder: 0, as_written: 0, checks: 0, hosts: 0, host_patterns: 0, tools: 0, free: 0 }

export function plan(more: Partial<PlanView> & { steps: StepView[] }): PlanView {
  return {
    id: 'plan', room_id: 'room', venue_room_id: 'room', revision: 1, hash: 'hash', goal: '', origin: 'chat',
    mode: 'sequential', advance: 'auto', venue: 'main', state: 'running', failed_steps: [], actions: [],
    usage: usage(), created_at: NOW, ran_ms: 0, allows: NOTHING, ...more,
  }
}

export function room(more: Partial<RoomView> & { title: string; workspace: string }): RoomView {
  return {
    id: 'room', seq: 1_000_000, agent: 'default', plan_mode: 'off', archived: false, busy: false, plan: null, asks: [], rules: [],
    usage: usage(), created_at: NOW, updated_at: NOW, kind: 'chat', ...more,
  } as RoomView
}

export function ask(more: Partial<AskView> & { text: string }): AskView {
  return { id: 'ask', kind: 'drift', room_id: 'room', plan_id: 'plan', step_id: 's2', detail: [], answers: [], created_at: NOW, ...more }
}

/** Events with their places in the log. */
export class Log {
  events: Stored[] = []
  #at = NOW - 120_000
  #calls = 0

  push(event: Event, ms = 1000): this {
    this.#at += ms
    this.events.push({ seq: this.events.length + 1, at: this.#at, event })
    return this
  }

  created(title: string, workspace: string): this {
    return this.push({ type: 'room_created', room: 'room', title, workspace, kind: { kind: 'chat' }, mode: 'off', agent: 'default' })
  }

  said(text: string): this {
    return this.push({ type: 'said', message: `m${this.events.length}`, text, by: PERSON })
  }

  /** A reply with calls, each with how it ended: `null` leaves it open. */
  replied(text: Text, calls: { tool: string; args: object; outcome?: Outcome | null; result?: string; ms?: number; nudge?: string; changed?: string[] }[] = []): this {
    const requests: CallRequest[] = calls.map((call) => ({ id: `c${++this.#calls}`, ref: '', tool: call.tool, args: JSON.stringify(call.args) }))
    this.push({ type: 'replied', model: 'anthropic/claude-sonnet', text, calls: requests, usage: usage(900, 0.01), seen: this.events.length })
    calls.forEach((call, i) => {
      const id = requests[i]!.id
      if (call.outcome === null) return
      this.push({ type: 'call_began', call: id, effect: 'read' }, 10)
      this.push({
        type: 'call_ended', call: id, outcome: call.outcome ?? 'ok', result: call.result ?? '', ms: call.ms ?? 4, nudge: call.nudge,
        changed: (call.changed ?? []).map((path) => ({ path, kind: 'modified', before: `${path}@before`, after: `${path}@after` })),
      }, 10)
    })
    return this
  }

  planned(view: PlanView, wait = 1000): this {
    const content = contentOf(view)
    return this.push({
      type: 'plan_written', plan: view.id, hash: view.hash, content, by: AGENT, model: view.planned_by,
      frame: { origin: view.origin, caps: CAPS, lanes: 1, on_partial: 'fail', venue_room: 'room' },
    }, wait)
  }

  lastCall(): string {
    return `c${this.#calls}`
  }
}

export function contentOf(view: PlanView, steps: StepSpec[] = view.steps): Content {
  return {
    goal: view.goal, title: view.title, rationale: view.rationale, mode: view.mode, advance: view.advance, venue: view.venue,
    workspace: '/home/you/code',
    steps: steps.map(({ id, text, tool, target, expected_outcome, verify, needs, agent, model }) => ({ id, text, tool, target, expected_outcome, verify, needs, agent, model })),
  }
}
