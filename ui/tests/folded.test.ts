import { fireEvent, render, screen, waitFor } from '@testing-library/svelte'
import { beforeEach, describe, expect, test } from 'vitest'
import { fakeBackend } from '../dev/fake'
import { fixture, type State } from '../dev/fixtures'
import App from '../src/App.svelte'
import type { Backend, RoomListener } from '../src/lib/backend'
import type { PlanView } from '../src/lib/wire'
import { choose, isFolded, unfold } from '../src/plan/folded.svelte'

beforeEach(() => {
  unfold('room')
  localStorage.clear()
  localStorage.setItem('plancard.room', '"room"')
})

const open = (state: State) => render(App, { backend: fakeBackend(state) })
const steps = () => screen.queryByRole('group', { name: 'Steps' })
const shut = async () => waitFor(() => expect(steps()).toBeNull())
const whole = async () => waitFor(() => expect(steps()).toBeTruthy())

describe('a plan that is over', () => {
  test('folds to one line when the person goes on talking', async () => {
    open('done')
    await whole()
    const box = (await screen.findByLabelText('Message the room')) as HTMLTextAreaElement
    await fireEvent.input(box, { target: { value: 'And now the other folder' } })
    await fireEvent.keyDown(box, { key: 'Enter' })
    await shut()
    const card = screen.getByRole('region', { name: 'Plan' })
    expect(card.textContent).toMatch(/Done.*Move the 2026-03 report notes.* 12 of 12.*46 s, 22k tokens, \$0\.05/s)
    await fireEvent.click(screen.getByRole('button', { name: /Show the whole plan/ }))
    await whole()
  })

  test('is folded by its button and by a key, and stays so when the room is opened again', async () => {
    const { unmount } = open('done')
    const button = await screen.findByRole('button', { name: /Fold the plan/ })
    button.focus()
    await fireEvent.click(button)
    await shut()
    expect(document.activeElement).toBe(screen.getByRole('button', { name: /Show the whole plan/ }))
    unmount()
    open('done')
    expect(await screen.findByRole('button', { name: /Show the whole plan/ })).toBeTruthy()
    await fireEvent.keyDown(screen.getByRole('region', { name: 'Plan' }), { key: 'f' })
    await whole()
    await fireEvent.keyDown(screen.getByRole('region', { name: 'Plan' }), { key: 'f' })
    await shut()
  })
})

test('what is asked later stands by itself, and leaves a plan that is over folded', async () => {
  const { view } = fixture('over')
  const { asks } = fixture('question').view
  const later = asks.map((one) => ({ ...one, plan_id: null, step_id: null }))
  expect(isFolded('room', view.plan!, later, [])).toBe(true)
  expect(isFolded('room', view.plan!, [{ ...later[0]!, plan_id: view.plan!.id }], [])).toBe(false)
  const fake = fakeBackend('over')
  const openRoom: Backend['openRoom'] = (room, after, on) => fake.openRoom(room, after, { ...on, view: (view) => on.view({ ...view, asks: later }) })
  render(App, { backend: { ...fake, openRoom } })
  const bar = await screen.findByText(/Should the duplicate key count/)
  expect(bar.closest('[aria-label=Plan]')).toBeNull()
  expect(screen.getByRole('button', { name: /Show the whole plan/ })).toBeTruthy()
})

test('a plan that runs can be folded, and keeps its button to pause', async () => {
  const backend = fakeBackend('checkin')
  render(App, { backend })
  await whole()
  expect(screen.queryByRole('button', { name: /Fold the plan/ })).toBeNull()
  await backend.resume('room')
  await fireEvent.click(await screen.findByRole('button', { name: /Fold the plan/ }))
  await shut()
  await fireEvent.click(screen.getByRole('button', { name: 'Pause' }))
  expect(await screen.findByRole('button', { name: 'Resume' })).toBeTruthy()
  expect(steps()).toBeNull()
})

test('what it asks is never folded away', async () => {
  open('approval')
  expect(await screen.findByRole('button', { name: 'Approve' })).toBeTruthy()
  await fireEvent.keyDown(screen.getByRole('region', { name: 'Plan' }), { key: 'f' })
  expect(steps()).toBeTruthy()
})

test('a folded plan unfolds when it needs a person, and stays open afterwards', async () => {
  const { plan } = fixture('running').view
  const listeners = new Set<RoomListener>()
  const fake = fakeBackend('running')
  const backend: Backend = { ...fake, openRoom: (room, after, on) => (listeners.add(on), fake.openRoom(room, after, on)) }
  const tell = (change: Partial<PlanView>, seq: number) =>
    listeners.forEach((on) => on.view({ ...fixture('running').view, seq: 2_000_000 + seq, plan: { ...plan!, ...change } }))
  render(App, { backend })
  await fireEvent.click(await screen.findByRole('button', { name: /Fold the plan/ }))
  await shut()
  tell({ state: 'paused', pause_reason: 'attempts', actions: ['resume'] }, 1)
  await whole()
  tell({ state: 'running' }, 2)
  await screen.findByRole('button', { name: /Fold the plan/ })
  expect(steps()).toBeTruthy()
})

test('another plan of the room begins unfolded', () => {
  const plan = fixture('running').view.plan!
  choose('room', plan.id, true)
  expect(isFolded('room', plan, [], [])).toBe(true)
  expect(isFolded('room', { ...plan, id: 'next' }, [], [])).toBe(false)
})
