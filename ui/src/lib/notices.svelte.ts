// Short words to the person: what went wrong, what was done.

import type { Problem } from './backend'
import { sentence } from './words'
import { TEXT } from './text'

export interface Notice {
  id: number
  tone: 'plain' | 'bad'
  text: string
  /** What can be done about it. */
  action?: NoticeAction
}

export interface NoticeAction {
  label: string
  run: () => void
}

/** What keeps notices on screen: they are under the pointer, hold the focus, or nobody sees the window. */
export type Hold = 'pointer' | 'focus' | 'unseen'

/** Good news is read at a glance; what went wrong has to be understood. */
const STAYS_MS = { plain: 8000, bad: 24_000 }
/** A long text takes this much longer for each character. */
const READ_MS = 40
const GLANCE = 80
/** What is left to read after looking away. */
const REST_MS = { plain: 3000, bad: 6000 }
const MOST = 4

export class Notices {
  list = $state.raw<Notice[]>([])
  #next = 1
  #holds = new Set<Hold>()
  #timers = new Map<number, ReturnType<typeof setTimeout>>()

  /** Every notice goes by itself; one about a problem stays longer. */
  say(text: string, tone: Notice['tone'] = 'plain', action?: NoticeAction): void {
    const notice: Notice = { id: this.#next++, tone, text, ...(action && { action }) }
    const others = this.list.filter((other) => other.text !== text)
    // Where there is no room, what would go anyway goes first.
    while (others.length >= MOST) others.splice(Math.max(0, others.findIndex((other) => other.tone === 'plain')), 1)
    this.#keep([...others, notice])
    if (this.#holds.size === 0) this.#leave(notice, STAYS_MS[tone] + Math.max(0, text.length - GLANCE) * READ_MS)
  }

  dismiss(id: number): void {
    this.#keep(this.list.filter((notice) => notice.id !== id))
    // What was under the pointer or had the focus is gone, and does not tell that it was left.
    this.release('pointer')
    this.release('focus')
  }

  /** Someone is reading, or nobody can: nothing goes. */
  hold(why: Hold): void {
    this.#holds.add(why)
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
  }

  release(why: Hold): void {
    if (!this.#holds.delete(why) || this.#holds.size > 0) return
    // What came unseen has all its time; what was being read has most of it behind.
    const time = why === 'unseen' ? STAYS_MS : REST_MS
    for (const notice of this.list) this.#leave(notice, time[notice.tone])
  }

  #leave(notice: Notice, after: number): void {
    clearTimeout(this.#timers.get(notice.id))
    this.#timers.set(notice.id, setTimeout(() => this.#keep(this.list.filter((other) => other !== notice)), after))
  }

  /** These and no others: a timer of one that is gone is of no use. */
  #keep(list: Notice[]): void {
    this.list = list
    for (const [id, timer] of this.#timers) {
      if (list.some((notice) => notice.id === id)) continue
      clearTimeout(timer)
      this.#timers.delete(id)
    }
  }

  /** Waits for something and says why when it fails; answers whether it worked. */
  async watch(work: Promise<unknown>): Promise<boolean> {
    try {
      await work
      return true
    } catch (problem) {
      this.say(sentence(message(problem)), 'bad')
      return false
    }
  }
}

/** The words in whatever was thrown. */
export function message(problem: unknown): string {
  if (typeof problem === 'string') return problem
  const words = (problem as Problem | null)?.message
  return words || TEXT.shared.unknown
}
