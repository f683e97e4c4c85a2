// What the message box says of itself: what words do here, and when they are read; and the way to it.

import { holding } from '../council/facts'
import type { RoomView } from '../lib/wire'
import { hasEnded } from '../sidekicks/standing'

/** In the empty box. */
export function placeholder(room: RoomView): string {
  if (room.plan?.state === 'awaiting_approval') return 'Type what to change'
  if (holding(room)) return 'Message the council'
  if (room.kind !== 'sidekick') return 'Message the room'
  return over(room) ? `Tell ${room.codename} what to do next` : `Steer ${room.codename}`
}

/** Whether what is said now could wait until it is done. */
export function works(room: RoomView): boolean {
  // What is said to a council reaches its members at once.
  if (holding(room)) return false
  return room.plan?.state === 'running' || (room.busy && room.plan?.state !== 'paused' && room.plan?.state !== 'awaiting_approval')
}

/** Below it. */
export function hint(room: RoomView): string {
  const { plan } = room
  if (room.archived) return 'Archived; sending brings it back'
  if (holding(room)) return 'Agents read it before their next answer'
  if (room.kind === 'sidekick' && !plan && over(room)) return 'Enter sends, and lets it go on'
  // The keys of the card work outside this box, and this is the way out.
  if (plan?.state === 'awaiting_approval') return 'Enter sends, F6 goes to the plan'
  if (asks(room)) return 'Enter sends; it is read after the question is answered'
  if (works(room)) return `Enter steers${plan?.state === 'running' && plan.budget_left != null ? ' and refills ⚡' : ''}, Ctrl Enter queues`
  if (plan?.state === 'paused') return plan.pause_reason === 'auto_budget' ? 'Enter sends, and lets it go on' : 'Enter sends; it is read on resume'
  return room.kind === 'sidekick' && !plan ? 'Enter sends; what you say steers it' : 'Enter sends, Shift Enter makes a new line'
}

/** When the agent reads what it has not read yet; empty when it has nothing to. */
export function waits(room: RoomView): string {
  // Members are told at their next turn, and it is not the room's agent who reads it.
  if (holding(room)) return ''
  if (room.plan?.state === 'paused') return 'It reads this when the plan goes on'
  if (asks(room)) return 'It reads this after its question above is answered'
  return room.busy ? 'It reads this at its next turn' : ''
}

/** Whether its agent asked something and does nothing else until that is answered, which is not done by a message. */
function asks({ id, asks, plan }: RoomView): boolean {
  // With something besides the choices it is about files of a sidekick, and keeps nobody from reading.
  const own = asks.some((ask) => ask.kind === 'question' && ask.room_id === id && ask.detail.every((detail) => detail.name === 'option'))
  return own && plan?.state !== 'paused'
}

function over(room: RoomView): boolean {
  return !!room.sidekick && hasEnded(room.sidekick)
}
