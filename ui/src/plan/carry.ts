// Takes what a person typed over to a newer revision, so that nothing of it is lost.

import type { PlanView } from '../lib/wire'
import { newRow, rowsOf, type Row } from './edits'

type Field = 'text' | 'tool' | 'target' | 'expected' | 'check'
const FIELDS: Field[] = ['text', 'tool', 'target', 'expected', 'check']

export interface Carried {
  rows: Row[]
  /** What was typed about steps that are gone, or have begun and stay as they are. */
  left: Row[]
}

/** `before` is what `mine` was made of; `plan` is what it says now. */
export function carry(before: Row[], mine: Row[], plan: PlanView): Carried {
  const now = rowsOf(plan.steps, plan.state)
  const was = byId(before)
  const own = byId(mine)
  const left = mine.filter((row) => !row.added && byId(now).get(row.id)?.fixed !== false && typed(was.get(row.id), row))

  // A step that the person took out stays out, unless it says something else now: that they have not read.
  const stays = now.filter((row) => {
    const old = was.get(row.id)
    return row.begun || !old || own.has(row.id) || FIELDS.some((field) => row[field] !== old[field])
  })
  const merged = stays.map((row) => merge(was.get(row.id), own.get(row.id), row))
  const ids = mine.map((row) => row.id).concat(now.map((row) => row.id))
  // What has begun meanwhile goes back to where it stands; the others keep the order they were given.
  const begun = (row: Row) => !row.added && !was.get(row.id)?.begun && byId(now).get(row.id)?.begun
  const kept = mine.filter((row) => !begun(row)).flatMap((row) => {
    if (!row.added) return merged.find((one) => one.id === row.id) ?? []
    // The id it had may have been given to another meanwhile.
    const { id } = newRow(plan.revision, ids)
    ids.push(id)
    return { ...row, id }
  })
  return { rows: sameOrder(before, now) ? weave(kept, merged) : weave(merged, kept), left }
}

/** What the person changed is theirs, the rest is what it says now. */
function merge(old: Row | undefined, own: Row | undefined, now: Row): Row {
  if (!old || !own || now.fixed) return now
  const row = { ...now, comment: own.comment }
  for (const field of FIELDS) {
    if (own[field] === old[field] || own[field] === now[field]) continue
    row[field] = own[field]
    if (now[field] !== old[field]) row.meanwhile = says(now)
  }
  // What stood beside it stays there until it is saved.
  return { ...row, meanwhile: row.meanwhile || (typed(old, own) ? own.meanwhile : '') }
}

/** The rows of `others` that `frame` lacks come behind what they stand behind there. */
function weave(frame: Row[], others: Row[]): Row[] {
  const rows = [...frame]
  others.forEach((row, index) => {
    if (rows.some((one) => one.id === row.id)) return
    const above = others[index - 1]?.id
    rows.splice(rows.findIndex((one) => one.id === above) + 1, 0, row)
  })
  return rows
}

/** Whether what both hold stands in the same order. */
function sameOrder(before: Row[], now: Row[]): boolean {
  const shared = (rows: Row[], others: Map<string, Row>) => rows.filter((row) => others.has(row.id)).map((row) => row.id)
  return shared(before, byId(now)).join('\n') === shared(now, byId(before)).join('\n')
}

function typed(old: Row | undefined, own: Row): boolean {
  return own.comment.trim() !== '' || FIELDS.some((field) => own[field] !== old?.[field])
}

/** A row on one line. */
export function says(row: Row): string {
  return [row.text, row.tool, row.target, row.expected, row.check].map((part) => part.trim()).filter(Boolean).join(' · ')
}

function byId(rows: Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.id, row]))
}
