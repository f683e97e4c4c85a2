import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { fakeBackend } from '../dev/fake'
import { ELSEWHERE, ELSEWHERE_ASK, fixture, OTHER_ASKS, overview, type State } from '../dev/fixtures'
import { ask } from '../dev/make'
import App from '../src/App.svelte'
import type { Backend, Overview, RoomListener } from '../src/lib/backend'
import type { AskView } from '../src/lib/wire'
import { painted } from '../src/plan/painted.svelte'

beforeEach(() => {
  localStorage.clear()
  localStorage.setItem('plancard.room', '"room"')
})

function open(state: State, change: Partial<Backend> = {}) {
  const backend = { ...fakeBackend(state), ...change }
  return { backend, ...render(App, { backend }) }
}

async function inbox() {
  await fireEvent.click(await screen.findByRole('button', { name: /^Inbox/ }))
  return within(await screen.findByRole('dialog', { name: 'Waiting for you' }))
}
const ready = (button: HTMLElement) => waitFor(() => expect(button.getAttribute('aria-disabled')).toBe('false'), { timeout: 3000 })

describe('a plan that waits in another room', () => {
  test('is read and approved in the inbox, exactly as it is painted', async () => {
    const approve = vi.fn(async () => undefined)
    const plan = vi.fn(fakeBackend('elsewhere').plan)
    open('elsewhere', { approve, plan })
    const box = await inbox()
    const card = within(await box.findByRole('region', { name: 'Plan' }))
    expect(plan).toHaveBeenCalledWith('plan-notes')
    expect(card.getByText('Add a RetryConfig struct')).toBeTruthy()
    expect(card.getByText(/Approving lets the agent change 3 files and run 1 command\./)).toBeTruthy()
    const yes = card.getByRole('button', { name: 'Approve' })
    expect(yes.getAttribute('aria-disabled')).toBe('true')
    await fireEvent.click(yes)
    expect(approve).not.toHaveBeenCalled()
    await ready(yes)
    await fireEvent.click(yes)
    expect(approve).toHaveBeenCalledExactlyOnceWith('notes', 2, 'hash2', null, false)
  })

  test('and is gone when it has its answer', async () => {
    open('elsewhere')
    const box = await inbox()
    const yes = await box.findByRole('button', { name: 'Approve' })
    await ready(yes)
    await fireEvent.click(yes)
    await waitFor(() => expect(box.queryByRole('button', { name: 'Approve' })).toBeNull())
    expect(box.getByRole('button', { name: 'Allow once' })).toBeTruthy()
  })

  test('is rejected there, with words', async () => {
    const reject = vi.fn(async () => undefined)
    open('elsewhere', { reject })
    const box = await inbox()
    await fireEvent.click(await box.findByRole('button', { name: 'Reject' }))
    await fireEvent.input(box.getByLabelText(/Why not/), { target: { value: 'too much' } })
    await fireEvent.click(box.getByRole('button', { name: 'Reject the plan' }))
    expect(reject).toHaveBeenCalledExactlyOnceWith('notes', 'too much')
  })

  test('is read anew when it changes, and then has to be read again', async () => {
    const approve = vi.fn(async () => undefined)
    let revision = 2
    let tell: (overview: Overview) => void = () => undefined
    const first = overview('elsewhere', fixture('elsewhere'))
    open('elsewhere', {
      approve,
      plan: async () => ({ ...ELSEWHERE.view.plan!, revision, hash: `hash${revision}` }),
      overview: async (onChange) => {
        tell = onChange
        setTimeout(() => onChange({ ...first, asks: [ELSEWHERE_ASK] }))
        return () => undefined
      },
    })
    const box = await inbox()
    const yes = await box.findByRole('button', { name: 'Approve' })
    await ready(yes)
    revision = 3
    // The same question, about another revision.
    tell({ rooms: first.rooms.map((room) => (room.id === 'notes' ? { ...room, updated_at: room.updated_at + 1 } : room)), asks: [ELSEWHERE_ASK] })
    await waitFor(() => expect(yes.getAttribute('aria-disabled')).toBe('true'))
    await fireEvent.click(yes)
    expect(approve).not.toHaveBeenCalled()
    await ready(yes)
    await fireEvent.click(yes)
    expect(approve).toHaveBeenCalledExactlyOnceWith('notes', 3, 'hash3', null, false)
  })

  test('shows what is new since it was seen', async () => {
    painted('plan-notes', 1)
    open('elsewhere')
    const box = await inbox()
    expect(await box.findByText(/Since revision 1/)).toBeTruthy()
  })

  test('has no keys there: letters and Enter do nothing to it', async () => {
    const approve = vi.fn(async () => undefined)
    open('elsewhere', { approve })
    const box = await inbox()
    const yes = await box.findByRole('button', { name: 'Approve' })
    await ready(yes)
    const dialog = screen.getByRole('dialog')
    for (const key of ['Enter', 'm', 'Escape']) await fireEvent.keyDown(dialog.querySelector('.sheet')!, { key })
    expect(approve).not.toHaveBeenCalled()
    expect(box.queryByLabelText(/Why not/)).toBeNull()
    expect(box.queryByRole('form', { name: 'Change the plan' })).toBeNull()
    expect(box.getByRole('region', { name: 'Plan' }).querySelector('kbd')).toBeNull()
  })

  test('that can’t be read says why', async () => {
    open('elsewhere', { plan: async () => Promise.reject({ code: 'GONE', message: 'there is no plan with this name' }) })
    const box = await inbox()
    expect(await box.findByText('There is no plan with this name.')).toBeTruthy()
  })

  test('of several, one is read at a time', async () => {
    const other: AskView = { ...ELSEWHERE_ASK, id: 'also', room_id: 'auth', plan_id: 'plan-notes' }
    const first = overview('elsewhere', fixture('drift'))
    open('elsewhere', {
      overview: async (onChange) => {
        setTimeout(() => onChange({ ...first, asks: [ELSEWHERE_ASK, other] }))
        return () => undefined
      },
    })
    const box = await inbox()
    expect(box.queryByRole('button', { name: 'Approve' })).toBeNull()
    const read = box.getAllByRole('button', { name: 'Review here' })
    expect(read).toHaveLength(2)
    await fireEvent.click(read[0]!)
    await box.findByRole('button', { name: 'Approve' })
    await fireEvent.click(box.getByRole('button', { name: 'Review here' }))
    await waitFor(() => expect(box.getAllByRole('button', { name: 'Approve' })).toHaveLength(1))
  })
})

