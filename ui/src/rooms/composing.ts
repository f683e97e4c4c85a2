// What the message box says of itself: what words do here, and when they are read.

import type { RoomView } from '../lib/wire'
import { hasEnded } from '../sidekicks/standing'

/** In the empty box. */
export function placeholder(room: RoomView): string {
  if (room.plan?.state === 'awaiting_approval') return 'Type what to change'
  if (room.kind !== 'sidekick') return 'Message the room'
  return over(room) ? `Tell ${room.codename} what to do next` : `Steer ${room.codename}`
}

/** Below it. */
export function hint(room: RoomView): string {
  const { plan } = room
  if (room.archived) return 'Archived; sending brings it back'
  if (room.kind === 'sidekick' && !plan) return over(room) ? 'Enter sends, and lets it go on' : 'Enter sends; what you say steers it'
  // The keys of the card work outside this box, and this is the way out.
  if (plan?.state === 'awaiting_approval') return 'Enter sends, F6 goes to the plan'
  if (plan?.state === 'running' && plan.budget_left != null) return 'Enter sends, and refills ⚡'
  if (plan?.state === 'paused') return plan.pause_reason === 'auto_budget' ? 'Enter sends, and lets it go on' : 'Enter sends; it is read on resume'
  return room.busy ? 'Enter sends; it is read at the next turn' : 'Enter sends, Shift Enter makes a new line'
}

/** When the agent reads what it has not read yet; empty when it has nothing to. */
export function waits(room: RoomView): string {
  if (room.plan?.state === 'paused') return 'Queued: it reads this when the plan goes on'
  return room.busy ? 'Queued: it reads this at its next turn' : ''
}

function over(room: RoomView): boolean {
  return !!room.sidekick && hasEnded(room.sidekick)
}
