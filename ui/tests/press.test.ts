import { fireEvent, render, screen, waitFor } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { fakeBackend } from '../dev/fake'
import { ask } from '../dev/make'
import App from '../src/App.svelte'
import AskBar from '../src/plan/AskBar.svelte'
import { button, card, planCard, settle } from './card'

beforeEach(() => {
  localStorage.clear()
  vi.useFakeTimers()
})
afterEach(() => vi.useRealTimers())

/** A press as the window's own buttons take it: what it does to them comes at its down or its up. */
interface Hand {
  down: (on: Element) => Promise<unknown>
  held: (on: Element) => Promise<unknown>
  up: (on: Element) => Promise<unknown>
}

const click = (on: Element, detail = 0) => fireEvent.click(on, { detail })
const enter = async (on: Element, repeat: boolean) => (await fireEvent.keyDown(on, { key: 'Enter', repeat })) && click(on)

const HANDS: Record<string, Hand> = {
  Enter: {
    down: (on) => enter(on, false),
    held: (on) => enter(on, true),
    up: (on) => fireEvent.keyUp(on, { key: 'Enter' }),
  },
  Space: {
    down: (on) => fireEvent.keyDown(on, { key: ' ' }),
    held: (on) => fireEvent.keyDown(on, { key: ' ', repeat: true }),
    up: async (on) => (await fireEvent.keyUp(on, { key: ' ' })) && click(on),
  },
  mouse: {
    down: async (on) => (await fireEvent.pointerDown(on), fireEvent.mouseDown(on)),
    held: async () => undefined,
    up: async (on) => (await fireEvent.pointerUp(on), await fireEvent.mouseUp(on), click(on, 1)),
  },
  // Its mouse events all come when it is lifted.
  finger: {
    down: (on) => fireEvent.pointerDown(on),
    held: async () => undefined,
    up: async (on) => (await fireEvent.pointerUp(on), await fireEvent.mouseDown(on), await fireEvent.mouseUp(on), click(on, 1)),
  },
  'mouse events alone': {
    down: (on) => fireEvent.mouseDown(on),
    held: async () => undefined,
    up: async (on) => (await fireEvent.mouseUp(on), click(on)),
  },
}
const hands = Object.entries(HANDS)

describe.each(hands)('a press with %s', (_, hand) => {
  const press = async (on: Element) => (await hand.down(on), hand.up(on))

  test('that began too early never approves, however long it is held; the next one does', async () => {
    const { act, props, rerender } = card('approval')
    await settle()
    const approve = button('Approve')
    approve.focus()
    await rerender({ plan: { ...props.plan, revision: 2, hash: 'other' } })
    await vi.advanceTimersByTimeAsync(100)
    expect(approve.getAttribute('aria-disabled')).toBe('true')
    await hand.down(approve)
    await vi.advanceTimersByTimeAsync(644)
    await tick()
    expect(approve.getAttribute('aria-disabled')).toBe('false')
    await hand.held(approve)
    await hand.up(approve)
    expect(act['approve']).not.toHaveBeenCalled()
    await press(approve)
    expect(act['approve']).toHaveBeenCalledOnce()
  })

  test('that began before what is approved was painted approves nothing', async () => {
    const { act, props, rerender } = card('approval')
    await settle()
    const approve = button('Approve')
    act['approve']!.mockResolvedValue(false)
    await hand.down(approve)
    act['approve']!.mockClear()
    await rerender({ plan: { ...props.plan, revision: 2, hash: 'other' } })
    await hand.held(approve)
    await settle()
    await hand.held(approve)
    await hand.up(approve)
    expect(act['approve']).not.toHaveBeenCalled()
  })

  test('that began in time counts when it is held for long, and once', async () => {
    const { act } = card('approval')
    act['approve']!.mockResolvedValue(false)
    await settle()
    const approve = button('Approve')
    await hand.down(approve)
    for (let i = 0; i < 3; i++) await hand.held(approve)
    await hand.up(approve)
    await vi.advanceTimersByTimeAsync(1)
    expect(act['approve']).toHaveBeenCalledOnce()
  })

  test('that began too early chooses none of the answers to a question', async () => {
    const onanswer = vi.fn(async (_: string) => true)
    const detail = ['Postgres', 'SQLite'].map((value) => ({ name: 'option', value }))
    render(AskBar, { ask: ask({ kind: 'question', text: 'Which one?', answers: [], detail }), onanswer })
    const all = ['Postgres', 'SQLite'].map(button)
    for (const one of all) {
      expect(one.getAttribute('aria-disabled')).toBe('true')
      await hand.down(one)
    }
    await settle()
    await hand.held(all.at(-1)!)
    await hand.up(all.at(-1)!)
    expect(onanswer).not.toHaveBeenCalled()
    for (const one of all) await press(one)
    expect(onanswer.mock.calls.map(([value]) => value)).toEqual(['Postgres', 'SQLite'])
  })

  test('that began too early resumes nothing, not when it stops again soon either', async () => {
    const { act, props, rerender } = card('checkin')
    await settle()
    // It went on, and stopped for the same before the first stop was forgotten.
    await rerender({ plan: { ...props.plan, state: 'running', pause_reason: null, actions: ['pause'] } })
    await vi.advanceTimersByTimeAsync(100)
    await rerender({ plan: props.plan })
    const resume = button('Resume')
    expect(resume.getAttribute('aria-disabled')).toBe('true')
    await hand.down(resume)
    await settle()
    await hand.held(resume)
    await hand.up(resume)
    expect(act['resume']).not.toHaveBeenCalled()
    await press(resume)
    expect(act['resume']).toHaveBeenCalledOnce()
  })

  test('that began before it stopped for something else resumes nothing', async () => {
    const { act, props, rerender } = card('checkin')
    await settle()
    await rerender({ plan: { ...props.plan, pause_reason: 'cap', pause_detail: 'tokens' } })
    const resume = button('Resume')
    await press(resume)
    expect(act['resume']).not.toHaveBeenCalled()
    await settle()
    await press(resume)
    expect(act['resume']).toHaveBeenCalledOnce()
  })

  test.each([
    ['drift', ['once', 'add']],
    ['permission', ['allow', 'always']],
    ['conflict', ['mine', 'theirs', 'both']],
    ['outcome', ['look', 'happened', 'not']],
  ] as const)('that began too early gives no answer about %s', async (kind, answers) => {
    const onanswer = vi.fn(async (_: string) => true)
    render(AskBar, { ask: ask({ kind, text: 'May it?', answers: [...answers] }), onanswer })
    const all = screen.getAllByRole('button')
    expect(all).toHaveLength(answers.length)
    for (const one of all) {
      await hand.down(one)
      expect(onanswer).not.toHaveBeenCalled()
    }
    await settle()
    await hand.held(all.at(-1)!)
    await hand.up(all.at(-1)!)
    expect(onanswer).not.toHaveBeenCalled()
    for (const one of all) await press(one)
    expect(onanswer.mock.calls.map(([value]) => value)).toEqual(answers)
  })
})

