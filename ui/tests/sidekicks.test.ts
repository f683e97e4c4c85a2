import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte'
import axe from 'axe-core'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { fakeBackend } from '../dev/fake'
import { fixture, overview, type State } from '../dev/fixtures'
import { NOW, usage } from '../dev/make'
import { research, sidekick } from '../dev/sidekicks'
import App from '../src/App.svelte'
import { Fold } from '../src/chat/fold'
import Message from '../src/chat/Message.svelte'
import type { Backend } from '../src/lib/backend'
import { Rooms } from '../src/lib/rooms.svelte'
import type { SidekickView } from '../src/lib/wire'
import inspectorSource from '../src/rooms/Inspector.svelte?raw'
import { Inspector, inspector } from '../src/rooms/inspector.svelte'
import { ring } from '../src/rooms/ring'
import SidekickPanel from '../src/sidekicks/SidekickPanel.svelte'
import { doing, elapsed, facts, sorted, standing, statusWords, toStop } from '../src/sidekicks/standing'

beforeEach(() => {
  localStorage.clear()
  localStorage.setItem('plancard.room', '"room"')
  inspector.choose('room', false)
})

const T = 1_000_000
const view = (more: Partial<SidekickView> = {}): SidekickView => ({
  id: 'k1', codename: 'brave-penguin', parent: 'room', state: 'running', task: 'Look', turns: 1, attempts: 0, usage: usage(), started_at: T, working_since: T, worked_ms: 0, progress_at: T, ...more,
})

test('one that does a whole plan says at which step it is', () => {
  const plan = research().view.plan ?? null
  const none = { used: 1, places: 6, stalledMs: 60_000, onopen: vi.fn(), onsay: vi.fn(), onstop: vi.fn() }
  render(SidekickPanel, { all: [{ id: 'k2', view: view({ id: 'k2' }) }, { id: 'k9', view: view({ id: 'k9', codename: 'calm-otter' }) }], plan, ...none })
  expect(screen.getByRole('group', { name: 'brave-penguin' }).textContent).toMatch(/Look.*brave-penguin, step 2/s)
  expect(screen.getByRole('group', { name: 'calm-otter' }).textContent).not.toContain('step')
})

test('one of an earlier plan is not said to do a step of this one', () => {
  const plan = research().view.plan ?? null
  const none = { used: 1, places: 6, stalledMs: 60_000, onopen: vi.fn(), onsay: vi.fn(), onstop: vi.fn() }
  render(SidekickPanel, { all: [{ id: 'old', view: view({ id: 'old', step: 's2' }) }], plan, ...none })
  expect(screen.getByRole('group', { name: 'brave-penguin' }).textContent).not.toContain('step')
})

