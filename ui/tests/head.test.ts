import { render, screen } from '@testing-library/svelte'
import { expect, test } from 'vitest'
import { AGENT, contentOf, PERSON, plan, step } from '../dev/make'
import type { Actor } from '../src/lib/wire'
import PlanHead from '../src/plan/PlanHead.svelte'
import source from '../src/plan/PlanHead.svelte?raw'
import { button, card } from './card'
import StepRow from '../src/plan/StepRow.svelte'

const waits = plan({ goal: 'g', state: 'awaiting_approval', planned_by: 'anthropic/claude-opus', steps: [step(1, 'one')] })
const by = (actor: Actor) => ({ plan: 'plan', revision: 1, content: contentOf(waits), by: actor, at: 0, reason: null, took: 41_000 })

test.each([
  ['planned by claude-opus, 41 s', waits, [by(AGENT)]],
  ['planned by claude-opus, changed by you', waits, [by(AGENT), by(PERSON)]],
  ['planned by claude-opus', waits, []],
  ['changed by you', { ...waits, planned_by: null }, [by(PERSON)]],
])('who planned it: %s', (words, view, revisions) => {
  render(PlanHead, { plan: view, info: { calls: () => [], reach: async () => undefined, blob: async () => '', revisions, autoSteps: 8, mode: 'strict' } })
  expect(screen.getByText(words)).toBeTruthy()
})

test('nothing is said where it is not known', () => {
  const { container } = render(PlanHead, { plan: { ...waits, planned_by: null }, info: { calls: () => [], reach: async () => undefined, blob: async () => '', revisions: [by(AGENT)], autoSteps: 8, mode: 'strict' } })
  expect(container.querySelector('.chip')).toBeNull()
})

test('what can be pressed is in one place that never breaks into lines, so that nothing stands alone', () => {
  card('running', {}, {}, { onfold: () => undefined })
  const all = ['Pause', 'Cancel plan', 'More for this plan', 'Fold the plan (f)'].map(button)
  expect(new Set(all.map((one) => one.closest('.does'))).size).toBe(1)
  expect(all[0]!.closest('.does')).not.toBeNull()
  // There is no layout in this page, so it is read where it is written.
  expect(source).toMatch(/\.does \{\s*flex: none;/)
})

test('a plan of which all that is under way waits for an answer says so, and is amber', async () => {
  const { container, props, rerender } = card('question')
  const pill = () => container.querySelector('header .what span')!
  expect([pill().textContent, pill().classList.contains('wait')]).toEqual(['Waiting for your answer', true])
  expect(container.querySelector<HTMLElement>('.plan')!.style.getPropertyValue('--c')).toBe('var(--wait)')
  // Others that go on are running.
  const steps = props.plan.steps.map((one) => (one.id === 's4' ? { ...one, status: 'in_progress' } : one))
  await rerender({ plan: { ...props.plan, steps } })
  expect([pill().textContent, pill().classList.contains('go')]).toEqual(['Running', true])
})

test('the time of a step stands still while its plan waits for a person', () => {
  const one = step(1, 'one', 'in_progress', { started_at: Date.now() - 600_000, took_ms: 3000 })
  const view = plan({ state: 'running', ran_ms: 3000, running_since: null, steps: [one] })
  render(StepRow, { step: one, plan: view, now: true, open: false, expandable: false, timed: true, ontoggle: () => undefined })
  expect(screen.getByText('3 s')).toBeTruthy()
})

test('the bars of ⚡ take no line from a goal that shares it with the rest', () => {
  for (const [goal, wordy] of [['Convert the whole parser', false], ['Audit the auth module: every route and its scopes', true]] as const) {
    const { container, unmount } = card('running', { goal })
    expect(container.querySelector('header')!.classList.contains('wordy')).toBe(wordy)
    unmount()
  }
  expect(source).toMatch(/header:is\(\.folded, :not\(\.wordy\), [^{]*\.budget i\) \{\s*display: none;/)
})
