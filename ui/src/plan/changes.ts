// What is different between two revisions of a plan.

import type { Content, StepId, StepSpec, StepView, Verify } from '../lib/wire'
import { listed } from '../lib/words'
import { NEWS } from './words'

const PART = NEWS.part

/** One part that said something else. */
export interface Was {
  name: string
  /** What it said; empty: nothing. */
  text: string
  code: boolean
}

export interface Changes {
  /** Goal, title and rationale, where they differ. */
  plan: Was[]
  /** Steps that were not there before. */
  added: Set<StepId>
  /** Steps that say something else now, with what they said. */
  changed: Map<StepId, Was[]>
  removed: StepSpec[]
  /** Steps that come at another place among those that stayed, with the number they had. */
  moved: Map<StepId, number>
}

/** What is compared: a plan as it is shown, or as it was written. */
type Said = Pick<Content, 'goal' | 'title' | 'rationale' | 'mode' | 'advance' | 'venue'> & { steps: (StepSpec | StepView)[] }

export function changes(before: Content, now: Said): Changes {
  const was = new Map(before.steps.map((step, i) => [step.id, { step, number: i + 1 }]))
  const is = new Set(now.steps.map((step) => step.id))
  // Only in a graph are they written; elsewhere they follow from the order.
  const wired = before.mode === 'graph' && now.mode === 'graph'
  const changed = new Map<StepId, Was[]>()
  for (const step of now.steps) {
    const old = was.get(step.id)
    const parts = old ? differences(old.step, step, before, wired) : []
    if (parts.length > 0) changed.set(step.id, parts)
  }
  const stayed = before.steps.filter((step) => is.has(step.id)).map((step) => step.id)
  const order = now.steps.filter((step) => was.has(step.id)).map((step) => step.id)
  const inPlace = new Set(longestInOrder(order.map((id) => stayed.indexOf(id))).map((at) => stayed[at]))
  return {
    plan: [
      part(PART.goal, before.goal, now.goal),
      part(PART.title, before.title, now.title),
      part(PART.why, before.rationale, now.rationale),
      part(PART.mode, before.mode, now.mode),
      part(PART.advance, before.advance, now.advance),
      part(PART.venue, before.venue, now.venue),
    ].filter((one) => one !== null),
    added: new Set(now.steps.filter((step) => !was.has(step.id)).map((step) => step.id)),
    changed,
    removed: before.steps.filter((step) => !is.has(step.id)),
    moved: new Map(order.filter((id) => !inPlace.has(id)).map((id) => [id, was.get(id)!.number])),
  }
}

/** `1 step was added and 2 were changed`, or nothing. */
export function summary(changes: Changes): string {
  const counted: [number, 'added' | 'changed' | 'removed' | 'moved'][] = [
    [changes.added.size, 'added'],
    [changes.changed.size, 'changed'],
    [changes.removed.length, 'removed'],
    [changes.moved.size, 'moved'],
  ]
  const steps = counted
    .filter(([n]) => n > 0)
    .map(([n, how], i) => NEWS.steps(n, i === 0, how))
  const plan = changes.plan.length > 0 ? [NEWS.parts(changes.plan.map(({ name }) => name))] : []
  return listed([...plan, ...steps])
}

/** How a step is checked, in words. */
export function checkWords(verify: Verify): string {
  if (typeof verify === 'string') return verify
  return verify.contains ? NEWS.contains(verify.file, verify.contains) : NEWS.exists(verify.file)
}

function differences(old: StepSpec, now: StepSpec | StepView, before: Content, wired: boolean): Was[] {
  // Steps are known by their place, which is the one they had.
  const numbers = (needs: StepId[]) => needs.map((id) => before.steps.findIndex((step) => step.id === id) + 1 || id).join(', ')
  const needs = wired && [...(old.needs ?? [])].sort().join() !== [...(now.needs ?? [])].sort().join()
  return [
    part(PART.text, old.text, now.text),
    part(PART.tool, old.tool, now.tool, true),
    part(PART.target, old.target, now.target, true),
    part(PART.expect, old.expected_outcome, now.expected_outcome),
    JSON.stringify(old.verify ?? null) === JSON.stringify(now.verify ?? null)
      ? null
      : { name: PART.check, text: old.verify ? checkWords(old.verify) : '', code: true },
    part(PART.model, old.model, now.model, true),
    part(PART.agent, old.agent, now.agent),
    needs ? { name: PART.after, text: numbers(old.needs ?? []), code: false } : null,
  ].filter((one) => one !== null)
}

function part(name: string, old: string | null | undefined, now: string | null | undefined, code = false): Was | null {
  return (old ?? '') === (now ?? '') ? null : { name, text: old ?? '', code }
}

/** As many as possible of these that stand in rising order: what is left was moved. */
function longestInOrder(places: number[]): number[] {
  let best: number[] = []
  const ending: number[][] = []
  places.forEach((place, i) => {
    let longest: number[] = []
    for (let j = 0; j < i; j++) if (places[j]! < place && ending[j]!.length > longest.length) longest = ending[j]!
    ending[i] = [...longest, place]
    if (ending[i]!.length > best.length) best = ending[i]!
  })
  return best
}
