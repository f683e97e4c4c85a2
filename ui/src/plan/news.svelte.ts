// What is different from the revision of a plan that the person read last.

import { untrack } from 'svelte'
import type { PlanView, StepSpec, StepView } from '../lib/wire'
import { changes, type Was } from './changes'
import type { PlanInfo } from './info'
import { madeBefore, ownSince, wordsOf, writtenFor } from './own'
import { painted, seenBefore } from './painted.svelte'
import { Seen } from './seen.svelte'
import { NEWS } from './words'

export class News {
  #plan: () => PlanView
  #info: () => PlanInfo

  /** Call it while a component is set up; `shown` is whether the steps are on screen. */
  constructor(plan: () => PlanView, info: () => PlanInfo, shown: () => boolean) {
    this.#plan = plan
    this.#info = info
    const read = new Seen(() => `${plan().id} ${plan().revision} ${!shown()}`)
    $effect(() => {
      if (!read.inert && shown() && plan().steps.length > 0) painted(plan().id, this.#written)
    })
    $effect(() => {
      // What it said then may be further back than what is here.
      if (this.#since !== null && !this.previous) void untrack(() => info().reach()).catch(() => undefined)
    })
  }

  // What the person did by hand last stays in the difference and is marked there. What is written
  // after it is compared with it, so that nobody undoes it unseen.
  #written = $derived.by(() => writtenFor(this.#info().revisions, this.#plan().revision))
  #since = $derived.by(() => {
    const plan = this.#plan()
    if (plan.state !== 'awaiting_approval' && plan.state !== 'draft') return null
    const last = Math.max(seenBefore(plan.id, this.#written) ?? 0, madeBefore(this.#info().revisions, this.#written) ?? 0)
    return last || (plan.revision > this.#written ? this.#written : null)
  })
  #own = $derived.by(() => (this.#since === null ? null : ownSince(this.#info().revisions, this.#since, this.#plan())))
  /** The revision it is compared with, once that is here. */
  previous = $derived.by(() => this.#info().revisions.find((one) => one.revision === this.#since))
  #yours = $derived.by(() => (this.previous ? wordsOf(this.#info().revisions, this.previous) : null))
  changes = $derived.by(() => (this.previous ? changes(this.previous.content, this.#plan()) : null))

  /** What is new about a step, in words, and what it said before. */
  of({ id }: StepView): { words: string[]; was: Was[] } | null {
    const diff = this.changes
    if (!diff) return null
    const own = this.#own
    const changed = own?.changed.has(id) ? NEWS.changedByYou : this.#yours?.has(id) ? NEWS.changedYours : NEWS.changed
    const moved = diff.moved.get(id)
    return {
      was: diff.changed.get(id) ?? [],
      words: [
        diff.added.has(id) ? (own?.added.has(id) ? NEWS.addedByYou : NEWS.new) : '',
        diff.changed.has(id) || (diff.added.has(id) && own?.changed.has(id) && !own.added.has(id)) ? changed : '',
        moved ? NEWS.moved(own?.moved.has(id) ?? false, moved) : '',
      ].filter(Boolean),
    }
  }

  /** How a step was taken out. */
  removed({ id }: StepSpec): string {
    if (this.#own?.removed.has(id)) return NEWS.goneByYou
    return this.#yours?.has(id) ? NEWS.goneYours : NEWS.gone
  }
}
