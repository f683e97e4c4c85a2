// Two rooms in one folder may get in each other's way.

import { whole } from '../lib/home.svelte'
import { visible } from '../lib/visible'
import type { RoomId, RoomSummary } from '../lib/wire'
import { TEXT } from './words'

/** Says which other room works in a folder, however that is written; empty when none does. */
export function sharing(rooms: RoomSummary[], path: string, mine?: RoomId): string {
  const folder = whole(path)
  const other = folder && rooms.find((room) => room.id !== mine && !room.archived && room.kind === 'chat' && whole(room.workspace) === folder)
  return other ? TEXT.sharing.words(visible(other.title)) : ''
}
