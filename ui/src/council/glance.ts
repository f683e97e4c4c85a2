// A council as the list of rooms tells of it.

import type { RoomSummary } from '../lib/backend'
import type { CouncilGlance, RoomId } from '../lib/wire'

/** The glance of a room's council, unless its plan tells more. */
export function glanceOf(room: RoomSummary): CouncilGlance | null {
  const council = room.council ?? null
  return council && !council.planned ? council : null
}

/** Rooms in which members of a council are at work, as far as their own rooms tell. */
export function counselled(rooms: RoomSummary[]): Set<RoomId> {
  return new Set(rooms.flatMap((room) => (room.kind === 'member' && room.busy && room.parent ? [room.parent] : [])))
}
