import { waitFor } from '@testing-library/svelte'
import { describe, expect, test, vi } from 'vitest'
import { fixture } from '../dev/fixtures'
import { fakeBackend } from '../dev/fake'
import { Log, room } from '../dev/make'
import { Feed } from '../src/lib/feed.svelte'

const view = (seq: number, title: string) => room({ title, workspace: '/w', seq })

describe('a room that is open', () => {
  test('a view is replaced by none that is older, and by one that tells more of the same', () => {
    const feed = new Feed('room', (run) => run())
    feed.takeView(view(5, 'five'))
    feed.takeView(view(4, 'four'))
    expect(feed.view?.title).toBe('five')
    feed.takeView(view(5, 'five, with what a sidekick asks'))
    expect(feed.view?.title).toBe('five, with what a sidekick asks')
    feed.takeView(view(6, 'six'))
    expect(feed.view?.title).toBe('six')
  })

  test('an event is taken once, however often it comes', () => {
    const feed = new Feed('room', (run) => run())
    const { events } = new Log().said('one').said('two')
    feed.takeEvents(events)
    feed.takeEvents(events)
    expect(feed.items).toHaveLength(2)
  })

  test('steps are numbered before the plan is reached, and stay so when it is', async () => {
    const { events, view } = fixture('long')
    const from = events.findLastIndex(({ event }) => event.type === 'step_started')
    const agents = () => feed.items.slice(-1).map((item) => item.kind === 'agent' && item.step)
    const feed = new Feed('room', (run) => run())
    feed.takeEvents(events.slice(from))
    feed.takeView(view)
    const shown = agents()
    expect(shown[0]).toBeGreaterThan(1)
    await feed.reachPlan(fakeBackend('long'), view.plan!.id)
    expect(agents()).toEqual(shown)
  })

  test('chatter is painted once a frame', () => {
    const frames: (() => void)[] = []
    const feed = new Feed('room', (run) => frames.push(run))
    for (const delta of ['Hel', 'lo ', 'you']) feed.takeChatter({ type: 'text', delta })
    expect(frames).toHaveLength(1)
    expect(feed.live.text).toBe('')
    frames[0]!()
    expect(feed.live.text).toBe('Hello you')
    feed.takeChatter({ type: 'text', delta: '!' })
    expect(frames).toHaveLength(2)
  })

  test('a window that paints no frames still follows', async () => {
    vi.stubGlobal('requestAnimationFrame', () => 1)
    const feed = new Feed('room')
    const log = new Log().said('one')
    feed.takeEvents([...log.events])
    feed.takeView(view(1, 'one'))
    expect([feed.items.length, feed.view?.title]).toEqual([1, 'one'])
    feed.takeEvents(log.said('two').events)
    feed.takeView(view(2, 'two'))
    expect([feed.items.length, feed.view?.title]).toEqual([1, 'one'])
    await waitFor(() => expect([feed.items.length, feed.view?.title]).toEqual([2, 'two']))
    vi.unstubAllGlobals()
  })

  test('what the model has not been shown is known', () => {
    const feed = new Feed('room', (run) => run())
    feed.takeEvents(new Log().said('one').replied('yes').said('two').events)
    expect(feed.seen).toBe(1)
    feed.takeChatter({ type: 'thinking', after: 3 })
    expect(feed.seen).toBe(3)
  })

  test('being asked again voids what was streamed', () => {
    const feed = new Feed('room', (run) => run())
    feed.takeChatter({ type: 'text', delta: 'half a' })
    feed.takeChatter({ type: 'thinking', after: 0 })
    expect(feed.live).toMatchObject({ text: '', thinking: true })
  })

  test('a stored reply takes the place of its streamed words', () => {
    const feed = new Feed('room', (run) => run())
    feed.takeChatter({ type: 'text', delta: 'Hello' })
    feed.takeEvents(new Log().replied('Hello').events)
    expect(feed.live.text).toBe('')
    expect(feed.items).toHaveLength(1)
  })

  test('words stay until what takes their place is here', () => {
    const feed = new Feed('room', (run) => run())
    const log = new Log().said('one')
    feed.takeEvents([...log.events])
    feed.takeChatter({ type: 'thinking', after: 1 })
    feed.takeChatter({ type: 'text', delta: 'Hello' })
    feed.takeChatter({ type: 'quiet', after: 2 })
    feed.takeChatter({ type: 'thinking', after: 2 })
    feed.takeChatter({ type: 'text', delta: 'Next' })
    expect(feed.live.text).toBe('Hello')
    feed.takeEvents(log.replied('Hello').events)
    expect(feed.live.text).toBe('Next')
  })

  test('a turn that was stopped leaves no words behind', () => {
    const feed = new Feed('room', (run) => run())
    const log = new Log().said('one')
    feed.takeEvents([...log.events])
    feed.takeChatter({ type: 'thinking', after: 1 })
    feed.takeChatter({ type: 'text', delta: 'Hel' })
    feed.takeChatter({ type: 'retry', attempt: 1, in_ms: 1000, why: 'no' })
    feed.takeChatter({ type: 'quiet', after: 1 })
    expect(feed.live).toMatchObject({ text: '', thinking: false, retry: null })
  })

  test('a very long reply is the same just heard and opened again', () => {
    const [heard, opened] = [new Feed('room', (run) => run()), new Feed('room', (run) => run())]
    const { events } = new Log().replied({ blob: 'h', bytes: 90_000, head: 'é '.repeat(8000) })
    heard.takeChatter({ type: 'text', delta: 'é '.repeat(30_000) })
    for (const feed of [heard, opened]) feed.takeEvents(events)
    expect(heard.items).toEqual(opened.items)
    expect(heard.live.text).toBe('')
  })

  test('how far a call is, until it has ended', () => {
    const feed = new Feed('room', (run) => run())
    feed.takeChatter({ type: 'progress', call: 'c', done: 2, total: 5, text: 'reading' })
    expect(feed.progress.get('c')).toBe('40 %, reading')
    feed.takeChatter({ type: 'progress', call: 'c', done: 3, total: null, text: null })
    expect(feed.progress.get('c')).toBe('3')
    feed.takeEvents([{ seq: 1, at: 1, event: { type: 'call_ended', call: 'c', outcome: 'ok', result: '' } }])
    expect(feed.progress.size).toBe(0)
  })

  test('older pages are put in front, in order', async () => {
    const backend = fakeBackend('many')
    const feed = new Feed('room', (run) => run())
    const { events } = fixture('many')
    feed.takeEvents(events.slice(-200))
    const before = feed.items.length
    await feed.older(backend)
    expect(feed.items.length).toBeGreaterThan(before)
    expect(feed.prepended).toBe(true)
    const keys = feed.items.map((item) => Number.parseInt(item.key))
    expect(keys).toEqual([...keys].sort((a, b) => a - b))
  })
})
