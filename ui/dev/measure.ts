// Times the window on a made-up room: how long it takes to open, and how it
// keeps up with a busy one. ?state=many&measure=open, measure=stream or state=goal&measure=graph

import type { Backend, Overview, RoomListener } from '../src/lib/backend'
import type { PlanView, RoomView, Stored } from '../src/lib/wire'
import { fakeBackend } from './fake'
import { fixture, overview, type State } from './fixtures'
import { Log } from './make'

const SECONDS = 10
const PER_SECOND = 200
const STEPS_PER_SECOND = 50
const ROUNDS = 4

/** The made-up backend, with its room's listener within reach. */
export function measured(state: State): Backend {
  const backend = fakeBackend(state)
  return {
    ...backend,
    openRoom: (room, after, on) => {
      listener = on
      return backend.openRoom(room, after, on)
    },
    overview: (onChange) => {
      // The overview follows each change as well, with every sidekick in it.
      tell = (view) => onChange(JSON.parse(JSON.stringify(overview(state, { view, events: [] }))) as Overview)
      return backend.overview(onChange)
    },
  }
}
let listener: RoomListener | null = null
let tell: ((view: RoomView) => void) | null = null

export async function measure(what: string, state: State): Promise<void> {
  await wait(1500)
  const { view } = fixture(state)
  await wait(100)
  const long: number[] = []
  // WebKit knows no long tasks.
  new PerformanceObserver((list) => long.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: 'longtask' })
  const numbers = what === 'open' ? await opening() : what === 'graph' ? await stepping(view) : await streaming(view)
  await wait(200)
  const result = { what, state, ...numbers, longTasks: long.length, longestTask: Math.round(Math.max(0, ...long)) }
  Object.assign(globalThis, { measured: result })
  await fetch('/result', { method: 'POST', body: JSON.stringify(result) })
}

/** Goes from room to room, each opened from nothing. */
async function opening(): Promise<object> {
  const took: number[] = []
  for (let i = 0; i < 12; i++) {
    const rows = [...document.querySelectorAll<HTMLElement>('[data-region=rail] button')]
    const row = rows.filter((one) => !one.getAttribute('aria-current'))[i % 2]
    const chat = document.querySelector('.chat')
    const from = performance.now()
    row?.click()
    while (document.querySelector('.chat') === chat || !document.querySelector('.chat .row')) await frame()
    took.push(performance.now() - from)
    await wait(300)
  }
  return { open: spread(took), rows: document.querySelectorAll('.chat .row').length, elements: document.querySelectorAll('*').length }
}

/** Goals of many steps, one after the other, in each of which a step begins or ends fifty times a second and brings its sidekick along, with the graph on screen. */
async function stepping(view: RoomView): Promise<object> {
  const on = listener
  if (!on || !view.plan) throw new Error('no plan is open')
  const { steps } = view.plan
  const nodes = document.querySelectorAll('[data-node]').length
  let seq = 2_000_000
  const late: number[] = []
  const held: number[] = []
  let sent: number[] = []
  new MutationObserver(() => {
    late.push(...sent.map((at) => performance.now() - at))
    sent = []
  }).observe(document.querySelector('.window')!, { subtree: true, childList: true, characterData: true, attributes: true })
  const show = (round: number, given: number) => {
    const first = Math.floor(given / 2)
    const status = (i: number) => (i < first ? 'done' : i < first + 6 ? 'in_progress' : 'pending')
    const at = { ...view.plan!, id: `plan-${round}`, steps: steps.map((step, i) => ({ ...step, status: status(i), waiting: false, sidekick: i < first + 6 ? `r${round}k${i + 1}` : null, attempts: i === first ? given % 3 : 0 })) }
    // As it comes over the wire: nothing of it is the same object as before.
    const next = JSON.parse(JSON.stringify({ ...view, seq: ++seq, plan: at })) as RoomView
    on.view(next)
    tell?.(next)
    sent.push(performance.now())
  }
  for (let round = 1; round <= ROUNDS; round++) {
    show(round, 0)
    await wait(1000)
    const watch = heldUp(held)
    const began = performance.now()
    for (let given = 0; given < 2 * steps.length; ) {
      await wait(5)
      const due = Math.floor(((performance.now() - began) / 1000) * STEPS_PER_SECOND)
      while (given < Math.min(due, 2 * steps.length)) show(round, ++given)
    }
    await wait(300)
    watch.end()
  }
  return { nodes, updates: ROUNDS * 2 * steps.length, updateToDom: spread(late), heldUp: { ...spread(held), over30: held.filter((ms) => ms > 30).length, over50: held.filter((ms) => ms > 50).length, all: Math.round(held.reduce((sum, ms) => sum + Math.max(0, ms - 8), 0)) } }
}

/** Notes for how long the page heard nothing, each time. */
function heldUp(all: number[]): { end: () => void } {
  let on = true
  let last = performance.now()
  const tick = () => {
    if (!on) return
    const now = performance.now()
    all.push(now - last)
    last = now
    setTimeout(tick, 4)
  }
  tick()
  return { end: () => (on = false) }
}

/** A room in which much happens at once, and how soon each event is in the page. */
async function streaming(view: RoomView): Promise<object> {
  const on = listener
  if (!on) throw new Error('no room is open')
  let seq = 2_000_000
  const late: number[] = []
  let sent: number[] = []
  new MutationObserver(() => {
    late.push(...sent.map((at) => performance.now() - at))
    sent = []
  }).observe(document.querySelector('.room')!, { subtree: true, childList: true, characterData: true, attributes: true })

  const kinds = new Log()
  for (let i = 0; i < 40; i++) kinds.replied(`Answer ${i} with **words** and \`code\`.\n\n- a\n- b`, [{ tool: 'read_file', args: { path: `src/${i}.rs` } }])
  const events = kinds.events.map((one) => JSON.stringify(one))
  let round = 0
  const began = performance.now()
  let given = 0
  while (performance.now() - began < SECONDS * 1000) {
    await wait(5)
    const due = Math.floor(((performance.now() - began) / 1000) * PER_SECOND)
    for (; given < due; given++) {
      if (given % events.length === 0) round++
      const one = JSON.parse(events[given % events.length]!.replace(/"c(\d+)"/g, `"r${round}c$1"`)) as Stored
      on.events([{ ...one, seq: ++seq }])
      const plan: PlanView | null = view.plan && { ...view.plan, budget_left: given % 9 }
      view = { ...view, seq, plan }
      on.view(view)
      on.chatter({ type: 'text', delta: `word ${given} ` })
      on.chatter({ type: 'text', delta: given % 20 === 0 ? '.\n\nNext ' : 'and **more** ' })
      sent.push(performance.now())
    }
  }
  await wait(300)
  return { events: given, eventToDom: spread(late) }
}

function spread(all: number[]): object {
  const sorted = [...all].sort((a, b) => a - b)
  const at = (part: number) => Math.round((sorted[Math.floor(part * (sorted.length - 1))] ?? 0) * 10) / 10
  return { median: at(0.5), p95: at(0.95), most: at(1) }
}

const wait = (ms: number) => new Promise((done) => setTimeout(done, ms))
const frame = () => new Promise((done) => requestAnimationFrame(done))