describe('how a sidekick stands', () => {
  test('is stalled after 60 seconds without progress, and not before', () => {
    expect(standing(view(), T + 59_999)).toMatchObject({ state: 'running', tone: 'go' })
    expect(standing(view(), T + 60_000)).toEqual({ state: 'stalled', word: 'no progress for 1m', tone: 'wait' })
    expect(standing(view({ progress_at: T + 30_000 }), T + 60_000).state).toBe('running')
    expect(standing(view(), T + 20_000, 20_000).word).toBe('no progress for 20 s')
  })

  test.each(['queued', 'waiting', 'completed', 'stopped', 'failed'] as const)('%s does not stall', (state) => {
    expect(standing(view({ state }), T + 3_600_000).state).toBe(state)
  })

  test('says what it waits for, and needs you only where that is you', () => {
    expect(standing(view({ state: 'waiting', waits_for: 'person' }), T)).toMatchObject({ word: 'waiting for you', tone: 'wait' })
    expect(standing(view({ state: 'waiting', waits_for: 'sidekicks' }), T)).toMatchObject({ word: 'waiting for its sidekicks', tone: 'plain' })
    expect(standing(view({ state: 'waiting', waits_for: 'provider' }), T)).toMatchObject({ word: 'waiting for its provider', tone: 'plain' })
    expect(standing(view({ state: 'queued', waits_for: 'place' }), T).word).toBe('queued')
    expect(standing(view({ state: 'queued', waits_for: 'provider' }), T).word).toBe('waiting for its provider')
    expect(doing(view({ state: 'queued', waits_for: 'provider' }), T)).toBe('waiting for its provider')
    expect(doing(view({ state: 'queued', waits_for: 'plan' }), T)).toBe('waiting for the plan')
    const all = (['sidekicks', 'person'] as const).map((waits_for) => ({ id: waits_for, view: view({ state: 'waiting', waits_for }) }))
    expect(sorted([...all, { id: 'running', view: view() }], T).map((one) => one.id)).toEqual(['person', 'running', 'sidekicks'])
  })

  test('counts the time it was at work, and not what lies between', () => {
    expect(elapsed(view(), T + 5000)).toBe(5000)
    expect(elapsed(view({ state: 'completed', working_since: null, worked_ms: 9000 }), T + 999_000)).toBe(9000)
    expect(elapsed(view({ working_since: T + 999_000, worked_ms: 9000 }), T + 1_000_000)).toBe(10_000)
    expect(elapsed(view({ state: 'queued', started_at: null, working_since: null }), T)).toBe(0)
  })

  test('says what it does and what it used', () => {
    expect(doing(view({ tool: 'shell rg' }), T + 4000)).toBe('shell rg, 4 s ago')
    expect(doing(view(), T + 4000)).toBe('last progress 4 s ago')
    expect(doing(view({ state: 'queued' }), T)).toBe('waiting for a slot')
    expect(facts(view({ model: 'anthropic/claude-sonnet', attempts: 2, usage: usage(21_000, 0.09) }), T + 5000)).toEqual(['5 s', 'claude-sonnet', 'attempt 2', '21k tokens', '$0.09'])
  })

  test('those that need someone come first', () => {
    const all = (['completed', 'queued', 'running', 'waiting'] as const).map((state) => ({ id: state, view: view({ state }) }))
    expect(sorted(all, T).map((one) => one.id)).toEqual(['waiting', 'running', 'queued', 'completed'])
  })

  test('in one sentence', () => {
    expect(statusWords([], T)).toMatch(/No sidekicks in this room/)
    expect(statusWords([view(), view({ codename: 'calm-badger', state: 'queued' })], T)).toBe('brave-penguin: running, calm-badger: queued.')
    expect(statusWords([...Array.from({ length: 5 }, () => view()), view({ state: 'failed' })], T + 60_000)).toBe('6 sidekicks: 5 without progress, 1 failed.')
  })

  test('the one to stop is found by name, or it is said why not', () => {
    const all = [view(), view({ id: 'k2', codename: 'swift-heron', state: 'completed' })]
    expect(toStop(all, 'Brave-Penguin')).toBe(all[0])
    expect(toStop(all, 'brave penguin')).toBe(all[0])
    expect(toStop(all, 'k1')).toBe(all[0])
    expect(toStop(all, 'swift-heron')).toBe('swift-heron has already ended.')
    expect(toStop(all, 'x')).toBe('No sidekick here is called “x”. Running: brave-penguin.')
  })

  test('its ring shows it', () => {
    expect(ring(sidekick('k', 'a', { state: 'completed' }), false)).toEqual({ part: 1, tone: 'good', label: 'done' })
    expect(ring(sidekick('k', 'a', { state: 'queued' }), false)).toMatchObject({ part: 0, label: 'queued' })
    expect(ring(sidekick('k', 'a', { progress_at: T }), false, T + 61_000)).toMatchObject({ tone: 'wait', label: 'no progress for 1m' })
  })
})

describe('in the rail', () => {
  const taken = (...more: ReturnType<typeof sidekick>[]) => {
    const rooms = new Rooms()
    const all = overview('running', fixture('running'))
    rooms.take({ ...all, rooms: [...all.rooms, ...more] })
    return rooms
  }

  test('a sidekick of a sidekick stands below it', () => {
    const rooms = taken(sidekick('a', 'brave-penguin'), sidekick('b', 'calm-badger', { parent: 'a' }))
    expect(rooms.shown.slice(0, 3).map((room) => [room.title, rooms.depth(room)])).toEqual([['Auth audit', 0], ['brave-penguin', 1], ['calm-badger', 2]])
    rooms.query = 'badger'
    expect(rooms.shown.map((room) => room.title)).toEqual(['Auth audit', 'brave-penguin', 'calm-badger'])
  })

  test('of many only those that are not over are listed', () => {
    const rooms = taken(...Array.from({ length: 20 }, (_, i) => sidekick(`k${i}`, `k${i}`, { state: i < 17 ? 'completed' : 'running' })))
    expect(rooms.shown.filter((room) => room.parent === 'room').map((room) => room.id)).toEqual(['k17', 'k18', 'k19'])
    rooms.enter('k2')
    expect(rooms.shown.some((room) => room.id === 'k2')).toBe(true)
    expect(rooms.sidekicksOf('room').length).toBe(20)
    expect(rooms.working).toBe(3)
  })
})

