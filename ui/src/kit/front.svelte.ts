// What is in front of the window. A dialog makes everything outside it inert,
// so what has to stay within reach goes inside the one on top.

import { untrack } from 'svelte'

class Front {
  #open = $state.raw<HTMLElement[]>([])

  /** The dialog on top, or nothing. */
  get top(): HTMLElement | null {
    return this.#open.at(-1) ?? null
  }

  /** It is open until what this gives back is called. */
  opened(dialog: HTMLElement): () => void {
    this.#open = [...untrack(() => this.#open), dialog]
    return () => (this.#open = this.#open.filter((other) => other !== dialog))
  }
}

export const front = new Front()
