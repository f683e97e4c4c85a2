// Folds a room's events into what the chat shows and what the card needs to
// know beside its view. Items are replaced, never changed in place.

import { folder } from '../lib/home.svelte'
import { unreachable } from '../lib/unreachable'
import type { Actor, Ask, CallId, Content, Event, PlanId, PlanView, StepId, Stored } from '../lib/wire'
import { head, planState, who } from '../lib/words'
import { stepNumbers } from '../graph/facts'
import { isCouncilEvent, Ledger } from '../council/ledger'
import { callLine, type CallLine, type ChatItem } from './items'
import { Holding } from './modes'
import { late, queued } from './rows'
import { TEXT } from './words'

/** One revision of a plan, as it was written. */
export interface Revision {
  plan: PlanId
  revision: number
  content: Content
  by: Actor
  at: number
  reason: string | null
  /** How long the person waited for it. */
  took: number
}

/** When a step was under way; `to` is null while it is. */
export interface Span {
  from: number
  to: number | null
}

export class Fold {
  items: ChatItem[] = []
  revisions: Revision[] = []
  /** Steps that may end on their own, as the plan was written. */
  autoSteps = new Map<PlanId, number>()
  seq = 0
  /** The last event a model was shown. */
  seen = 0
  /** The number of the step above that a sidekick does. */
  serves: number | null = null
  /** What happened in the room's councils. */
  readonly council = new Ledger()
  #plan: PlanId | null = null
  #steps: StepId[] = []
  #active: StepId[] = []
  /** Of these, those that sidekicks do. */
  #handed = new Set<StepId>()
  /** Where each call is: its item. */
  #calls = new Map<CallId, number>()
  #ofStep = new Map<string, CallId[]>()
  #asks = new Map<string, Ask>()
  #spans = new Map<string, Span[]>()
  #holding = new Holding()
  #saidAt = 0
  #said = ''

  /** Begins with the last events of a room, whose plan may have been written before them. */
  static of(events: Stored[], plan: PlanView | null): Fold {
    const fold = new Fold()
    if (plan) fold.#amid(plan, events)
    fold.push(events)
    return fold
  }

  push(stored: Stored[]): void {
    for (const { seq, at, event } of stored) {
      if (seq <= this.seq) continue
      this.seq = seq
      this.#take(event, String(seq), at)
    }
  }

  /** The calls made for a step, oldest first. */
  callsOf(plan: PlanId, step: StepId): CallLine[] {
    const ids = this.#ofStep.get(`${plan} ${step}`) ?? []
    return ids.flatMap((id) => {
      const item = this.items[this.#calls.get(id) ?? -1]
      return item?.kind === 'agent' ? item.calls.filter((call) => call.id === id) : []
    })
  }

  /** When a step was under way, oldest first. */
  spansOf(plan: PlanId, step: StepId): Span[] {
    return this.#spans.get(`${plan} ${step}`) ?? []
  }

  /** Takes from the plan what the events before these told of it. */
  #amid(plan: PlanView, events: Stored[]): void {
    const first = new Map<StepId, Event['type']>()
    for (const { event } of events) {
      if (event.type === 'plan_written' && event.plan === plan.id) return
      if ('step' in event && MOVES.has(event.type) && !first.has(event.step)) first.set(event.step, event.type)
    }
    this.#plan = plan.id
    this.#steps = plan.steps.map((step) => step.id)
    const active = plan.steps.filter((step) => (first.get(step.id) ?? (step.status === 'in_progress' ? '' : 'step_started')) !== 'step_started')
    this.#active = active.map((step) => step.id)
    this.#handed = new Set(active.flatMap((step) => (step.sidekick ? [step.id] : [])))
  }

