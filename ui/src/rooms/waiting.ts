// Everything that waits for a person: open questions, and plans that stopped by themselves.

import { glanceOf } from '../council/glance'
import type { RoomSummary } from '../lib/backend'
import type { AskView, PauseReason, RoomId } from '../lib/wire'
import { TEXT } from './words'

export interface Waiting {
  key: string
  room: RoomId
  title: string
  /** In one sentence. */
  why: string
  at: number
  /** The question, where there is one. */
  ask: AskView | null
}

/** Oldest first. A question says why its plan is paused, so that plan is not listed beside it. */
export function waiting(rooms: RoomSummary[], asks: AskView[]): Waiting[] {
  const asked = new Set(asks.map((ask) => ask.room_id))
  const titles = new Map(rooms.map((room) => [room.id, nameOf(room)]))
  const questions = asks.map((ask) => ({
    key: ask.id,
    room: ask.room_id,
    title: titles.get(ask.room_id) ?? TEXT.waiting.room,
    why: ASKS[ask.kind],
    at: ask.created_at,
    ask,
  }))
  const pauses = rooms
    .filter((room) => stoppedByItself(room) && !asked.has(room.id))
    .map((room) => ({ key: room.id, room: room.id, title: nameOf(room), why: whyPaused(room), at: room.updated_at, ask: null }))
  const councils = rooms
    .filter((room) => councilWaits(room) && !asked.has(room.id))
    .map((room) => ({ key: `council ${room.id}`, room: room.id, title: nameOf(room), why: whyCouncil(room), at: room.updated_at, ask: null }))
  return [...questions, ...pauses, ...councils].sort((a, b) => a.at - b.at)
}

/** Whether a plan stands still until a person does something, in a room they did not put away. The tray goes by the same rule. */
function stoppedByItself({ plan, archived }: RoomSummary): boolean {
  if (archived || !plan) return false
  return !!plan.left || (plan.state === 'paused' && !!plan.pause_reason && !NOT_FOR_YOU.includes(plan.pause_reason))
}

/** Whether a council stands still until a person does something, or failed with nothing begun since. */
function councilWaits(room: RoomSummary): boolean {
  const council = glanceOf(room)
  if (!council || room.archived) return false
  return council.state === 'failed' || (council.state === 'paused' && !!council.pause_reason && !NOT_FOR_YOU.includes(council.pause_reason))
}

function whyCouncil(room: RoomSummary): string {
  const council = glanceOf(room)
  if (council?.state === 'failed') return TEXT.waiting.councilFailed
  switch (council?.pause_reason) {
    case 'cap':
      return TEXT.waiting.councilCap
    case 'interrupted':
      return TEXT.waiting.councilCut
    case 'provider':
      return TEXT.waiting.councilModel
    default:
      return TEXT.waiting.councilPaused
  }
}

/** The person paused it, or it goes on without them. */
const NOT_FOR_YOU: PauseReason[] = ['supervisor', 'quota']

export function nameOf(room: RoomSummary): string {
  return room.kind === 'sidekick' ? room.codename || room.title : room.title
}

const ASKS: Record<AskView['kind'], string> = {
  approval: TEXT.waiting.approval,
  drift: TEXT.waiting.drift,
  permission: TEXT.waiting.permission,
  question: TEXT.waiting.question,
  conflict: TEXT.waiting.conflict,
  outcome: TEXT.waiting.outcome,
  elicitation: TEXT.waiting.elicitation,
}

function whyPaused({ plan }: RoomSummary): string {
  if (plan?.left) return TEXT.waiting.left
  const far = plan ? TEXT.waiting.far(plan.ended, plan.steps) : ''
  switch (plan?.pause_reason) {
    case 'auto_budget':
      return TEXT.waiting.checkIn(far)
    case 'attempts':
      return TEXT.waiting.stuck(far)
    case 'revise':
      return TEXT.waiting.revise
    case 'cap':
      return TEXT.waiting.cap(far)
    case 'drift':
      return TEXT.waiting.outside
    case 'provider':
      return TEXT.waiting.model
    case 'interrupted':
      return TEXT.waiting.cut(far)
    case 'manual':
      return TEXT.waiting.manual(far)
    default:
      return TEXT.waiting.paused
  }
}
