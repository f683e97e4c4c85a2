// What the commands about the plan are for here, and why one can't be carried out.

import type { Command } from '../chat/commands'
import { holding } from '../council/facts'
import type { CouncilView, PlanView, RoomView, StepView } from '../lib/wire'

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
      return stoppable(room) ? '' : 'Nothing is under way here.'
    case 'pause':
      return plan?.actions.includes('pause') ? '' : noPause(plan)
    case 'pause-after':
      if (plan?.pauses_after) return 'The plan pauses after this step already.'
      return plan?.actions.includes('pause_after') ? '' : noPause(plan)
    case 'stop-step':
      return plan?.actions.includes('stop_step') ? '' : 'No step is under way here.'
    case 'resume':
      return plan?.actions.includes('resume') ? '' : noResume(plan)
    case 'cancel':
      return isActive(plan) ? '' : 'There is no plan to cancel.'
    case 'skip':
      return toSkip(plan) ? '' : 'There is no step to skip.'
    case 'retry':
      return toRetry(plan) ? '' : 'There is no step to try again.'
    case 'council':
      return room.kind === 'chat' ? '' : 'Start a council in a room of its own.'
    case 'export':
      return exported(room) ? '' : 'There is no plan to export.'
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
  return council.state === 'paused' ? 'The council is paused already.' : 'The council is running already.'
}

function noPause(plan: PlanView | null): string {
  if (!isActive(plan)) return 'There is no plan to pause.'
  return plan.state === 'paused' ? 'The plan is paused already.' : 'The plan does not run yet.'
}

function noResume(plan: PlanView | null): string {
  if (!isActive(plan)) return 'There is no plan to resume.'
  switch (plan.state) {
    case 'running':
      return 'The plan is running already.'
    case 'awaiting_approval':
      return 'The plan waits for your approval: it is given on the card.'
    case 'paused':
      return 'The plan goes on when its question is answered.'
    default:
      return 'The plan was sent back: a new one comes first.'
  }
}
