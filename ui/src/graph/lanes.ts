// The steps over time: when each began, how long it took, and how long it
// waited for a place after all that it needs was there.

import type { Span } from '../chat/fold'
import type { PlanView, StepId, StepView } from '../lib/wire'

export interface Stretch {
  kind: 'queued' | 'ran' | 'runs'
  from: number
  to: number
}

export interface Lane {
  id: StepId
  step: StepView
  stretches: Stretch[]
  /** Milliseconds under way, and waiting for a place. */
  ran: number
  queued: number
}

export interface Lanes {
  rows: Lane[]
  /** What the strip shows, and where it is marked. */
  from: number
  to: number
  ticks: number[]
  /** Steps that have not begun and wait for others. */
  later: number
}

/** A wait shorter than this is none: it is the time between two events. */
const AT_ONCE = 1000
const TICKS = [5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400].map((seconds) => seconds * 1000)
const MOST_TICKS = 4

/** Whether there is anything to compare: several sidekicks. */
export function worthLanes(plan: PlanView): boolean {
  return new Set(plan.steps.flatMap((step) => step.sidekick ?? [])).size > 1
}

/** `began` tells when a step's sidekick began, for what the log here does not hold. */
export function lanes(plan: PlanView, spans: (step: StepId) => Span[], began: (step: StepId) => number | null, now: number): Lanes {
  const live = plan.state === 'running'
  const ends = new Map<StepId, number>()
  const known = new Map(plan.steps.map((step) => [step.id, spansOf(step, spans(step.id), began(step.id), live ? now : null)]))
  for (const [id, list] of known) {
    const last = list.at(-1)
    if (last) ends.set(id, last.to)
  }
  const starts = [...known.values()].flatMap((list) => list.map((span) => span.from))
  const first = Math.min(...starts, now)
  const rows = plan.steps.flatMap((step) => {
    const ran = known.get(step.id) ?? []
    const ready = step.needs.length === 0 ? first : Math.max(first, ...step.needs.map((need) => ends.get(need) ?? Infinity))
    const until = ran[0]?.from ?? (step.queued ? now : ready)
    const waited: Stretch[] = until - ready >= AT_ONCE ? [{ kind: 'queued', from: ready, to: until }] : []
    if (ran.length === 0 && !step.queued) return []
    return [{ id: step.id, step, stretches: [...waited, ...ran], ran: sum(ran), queued: sum(waited) }]
  })
  const last = Math.max(first, ...rows.flatMap((row) => row.stretches.map((one) => one.to)))
  const every = TICKS.find((tick) => (last - first) / tick <= MOST_TICKS) ?? (TICKS.at(-1) as number)
  // The end moves from mark to mark, so that what is over stays where it is.
  const count = Math.max(1, Math.ceil((last - first) / every))
  const later = plan.steps.filter((step) => step.status === 'pending').length - rows.filter((row) => row.step.status === 'pending').length
  return { rows, from: first, to: first + count * every, ticks: Array.from({ length: count + 1 }, (_, i) => i * every), later }
}

function spansOf(step: StepView, logged: Span[], began: number | null, now: number | null): Stretch[] {
  const started = step.started_at ? step.started_at - (logged.length === 0 ? step.took_ms : 0) : began
  const spans = logged.length > 0 ? logged : started !== null && step.status !== 'pending' ? [{ from: started, to: step.status === 'in_progress' ? null : started + step.took_ms }] : []
  return spans.map(({ from, to }) => {
    if (to !== null) return { kind: 'ran', from, to }
    // While the plan is paused, nothing goes on.
    return now === null ? { kind: 'ran', from, to: from + step.took_ms } : { kind: 'runs', from, to: Math.max(from, now) }
  })
}

function sum(stretches: Stretch[]): number {
  return stretches.reduce((all, one) => all + one.to - one.from, 0)
}
