// All rooms, and all that waits for a person.

import type { Backend, Overview, RoomSummary, Unsubscribe } from './backend'
import { waiting } from '../rooms/waiting'
import { recall, remember } from './store'
import type { AskView, RoomId } from './wire'

export class Rooms {
  list = $state.raw<RoomSummary[]>([])
  asks = $state.raw<AskView[]>([])
  /** Whether the first overview has come. */
  known = $state(false)
  current = $state<RoomId | null>(recall<RoomId | null>('room', null))
  /** A room just made, which the overview does not have yet. */
  #made = $state<RoomId | null>(null)
  query = $state('')
  showArchived = $state(false)

  /** The room to show: only one that is there, or was there last time. */
  open = $derived(this.current !== null && (!this.known || this.current === this.#made || this.list.some((room) => room.id === this.current)) ? this.current : null)
  shown = $derived(this.#nested())
  /** Everything that waits for a person, oldest first. */
  waiting = $derived(waiting(this.list, this.asks))
  /** The rooms it waits in. */
  waitingIn = $derived(new Set(this.waiting.map((one) => one.room)))

  listen(backend: Backend): Promise<Unsubscribe> {
    return backend.overview((overview) => this.take(overview))
  }

  take(overview: Overview): void {
    this.list = overview.rooms
    this.asks = overview.asks
    this.known = true
    // Stay where the person is; else go where they left off, else to the newest room.
    if (this.#made && overview.rooms.some((room) => room.id === this.#made)) this.#made = null
    if (this.current && (this.current === this.#made || overview.rooms.some((room) => room.id === this.current))) return
    const first = overview.rooms.find((room) => !room.archived && room.kind === 'chat')
    this.current = first?.id ?? null
  }

  enter(room: RoomId): void {
    if (!this.room(room)) this.#made = room
    this.current = room
    remember('room', room)
  }

  room(id: RoomId): RoomSummary | undefined {
    return this.list.find((room) => room.id === id)
  }

  /** Rooms that match the search, each followed by its sidekicks. */
  #nested(): RoomSummary[] {
    const words = this.query.trim().toLowerCase()
    const matches = (room: RoomSummary) =>
      words === '' ||
      [room.title, room.workspace, room.codename ?? '', room.plan?.goal ?? ''].some((text) =>
        text.toLowerCase().includes(words),
      )
    const byParent = new Map<RoomId, RoomSummary[]>()
    for (const room of this.list) {
      if (!room.parent || room.archived) continue
      const others = byParent.get(room.parent)
      if (others) others.push(room)
      else byParent.set(room.parent, [room])
    }
    const rows: RoomSummary[] = []
    for (const room of this.list) {
      if (room.kind === 'sidekick' || (room.archived && !this.showArchived && words === '')) continue
      const helpers = byParent.get(room.id) ?? []
      const found = helpers.filter(matches)
      if (matches(room)) rows.push(room, ...(words === '' ? helpers : found))
      else if (found.length > 0) rows.push(room, ...found)
    }
    return rows
  }
}
