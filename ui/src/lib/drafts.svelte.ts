// What is typed and not sent, and what was sent, for each room.

import { SvelteMap, SvelteSet } from 'svelte/reactivity'
import { recall, remember } from './store'
import type { RoomId, Text } from './wire'
import { head } from './words'
import { TEXT } from './text'

const KEPT = 50

export class Drafts {
  #texts = new SvelteMap<RoomId, string>(Object.entries(recall<Record<RoomId, string>>('drafts', {})))
  /** The rooms whose draft holds words of a link. */
  #linked = new SvelteSet<RoomId>(recall<RoomId[]>('drafts.linked', []))
  #sent = new Map<RoomId, string[]>()
  /** The rooms whose draft is from before, as it was found. */
  #found = new SvelteSet(this.#texts.keys())

  get(room: RoomId): string {
    return this.#texts.get(room) ?? ''
  }

  set(room: RoomId, text: string): void {
    this.#found.delete(room)
    if (text === '') this.#texts.delete(room)
    else this.#texts.set(room, text)
    if (text === '') this.#linked.delete(room)
    this.#keep()
  }

  /** Adds the words of a link below what the person had begun to write. */
  link(room: RoomId, words: string): void {
    this.#texts.set(room, [this.get(room), words].filter(Boolean).join('\n\n'))
    this.#linked.add(room)
    this.#keep()
  }

  /** Where the draft came from, when not all of it was typed. */
  note(room: RoomId): string {
    return this.#linked.has(room) ? TEXT.shared.link : ''
  }

  /** Whether the draft is as it was found, and not yet known to be other than what was said last. */
  isFound(room: RoomId): boolean {
    return this.#found.has(room)
  }

  /**
   * Drops a draft that was found, and sent before: the disk is written a while after the words, so an app that
   * ended at once may have left all of them there, or their beginning.
   */
  wasSaid(room: RoomId, last: Text): void {
    if (!this.#found.delete(room)) return
    const [found, said] = [this.get(room).trim(), head(last).trim()]
    // Of very long words only the beginning is here.
    if (said.startsWith(found) || (typeof last !== 'string' && found.startsWith(said))) this.set(room, '')
  }

  /** Notes what was sent and empties the draft. */
  sent(room: RoomId, text: string): void {
    const list = this.history(room).filter((other) => other !== text)
    this.#sent.set(room, [...list, text].slice(-KEPT))
    remember(`sent.${room}`, this.#sent.get(room))
    this.set(room, '')
  }

  /** What was sent, oldest first. */
  history(room: RoomId): string[] {
    const known = this.#sent.get(room) ?? recall<string[]>(`sent.${room}`, [])
    this.#sent.set(room, known)
    return known
  }

  #keep(): void {
    remember('drafts', Object.fromEntries(this.#texts))
    remember('drafts.linked', [...this.#linked])
  }

  forget(room: RoomId): void {
    this.set(room, '')
    this.#sent.delete(room)
    remember(`sent.${room}`, undefined)
  }
}
