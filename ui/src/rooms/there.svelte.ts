// A plan that waits in a room which is not open: read by its id, and again when something happened there.

import type { Backend } from '../lib/backend'
import { Feed } from '../lib/feed.svelte'
import { message } from '../lib/notices.svelte'
import type { PlanId, PlanMode, PlanView, RoomId } from '../lib/wire'
import { sentence } from '../lib/words'
import type { PlanInfo } from '../plan/info'

export class PlanThere {
  view = $state.raw<PlanView | null>(null)
  /** Why it can't be shown. */
  problem = $state('')
  #backend: Backend
  #feed: Feed
  #id: PlanId
  #asked = 0

  constructor(backend: Backend, room: RoomId, id: PlanId) {
    this.#backend = backend
    this.#feed = $state.raw(new Feed(room))
    this.#id = id
  }

  async read(): Promise<void> {
    const asked = ++this.#asked
    try {
      const view = await this.#backend.plan(this.#id)
      // Whichever was asked for last is what is there.
      if (asked !== this.#asked) return
      this.view = view
      this.problem = ''
    } catch (problem) {
      if (asked === this.#asked) this.problem = sentence(message(problem))
    }
  }

  info(mode: PlanMode, autoSteps: number): PlanInfo {
    const { fold, items } = this.#feed
    return {
      calls: (step) => (items.length > 0 ? fold.callsOf(this.#id, step) : []),
      reach: () => this.#reach(),
      blob: (hash) => this.#backend.blob(hash),
      revisions: fold.revisions.filter((one) => one.plan === this.#id),
      autoSteps: fold.autoSteps.get(this.#id) ?? autoSteps,
      mode,
    }
  }

  /** The pages from now back to where the plan was written; anew, as there may be later ones by now. */
  async #reach(): Promise<void> {
    const feed = new Feed(this.#feed.room)
    await feed.reachPlan(this.#backend, this.#id)
    this.#feed = feed
  }
}
