// What is to be said to a room when its agent is done with what it does. Kept like drafts, in order.

import { SvelteMap, SvelteSet } from 'svelte/reactivity'
import { recall, remember } from './store'
import type { RoomId, RoomSummary } from './wire'

export interface Queued {
  id: number
  text: string
  /** Whether it holds words of a link. */
  linked: boolean
}

export class Queue {
  #rooms = new SvelteMap<RoomId, Queued[]>(Object.entries(recall<Record<RoomId, Queued[]>>('queue', {})))
  /** Rooms where nothing goes by itself: the app was started anew since, or it could not be sent. */
  #held = new SvelteSet<RoomId>()
  /** When something last happened in a room, as far as it is known. */
  #seen = new Map<RoomId, number>()
  /** The same as its last message went: until more has happened, it is not done with that. */
  #went = new Map<RoomId, number | undefined>()
  #sending = new SvelteSet<RoomId>()

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
    this.#held.delete(room)
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

  /** Sends the first of each room whose agent is done. */
  release(rooms: RoomSummary[], say: (room: RoomId, text: string) => Promise<boolean>): void {
    for (const room of rooms) {
      const first = this.of(room.id)[0]
      if (!first) continue
      this.#seen.set(room.id, room.updated_at)
      const waits = this.#held.has(room.id) || this.#sending.has(room.id) || this.#went.get(room.id) === room.updated_at
      if (!waits && isDone(room)) void this.send(room.id, first, (text) => say(room.id, text))
    }
  }

  #put(room: RoomId, all: Queued[]): void {
    if (all.length > 0) this.#rooms.set(room, all)
    else this.#rooms.delete(room)
    if (all.length === 0) this.#held.delete(room)
    remember('queue', Object.fromEntries(this.#rooms))
  }
}

/** No turn is under way, and no plan runs, is paused or waits for a person. */
function isDone({ busy, asks, plan, archived }: RoomSummary): boolean {
  return !busy && !archived && asks === 0 && !['running', 'paused', 'awaiting_approval'].includes(plan?.state ?? '')
}