describe('the log of a sidekick', () => {
  test('begins with its task and ends with its result', () => {
    const fold = new Fold()
    fold.push(fixture('sidekick-over').events)
    expect(fold.items.find((item) => item.kind === 'brief')).toMatchObject({ from: 'harness', full: false })
    expect(fold.items.at(-1)).toMatchObject({ kind: 'note', tone: 'good', text: expect.stringMatching(/^Done: Qdrant/) })
  })

  test('says who gave the task', () => {
    const item = { kind: 'brief', key: '2', text: 'Research Qdrant', from: 'harness', full: true, at: 0 } as const
    render(Message, { item, continued: false, blob: async () => '', onlink: () => undefined })
    expect(screen.getByText('Task from the plan, with the full conversation')).toBeTruthy()
    expect(screen.getByText('Research Qdrant')).toBeTruthy()
  })

  test('tells when steps were under way', () => {
    const fold = new Fold()
    fold.push(fixture('graph').events)
    expect(fold.spansOf('plan', 's1')).toEqual([{ from: NOW - 126_000, to: NOW - 2_000 }])
    expect(fold.spansOf('plan', 's2')).toEqual([{ from: NOW - 111_000, to: null }])
  })
})

function open(state: State, change: Partial<Backend> = {}) {
  const backend = { ...fakeBackend(state), ...change }
  return { backend, ...render(App, { backend }) }
}
const composer = async (name: RegExp = /Message the room/) => (await screen.findByLabelText(name)) as HTMLTextAreaElement
const inspect = async () => {
  await fireEvent.click(await screen.findByRole('button', { name: /^Show the inspector/ }))
  return within(await screen.findByRole('complementary', { name: 'Inspector' }))
}

describe('the inspector', () => {
  test('shows graph, sidekicks and time, and goes away', async () => {
    open('graph')
    const aside = await inspect()
    expect(aside.getByRole('heading', { name: 'Task graph' })).toBeTruthy()
    expect(aside.getByRole('list', { name: 'Timeline' })).toBeTruthy()
    expect(aside.getAllByRole('heading', { level: 2 }).map((one) => one.textContent).slice(0, 3)).toEqual(['Task graph', 'Sidekicks · 2 of 6 running', 'Timeline'])
    await fireEvent.keyDown(aside.getByRole('heading', { name: 'Task graph' }), { key: 'Escape' })
    await waitFor(() => expect(screen.queryByRole('complementary')).toBeNull())
  })

  test('stands beside the room, never over what stops a plan', () => {
    expect(inspectorSource).not.toMatch(/position: (fixed|absolute);[^}]*z-index/)
  })

  test('draws no second graph beside the card’s', async () => {
    open('graph')
    const aside = await inspect()
    await fireEvent.click(screen.getByRole('radio', { name: 'Graph' }))
    await waitFor(() => expect(aside.queryByRole('heading', { name: 'Task graph' })).toBeNull())
    expect((await screen.findAllByRole('group', { name: 'Task graph' })).length).toBe(1)
    await fireEvent.click(screen.getByRole('radio', { name: 'List' }))
  })

  test('is there by itself in a wide window, until it is put away', () => {
    const narrow = window.matchMedia
    window.matchMedia = (query) => ({ ...narrow(query), matches: query.includes('min-width') }) as MediaQueryList
    const one = new Inspector()
    expect(one.shown('a', true)).toBe(true)
    expect(one.shown('a', false)).toBe(false)
    one.choose('a', false)
    expect(one.shown('a', true)).toBe(false)
    expect(new Inspector().shown('b', true)).toBe(false)
    new Inspector().choose('b', true)
    expect(new Inspector().shown('c', true)).toBe(true)
    window.matchMedia = narrow
  })

  test('says how to start a sidekick where there is none', async () => {
    open('lonely')
    const aside = await inspect()
    expect(aside.getByText(/None in this room/)).toBeTruthy()
  })
})

