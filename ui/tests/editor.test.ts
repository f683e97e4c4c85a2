// The editor of a plan's steps beside what needs a person.

import { fireEvent, screen, within } from '@testing-library/svelte'
import axe from 'axe-core'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { fixture } from '../dev/fixtures'
import { ask, step } from '../dev/make'
import { rowsOf } from '../src/plan/edits'
import { forgetEdit, keepEdit } from '../src/plan/kept'
import { button, card, planCard, settle } from './card'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const form = () => screen.getByRole('form', { name: 'Change the plan' })
const field = (name: string) => screen.getByLabelText(name) as HTMLTextAreaElement
const edit = () => fireEvent.keyDown(planCard(), { key: 'm' })
const DRIFT = ask({ id: 'd', kind: 'drift', text: 'May it edit a.go?', answers: ['once', 'refuse'], detail: [{ name: 'tool', value: 'edit_file' }, { name: 'target', value: 'a.go' }] })

describe('what needs you stays above the editor', () => {
  test('a question, which can be answered there', async () => {
    const { act, props, rerender } = card('running', { actions: ['pause', 'change', 'cancel'] })
    await edit()
    await fireEvent.input(field('Step 4'), { target: { value: 'Run them all' } })
    await rerender({ ...props, asks: [DRIFT] })
    await settle()
    const asks = screen.getByRole('group', { name: 'Needs you' })
    expect(asks.compareDocumentPosition(form()) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy()
    await fireEvent.click(within(asks).getByRole('button', { name: 'Allow once' }))
    expect(act['answer']).toHaveBeenCalledOnce()
    expect(field('Step 4').value).toBe('Run them all')
  })

  test('why the plan is paused, without what would end it or open the editor again', async () => {
    const { container } = card('stuck')
    await edit()
    const bar = within(screen.getByRole('group', { name: 'Needs you' }))
    expect(bar.getAllByRole('button').map((one) => one.textContent)).toEqual(['Resume', 'Skip step'])
    expect(screen.queryByRole('button', { name: 'Cancel plan' })).toBeNull()
    const { violations } = await vi.waitFor(async () => {
      vi.useRealTimers()
      return axe.run(container, { rules: { 'color-contrast': { enabled: false } } })
    })
    expect(violations.map((one) => one.id)).toEqual([])
  })
})

describe('approving elsewhere', () => {
  const plan = fixture('approval').view.plan!
  afterEach(() => forgetEdit(plan.id))

  test('asks first while changes are not saved', async () => {
    const rows = rowsOf(plan.steps)
    keepEdit(plan.id, { base: { revision: plan.revision, rows }, rows: rows.map((row) => ({ ...row, text: 'mine' })), left: [] })
    const { act } = card('approval')
    await settle()
    await fireEvent.click(button('Approve'))
    expect(act['approve']).not.toHaveBeenCalled()
    expect(screen.getByRole('alert').textContent).toBe('You have unsaved changes to this plan.')
    await fireEvent.click(button('Back'))
    await settle()
    await fireEvent.click(button('Approve'))
    // What was asked counts only when it could have been read.
    await fireEvent.click(button('Approve without them'))
    expect(act['approve']).not.toHaveBeenCalled()
    await settle()
    await fireEvent.click(button('Approve without them'))
    expect(act['approve']).toHaveBeenCalledOnce()
  })

  test('is one step where nothing was typed', async () => {
    const { act } = card('approval')
    await settle()
    await fireEvent.click(button('Approve'))
    expect(act['approve']).toHaveBeenCalledOnce()
  })
})

describe('a step', () => {
  test('that began while it was edited is only read', async () => {
    const steps = [step(1, 'a', 'in_progress'), step(2, 'b'), step(3, 'c')]
    const { props, rerender } = card('running', { revision: 1, steps, actions: ['pause', 'change', 'cancel'] })
    await edit()
    expect(field('Step 2').readOnly).toBe(false)
    await rerender({ plan: { ...props.plan, steps: [step(1, 'a', 'done'), step(2, 'b', 'in_progress'), step(3, 'c')] } })
    expect([field('Step 2').readOnly, field('Tool of step 2').readOnly, field('Step 3').readOnly]).toEqual([true, true, false])
  })

  test('has an expected outcome and a check, which are saved', async () => {
    const { act } = card('approval')
    await edit()
    await fireEvent.click(button('Expected outcome and check of step 2'))
    await fireEvent.input(field('Expected outcome of step 2'), { target: { value: 'All toolsets retry' } })
    await fireEvent.input(field('Check of step 2'), { target: { value: 'make test' } })
    await fireEvent.click(button(/^Save as revision/))
    expect(act['edit']).toHaveBeenCalledExactlyOnceWith(expect.anything(), [expect.objectContaining({ op: 'set', step: 's2', text: null, expected_outcome: 'All toolsets retry', verify: 'make test' })])
  })

  test('whose check is a file says so', async () => {
    const plan = fixture('approval').view.plan!
    card('approval', { steps: plan.steps.map((one, i) => (i === 0 ? { ...one, verify: { file: 'a.go', contains: 'Retry' } } : one)) })
    await edit()
    await fireEvent.click(button('Expected outcome and check of step 1'))
    expect(screen.queryByLabelText('Check of step 1')).toBeNull()
    expect(form().textContent).toContain('a.go contains “Retry”')
  })
})

test('the way out says whether anything would be lost', async () => {
  card('approval')
  await edit()
  expect(button(/^Close/)).toBeTruthy()
  await fireEvent.input(field('Step 1'), { target: { value: 'Other' } })
  await fireEvent.click(button(/^Discard changes/))
  expect(screen.queryByRole('form')).toBeNull()
})
