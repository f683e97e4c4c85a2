// Whether a plan's steps are shown as a list or as a graph, wherever there is a choice.

import { drawable } from '../graph/shape'
import { recall, remember } from '../lib/store'
import type { PlanView } from '../lib/wire'

export type As = 'list' | 'graph'

class ShownAs {
  #now = $state<As>(recall<As>('plan.as', 'list') === 'graph' ? 'graph' : 'list')

  get now(): As {
    return this.#now
  }

  choose(as: As): void {
    this.#now = as
    remember('plan.as', as)
  }
}

export const shownAs = new ShownAs()

/** Whether the card draws the plan. What is to be approved is read in full, which a graph can't show. */
export function graphInCard(plan: PlanView | null): boolean {
  return shownAs.now === 'graph' && drawable(plan) && plan?.state !== 'awaiting_approval'
}
