// All rooms by what they need of a person.

import type { RoomSummary } from '../lib/backend'
import type { Waiting } from './waiting'

export type Column = 'needs' | 'running' | 'paused' | 'done'
export interface Card {
  room: RoomSummary
  column: Column
  /** Why it needs someone, oldest first. */
  waits: Waiting | null
}

export const COLUMNS: Column[] = ['needs', 'running', 'paused', 'done']

/** `above` tells the rooms a room stands below, itself first. */
export function cards(rooms: RoomSummary[], waiting: Waiting[], now = Date.now()): Card[] {
  const byId = new Map(rooms.map((room) => [room.id, room]))
  const top = (id: string): string => {
    let room = byId.get(id)
    for (let deep = 0; room?.parent && deep < 8; deep++) room = byId.get(room.parent) ?? undefined
    return room?.id ?? id
  }
  const waits = new Map<string, Waiting>()
  for (const one of waiting) if (!waits.has(top(one.room))) waits.set(top(one.room), one)
  const found = rooms.flatMap((room): Card[] => {
    if (room.kind !== 'chat' || room.archived) return []
    const column = columnOf(room, waits.has(room.id), now)
    return column ? [{ room, column, waits: waits.get(room.id) ?? null }] : []
  })
  // Who waits longest comes first; elsewhere what happened last.
  return found.sort((a, b) => (a.waits && b.waits ? a.waits.at - b.waits.at : b.room.updated_at - a.room.updated_at))
}

function columnOf({ plan, busy, updated_at }: RoomSummary, waits: boolean, now: number): Column | null {
  if (waits) return 'needs'
  if (busy || plan?.state === 'running') return 'running'
  if (plan?.state === 'paused') return 'paused'
  const over = plan && ['done', 'failed', 'cancelled'].includes(plan.state)
  return over && new Date(updated_at).toDateString() === new Date(now).toDateString() ? 'done' : null
}
