// What a change of the plan mode means there and then. A plan that was put before a person holds
// every change until they have answered it, whatever the mode is.

import type { Event, PlanMode } from '../lib/wire'

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
    return `Plan mode is ${mode}, but ${HOLDS[this.#hold]}`
  }

  #over(): void {
    this.#hold = this.#declined ? 'given_up' : null
  }
}

const MODE: Record<PlanMode, string> = {
  off: 'Plan mode is off: the rules alone decide',
  soft: 'Plan mode is soft: work without a plan is warned about',
  strict: 'Plan mode is strict: nothing is changed before you approve a plan',
}

const HOLDS: Record<Exclude<Hold, null>, string> = {
  waits: 'nothing is changed until the plan that waits is approved or cancelled',
  sent_back: 'nothing is changed until the plan that was sent back is cancelled, or a new revision of it approved',
  given_up: 'nothing is changed until another plan is approved: the last one was sent back and given up',
  paused: 'the plan is paused: nothing goes on until it is resumed or cancelled',
}
