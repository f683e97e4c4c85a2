// Which rooms have their plan folded to one line. It is kept while the app runs.

import { SvelteMap } from 'svelte/reactivity'
import type { ChatItem } from '../chat/items'
import type { AskView, PlanId, PlanView, RoomId } from '../lib/wire'
import { asksOf } from './status'

const OVER = ['done', 'failed', 'cancelled']

/** What the person chose for a plan; another plan of the room begins unfolded. */
const chosen = new SvelteMap<RoomId, { plan: PlanId; folded: boolean }>()

export function choose(room: RoomId, plan: PlanId, folded: boolean): void {
  chosen.set(room, { plan, folded })
}

/** The card is needed again: it stays open afterwards. */
export function unfold(room: RoomId): void {
  chosen.delete(room)
}

/** As the person chose; else a plan that is over folds when they go on talking, or something else is asked. */
export function isFolded(room: RoomId, plan: PlanView, asks: AskView[], items: ChatItem[]): boolean {
  if (needsYou(plan, asks)) return false
  const choice = chosen.get(room)
  return choice?.plan === plan.id ? choice.folded : movedOn(plan, items) || asks.length > asksOf(plan, asks).length
}

/** Whether the card asks something of a person. */
export function needsYou(plan: PlanView, asks: AskView[]): boolean {
  return asksOf(plan, asks).length > 0 || plan.state === 'awaiting_approval' || (plan.state === 'paused' && plan.pause_reason !== 'supervisor' && plan.pause_reason !== 'quota')
}

/** Whether the person said something after the plan ended; what is here may all be later than both. */
function movedOn(plan: PlanView, items: ChatItem[]): boolean {
  const end = plan.ended_at
  if (!OVER.includes(plan.state) || end == null) return false
  const said = items.flatMap((item) => (item.kind === 'me' || item.kind === 'agent' ? [item] : []))
  return said.some((item) => item.kind === 'me' && item.at > end) || said.filter((item) => item.at > end).length > LATER
}

/** More answers than end a plan: what led to them is further up. */
const LATER = 5
