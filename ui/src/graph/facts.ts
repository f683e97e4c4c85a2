// What a node says to those who do not see it: all that the picture shows.

import type { PlanView, StepView } from '../lib/wire'
import { duration } from '../lib/words'
import { stepLook, stuckAt } from '../plan/status'
import { GRAPH, stepNumbers } from './words'

export { stepNumbers }

/** Which steps each step is needed by, by number. */
export function dependants(steps: StepView[]): Map<string, number[]> {
  const found = new Map<string, number[]>()
  for (const step of steps) for (const need of step.needs) found.set(need, [...(found.get(need) ?? []), step.number])
  return found
}

/** `Step 2, Research Qdrant: in progress, by a sidekick, before step 4`. */
export function nodeFacts(step: StepView, plan: Pick<PlanView, 'steps' | 'state' | 'pause_reason'>, before: number[]): string {
  const needs = step.needs.flatMap((id) => plan.steps.find((other) => other.id === id)?.number ?? [])
  const parts = [
    stepLook(step, stuckAt(plan)?.id === step.id).word,
    step.took_ms > 0 && step.status !== 'in_progress' ? GRAPH.took(duration(step.took_ms)) : '',
    step.agent ? GRAPH.by(step.agent) : step.sidekick ? GRAPH.bySidekick : '',
    needs.length > 0 ? GRAPH.after(stepNumbers(needs)) : '',
    before.length > 0 ? GRAPH.before(stepNumbers(before)) : '',
  ]
  return GRAPH.node(step.number, step.text, parts.filter(Boolean).join(', '))
}
