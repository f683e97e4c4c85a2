// Which revision of a plan the person had before them last. A newer one is shown
// as a difference to that, however many were written in between.

import { SvelteMap } from 'svelte/reactivity'
import { recall, remember } from '../lib/store'
import type { PlanId } from '../lib/wire'

/** The one seen last, and the one seen before that. */
interface Painted {
  last: number
  before: number | null
}

/** So many plans are remembered when the app is closed. */
const MOST = 60
const KEY = 'painted'

const plans = new SvelteMap<PlanId, Painted>(recall<[PlanId, Painted][]>(KEY, []))

/** It was on screen long enough to be read. */
export function painted(plan: PlanId, revision: number): void {
  const known = plans.get(plan)
  if (known?.last === revision) return
  // The newest is last, so that the oldest is forgotten first.
  plans.delete(plan)
  plans.set(plan, { last: revision, before: known?.last ?? null })
  remember(KEY, [...plans].slice(-MOST))
}

/** The revision to compare this one with: the last other one that was seen. */
export function seenBefore(plan: PlanId, revision: number): number | null {
  const known = plans.get(plan)
  if (!known) return null
  return known.last === revision ? known.before : known.last
}
