// All rooms, and all that waits for a person.

import type { Backend, Overview, RoomSummary, Unsubscribe } from './backend'
import { EachFrame } from './frame'
import { counselled } from '../council/glance'
import { waiting } from '../rooms/waiting'
import { atWork, hasEnded, type Sidekick } from '../sidekicks/standing'
import { share } from './share'
import { recall, remember } from './store'
import type { AskView, RoomId } from './wire'

/** More sidekicks of one room than this are not all listed. */
const MANY = 8
/** Sidekicks of sidekicks, and so on. */
const DEEPEST = 8

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

  #byId = $derived(new Map(this.list.map((room) => [room.id, room])))
  /** The room to show: only one that is there, or was there last time. */
  open = $derived(this.current !== null && (!this.known || this.current === this.#made || this.list.some((room) => room.id === this.current)) ? this.current : null)
  shown = $derived(this.#nested())
  /** Everything that waits for a person, oldest first. */
  waiting = $derived(waiting(this.list, this.asks))
  /** The rooms it waits in, and those above, on whose cards a sidekick's questions are, too. */
  waitingIn = $derived(new Set(this.waiting.flatMap((one) => this.#line(one.room))))

  listen(backend: Backend): Promise<Unsubscribe> {
    let latest: Overview
    const show = new EachFrame(() => this.take(latest))
    return backend.overview((overview) => {
      latest = overview
      // The first is shown at once: a window that is still hidden paints no frames.
      if (this.known) show.ask()
      else this.take(overview)
    })
  }

  take(overview: Overview): void {
    // While members of its council work, so does the room.
    const counsels = counselled(overview.rooms)
    this.list = share(this.list, overview.rooms.map((room) => (!room.busy && counsels.has(room.id) ? { ...room, busy: true } : room)))
    this.asks = share(this.asks, overview.asks)
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

  /** Goes from a room that was archived to the newest other one. */
  leave(room: RoomId): void {
    if (this.current !== room) return
    this.current = this.list.find((other) => other.kind === 'chat' && !other.archived && other.id !== room)?.id ?? null
    remember('room', this.current)
  }

  room(id: RoomId): RoomSummary | undefined {
    return this.#byId.get(id)
  }

  /** The sidekicks of a room that were not put away. */
  sidekicksOf(room: RoomId): Sidekick[] {
    return this.list.flatMap(({ id, parent, archived, sidekick }) => (parent === room && sidekick && !archived ? [{ id, view: sidekick }] : []))
  }

  /** How many sidekicks are at work, in all rooms. */
  get working(): number {
    return this.list.filter((room) => room.sidekick && atWork(room.sidekick)).length
  }

  /** How many rooms a sidekick's room stands below. */
  depth(room: RoomSummary): number {
    return this.#line(room.id).length - 1
  }

  /** A room, the one above it, and so on. */
  #line(id: RoomId): RoomId[] {
    const line = [id]
    let room = this.room(id)
    while (room?.parent && line.length <= DEEPEST) {
      room = this.room(room.parent)
      if (room) line.push(room.id)
    }
    return line
  }

  /** Rooms that match the search, each followed by its sidekicks, and these by theirs. */
  #nested(): RoomSummary[] {
    const words = this.query.trim().toLowerCase()
    const matches = (room: RoomSummary) =>
      words === '' ||
      [room.title, room.workspace, room.codename ?? '', room.plan?.goal ?? ''].some((text) =>
        text.toLowerCase().includes(words),
      )
    const byParent = new Map<RoomId, RoomSummary[]>()
    for (const room of this.list) {
      // A council's members are reached from its card.
      if (!room.parent || room.archived || room.kind === 'member') continue
      const others = byParent.get(room.parent)
      if (others) others.push(room)
      else byParent.set(room.parent, [room])
    }
    const rows: RoomSummary[] = []
    /** Puts a room and what is below it, and tells whether anything was found. */
    const put = (room: RoomSummary, depth: number): boolean => {
      const at = rows.length
      rows.push(room)
      const below = depth < DEEPEST ? this.#few(byParent.get(room.id) ?? [], words !== '') : []
      const found = below.filter((other) => put(other, depth + 1)).length > 0
      if (found || matches(room)) return true
      rows.length = at
      return false
    }
    for (const room of this.list) {
      if (room.kind !== 'chat' || (room.archived && !this.showArchived && words === '')) continue
      put(room, 0)
    }
    return rows
  }

  /** Of many sidekicks those that are not over, and the one that is open: the inspector has all. */
  #few(sidekicks: RoomSummary[], searching: boolean): RoomSummary[] {
    if (searching || sidekicks.length <= MANY) return sidekicks
    return sidekicks.filter((room) => room.id === this.current || !room.sidekick || !hasEnded(room.sidekick))
  }
}
