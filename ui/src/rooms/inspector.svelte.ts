// Whether the inspector is there. In a wide window it is, where there is
// something to see; the person may put it away, which is kept, or ask for it.

import { MediaQuery, SvelteMap } from 'svelte/reactivity'
import { recall, remember } from '../lib/store'
import type { RoomId } from '../lib/wire'

export class Inspector {
  #wide = new MediaQuery('min-width: 1180px')
  #away = $state(recall('inspector.away', false))
  #asked = new SvelteMap<RoomId, boolean>()

  /** Whether it takes place from the room. */
  get narrow(): boolean {
    return !this.#wide.current
  }

  shown(room: RoomId, worth: boolean): boolean {
    return this.#asked.get(room) ?? (worth && this.#wide.current && !this.#away)
  }

  choose(room: RoomId, shown: boolean): void {
    this.#asked.set(room, shown)
    // In a narrow window it takes place from the room, so that closing it there says nothing about a wide one.
    if (!this.#wide.current) return
    this.#away = !shown
    remember('inspector.away', this.#away)
  }
}

export const inspector = new Inspector()
