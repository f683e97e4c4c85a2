// Which word, colour and place a plan's or a step's state has.

import type { Tone } from '../kit/tone'
import type { AskView, PlanView, StepView } from '../lib/wire'
import { planState } from '../lib/words'
import { skipped, STATE } from './words'

export function planTone(state: string): Tone {
  switch (state) {
    case 'running':
      return 'go'
    case 'awaiting_approval':
    case 'paused':
      return 'wait'
    case 'done':
      return 'good'
    case 'failed':
      return 'bad'
    default:
      return 'plain'
  }
}

/** The colour of a plan: one that waits for an answer or a word needs a person, whatever its state. */
export function toneOf(plan: PlanView): Tone {
  return waitsForAnswer(plan) || plan.left ? 'wait' : planTone(plan.state)
}

/** Its state in a word or two, as on its pill. */
export function stateOf(plan: PlanView): string {
  if (plan.left) return STATE.sentBack
  return runningAs(plan) ?? planState(plan.state, plan.pause_reason, plan.sent_back)
}

/** Whether it runs, but everything under way waits for a person's answer. */
function waitsForAnswer({ state, held, steps }: PlanView): boolean {
  const active = steps.filter((step) => step.status === 'in_progress')
  return state === 'running' && (held === 'answer' || (active.length > 0 && active.every((step) => step.waiting)))
}

/** Whether it has ended. */
export function isOver({ state }: PlanView): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled'
}

/** What the card asks: where its plan is over, only what that plan or its sidekicks asked. */
export function asksOf(plan: PlanView, asks: AskView[]): AskView[] {
  if (!isOver(plan)) return asks
  return asks.filter((ask) => ask.plan_id === plan.id || plan.steps.some((step) => step.sidekick === ask.room_id))
}

/** What a plan that runs is at, or waits for; null where its state says it all. */
export function runningAs(plan: PlanView): string | null {
  if (plan.state !== 'running') return null
  if (plan.phase === 'splitting') return STATE.splitting
  if (plan.phase === 'joining') return STATE.joining
  if (waitsForAnswer(plan)) return STATE.held.answer
  return plan.held ? STATE.held[plan.held] : null
}

/** The step that a room's own agent does: one that no sidekick has, else the one above that it was made for. */
export function ownStep(plan: PlanView | null | undefined, serves: number | null): number | null {
  const active = plan?.steps.filter((step) => step.status === 'in_progress') ?? []
  if (active.length === 0) return serves
  return active.find((step) => !step.sidekick)?.number ?? null
}

/** The step that a plan is stuck at: it failed as often as it may, or nobody works on it any more. */
export function stuckAt({ state, pause_reason, steps }: Pick<PlanView, 'state' | 'pause_reason' | 'steps'>): StepView | null {
  if (state !== 'paused' || pause_reason !== 'attempts') return null
  const step = steps.find(({ status }) => status === 'in_progress' || status === 'failed' || status === 'pending')
  return step && (step.status !== 'pending' || step.attempts > 0) ? step : null
}

/** How a step is called and drawn. */
export function stepLook(step: StepView, stuck = false): { glyph: string; word: string; tone: Tone } {
  if (stuck) return { glyph: '✗', word: STATE.stuck, tone: 'wait' }
  if (step.waiting && step.status === 'in_progress') return { glyph: '▶', word: STATE.waitsForYou, tone: 'go' }
  switch (step.status) {
    case 'in_progress':
      return { glyph: '▶', word: STATE.inProgress, tone: 'go' }
    case 'done':
      return { glyph: '✓', word: STATE.done, tone: 'good' }
    case 'failed':
      return { glyph: '✗', word: STATE.failed, tone: 'bad' }
    case 'skipped':
      return { glyph: '—', word: STATE.skipped, tone: 'plain' }
    default:
      return { glyph: '○', word: step.blocked ? STATE.blocked : step.queued ? STATE.queued : STATE.pending, tone: 'plain' }
  }
}

/** Why a step was left out. */
export function skipWords(step: StepView): string {
  return skipped(step.skip_cause, step.took_ms > 0)
}

export function done(plan: PlanView): number {
  return plan.steps.filter((step) => step.status === 'done').length
}

export function ended(plan: PlanView): number {
  return plan.steps.filter((step) => ['done', 'failed', 'skipped'].includes(step.status)).length
}

/** The steps under way, or the one that comes next while the plan is active. */
export function current(plan: PlanView): Set<string> {
  const running = plan.steps.filter((step) => step.status === 'in_progress').map((step) => step.id)
  if (running.length > 0) return new Set(running)
  if (plan.state !== 'running' && plan.state !== 'paused') return new Set()
  const next = plan.steps.find((step) => step.status === 'pending')
  return new Set(next ? [next.id] : [])
}

/** How much of the plan is done, with the step under way as half. */
export function progress(plan: PlanView): number {
  if (plan.state === 'awaiting_approval') return 1
  if (plan.steps.length === 0) return 0
  const half = plan.steps.filter((step) => step.status === 'in_progress').length / 2
  return (ended(plan) + half) / plan.steps.length
}
