// What the message box says of itself: what words do here, and when they are read; and the way to it.

import { holding } from '../council/facts'
import type { RoomView } from '../lib/wire'
import { hasEnded } from '../sidekicks/standing'
import { TEXT } from './words'

/** In the empty box. */
export function placeholder(room: RoomView): string {
  if (room.plan?.state === 'awaiting_approval') return TEXT.compose.change
  if (holding(room)) return TEXT.compose.council
  if (room.kind !== 'sidekick') return TEXT.compose.room
  return over(room) ? TEXT.compose.next(room.codename ?? '') : TEXT.compose.steer(room.codename ?? '')
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
  if (room.archived) return TEXT.compose.archived
  if (holding(room)) return TEXT.compose.before
  if (room.kind === 'sidekick' && !plan && over(room)) return TEXT.compose.resumes
  // The keys of the card work outside this box, and this is the way out.
  if (plan?.state === 'awaiting_approval') return TEXT.compose.f6
  if (asks(room)) return TEXT.compose.asked
  if (works(room)) return TEXT.compose.works(plan?.state === 'running' && plan.budget_left != null)
  if (plan?.state === 'paused') return plan.pause_reason === 'auto_budget' ? TEXT.compose.resumes : TEXT.compose.paused
  return room.kind === 'sidekick' && !plan ? TEXT.compose.steers : TEXT.compose.usual
}

/** When the agent reads what it has not read yet; empty when it has nothing to. */
export function waits(room: RoomView): string {
  // Members are told at their next turn, and it is not the room's agent who reads it.
  if (holding(room)) return ''
  if (room.plan?.state === 'paused') return TEXT.compose.readResumed
  if (asks(room)) return TEXT.compose.readAnswered
  return room.busy ? TEXT.compose.readNext : ''
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