describe('every other question is answered there', () => {
  const KINDS: [AskView, string, string][] = [
    [ask({ id: '1', kind: 'drift', room_id: 'vector', text: 'q', answers: ['once', 'add', 'refuse', 'refuse_stop'] }), 'Add to the plan', 'add'],
    [OTHER_ASKS[0]!, 'Always allow', 'always'],
    [ask({ id: '2', kind: 'conflict', room_id: 'vector', text: 'q', answers: ['mine', 'theirs', 'both'] }), 'Keep both', 'both'],
    [ask({ id: '3', kind: 'outcome', room_id: 'vector', text: 'q', answers: ['happened', 'not', 'look'] }), 'It ran', 'happened'],
    [ask({ id: '4', kind: 'question', room_id: 'vector', text: 'q', detail: [{ name: 'option', value: 'Blue' }] }), 'Blue', 'Blue'],
    [ask({ id: '5', kind: 'elicitation', room_id: 'vector', text: 'q' }), 'Decline', ''],
  ]
  test.each(KINDS)('%j', async (one, label, value) => {
    const answer = vi.fn(async () => undefined)
    const first = overview('running', fixture('running'))
    open('running', {
      answer,
      overview: async (onChange) => {
        setTimeout(() => onChange({ ...first, asks: [one] }))
        return () => undefined
      },
    })
    const box = await inbox()
    const button = box.getByRole('button', { name: label })
    if (button.hasAttribute('aria-disabled')) await ready(button)
    await fireEvent.click(button)
    expect(answer).toHaveBeenCalledExactlyOnceWith(one.id, value, undefined)
  })
})

describe('the composer keeps the focus', () => {
  test('when a plan begins to wait, when it is revised, and when keys are pressed', async () => {
    const approve = vi.fn(async () => undefined)
    const { view } = fixture('approval')
    const running = fixture('running').view
    let on: RoomListener | null = null
    open('approval', {
      approve,
      openRoom: async (_room, _after, listener) => {
        on = listener
        setTimeout(() => listener.view({ ...running, seq: 1 }))
        return () => undefined
      },
    })
    const box = (await screen.findByLabelText(/Message the room/)) as HTMLTextAreaElement
    box.focus()
    on!.view({ ...view, seq: 2 })
    await screen.findByRole('button', { name: 'Approve' })
    expect(document.activeElement).toBe(box)
    on!.view({ ...view, seq: 3, plan: { ...view.plan!, revision: 2, hash: 'hash2' } })
    await screen.findByText('revision 2')
    expect(document.activeElement).toBe(box)
    await ready(screen.getByRole('button', { name: 'Approve' }))
    for (const key of ['Enter', 'm', 'Escape', 'y', ' ']) {
      await fireEvent.keyDown(box, { key })
      expect(document.activeElement).toBe(box)
    }
    expect(approve).not.toHaveBeenCalled()
    expect(screen.queryByLabelText(/Why not/)).toBeNull()
    expect(screen.queryByRole('form', { name: 'Change the plan' })).toBeNull()
  })
})
