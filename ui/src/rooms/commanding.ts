// What the commands about the plan are for here, and why one can't be carried out.

import type { Command } from '../chat/commands'
import { holding } from '../council/facts'
import type { CouncilView, PlanView, RoomView, StepView } from '../lib/wire'
import { TEXT } from './words'

export function isActive(plan: PlanView | null | undefined): plan is PlanView {
  return !!plan && ['draft', 'awaiting_approval', 'running', 'paused'].includes(plan.state)
}

/** The step that /skip leaves out. */
export function toSkip(plan: PlanView | null): StepView | undefined {
  return plan?.steps.find((step) => step.status === 'in_progress') ?? plan?.steps.find((step) => step.status === 'pending')
}

/** The step that /retry does again: the last that failed, else the one at which a paused plan stands, else the last left out. */
export function toRetry(plan: PlanView | null): StepView | undefined {
  if (!isActive(plan)) return undefined
  const last = (status: string) => plan.steps.findLast((step) => step.status === status)
  return last('failed') ?? (plan.state === 'paused' ? last('in_progress') : undefined) ?? last('skipped')
}

/** Whether something is under way that can be stopped: a call without a plan that waits for a person is. */
export function stoppable({ plan, busy, asks }: RoomView): boolean {
  return busy || plan?.state === 'running' || (!isActive(plan) && asks.some((ask) => ask.kind !== 'conflict'))
}

/** Why a command can't be carried out here; empty when it can be tried. */
export function impossible(command: Command, room: RoomView): string {
  const { plan } = room
  const council = holding(room)
  if (council && ['pause', 'resume', 'cancel'].includes(command.name)) return unable(command.name as 'pause' | 'resume' | 'cancel', council)
  switch (command.name) {
    case 'wrong':
      return command.message
    case 'stop':
      return stoppable(room) ? '' : TEXT.cant.nothing
    case 'pause':
      return plan?.actions.includes('pause') ? '' : noPause(plan)
    case 'pause-after':
      if (plan?.pauses_after) return TEXT.cant.pausesAfter
      return plan?.actions.includes('pause_after') ? '' : noPause(plan)
    case 'stop-step':
      return plan?.actions.includes('stop_step') ? '' : TEXT.cant.noStepNow
    case 'resume':
      return plan?.actions.includes('resume') ? '' : noResume(plan)
    case 'cancel':
      return isActive(plan) ? '' : TEXT.cant.noCancel
    case 'skip':
      return toSkip(plan) ? '' : TEXT.cant.noSkip
    case 'retry':
      return toRetry(plan) ? '' : TEXT.cant.noRetry
    case 'council':
      return room.kind === 'chat' ? '' : TEXT.cant.council
    case 'export':
      return exported(room) ? '' : TEXT.cant.noExport
    default:
      return ''
  }
}

/** What an export is of: the plan, else a council that came to none, by its room. */
export function exported(room: RoomView): string | null {
  if (room.plan) return room.plan.id
  return room.kind === 'chat' && room.council && !room.council.plan_id ? room.id : null
}

/** Why a council can't be paused, resumed or cancelled. */
function unable(action: 'pause' | 'resume' | 'cancel', council: CouncilView): string {
  if (council.actions.includes(action)) return ''
  return council.state === 'paused' ? TEXT.cant.councilPaused : TEXT.cant.councilRuns
}

function noPause(plan: PlanView | null): string {
  if (!isActive(plan)) return TEXT.cant.noPause
  return plan.state === 'paused' ? TEXT.cant.paused : TEXT.cant.notYet
}

function noResume(plan: PlanView | null): string {
  if (!isActive(plan)) return TEXT.cant.noResume
  switch (plan.state) {
    case 'running':
      return TEXT.cant.runs
    case 'awaiting_approval':
      return TEXT.cant.approve
    case 'paused':
      return TEXT.cant.answer
    default:
      return TEXT.cant.sentBack
  }
}
