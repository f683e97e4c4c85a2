// What is to be said to a room when its agent is done with what it does. Kept like drafts, in order.

import { SvelteMap, SvelteSet } from 'svelte/reactivity'
import { isHalted } from './halted'
import { recall, remember } from './store'
import type { RoomId, RoomSummary, Stored } from './wire'

export interface Queued {
  id: number
  text: string
  /** Whether it holds words of a link. */
  linked: boolean
}

/** What a room did last is known before it can be read; read again so often, and after so long. */
const READS = 40
const AGAIN_MS = 50

/** What the queue asks of the engine. */
export interface Door {
  say(room: RoomId, text: string): Promise<boolean>
  /** The last events of a room. */
  last(room: RoomId): Promise<Stored[]>
}

export class Queue {
  #rooms = new SvelteMap<RoomId, Queued[]>(Object.entries(recall<Record<RoomId, Queued[]>>('queue', {})))
  /** Rooms where nothing goes by itself: the app was started anew since, a person ended what went on
   * there, or it could not be sent. */
  #held = new SvelteSet<RoomId>()
  /** When something last happened in a room, as far as it is known. */
  #seen = new Map<RoomId, number>()
  /** The same as its last message went: until more has happened, it is not done with that. */
  #went = new Map<RoomId, number | undefined>()
  #sending = new SvelteSet<RoomId>()
  /** Rooms of which is being found out how they came to rest. */
  #looking = new SvelteSet<RoomId>()

  constructor() {
    // Known to a page that was loaded again, and gone with the app.
    if (sessionStorage.getItem('plancard.queue') === null) for (const room of this.#rooms.keys()) this.#held.add(room)
    sessionStorage.setItem('plancard.queue', 'seen')
  }

  of(room: RoomId): Queued[] {
    return this.#rooms.get(room) ?? []
  }

  /** Whether what is there waits for the person. */
  held(room: RoomId): boolean {
    return this.#held.has(room)
  }

  add(room: RoomId, text: string, linked = false): void {
    const all = this.of(room)
    this.#put(room, [...all, { id: Math.max(0, ...all.map((one) => one.id)) + 1, text, linked }])
  }

  remove(room: RoomId, id: number): void {
    this.#put(room, this.of(room).filter((one) => one.id !== id))
  }

  forget(room: RoomId): void {
    this.#put(room, [])
  }

  /** Sends one; it is kept when that fails. */
  async send(room: RoomId, one: Queued, say: (text: string) => Promise<boolean>): Promise<void> {
    if (this.#sending.has(room)) return
    this.#sending.add(room)
    this.#went.set(room, this.#seen.get(room))
    const sent = await say(one.text)
    if (sent) this.remove(room, one.id)
    if (sent) this.#held.delete(room)
    else this.#held.add(room)
    this.#sending.delete(room)
  }

  /** Sends the first of each room whose agent is done; where a person ended what it did, all wait for them. */
  release(rooms: RoomSummary[], door: Door): void {
    for (const room of rooms) {
      if (this.of(room.id).length === 0) continue
      this.#seen.set(room.id, room.updated_at)
      if (room.archived) this.#held.add(room.id)
      if (isDone(room) && !this.#looking.has(room.id) && !this.#waits(room)) void this.#next(room, door)
    }
  }

  #waits({ id, updated_at }: RoomSummary): boolean {
    return this.#held.has(id) || this.#sending.has(id) || this.#went.get(id) === updated_at
  }

  async #next(room: RoomSummary, { say, last }: Door): Promise<void> {
    this.#looking.add(room.id)
    const halted = await wasHalted(room, last)
    const first = this.of(room.id)[0]
    // When more has happened meanwhile, that counts, and is looked at next.
    if (first && this.#seen.get(room.id) === room.updated_at && !this.#waits(room)) {
      if (halted) this.#held.add(room.id)
      else void this.send(room.id, first, (text) => say(room.id, text))
    }
    this.#looking.delete(room.id)
  }

  #put(room: RoomId, all: Queued[]): void {
    if (all.length > 0) this.#rooms.set(room, all)
    else this.#rooms.delete(room)
    if (all.length === 0) this.#held.delete(room)
    remember('queue', Object.fromEntries(this.#rooms))
  }
}

/** Whether a person ended what went on there; so it is where that can't be found out. */
async function wasHalted({ id, updated_at }: RoomSummary, last: Door['last']): Promise<boolean> {
  for (let read = 0; read < READS; read++) {
    const events = await last(id).catch(() => null)
    if (!events) return true
    if ((events.at(-1)?.at ?? 0) >= updated_at) return isHalted(events)
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
  }
  return true
}

/** No turn is under way, and no plan runs, is paused or waits for a person. */
function isDone({ busy, asks, plan, archived }: RoomSummary): boolean {
  return !busy && !archived && asks === 0 && !['running', 'paused', 'awaiting_approval'].includes(plan?.state ?? '')
}
