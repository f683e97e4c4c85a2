// What a node says to those who do not see it: all that the picture shows.

import type { PlanView, StepView } from '../lib/wire'
import { duration, listed } from '../lib/words'
import { stepLook } from '../plan/status'

/** `step 3`, `steps 1, 2 and 4`. */
export function stepNumbers(numbers: number[]): string {
  return `${numbers.length === 1 ? 'step' : 'steps'} ${listed(numbers.map(String))}`
}

/** Which steps each step is needed by, by number. */
export function dependants(steps: StepView[]): Map<string, number[]> {
  const found = new Map<string, number[]>()
  for (const step of steps) for (const need of step.needs) found.set(need, [...(found.get(need) ?? []), step.number])
  return found
}

/** `Step 2, Research Qdrant: in progress, by a sidekick, before step 4`. */
export function nodeFacts(step: StepView, plan: Pick<PlanView, 'steps'>, before: number[]): string {
  const needs = step.needs.flatMap((id) => plan.steps.find((other) => other.id === id)?.number ?? [])
  const parts = [
    stepLook(step).word,
    step.took_ms > 0 && step.status !== 'in_progress' ? `took ${duration(step.took_ms)}` : '',
    step.agent ? `by ${step.agent}` : step.sidekick ? 'by a sidekick' : '',
    needs.length > 0 ? `after ${stepNumbers(needs)}` : '',
    before.length > 0 ? `before ${stepNumbers(before)}` : '',
  ]
  return `Step ${step.number}, ${step.text}: ${parts.filter(Boolean).join(', ')}`
}
