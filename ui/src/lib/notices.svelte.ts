// Short words to the person: what went wrong, what was done.

import type { Problem } from './backend'

export interface Notice {
  id: number
  tone: 'plain' | 'bad'
  text: string
}

const STAYS_MS = 8000
/** What is left to read after looking away. */
const REST_MS = 3000
const MOST = 4

export class Notices {
  list = $state.raw<Notice[]>([])
  #next = 1
  #held = false
  #timers = new Map<number, ReturnType<typeof setTimeout>>()

  /** Good news goes by itself; a problem stays until it is dismissed. */
  say(text: string, tone: Notice['tone'] = 'plain'): void {
    const notice = { id: this.#next++, tone, text }
    const others = this.list.filter((other) => other.text !== text)
    // Where there is no room, what would go anyway goes first.
    while (others.length >= MOST) others.splice(Math.max(0, others.findIndex((other) => other.tone === 'plain')), 1)
    this.list = [...others, notice]
    if (!this.#held) this.#leave(notice, STAYS_MS)
  }

  dismiss(id: number): void {
    this.list = this.list.filter((notice) => notice.id !== id)
    // What was under the pointer is gone, and does not tell that it was left.
    this.release()
  }

  /** Someone is reading: nothing goes. */
  hold(): void {
    this.#held = true
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
  }

  release(): void {
    if (!this.#held) return
    this.#held = false
    for (const notice of this.list) this.#leave(notice, REST_MS)
  }

  #leave(notice: Notice, after: number): void {
    if (notice.tone === 'bad') return
    const gone = () => {
      this.#timers.delete(notice.id)
      this.list = this.list.filter((other) => other !== notice)
    }
    this.#timers.set(notice.id, setTimeout(gone, after))
  }

  /** Waits for something and says why when it fails; answers whether it worked. */
  async watch(work: Promise<unknown>): Promise<boolean> {
    try {
      await work
      return true
    } catch (problem) {
      this.say(message(problem), 'bad')
      return false
    }
  }
}

/** The words in whatever was thrown. */
export function message(problem: unknown): string {
  if (typeof problem === 'string') return problem
  const words = (problem as Problem | null)?.message
  return words || 'Something went wrong, and it did not say what.'
}
