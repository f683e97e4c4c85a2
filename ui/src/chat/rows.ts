// The rows of the conversation: its items, and the answer being written.

import type { ChatItem } from './items'

/** An item, or the answer being written. */
export type Row = ChatItem | { kind: 'live'; key: string }
const LIVE: Row = { kind: 'live', key: 'live' }

/** Whether a person said it after what the agent was last shown. */
export function queued(row: Row | undefined, seen: number): boolean {
  return row?.kind === 'me' && late(row, seen)
}

/** Whether anyone told the agent after what it was last shown. */
export function late(row: Row | undefined, seen: number): boolean {
  return (row?.kind === 'me' || row?.kind === 'nudge') && Number(row.key) > seen
}

/** What is said while an answer is being written stands below it: that answer is to what came before. */
export function withLive(items: ChatItem[], seen: number): Row[] {
  let end = items.length
  while (late(items[end - 1], seen)) end--
  return [...items.slice(0, end), LIVE, ...items.slice(end)]
}
