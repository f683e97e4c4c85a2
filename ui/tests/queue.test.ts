// Words that wait until the agent is done.

import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte'
import axe from 'axe-core'
import { flushSync } from 'svelte'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { fakeBackend } from '../dev/fake'
import { fixture, overview, type State } from '../dev/fixtures'
import App from '../src/App.svelte'
import Composer from '../src/chat/Composer.svelte'
import type { Backend, Overview, RoomSummary } from '../src/lib/backend'
import { Queue } from '../src/lib/queue.svelte'
import type { Actor, Event, Stored } from '../src/lib/wire'

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  localStorage.setItem('plancard.room', '"room"')
})

const room = (more: Partial<RoomSummary> = {}): RoomSummary => ({ ...overview('busy', fixture('busy')).rooms.find(({ id }) => id === 'room')!, busy: false, plan: null, updated_at: 1, ...more })
const planned = (state: string) => ({ id: 'plan', goal: '', state, ended: 0, steps: 1, actions: [] })

const you: Actor = { kind: 'person', principal: 'you', surface: 'tray' }
const agent: Actor = { kind: 'agent', principal: 'default', surface: 'turn' }
const SAID: Event = { type: 'said', message: 'm', text: 'Do it', by: you }
const STOPPED: Event = { type: 'trouble', code: 'STOPPED', text: 'You stopped this turn.' }
const cancelled = (by: Actor): Event => ({ type: 'plan_cancelled', reason: '', by })
/** In order; the last of them at this time. */
const stored = (at: number, ...events: Event[]): Stored[] => events.map((event, i) => ({ seq: i + 1, at: at - events.length + 1 + i, event }))

