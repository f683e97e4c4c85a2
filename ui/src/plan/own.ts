// What a person changed by hand is no news to them: while it is the newest it is marked as their
// own, and what is written over it is compared with it.

import type { Revision } from '../chat/fold'
import type { PlanView, StepId } from '../lib/wire'
import { changes } from './changes'

/** The last revision up to this one that the person did not make themselves. */
export function writtenFor(revisions: Revision[], revision: number): number {
  let at = revision
  while (at > 1 && revisions.find((one) => one.revision === at)?.by.kind === 'person') at--
  return at
}

/** The last revision before this one that the person made: what they wrote they have read. */
export function madeBefore(revisions: Revision[], revision: number): number | null {
  return revisions.findLast((one) => one.revision < revision && one.by.kind === 'person')?.revision ?? null
}

/** Steps that say what the person made them say in a revision of theirs. */
export function wordsOf(revisions: Revision[], { revision, content, by }: Revision): Set<StepId> {
  const found = revisions.find((one) => one.revision === writtenFor(revisions, revision))
  if (by.kind !== 'person' || !found) return new Set()
  const did = changes(found.content, content)
  return new Set([...did.added, ...did.changed.keys()])
}

/** Steps that differ from a revision by the person's own hand, by how. */
export interface Own {
  added: Set<StepId>
  changed: Set<StepId>
  removed: Set<StepId>
  moved: Set<StepId>
}

/** What the person did since a revision and what is still so: what was written anew after that is not theirs. */
export function ownSince(revisions: Revision[], since: number, now: PlanView): Own {
  const own: Own = { added: new Set(), changed: new Set(), removed: new Set(), moved: new Set() }
  for (const { revision, content, by } of revisions) {
    const before = revisions.find((one) => one.revision === revision - 1)
    if (by.kind !== 'person' || revision <= since || !before) continue
    const did = changes(before.content, content)
    const later = changes(content, now)
    const stands = (id: StepId) => !later.changed.has(id)
    for (const id of did.added) if (stands(id)) own.added.add(id)
    for (const id of did.changed.keys()) if (stands(id)) own.changed.add(id)
    for (const id of did.moved.keys()) if (!later.moved.has(id)) own.moved.add(id)
    for (const { id } of did.removed) if (!later.added.has(id)) own.removed.add(id)
  }
  return own
}
