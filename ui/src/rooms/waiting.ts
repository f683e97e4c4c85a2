// Everything that waits for a person: open questions, and plans that stopped by themselves.

import { glanceOf } from '../council/glance'
import type { RoomSummary } from '../lib/backend'
import type { AskView, PauseReason, RoomId } from '../lib/wire'

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
    title: titles.get(ask.room_id) ?? 'A room',
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
  if (council?.state === 'failed') return 'Its council failed. Read why, then start it again or continue without.'
  switch (council?.pause_reason) {
    case 'cap':
      return 'Its council reached a limit.'
    case 'interrupted':
      return 'Its council was interrupted.'
    case 'provider':
      return 'Its council is paused: a model didn’t answer.'
    default:
      return 'Its council is paused.'
  }
}

/** The person paused it, or it goes on without them. */
const NOT_FOR_YOU: PauseReason[] = ['supervisor', 'quota']

export function nameOf(room: RoomSummary): string {
  return room.kind === 'sidekick' ? room.codename || room.title : room.title
}

const ASKS: Record<AskView['kind'], string> = {
  approval: 'A plan waits for your approval.',
  drift: 'It wants to go beyond the plan.',
  permission: 'It asks for permission.',
  question: 'It has a question.',
  conflict: 'There are two versions of a file.',
  outcome: 'Something was cut off: did it happen?',
  elicitation: 'A server has a question.',
}

function whyPaused({ plan }: RoomSummary): string {
  if (plan?.left) return 'You sent the plan back, and the agent gave up: say something to go on.'
  const far = plan ? `${plan.ended} of ${plan.steps} steps ended` : ''
  switch (plan?.pause_reason) {
    case 'auto_budget':
      return `It worked on its own for a while and checks in, ${far}.`
    case 'attempts':
      return `It is stuck on a step, ${far}.`
    case 'revise':
      return 'The plan does not fit any more.'
    case 'cap':
      return `A limit is reached, ${far}.`
    case 'drift':
      return 'It wants to do something that the plan does not name.'
    case 'provider':
      return 'The model does not answer.'
    case 'interrupted':
      return `It was interrupted, ${far}.`
    case 'manual':
      return `A step ended, and it waits for your word, ${far}.`
    default:
      return 'Its plan is paused.'
  }
}