describe('the queue of a room', () => {
  const queued = (...texts: string[]) => {
    const queue = new Queue()
    for (const text of texts) queue.add('room', text)
    return queue
  }
  const door = (say = vi.fn(async (_room: string, _text: string) => true), ...events: Event[]) => ({ say, last: vi.fn(async () => stored(100, SAID, ...events)) })

  test.each<[string, Partial<RoomSummary>]>([
    ['a turn under way', { busy: true }],
    ['a plan that runs', { plan: planned('running') }],
    ['a plan that is paused', { plan: planned('paused') }],
    ['a plan that waits for approval', { plan: planned('awaiting_approval') }],
    ['an open question', { asks: 1 }],
    ['a room that was put away', { archived: true }],
  ])('is not released by %s', (_, more) => {
    const { say, last } = door()
    queued('later').release([room(more)], { say, last })
    // Nor is it looked whether it could be.
    expect(last).not.toHaveBeenCalled()
  })

  test.each<[string, Event[]]>([
    ['stopped the turn', [STOPPED]],
    ['stopped it, and it told of what was under way', [STOPPED, { type: 'spent', model: 'a/b', usage: { input: 1, output: 1, cache_read: 0, cost_micros: 0 } }]],
    ['cancelled the plan', [cancelled(you)]],
    ['stopped the sidekick', [{ type: 'sidekick_ended', end: 'stopped', result: '' }]],
    ['archived the room and took it out again', [{ type: 'room_archived', archived: true }, { type: 'room_archived', archived: false }]],
  ])('waits for the person who %s', async (_, events) => {
    const queue = queued('first', 'second')
    const ended = door(undefined, ...events)
    queue.release([room()], ended)
    await waitFor(() => expect(queue.held('room')).toBe(true))
    // Neither what happens later nor one more message lets them go.
    queue.add('room', 'third')
    queue.release([room({ updated_at: 2 })], door(ended.say))
    expect([queue.held('room'), queue.of('room').length, ended.say.mock.calls.length]).toEqual([true, 3, 0])
    await queue.send('room', queue.of('room')[0]!, async () => true)
    expect([queue.held('room'), queue.of('room').map(({ text }) => text)]).toEqual([false, ['second', 'third']])
  })

  test.each<[string, Event[]]>([
    ['the agent gave its plan up', [cancelled(agent)]],
    ['the person said more since they stopped it', [STOPPED, SAID]],
    ['the plan went on', [STOPPED, { type: 'resumed', by: you }]],
  ])('goes when %s', async (_, events) => {
    const { say, last } = door(undefined, ...events)
    queued('later').release([room()], { say, last })
    await waitFor(() => expect(say).toHaveBeenCalledExactlyOnceWith('room', 'later'))
  })

  test('waits until it can be read how the turn ended', async () => {
    const queue = queued('later')
    const say = vi.fn(async () => true)
    const last = vi.fn(async () => stored(7, SAID, STOPPED)).mockResolvedValueOnce(stored(5, SAID)).mockResolvedValueOnce(stored(5, SAID))
    queue.release([room({ updated_at: 7 })], { say, last })
    await waitFor(() => expect(queue.held('room')).toBe(true))
    expect([last.mock.calls.length, say.mock.calls.length]).toEqual([3, 0])
  })

  test('waits for the person where it can’t be read', async () => {
    const queue = queued('later')
    const say = vi.fn(async () => true)
    queue.release([room()], { say, last: async () => Promise.reject(new Error('gone')) })
    await waitFor(() => expect(queue.held('room')).toBe(true))
    expect(say).not.toHaveBeenCalled()
  })

  test('is not sent into what began while it was looked', async () => {
    const queue = queued('later')
    const say = vi.fn(async () => true)
    let tell: (events: Stored[]) => void = () => undefined
    const looked = new Promise<Stored[]>((resolve) => (tell = resolve))
    queue.release([room()], { say, last: () => looked })
    queue.release([room({ busy: true, updated_at: 2 })], { say, last: () => looked })
    tell(stored(100, SAID))
    await looked
    // It is done with that, too: looked at anew.
    const next = door(say)
    await waitFor(() => {
      queue.release([room({ updated_at: 3 })], next)
      expect(next.last).toHaveBeenCalled()
    })
    await waitFor(() => expect(say).toHaveBeenCalledOnce())
    expect(next.last).toHaveBeenCalledOnce()
  })

  test('of a room that was put away stays when it is taken out', () => {
    const queue = queued('later')
    const { say, last } = door()
    queue.release([room({ archived: true })], { say, last })
    queue.release([room({ updated_at: 2 })], { say, last })
    expect([queue.held('room'), last.mock.calls.length]).toEqual([true, 0])
  })

  test('goes one by one, each when the agent is done with the one before', async () => {
    const queue = queued('first', 'second')
    const { say, last } = door()
    queue.release([room()], { say, last })
    queue.release([room()], { say, last })
    await waitFor(() => expect(queue.of('room').map(({ text }) => text)).toEqual(['second']))
    // What is known of the room is still from before.
    queue.release([room()], { say, last })
    queue.release([room({ busy: true, updated_at: 2 })], { say, last })
    expect([say.mock.calls, last.mock.calls.length]).toEqual([[['room', 'first']], 1])
    queue.release([room({ plan: planned('done'), updated_at: 3 })], { say, last })
    await waitFor(() => expect(say.mock.calls).toEqual([['room', 'first'], ['room', 'second']]))
    await waitFor(() => expect(queue.of('room')).toEqual([]))
  })

  test('outlives a reload, and goes on by itself', async () => {
    queued('later')
    const { say, last } = door()
    const again = new Queue()
    expect(again.of('room').map(({ text }) => text)).toEqual(['later'])
    again.release([room()], { say, last })
    await waitFor(() => expect(say).toHaveBeenCalledOnce())
  })

  test('outlives the app, and then waits for the person', () => {
    queued('later')
    sessionStorage.clear()
    const { say, last } = door()
    const again = new Queue()
    again.release([room()], { say, last })
    expect([again.of('room').length, again.held('room'), last.mock.calls.length]).toEqual([1, true, 0])
  })

  test('keeps what could not be sent, and does not try again and again', async () => {
    const queue = queued('later')
    const { say, last } = door(vi.fn(async () => false))
    queue.release([room()], { say, last })
    await waitFor(() => expect(queue.held('room')).toBe(true))
    queue.release([room({ updated_at: 2 })], { say, last })
    expect([queue.of('room').length, say.mock.calls.length]).toEqual([1, 1])
  })
})

describe('the message box', () => {
  const box = (more: object) => {
    const [onsend, onqueue] = [vi.fn(), vi.fn()]
    render(Composer, { text: 'later', placeholder: 'Message the room', hint: '', history: [], files: async () => [], onsend, onqueue, ...more })
    return { onsend, onqueue, area: screen.getByRole('textbox') }
  }

  test('Enter steers, Ctrl Enter and Queue keep it for later', async () => {
    const { onsend, onqueue, area } = box({})
    await fireEvent.keyDown(area, { key: 'Enter', ctrlKey: true })
    await fireEvent.click(screen.getByRole('button', { name: 'Queue' }))
    expect(onqueue.mock.calls).toEqual([['later'], ['later']])
    expect(onsend).not.toHaveBeenCalled()
    await fireEvent.keyDown(area, { key: 'Enter' })
    expect(onsend).toHaveBeenCalledExactlyOnceWith('later')
  })

  test('while it does nothing, there is no Queue, and Ctrl Enter sends', async () => {
    const { onsend, area } = box({ onqueue: null })
    expect(screen.queryByRole('button', { name: 'Queue' })).toBeNull()
    await fireEvent.keyDown(area, { key: 'Enter', ctrlKey: true })
    expect(onsend).toHaveBeenCalledExactlyOnceWith('later')
  })
})

