// Two answers side by side, line by line.

import { head } from '../lib/words'
import type { CouncilAnswerView } from '../lib/wire'
import { lines, type Line } from '../plan/diff'

/** A line of each; null where the other has one more. */
export interface Pair {
  left: string | null
  right: string | null
  same: boolean
}

/** All of an answer as lines: its words, then its steps. */
export function asText(answer: CouncilAnswerView, content = head(answer.content)): string {
  const steps = answer.steps.map((step, at) => {
    const does = [step.tool, step.target].filter(Boolean).join(' ')
    return [`${at + 1}. ${step.text}${does ? ` (${does})` : ''}`, step.expected_outcome ? `   Expected: ${step.expected_outcome}` : ''].filter(Boolean).join('\n')
  })
  return [content.trim(), steps.length > 1 || content.trim() === '' ? steps.join('\n') : ''].filter(Boolean).join('\n\n')
}

/** Lines that were replaced stand beside what replaced them. */
export function pairs(before: string, after: string): Pair[] {
  const rows: Pair[] = []
  let out: Line[] = []
  let into: Line[] = []
  const flush = () => {
    for (let i = 0; i < Math.max(out.length, into.length); i++) rows.push({ left: out[i]?.text ?? null, right: into[i]?.text ?? null, same: false })
    out = []
    into = []
  }
  for (const line of lines(before, after)) {
    if (line.sign === '-') out.push(line)
    else if (line.sign === '+') into.push(line)
    else {
      flush()
      rows.push({ left: line.text, right: line.text, same: true })
    }
  }
  flush()
  return rows
}

/** What is compared first: the two newest of one member where it answered again, else the leader's and the next one's. */
export function firstPair(labels: string[], from?: string): [string, string] | null {
  if (labels.length < 2) return null
  const chosen = from && labels.includes(from) ? from : labels.at(-1)!
  const [member, nth] = chosen.split('.')
  const before = `${member}.${Number(nth) - 1}`
  if (labels.includes(before)) return [before, chosen]
  const other = labels.find((label) => label.split('.')[0] !== member) ?? labels.find((label) => label !== chosen)!
  return [other, chosen]
}
