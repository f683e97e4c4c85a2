// Two answers side by side, line by line.

import { head } from '../lib/words'
import type { CouncilAnswerView, CouncilStepView } from '../lib/wire'
import { checkWords } from '../plan/changes'
import { lines, type Line } from '../kit/diff'
import { ANSWERS } from './words'

/** A line of each; null where the other has one more. */
export interface Pair {
  left: string | null
  right: string | null
  same: boolean
}

/** All of an answer as lines: its words, then its steps. */
export function asText(answer: CouncilAnswerView, content = head(answer.content)): string {
  const steps = answer.steps.map((step, at) => {
    return [`${at + 1}. ${step.text}`, ...details(step).map(({ name, text }) => `   ${name}: ${text}`)].join('\n')
  })
  const says = steps.length > 1 || content.trim() === '' || answer.steps.some((step) => details(step).length > 0)
  return [content.trim(), says ? steps.join('\n') : ''].filter(Boolean).join('\n\n')
}

/** What a step says beside its text; `code` where it is no prose. */
export function details(step: CouncilStepView): { name: string; text: string; code: boolean }[] {
  const all = [
    { name: ANSWERS.does, text: [step.tool, step.target].filter(Boolean).join(' '), code: true },
    { name: ANSWERS.expected, text: step.expected_outcome ?? '', code: false },
    { name: ANSWERS.check, text: step.verify ? checkWords(step.verify) : '', code: true },
    { name: ANSWERS.after, text: (step.needs ?? []).join(', '), code: true },
    { name: ANSWERS.agent, text: step.agent ?? '', code: false },
    { name: ANSWERS.model, text: step.model ?? '', code: true },
  ]
  return all.filter(({ text }) => text !== '')
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
