// Whether the list is at its end and stays there. Only the person's own hand
// takes it away: rows that get their sizes, a card that grows and older rows
// put in front move the list as well, and mean nothing.

/** This near the end counts as at the end. */
const NEAR = 48
/** How long the list may go on moving after a hand moved it. */
const AFTER_MS = 400
const UP = new Set(['ArrowUp', 'PageUp', 'Home', 'Tab'])

export interface Move {
  offset: number
  /** Where the list was before. */
  before: number
  /** What is below the lower edge. */
  gap: number
  byHand: boolean
}

export function atEndAfter(was: boolean, { offset, before, gap, byHand }: Move): boolean {
  if (byHand && offset < before) return gap < 1
  return was || gap <= NEAR
}

/** What the person's hand is doing to the list. */
export class Hand {
  #down = false
  #until = 0
  #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  wheel(event: { deltaY: number }): void {
    if (event.deltaY < 0) this.moved()
  }

  key(event: { key: string; shiftKey: boolean }): void {
    if (UP.has(event.key) || (event.key === ' ' && event.shiftKey)) this.moved()
  }

  /** A button or finger is down: on the scroll bar, or drawing a selection. */
  press(): void {
    this.#down = true
  }

  release(): void {
    if (!this.#down) return
    this.#down = false
    this.moved()
  }

  moved(): void {
    this.#until = this.#now() + AFTER_MS
  }

  get moves(): boolean {
    return this.#down || this.#now() < this.#until
  }
}