test.each<State>(['graph', 'sidekicks', 'wide', 'lonely'])('nobody is kept out of the inspector: %s', async (state) => {
  const { container } = open(state)
  await inspect()
  const { violations } = await axe.run(container.querySelector('aside')!, { rules: { 'color-contrast': { enabled: false } } })
  expect(violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(' | ')}`)).toEqual([])
})

describe('the panel', () => {
  test('tells of each what there is to know', async () => {
    open('sidekicks')
    const aside = await inspect()
    const group = (name: string) => aside.getByRole('group', { name }).textContent
    expect(group('brave-penguin')).toMatch(/Research Qdrant.*running.*brave-penguin, step 2.*fetch qdrant.tech\/pricing, \d+ s ago.*\d+m \d\ds, claude-sonnet, 18k tokens, \$0.07.*Open\s*Steer\s*Stop/s)
    expect(group('quiet-otter')).toMatch(/no progress for \d+m.*attempt 1/s)
    // What is over is folded under its number.
    expect(aside.queryByRole('group', { name: 'swift-heron' })).toBeNull()
    await fireEvent.click(aside.getByRole('button', { name: 'Show 1 finished' }))
    expect(group('swift-heron')).toMatch(/done.*11 ms median.*2m 04s.*Open\s*Continue/s)
    expect(group('calm-badger')).toMatch(/queued.*waiting for a slot.*Cancel/s)
  })

  test('opens, stops and steers one', async () => {
    const { backend } = open('sidekicks')
    const [say, stop] = [vi.spyOn(backend, 'say').mockResolvedValue(undefined), vi.spyOn(backend, 'stopSidekick')]
    const aside = await inspect()
    await fireEvent.click(aside.getByRole('button', { name: 'Steer brave-penguin' }))
    const field = aside.getByRole('textbox', { name: 'Steer brave-penguin' })
    await fireEvent.input(field, { target: { value: 'only the hosted one' } })
    await fireEvent.submit(field.closest('form')!)
    expect(say).toHaveBeenCalledExactlyOnceWith('k2', 'only the hosted one')
    await waitFor(() => expect(aside.queryByRole('textbox')).toBeNull())
    await waitFor(() => expect(document.activeElement).toBe(aside.getByRole('button', { name: 'Steer brave-penguin' })))
    await fireEvent.click(aside.getByRole('button', { name: 'Stop quiet-otter' }))
    expect(stop).toHaveBeenCalledExactlyOnceWith('k3')
    await waitFor(() => expect(aside.getByRole('group', { name: 'quiet-otter' }).textContent).toMatch(/stopped/))
    const front = vi.spyOn(backend, 'inFront')
    await fireEvent.click(aside.getByRole('button', { name: 'Show 1 finished' }))
    await fireEvent.click(aside.getByRole('button', { name: 'Open swift-heron' }))
    await waitFor(() => expect(front).toHaveBeenLastCalledWith('k1'))
  })

  test('continues one that ended, with words or without', async () => {
    const { backend } = open('sidekicks')
    const say = vi.spyOn(backend, 'say').mockResolvedValue(undefined)
    const aside = await inspect()
    await fireEvent.click(aside.getByRole('button', { name: 'Show 1 finished' }))
    await fireEvent.click(aside.getByRole('button', { name: 'Continue swift-heron' }))
    await fireEvent.submit(aside.getByRole('textbox').closest('form')!)
    expect(say).toHaveBeenCalledExactlyOnceWith('k1', 'Continue.')
  })

  test('what was not taken stays in the field, and Escape leaves it', async () => {
    open('sidekicks', { say: () => Promise.reject({ code: 'X', message: 'The app is stopping.' }) })
    const aside = await inspect()
    await fireEvent.click(aside.getByRole('button', { name: 'Steer brave-penguin' }))
    const field = aside.getByRole('textbox') as HTMLInputElement
    await fireEvent.input(field, { target: { value: 'faster' } })
    await fireEvent.submit(field.closest('form')!)
    await screen.findByText('The app is stopping.')
    expect(field.value).toBe('faster')
    await fireEvent.keyDown(field, { key: 'Escape' })
    expect(aside.queryByRole('textbox')).toBeNull()
    // It left the field, not the inspector.
    expect(screen.getByRole('complementary')).toBeTruthy()
  })
})

describe('/sidekick', () => {
  const send = async (text: string) => {
    const box = await composer()
    await fireEvent.input(box, { target: { value: text } })
    await fireEvent.keyDown(box, { key: 'Enter' })
    return box
  }

  test('with a task starts one', async () => {
    const { backend } = open('sidekicks')
    const spawn = vi.spyOn(backend, 'spawnSidekick')
    const box = await send('/sidekick find out who maintains them')
    await waitFor(() => expect(spawn).toHaveBeenCalledExactlyOnceWith('room', 'find out who maintains them'))
    expect(await screen.findByText(/A sidekick has the task/)).toBeTruthy()
    expect(box.value).toBe('')
  })

  test('status says how they stand, and shows them', async () => {
    open('sidekicks')
    await send('/sidekick status')
    expect(await screen.findByText(/brave-penguin: running, quiet-otter: no progress for \d+m, calm-badger: queued/)).toBeTruthy()
    expect(await screen.findByRole('complementary', { name: 'Inspector' })).toBeTruthy()
  })

  test('cancel stops the one that is named', async () => {
    const { backend } = open('sidekicks')
    const stop = vi.spyOn(backend, 'stopSidekick')
    await send('/sidekick cancel quiet-otter')
    await waitFor(() => expect(stop).toHaveBeenCalledExactlyOnceWith('k3'))
  })

  test.each([
    ['/sidekick cancel nobody', /No sidekick here is called “nobody”. Running: brave-penguin, quiet-otter, calm-badger/],
    ['/sidekick cancel swift-heron', /swift-heron has already ended/],
  ])('%s says why not, and stays as it was typed', async (text, why) => {
    open('sidekicks')
    const box = await send(text)
    expect(await screen.findByText(why)).toBeTruthy()
    await waitFor(() => expect(box.value).toBe(text))
  })
})

describe('the room of a sidekick', () => {
  test('says whose it is and leads back', async () => {
    const { backend } = open('sidekick')
    const front = vi.spyOn(backend, 'inFront')
    expect(await screen.findByRole('heading', { name: 'brave-penguin' })).toBeTruthy()
    await fireEvent.click(screen.getByRole('button', { name: 'Back to Vector database research' }))
    await waitFor(() => expect(front).toHaveBeenLastCalledWith('vector'))
  })

  test('its composer steers it, and it can be stopped', async () => {
    const { backend } = open('sidekick')
    const [say, stop] = [vi.spyOn(backend, 'say').mockResolvedValue(undefined), vi.spyOn(backend, 'stopSidekick')]
    const box = await composer(/Steer brave-penguin/)
    expect(screen.getByText('Enter: send now · Ctrl+Enter: queue')).toBeTruthy()
    await fireEvent.input(box, { target: { value: 'look at the hosted one' } })
    await fireEvent.keyDown(box, { key: 'Enter' })
    expect(say).toHaveBeenCalledExactlyOnceWith('room', 'look at the hosted one')
    const bar = within(screen.getByRole('region', { name: 'Sidekick' }))
    expect(bar.getByText('Research Qdrant')).toBeTruthy()
    await fireEvent.click(bar.getByRole('button', { name: 'Stop' }))
    expect(stop).toHaveBeenCalledExactlyOnceWith('room')
    expect(await bar.findByText('Stopped')).toBeTruthy()
  })

  test('once it ended, says what came of it and lets it go on', async () => {
    const { backend } = open('sidekick-over')
    const say = vi.spyOn(backend, 'say').mockResolvedValue(undefined)
    await composer(/Tell brave-penguin what to do next/)
    const bar = within(screen.getByRole('region', { name: 'Sidekick' }))
    expect(bar.getByText(/4 ms median/)).toBeTruthy()
    expect(bar.queryByRole('button', { name: 'Stop' })).toBeNull()
    await fireEvent.click(bar.getByRole('button', { name: 'Continue' }))
    expect(say).toHaveBeenCalledExactlyOnceWith('room', 'Continue.')
  })
})

test('what is over is folded, but for the one that ended while it was looked at', async () => {
  const panel = { used: 1, places: 6, stalledMs: 60_000, plan: null, onopen: vi.fn(), onsay: vi.fn(), onstop: vi.fn() }
  const one = (id: string, more: Partial<SidekickView>) => ({ id, view: view({ id, codename: id, ...more }) })
  const { rerender } = render(SidekickPanel, { all: [one('at-work', {}), one('also', {}), one('old', { state: 'completed' })], ...panel })
  const names = () => screen.getAllByRole('group').map((group) => group.getAttribute('aria-label'))
  expect(names()).toEqual(['also', 'at-work'])
  await rerender({ all: [one('at-work', {}), one('also', { state: 'failed' }), one('old', { state: 'completed' })], ...panel })
  expect(names()).toEqual(['at-work', 'also'])
  await fireEvent.click(screen.getByRole('button', { name: 'Show 1 finished' }))
  expect(names()).toHaveLength(3)
  expect(screen.getByRole('button', { name: 'Hide 1 finished' }).getAttribute('aria-expanded')).toBe('true')
})