describe('in the room', () => {
  function open(state: State) {
    let tell: (overview: Overview) => void = () => undefined
    const fake = fakeBackend(state)
    const listen: Backend['overview'] = (onChange) => {
      tell = onChange
      return fake.overview(onChange)
    }
    const backend = { ...fake, overview: listen, say: vi.fn(async () => undefined) }
    const { container } = render(App, { backend })
    return { backend, container, tell: (more: Partial<RoomSummary>) => flushSync(() => tell({ rooms: [room(more)], asks: [] })) }
  }
  const composer = async () => (await screen.findByLabelText('Message the room')) as HTMLTextAreaElement
  const queue = async (text: string) => {
    const box = await composer()
    await fireEvent.input(box, { target: { value: text } })
    await fireEvent.keyDown(box, { key: 'Enter', ctrlKey: true })
    return box
  }
  const list = () => screen.getByRole('region', { name: 'Queued messages' })

  test('they stand above the box, in order, and can be sent, changed and removed', async () => {
    const { backend, container } = open('running')
    expect(await screen.findByText('Enter: send now, refills ⚡ · Ctrl+Enter: queue')).toBeTruthy()
    for (const text of ['one', 'two', 'three']) await queue(text)
    const box = await composer()
    expect([box.value, backend.say.mock.calls.length]).toEqual(['', 0])
    expect([...list().querySelectorAll('.text')].map((one) => one.textContent)).toEqual(['one', 'two', 'three'])
    const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } })
    expect(violations.filter((one) => one.impact === 'serious' || one.impact === 'critical')).toEqual([])

    await fireEvent.click(within(list()).getByRole('button', { name: 'Send now: queued message 2' }))
    await waitFor(() => expect(backend.say).toHaveBeenCalledExactlyOnceWith('room', 'two'))
    await fireEvent.input(box, { target: { value: 'half' } })
    await fireEvent.click(within(list()).getByRole('button', { name: 'Edit: queued message 1' }))
    expect(box.value).toBe('one\n\nhalf')
    expect(document.activeElement).toBe(box)
    const last = within(list()).getByRole('button', { name: 'Remove: queued message 1' })
    last.focus()
    await fireEvent.click(last)
    expect(screen.queryByRole('region', { name: 'Queued messages' })).toBeNull()
    expect(backend.say).toHaveBeenCalledOnce()
    // The focus stays beside the box.
    await waitFor(() => expect(document.activeElement?.contains(box)).toBe(true))
    expect(document.activeElement).not.toBe(document.body)
  })

  test('they go by themselves when the agent is done', async () => {
    const { backend, tell } = open('busy')
    await queue('and the tests')
    tell({ busy: true, updated_at: 5 })
    expect(backend.say).not.toHaveBeenCalled()
    tell({ busy: false, updated_at: 6 })
    await waitFor(() => expect(backend.say).toHaveBeenCalledExactlyOnceWith('room', 'and the tests'))
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Queued messages' })).toBeNull())
  })

  test('they wait for you when you stopped it, wherever you did', async () => {
    const { backend, tell } = open('busy')
    const history = vi.spyOn(backend, 'history').mockResolvedValue(stored(6, SAID, STOPPED))
    await queue('and the tests')
    tell({ busy: false, updated_at: 6 })
    expect(await screen.findByText('Queued earlier, not sent')).toBeTruthy()
    expect(history).toHaveBeenCalledWith('room', null, expect.any(Number))
    expect(backend.say).not.toHaveBeenCalled()
    await fireEvent.click(within(list()).getByRole('button', { name: 'Send now: queued message 1' }))
    await waitFor(() => expect(backend.say).toHaveBeenCalledExactlyOnceWith('room', 'and the tests'))
  })

  test('a command is carried out at once, not queued', async () => {
    const { backend } = open('running')
    const pause = vi.spyOn(backend, 'pause')
    await queue('/pause')
    await waitFor(() => expect(pause).toHaveBeenCalledOnce())
    expect(screen.queryByRole('region', { name: 'Queued messages' })).toBeNull()
  })

  test('the help knows the key', async () => {
    open('running')
    await queue('/help')
    expect(await screen.findByText('Queue: sent when the agent is done')).toBeTruthy()
  })
})
