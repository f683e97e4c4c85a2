// Turns what a person did to the steps by hand into edits the engine takes.

import type { Edit, FullStep, StepId, StepView } from '../lib/wire'

/** A step while it is being changed. */
export interface Row {
  /** The step's own id, or a new one for an added step. */
  id: StepId
  added: boolean
  text: string
  tool: string
  target: string
  expected: string
  /** Words for the agent about this step; not an edit. */
  comment: string
}

export function rowsOf(steps: StepView[]): Row[] {
  return steps.map((step) => ({
    id: step.id,
    added: false,
    text: step.text,
    tool: step.tool ?? '',
    target: step.target ?? '',
    expected: step.expected_outcome ?? '',
    comment: '',
  }))
}

/** An empty step with an id that no other has. */
export function newRow(taken: StepId[]): Row {
  let n = 1
  while (taken.includes(`new-${n}`)) n++
  return { id: `new-${n}`, added: true, text: '', tool: '', target: '', expected: '', comment: '' }
}

/** The least edits that make `rows` out of `steps`. */
export function edits(steps: StepView[], rows: Row[]): Edit[] {
  const list: Edit[] = []
  const wanted = rows.filter((row) => row.text.trim() !== '')
  const kept = new Set(wanted.map((row) => row.id))
  for (const step of steps) if (!kept.has(step.id)) list.push({ op: 'remove', step: step.id })
  for (const row of wanted) {
    const step = steps.find((step) => step.id === row.id)
    const set = step && changed(step, row)
    if (set) list.push(set)
  }
  // What the engine holds after each edit, so that a move is written only where one is needed.
  const order = steps.map((step) => step.id).filter((id) => kept.has(id))
  wanted.forEach((row, index) => {
    const after = wanted[index - 1]?.id ?? null
    if (row.added) {
      list.push({ op: 'add', after, new: fresh(row) })
      order.splice(index, 0, row.id)
    } else if (order[index] !== row.id) {
      list.push({ op: 'move', step: row.id, after })
      order.splice(order.indexOf(row.id), 1)
      order.splice(index, 0, row.id)
    }
  })
  return list
}

/** Comments on single steps as one message. */
export function comments(rows: Row[]): string {
  return rows
    .map((row, index) => ({ number: index + 1, words: row.comment.trim() }))
    .filter(({ words }) => words !== '')
    .map(({ number, words }) => `Step ${number}: ${words}`)
    .join('\n')
}

function changed(step: StepView, row: Row): Edit | null {
  const differs = (before: string | null | undefined, now: string) => (before ?? '') !== now.trim()
  const part = (before: string | null | undefined, now: string) => (differs(before, now) ? now.trim() : null)
  const set = {
    text: part(step.text, row.text),
    tool: part(step.tool, row.tool),
    target: part(step.target, row.target),
    expected_outcome: part(step.expected_outcome, row.expected),
  }
  if (Object.values(set).every((value) => value === null)) return null
  return { op: 'set', step: step.id, ...set, verify: null, needs: null, agent: null, model: null }
}

function fresh(row: Row): FullStep {
  return {
    text: row.text.trim(),
    id: row.id,
    needs: [],
    tool: row.tool.trim() || null,
    target: row.target.trim() || null,
    expected_outcome: row.expected.trim() || null,
    verify: null,
    agent: null,
    model: null,
  }
}
