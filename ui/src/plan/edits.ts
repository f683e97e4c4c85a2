// Turns what a person did to the steps by hand into edits the engine takes.

import type { Edit, FullStep, StepComment, StepId, StepView } from '../lib/wire'

/** A step while it is being changed. */
export interface Row {
  /** The step's own id, or a new one for an added step. */
  id: StepId
  added: boolean
  /** It has begun or ended, so it stays where it is and is not taken out. */
  begun: boolean
  /** It has ended or is being worked on, so it stays as it is, too. */
  fixed: boolean
  ended: boolean
  text: string
  tool: string
  target: string
  expected: string
  /** The command that checks it; empty where it has none, or one that is no command. */
  check: string
  /** Words for the agent about this step; not an edit. */
  comment: string
  /** What this step says in a revision that came while it was being changed, where that is not what was typed. */
  meanwhile: string
}

/** A step in progress is not worked on while its plan stands still, so its words can be changed. */
export function rowsOf(steps: StepView[], state = 'running'): Row[] {
  return steps.map((step) => {
    const begun = step.status !== 'pending'
    const ended = begun && step.status !== 'in_progress'
    return {
      id: step.id,
      added: false,
      begun,
      fixed: ended || (begun && state === 'running'),
      ended,
      text: step.text,
      tool: step.tool ?? '',
      target: step.target ?? '',
      expected: step.expected_outcome ?? '',
      check: typeof step.verify === 'string' ? step.verify : '',
      comment: '',
      meanwhile: '',
    }
  })
}

/** An empty step with an id that no other has, or had in an earlier revision. */
export function newRow(revision: number, taken: StepId[]): Row {
  let n = 1
  while (taken.includes(`new-${revision}-${n}`)) n++
  return { id: `new-${revision}-${n}`, added: true, begun: false, fixed: false, ended: false, text: '', tool: '', target: '', expected: '', check: '', comment: '', meanwhile: '' }
}

/** Where a row comes when it goes up or down by one; the same place when it can't. */
export function placeFor(rows: Row[], index: number, by: number): number {
  const to = index + by
  // What the plan began with stays in front.
  const first = rows.findIndex((row) => !row.begun)
  return rows[index]?.begun || to < first || to >= rows.length ? index : to
}

/** How many steps can be folded into one line, by the place of the first: more than a few in a row that have ended. */
export function endedRuns(rows: Row[]): Map<number, number> {
  const runs = new Map<number, number>()
  rows.forEach((row, i) => {
    if (!row.ended || rows[i - 1]?.ended) return
    const next = rows.findIndex((one, at) => at > i && !one.ended)
    const length = (next < 0 ? rows.length : next) - i
    if (length > FEW) runs.set(i, length)
  })
  return runs
}
const FEW = 2

/** The rows that count: a step without words is left out, unless it has begun. */
export function worded(rows: Row[]): Row[] {
  return rows.filter((row) => row.begun || row.text.trim() !== '')
}

/** The least edits that make `rows` out of `before`. */
export function edits(before: Row[], rows: Row[]): Edit[] {
  const list: Edit[] = []
  const wanted = worded(rows)
  const kept = new Set(wanted.map((row) => row.id))
  for (const row of before) if (!kept.has(row.id)) list.push({ op: 'remove', step: row.id })
  for (const row of wanted) {
    const was = before.find((one) => one.id === row.id)
    const set = was && !row.fixed && changed(was, row)
    if (set) list.push(set)
  }
  // What the engine holds after each edit, so that a move is written only where one is needed.
  // Each row is put behind the one it follows; what has begun never moves, so the others go round it.
  const order = before.map((row) => row.id).filter((id) => kept.has(id))
  wanted.forEach((row, index) => {
    const after = wanted[index - 1]?.id ?? null
    const at = order.indexOf(row.id)
    if (row.begun || (at >= 0 && (order[at - 1] ?? null) === after)) return
    list.push(row.added ? { op: 'add', after, new: fresh(row) } : { op: 'move', step: row.id, after })
    if (at >= 0) order.splice(at, 1)
    order.splice(after === null ? 0 : order.indexOf(after) + 1, 0, row.id)
  })
  return list
}

/** The comments on single steps, as one round. */
export function comments(rows: Row[]): StepComment[] {
  return rows.map((row) => ({ step: row.id, text: row.comment.trim() })).filter(({ text }) => text !== '')
}

/** What a field holds when it is saved: spaces around the same words are no change. */
export function keeps(before: string, now: string): string {
  return before.trim() === now.trim() ? before : now.trim()
}

/** What is null stays as it is; an empty one takes it away, and the engine keeps nothing for it. */
function changed(was: Row, row: Row): Edit | null {
  const part = (before: string, now: string) => (keeps(before, now) === before ? null : now.trim())
  const set = {
    // One without words has begun, and keeps those that it had.
    text: part(was.text, row.text) || null,
    tool: part(was.tool, row.tool),
    target: part(was.target, row.target),
    expected_outcome: part(was.expected, row.expected),
  }
  // A check can be replaced and not taken away: one without words stays as it was.
  const verify = part(was.check ?? '', row.check ?? '') || null
  if (verify === null && Object.values(set).every((value) => value === null)) return null
  return { op: 'set', step: row.id, ...set, verify, needs: null, agent: null, model: null }
}

function fresh(row: Row): FullStep {
  return {
    text: row.text.trim(),
    id: row.id,
    needs: [],
    tool: row.tool.trim() || null,
    target: row.target.trim() || null,
    expected_outcome: row.expected.trim() || null,
    verify: row.check.trim() || null,
    agent: null,
    model: null,
  }
}