describe('a key that is held', () => {
  test('resumes nothing when it comes to the button from elsewhere', async () => {
    const { act } = card('checkin')
    await settle()
    const resume = button('Resume')
    await HANDS['Enter']!.held(resume)
    await HANDS['Space']!.held(resume)
    await HANDS['Space']!.up(resume)
    expect(act['resume']).not.toHaveBeenCalled()
    await HANDS['Enter']!.down(resume)
    expect(act['resume']).toHaveBeenCalledOnce()
  })

  test('is no letter of the card', async () => {
    const { act } = card('drift')
    await settle()
    const bar = screen.getByRole('group', { name: 'Needs you' })
    await fireEvent.keyDown(bar, { key: 'a', repeat: true })
    await fireEvent.keyDown(bar, { key: 'Escape', repeat: true })
    expect(act['answer']).not.toHaveBeenCalled()
    expect(screen.queryByLabelText(/Tell the agent what to do/)).toBeNull()
    await fireEvent.keyDown(bar, { key: 'a' })
    expect(act['answer']).toHaveBeenCalledOnce()
  })

  test.each(['approval', 'checkin'] as const)('does not open what changes the plan: %s', async (state) => {
    card(state)
    const form = () => screen.queryByRole('form', { name: 'Change the plan' })
    await fireEvent.keyDown(planCard(), { key: 'm', repeat: true })
    expect(form()).toBeNull()
    await fireEvent.keyDown(planCard(), { key: 'm' })
    expect(form()).toBeTruthy()
  })

  test('sends no refusal from the form that its press opened', async () => {
    const { act } = card('drift')
    await HANDS['Enter']!.down(button('Refuse'))
    await tick()
    const words = screen.getByLabelText(/Tell the agent what to do/)
    expect(document.activeElement).toBe(words)
    // Prevented: a field that takes Enter sends its form.
    expect(await fireEvent.keyDown(words, { key: 'Enter', repeat: true })).toBe(false)
    expect(await fireEvent.keyDown(words, { key: 'Enter' })).toBe(true)
    // Nor does Escape, held, go back and forth.
    await fireEvent.keyDown(words, { key: 'Escape', repeat: true })
    expect(words.isConnected).toBe(true)
    expect(act['answer']).not.toHaveBeenCalled()
  })
})

test('a press that ends on another button than it began on is none', async () => {
  const { act } = card('approval')
  await settle()
  await fireEvent.pointerDown(button('Reject'))
  await fireEvent.pointerUp(button('Approve'))
  await click(button('Approve'), 1)
  expect(act['approve']).not.toHaveBeenCalled()
})

test('a click without a press, such as that of a screen reader, counts when what is asked could have been read', async () => {
  const { act } = card('approval')
  await click(button('Approve'))
  expect(act['approve']).not.toHaveBeenCalled()
  await settle()
  await click(button('Approve'))
  expect(act['approve']).toHaveBeenCalledOnce()
})

describe('in a room, a letter', () => {
  beforeEach(() => {
    vi.useRealTimers()
    localStorage.setItem('plancard.room', '"room"')
  })

  test('says yes to a call outside the plan only with the focus on the question', async () => {
    const backend = fakeBackend('drift')
    const answer = vi.spyOn(backend, 'answer')
    render(App, { backend })
    const messages = await screen.findByRole('group', { name: 'Messages' })
    const add = await screen.findByRole('button', { name: /Add to the plan/ })
    await waitFor(() => expect(add.getAttribute('aria-disabled')).toBe('false'))
    for (const one of [document.body, screen.getByRole('log', { name: 'Conversation' }), messages]) {
      one.focus()
      await fireEvent.keyDown(one, { key: 'a' })
    }
    expect(document.activeElement).toBe(screen.getByLabelText('Message the room'))
    expect(answer).not.toHaveBeenCalled()
    const bar = screen.getByRole('group', { name: 'Needs you' })
    bar.focus()
    await fireEvent.keyDown(bar, { key: 'a' })
    expect(answer).toHaveBeenCalledOnce()
  })
})
