// A council as the list of rooms tells of it.

import type { RoomSummary } from '../lib/backend'
import type { PauseReason, RoomId } from '../lib/wire'

/** What a room's summary says of its newest council, where it says so. */
export interface CouncilGlance {
  /** As in its view. */
  state: string
  pause_reason?: PauseReason | null
  /** Whether the winner's plan stands for it from here on. */
  has_plan?: boolean
  members: number
  answered: number
  voted: number
}

/** The glance of a room's council, unless its plan tells more. */
export function glanceOf(room: RoomSummary): CouncilGlance | null {
  const council = (room as RoomSummary & { council?: CouncilGlance | null }).council ?? null
  return council && !council.has_plan ? council : null
}

/** Rooms in which members of a council are at work, as far as their own rooms tell. */
export function counselled(rooms: RoomSummary[]): Set<RoomId> {
  return new Set(rooms.flatMap((room) => (room.kind === 'member' && room.busy && room.parent ? [room.parent] : [])))
}
