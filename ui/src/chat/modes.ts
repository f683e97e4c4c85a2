// What a change of the plan mode means there and then. A plan that was put before a person holds
// every change until they have answered it, whatever the mode is.

import type { Event, PlanMode } from '../lib/wire'
import { TEXT } from './words'

type Hold = 'waits' | 'sent_back' | 'given_up' | 'paused' | null

export class Holding {
  #hold: Hold = null
  /** Whether a plan was sent back and its agent gave it up. */
  #declined = false

  take(event: Event): void {
    switch (event.type) {
      case 'plan_written':
      case 'approval_requested':
        this.#hold = 'waits'
        return
      case 'sent_back':
        this.#hold = 'sent_back'
        return
      case 'paused':
        this.#hold = 'paused'
        return
      case 'approved':
        this.#declined = false
        return
      case 'started':
      case 'resumed':
        this.#hold = null
        return
      case 'plan_cancelled':
        this.#declined = event.by.kind !== 'person' && (this.#declined || this.#hold === 'sent_back')
        this.#over()
        return
      case 'plan_done':
      case 'plan_failed':
        this.#over()
    }
  }

  /** What this mode does now, in words. */
  words(mode: PlanMode): string {
    if (mode === 'strict' || !this.#hold) return MODE[mode]
    return TEXT.modes.holds(mode, HOLDS[this.#hold])
  }

  #over(): void {
    this.#hold = this.#declined ? 'given_up' : null
  }
}

const MODE: Record<PlanMode, string> = {
  off: TEXT.modes.off,
  soft: TEXT.modes.soft,
  strict: TEXT.modes.strict,
}

const HOLDS: Record<Exclude<Hold, null>, string> = {
  waits: TEXT.modes.waits,
  sent_back: TEXT.modes.sentBack,
  given_up: TEXT.modes.givenUp,
  paused: TEXT.modes.paused,
}
