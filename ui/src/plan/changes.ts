// What is different between two revisions of a plan.

import type { StepId, StepSpec, StepView } from '../lib/wire'

export interface Changes {
  /** Steps that were not there before. */
  added: Set<StepId>
  /** Steps that say something else now, with what they said. */
  changed: Map<StepId, StepSpec>
  removed: StepSpec[]
  /** Whether the steps that stayed come in another order. */
  moved: boolean
}

export function changes(before: StepSpec[], now: StepView[]): Changes {
  const was = new Map(before.map((step) => [step.id, step]))
  const is = new Set(now.map((step) => step.id))
  const changed = new Map<StepId, StepSpec>()
  for (const step of now) {
    const old = was.get(step.id)
    if (old && !same(old, step)) changed.set(step.id, old)
  }
  const stayed = before.filter((step) => is.has(step.id)).map((step) => step.id)
  const order = now.filter((step) => was.has(step.id)).map((step) => step.id)
  return {
    added: new Set(now.filter((step) => !was.has(step.id)).map((step) => step.id)),
    changed,
    removed: before.filter((step) => !is.has(step.id)),
    moved: stayed.join() !== order.join(),
  }
}

/** `1 step added, 2 changed`, or nothing. */
export function summary(changes: Changes): string {
  const parts = [
    changes.added.size && `${changes.added.size} added`,
    changes.changed.size && `${changes.changed.size} changed`,
    changes.removed.length && `${changes.removed.length} removed`,
    changes.moved && 'order changed',
  ]
  return parts.filter(Boolean).join(', ')
}

function same(old: StepSpec, now: StepView): boolean {
  return (
    old.text === now.text &&
    (old.tool ?? '') === (now.tool ?? '') &&
    (old.target ?? '') === (now.target ?? '') &&
    (old.expected_outcome ?? '') === (now.expected_outcome ?? '') &&
    JSON.stringify(old.verify ?? null) === JSON.stringify(now.verify ?? null)
  )
}
