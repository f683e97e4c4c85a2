// Short words to the person: what went wrong, what was done.

import type { Problem } from './backend'

export interface Notice {
  id: number
  tone: 'plain' | 'bad'
  text: string
}

const STAYS_MS = 8000

export class Notices {
  list = $state.raw<Notice[]>([])
  #next = 1

  say(text: string, tone: Notice['tone'] = 'plain'): void {
    const notice = { id: this.#next++, tone, text }
    this.list = [...this.list.filter((other) => other.text !== text), notice].slice(-3)
    setTimeout(() => this.dismiss(notice.id), STAYS_MS)
  }

  dismiss(id: number): void {
    this.list = this.list.filter((notice) => notice.id !== id)
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
