// Tool calls that follow each other as one line: how many of which kind, how long, how many failed.

import { head, quick } from '../lib/words'
import type { CallLine, ChatItem } from './items'
import { TEXT } from './words'

/** Calls without a word between them, of one step, are of one item. */
export function together(items: ChatItem[]): ChatItem[] {
  const list: ChatItem[] = []
  for (const item of items) {
    const above = list.at(-1)
    const bare = item.kind === 'agent' && head(item.text) === '' && item.thinking === null
    if (bare && above?.kind === 'agent' && above.step === item.step && above.planning === item.planning) list[list.length - 1] = { ...above, calls: [...above.calls, ...item.calls] }
    else list.push(item)
  }
  return list
}

const KIND: Record<string, keyof typeof TEXT.group.kinds> = {
  read_file: 'read', list_directory: 'listed', list_files: 'listed', glob: 'searched', grep: 'searched', search: 'searched',
  write_file: 'wrote', edit_file: 'edited', delete_file: 'deleted', shell: 'ran', fetch: 'fetched',
}

/** `Read 4 files, ran 2 commands`. */
export function groupWords(calls: CallLine[]): string {
  const counts = new Map<keyof typeof TEXT.group.kinds, number>()
  for (const call of calls) {
    const kind = KIND[call.tool] ?? 'other'
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  const words = [...counts].map(([kind, n]) => TEXT.group.kinds[kind](n)).join(', ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** How long they took, and how many failed. */
export function groupEnd(calls: CallLine[]): { time: string; failed: string } {
  const ms = calls.reduce((sum, call) => sum + call.ms, 0)
  const failed = calls.filter((call) => call.state === 'failed').length
  return { time: ms > 0 ? quick(ms) : '', failed: failed > 0 ? TEXT.group.failed(failed) : '' }
}

/** Whether it stands open by itself: something of it is not over, or wants to be read. */
export function standsOpen(calls: CallLine[]): boolean {
  return calls.some((call) => !!call.warning || call.answer !== undefined || !['ok', 'already_done'].includes(call.state))
}
