// What of a plan the picture depends on, as one text: while it stays the same,
// nothing is laid out again, whatever happens to the steps.

import type { PlanView, StepView } from '../lib/wire'
import type { Shape } from './layout'

export function shapeKey(steps: Pick<StepView, 'id' | 'needs'>[]): string {
  return steps.map((step) => [step.id, ...step.needs].join(' ')).join('\n')
}

export function shapesOf(key: string): Shape[] {
  if (key === '') return []
  return key.split('\n').map((line) => {
    const [id = '', ...needs] = line.split(' ')
    return { id, needs }
  })
}

/** Whether there is a graph to draw: a chain is a list. */
export function drawable(plan: PlanView | null): boolean {
  return plan !== null && plan.mode !== 'sequential' && plan.steps.length > 0
}
