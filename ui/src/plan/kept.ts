// What was done to the steps of a plan and not saved: it outlives the page, as drafts do.

import { recall, remember } from '../lib/store'
import type { PlanId } from '../lib/wire'
import type { Row } from './edits'

export interface KeptEdit {
  /** What was shown when it began. */
  base: { revision: number; rows: Row[] }
  rows: Row[]
  left: Row[]
}

const key = (plan: PlanId) => `editing.${plan}`

export function keptEdit(plan: PlanId): KeptEdit | null {
  return recall<KeptEdit | null>(key(plan), null)
}

export function isKept(plan: PlanId): boolean {
  return keptEdit(plan) !== null
}

export function keepEdit(plan: PlanId, edit: KeptEdit): void {
  remember(key(plan), edit)
}

export function forgetEdit(plan: PlanId): void {
  remember(key(plan), undefined)
}