  #take(event: Event, key: string, at: number): void {
    this.#holding.take(event)
    if (isCouncilEvent(event)) {
      if (event.type === 'council_started' && event.by.kind === 'person') this.items.push({ kind: 'me', key: `${key} task`, text: event.task, at })
      const note = this.council.take(event, key, at)
      if (note) this.items.push({ kind: 'note', key, ...note, at })
      return
    }
    switch (event.type) {
      case 'said':
        this.#saidAt = at
        this.#said = head(event.text)
        this.items.push({ kind: 'me', key, text: event.text, at })
        return
      case 'briefed':
        this.serves = event.number ?? null
        this.items.push({ kind: 'brief', key, text: event.task, from: event.by.kind, full: event.full, at })
        return
      case 'member_told':
        this.items.push({ kind: 'brief', key, text: event.text, from: 'council', full: false, at })
        return
      case 'member_failed':
        this.#note(key, TEXT.notes.out + because(event.reason), 'bad')
        return
      case 'sidekick_ended':
        this.serves = null
        this.#note(key, `${ENDED[event.end].words}${because(event.result)}`, ENDED[event.end].tone)
        return
      case 'nudged':
        this.items.push({ kind: 'nudge', key, text: event.text, news: event.from != null })
        return
      case 'replied':
        this.#replied(event, key, at)
        return
      case 'call_began':
        this.#call(event.call, { state: 'running', began: at })
        return
      case 'call_ended':
        this.#call(event.call, {
          state: event.outcome,
          result: event.result,
          changed: event.changed ?? [],
          ms: event.ms ?? 0,
          ask: undefined,
        })
        if (event.nudge) this.items.push({ kind: 'nudge', key, text: event.nudge, news: false })
        return
      case 'warned':
        this.#call(event.call, { warning: event.text })
        return
      case 'ask_raised':
        if (!event.ask.call_id) return
        this.#asks.set(event.ask.id, event.ask)
        this.#call(event.ask.call_id, { state: 'asked', ask: event.ask.id })
        return
      case 'ask_answered':
      case 'ask_withdrawn': {
        const ask = this.#asks.get(event.ask)
        if (!ask?.call_id) return
        // A choice of ours shows in what follows; words of one's own show here.
        const answer = event.type === 'ask_answered' && ask.kind === 'question' ? { answer: event.answer } : {}
        this.#call(ask.call_id, { state: 'running', ask: undefined, ...answer })
        return
      }
      case 'plan_written':
        this.#plan = event.plan
        this.#active = []
        this.#handed.clear()
        this.autoSteps.set(event.plan, event.frame.caps.auto_steps)
        // A goal that was not split yet says nothing that could be compared.
        if (event.content.steps.length > 0) this.#revised(1, event.content, event.by, at, null)
        return
      case 'plan_revised':
        this.#revised(event.revision, event.content, event.by, at, event.reason ?? null)
        return
      case 'step_started':
        this.#active.push(event.step)
        this.#handed.delete(event.step)
        this.#began(event.step, at)
        return
      case 'step_handed':
        this.#handed.add(event.step)
        return
      case 'step_done':
      case 'step_failed':
      case 'step_skipped':
        this.#active = this.#active.filter((step) => step !== event.step)
        this.#ended(event.step, at)
        return
      case 'approved':
        this.#note(key, TEXT.notes.approved(who(event.approval.by.kind), event.approval.revision), 'good')
        return
      case 'sent_back':
        // What was said stands there already.
        this.#note(key, TEXT.notes.sentBack(who(event.by.kind)) + (event.reason === this.#said ? '' : because(event.reason)))
        return
      case 'paused':
        this.#note(key, `${planState('paused', event.reason)}${event.reason === 'interrupted' || event.reason === 'provider' ? because(event.detail ?? '') : ''}`)
        return
      case 'resumed':
        this.#note(key, TEXT.notes.resumed(who(event.by.kind)))
        return
      case 'step_reopened':
        this.#note(key, TEXT.notes.reopened(this.#number(event.step)))
        return
      case 'step_stopped':
        this.#note(key, TEXT.notes.stopped(this.#number(event.step)))
        return
      case 'check_failed':
        this.#note(key, TEXT.notes.check(this.#number(event.step)), 'wait')
        return
      case 'step_put_back':
        this.#active = this.#active.filter((step) => step !== event.step)
        this.#ended(event.step, at)
        this.#note(key, TEXT.notes.putBack(this.#number(event.step), event.reason), 'wait')
        return
      case 'copy_made':
        this.#note(key, TEXT.notes.copy)
        return
      case 'merged': {
        const files = (event.changed ?? []).map((change) => change.path)
        this.#note(key, files.length > 0 ? TEXT.notes.merged(few(files)) : TEXT.notes.unchanged, 'good')
        return
      }
      case 'copy_dropped':
        this.#note(key, event.problem ? TEXT.notes.notMerged + because(event.problem) : TEXT.notes.dropped, event.problem ? 'bad' : 'plain')
        return
      case 'granted':
        this.#note(key, TEXT.notes.granted(event.grant))
        return
      case 'step_may_change':
        this.#note(key, TEXT.notes.mayChange(this.#number(event.step), event.on !== false))
        return
      case 'rule_kept':
        this.#note(key, TEXT.notes.kept(event.rule.action, event.rule.tool, event.rule.target ?? '').trimEnd())
        return
      case 'rule_raised':
        this.#note(key, TEXT.notes.raised(event.rule.action, event.rule.tool, event.rule.target ?? '').trimEnd())
        return
      case 'rule_forgotten':
        this.#note(key, TEXT.notes.forgotten(event.rule.action, event.rule.tool, event.rule.target ?? '').trimEnd())
        return
      case 'cap_warned':
        this.#note(key, TEXT.notes.cap(event.cap), 'wait')
        return
      case 'plan_done':
        this.#over(at)
        this.#note(key, doneWords(event.failed_steps?.flatMap((step) => this.#numbered(step) ?? []) ?? []), 'good')
        return
      case 'split_refused':
        this.#note(key, TEXT.notes.split + because(event.reason), 'wait')
        return
      case 'synthesis_began':
        this.#note(key, TEXT.notes.synthesis)
        return
      case 'plan_failed':
        this.#over(at)
        this.#note(key, TEXT.notes.failed + because(event.reason), 'bad')
        return
      case 'plan_cancelled':
        this.#over(at)
        this.#note(key, TEXT.notes.cancelled(who(event.by.kind)) + because(event.reason))
        return
      case 'mode_changed':
        this.#note(key, this.#holding.words(event.mode))
        return
      case 'trouble':
        if (event.code === 'STOPPED') this.#note(key, event.text)
        else this.items.push({ kind: 'failed', key, text: event.text, code: event.code })
        return
      case 'compacted':
        this.#note(key, TEXT.notes.compacted)
        return
      case 'room_moved':
        this.#note(key, TEXT.notes.moved(folder(event.workspace)))
        return
      case 'room_archived':
        if (!event.archived) this.#note(key, TEXT.notes.unarchived)
        return
      case 'room_created':
      case 'room_renamed':
      case 'member_rested':
      case 'spent':
      case 'planning_began':
      case 'plan_held':
      case 'refilled':
      case 'delegated':
      case 'sidekick_queued':
      case 'sidekick_started':
      case 'sidekick_reported':
      case 'merge_began':
      case 'step_used':
      case 'used_below':
      case 'approval_requested':
      case 'started':
      case 'attempt_failed':
      case 'error_reported':
      case 'attempts_reset':
      case 'repeated':
      case 'pause_after_step':
        return
      default:
        unreachable(event)
    }
  }

  #replied(event: Extract<Event, { type: 'replied' }>, key: string, at: number): void {
    const current = this.#active.findLast((step) => !this.#handed.has(step)) ?? null
    // Whose own plan is under way, but in other hands, speaks for no step.
    const step = current ? this.#numbered(current) : this.#active.length > 0 ? null : this.serves
    const calls = (event.calls ?? []).map((request) => callLine(request, this.#plan, current))
    this.seen = Math.max(this.seen, event.seen)
    if (head(event.text) === '' && !event.thinking && calls.length === 0) return
    const place = this.#before(event.seen)
    for (const call of calls) {
      this.#calls.set(call.id, place)
      if (call.plan === null || call.step === null) continue
      const of = `${call.plan} ${call.step}`
      const ids = this.#ofStep.get(of)
      if (ids) ids.push(call.id)
      else this.#ofStep.set(of, [call.id])
    }
    this.items.splice(place, 0, {
      kind: 'agent',
      key,
      model: event.model,
      at,
      step,
      planning: false,
      text: event.text ?? '',
      thinking: event.thinking ?? null,
      calls,
    })
  }

  /** Where a reply goes: what was said while it was being written, and which it does not know, stands after it. */
  #before(seen: number): number {
    let place = this.items.length
    while (seen > 0 && late(this.items[place - 1], seen)) place--
    return place
  }

  #call(id: CallId, change: Partial<CallLine>): void {
    const index = this.#calls.get(id)
    const item = index === undefined ? undefined : this.items[index]
    if (index === undefined || item?.kind !== 'agent') return
    const calls = item.calls.map((call) => (call.id === id ? { ...call, ...change } : call))
    this.items[index] = { ...item, calls }
  }

  #revised(revision: number, content: Content, by: Actor, at: number, reason: string | null): void {
    this.#steps = content.steps.map((step) => step.id)
    if (this.#plan === null) return
    const took = this.#saidAt > 0 ? at - this.#saidAt : 0
    this.revisions.push({ plan: this.#plan, revision, content, by, at, reason, took })
    // What was said since the person's last words was said while planning.
    for (let i = this.items.length - 1; i >= 0; i--) {
      const item = this.items[i]
      if (queued(item, this.seen)) continue
      if (!item || item.kind === 'me') break
      if (item.kind === 'agent' && item.step === null) this.items[i] = { ...item, planning: true }
    }
  }

  #began(step: StepId, at: number): void {
    this.#ended(step, at)
    const of = `${this.#plan} ${step}`
    this.#spans.set(of, [...(this.#spans.get(of) ?? []), { from: at, to: null }])
  }

  #ended(step: StepId, at: number): void {
    const of = `${this.#plan} ${step}`
    const spans = this.#spans.get(of)
    if (spans?.at(-1)?.to === null) this.#spans.set(of, spans.map((span) => (span.to === null ? { ...span, to: at } : span)))
  }

  /** The plan is over, and with it what was under way. */
  #over(at: number): void {
    for (const step of this.#active) this.#ended(step, at)
    this.#active = []
  }

  #note(key: string, text: string, tone: 'plain' | 'good' | 'bad' | 'wait' = 'plain'): void {
    this.items.push({ kind: 'note', key, text, tone })
  }

  /** A step's number; one of a plan that is not here has it in its name, unless it was given another. */
  #numbered(step: StepId): number | null {
    const at = this.#steps.indexOf(step)
    return at >= 0 ? at + 1 : Number(/^s([1-9]\d*)$/.exec(step)?.[1] ?? 0) || null
  }

  #number(step: StepId): string {
    return String(this.#numbered(step) ?? `“${step}”`)
  }
}

/** What begins a step or ends it. */
const MOVES = new Set<Event['type']>(['step_started', 'step_put_back', 'step_done', 'step_failed'])

/** The first names of a list, and how many more there are. */
function few(names: string[]): string {
  const more = names.length - 5
  return names.slice(0, 5).join(', ') + (more > 0 ? TEXT.notes.more(more) : '')
}

function doneWords(failed: number[]): string {
  return failed.length === 0 ? TEXT.notes.done : TEXT.notes.doneBut(stepNumbers(failed))
}

function because(reason: string): string {
  return reason.trim() === '' ? '' : `: ${reason}`
}

const ENDED = {
  completed: { words: TEXT.notes.ended.completed, tone: 'good' },
  stopped: { words: TEXT.notes.ended.stopped, tone: 'plain' },
  failed: { words: TEXT.notes.ended.failed, tone: 'bad' },
} as const
