// Made-up rooms with plans that run side by side, and the sidekicks in them.

import type { RoomSummary } from '../src/lib/backend'
import type { RoomView, SidekickView, StepView } from '../src/lib/wire'
import type { Fixture, State } from './fixtures'
import { Log, NOW, plan, room, step, usage } from './make'

export const NAMES = ['calm-badger', 'keen-lynx', 'mild-raven', 'warm-ibex']

export function sidekick(id: string, codename: string, more: Partial<SidekickView> = {}): RoomSummary {
  const view: SidekickView = { id, codename, parent: 'room', state: 'running', task: 'Look around', model: 'anthropic/claude-sonnet', turns: 0, attempts: 0, usage: usage(), worked_ms: 0, ...more }
  return {
    id, title: codename, workspace: '/home/you/notes/research', kind: 'sidekick', parent: view.parent, codename, sidekick: view, plan_mode: 'off', archived: false, busy: view.state === 'running', asks: 0,
    active_plan: null, created_at: NOW, updated_at: NOW,
  }
}

/** The mock: three look things up at once, one compares, one recommends. */
export function research(): Fixture {
  const steps: StepView[] = [
    step(1, 'Research pgvector', 'done', { needs: [], took_ms: 124_000, sidekick: 'k1', result: 'pgvector: no licence cost, 11 ms median at 1M rows, hybrid search through tsvector.', usage: usage(21_000, 0.09) }),
    step(2, 'Research Qdrant', 'in_progress', { needs: [], started_at: NOW - 111_000, sidekick: 'k2' }),
    step(3, 'Research LanceDB', 'in_progress', { needs: [], started_at: NOW - 72_000, sidekick: 'k3', attempts: 1 }),
    step(4, 'Compare on pricing, latency and hybrid search', 'pending', { needs: ['s1', 's2', 's3'] }),
    step(5, 'Write the recommendation', 'pending', { needs: ['s4'] }),
  ]
  const view = plan({
    goal: 'Compare three vector databases on pricing, latency and hybrid search', mode: 'graph', budget_left: 7, actions: ['pause', 'cancel'],
    usage: usage(96_000, 0.41), ran_ms: 0, running_since: NOW - 126_000, steps,
  })
  const log = new Log().created('Vector database research', '/home/you/notes/research').said('Compare pgvector, Qdrant and LanceDB for us.').planned(view)
  const at = (ms: number, event: (typeof log.events)[number]['event']) => log.events.push({ seq: log.events.length + 1, at: NOW - ms, event })
  at(126_000, { type: 'step_started', step: 's1' })
  at(111_000, { type: 'step_started', step: 's2' })
  at(72_000, { type: 'step_started', step: 's3' })
  at(2_000, { type: 'step_done', step: 's1', result: '' })
  log.replied('pgvector: no licence cost, 11 ms median at 1M rows, hybrid search through tsvector.')
  return { view: room({ title: 'Vector database research', workspace: '/home/you/notes/research', plan_mode: 'soft', plan: view, busy: true }), events: log.events }
}

const VERBS = ['Read', 'List', 'Compare', 'Check', 'Measure', 'Write down', 'Test', 'Review']
const THINGS = ['the routes', 'the scopes', 'the policy file', 'the tests', 'the release notes', 'the error types', 'the migrations', 'the caches']

/** A goal of sixty steps: fans, diamonds and a synthesis. */
export function goal(count = 60): Fixture {
  const needs = (n: number): string[] => {
    if (n === 1) return []
    if (n <= 9) return ['s1']
    if (n === count) return Array.from({ length: 6 }, (_, i) => `s${count - 1 - i}`)
    const a = 2 + ((n * 7) % (n - 2))
    const b = n - 8
    return n % 3 === 0 && a !== b && a < n ? [`s${Math.min(a, b)}`, `s${Math.max(a, b)}`] : [`s${b}`]
  }
  const done = Math.floor(count * 0.4)
  const steps = Array.from({ length: count }, (_, i) => {
    const n = i + 1
    const text = n === count ? 'Put it all together' : `${VERBS[n % 8]} ${THINGS[(n * 3) % 8]} of module ${n}`
    const status = n <= done ? (n === 11 ? 'failed' : 'done') : n <= done + 6 ? 'in_progress' : 'pending'
    return step(n, text, status, { needs: needs(n), sidekick: n <= done + 6 ? `k${n}` : null, queued: n > done + 6 && n <= done + 9, took_ms: n <= done ? 20_000 + n * 700 : 0, started_at: status === 'in_progress' ? NOW - 20_000 - n * 100 : null, waiting: n === done + 2 })
  })
  const view = plan({ goal: 'Audit every module of the gateway and say what to do first', origin: 'goal', mode: 'graph', actions: ['pause', 'cancel'], usage: usage(812_000, 3.1), running_since: NOW - 300_000, steps })
  const log = new Log().created('Gateway audit', '/home/you/code/gateway').said('Audit every module.').planned(view)
  steps.slice(0, done + 6).forEach((one, i) => {
    const from = NOW - 300_000 + Math.floor(i / 6) * 58_000 + (i % 6) * 2_000
    log.events.push({ seq: log.events.length + 1, at: from, event: { type: 'step_started', step: one.id } })
    if (i < done) log.events.push({ seq: log.events.length + 1, at: from + 34_000 + ((i * 13) % 9) * 2_000, event: { type: 'step_done', step: one.id, result: 'Done.' } })
  })
  return { view: room({ title: 'Gateway audit', workspace: '/home/you/code/gateway', plan: view, busy: true }), events: log.events }
}

/** Twenty at once with three places. */
export function wide(): Fixture {
  const steps = Array.from({ length: 20 }, (_, i) =>
    step(i + 1, `Translate chapter ${i + 1}`, i < 3 ? 'in_progress' : 'pending', { needs: [], queued: i >= 3, sidekick: i < 3 ? `k${i + 1}` : null, started_at: i < 3 ? NOW - 30_000 - i * 4_000 : null }),
  )
  const view = plan({ goal: 'Translate the handbook', mode: 'parallel', budget_left: 8, actions: ['pause', 'cancel'], usage: usage(12_000, 0.05), running_since: NOW - 40_000, steps })
  return { view: room({ title: 'Handbook', workspace: '/home/you/handbook', plan: view, busy: true }), events: new Log().created('Handbook', '').said('Translate the handbook.').planned(view).events }
}

const PENGUIN: SidekickView = {
  id: 'room', codename: 'brave-penguin', parent: 'vector', step: 's2', state: 'running', task: 'Research Qdrant', model: 'anthropic/claude-sonnet', tool: 'fetch qdrant.tech/pricing', turns: 6, attempts: 0,
  usage: usage(18_000, 0.07), started_at: NOW - 111_000, working_since: NOW - 111_000, worked_ms: 0, progress_at: NOW - 4_000,
}

/** Inside the room of a sidekick. */
export function inSidekick(over: boolean): Fixture {
  const view: SidekickView = over ? { ...PENGUIN, state: 'completed', tool: null, working_since: null, worked_ms: 107_000, result: 'Qdrant: from $25 a month hosted, 4 ms median at 1M rows, hybrid search built in.' } : PENGUIN
  const log = new Log()
    .created('brave-penguin', '/home/you/notes/research')
    .push({ type: 'briefed', task: 'Research Qdrant: what it costs, how fast it is, and whether it can do hybrid search. Say it in one line.', full: false, by: { kind: 'harness', principal: 'plan', surface: 'engine' }, limits: { turns: 25, seconds: 300, tokens: null } })
    .replied('I begin with the price list.', [{ tool: 'fetch', args: { url: 'https://qdrant.tech/pricing' }, ms: 840, outcome: over ? 'ok' : null }])
  if (over) log.push({ type: 'sidekick_ended', end: 'completed', result: view.result! })
  return { view: room({ title: 'brave-penguin', workspace: '/home/you/notes/research', busy: !over, kind: 'sidekick', parent: 'vector', codename: 'brave-penguin', step: 's2', sidekick: view }), events: log.events }
}

/** The sidekicks of the open room, and one in another. */
export function sidekicksIn(state: State, view: RoomView): RoomSummary[] {
  const work = (n: number, more: Partial<SidekickView>) => sidekick(`k${n}`, MORE[n % MORE.length]!, { turns: 4, usage: usage(9_000 + n * 400, 0.03), ...more })
  switch (state) {
    case 'graph':
    case 'conflict':
    case 'sidekicks':
      return [
        sidekick('k1', 'swift-heron', { step: 's1', task: 'Research pgvector', state: 'completed', turns: 9, usage: usage(21_000, 0.09), started_at: NOW - 126_000, worked_ms: 124_000, progress_at: NOW - 2_000, result: 'pgvector: no licence cost, 11 ms median at 1M rows, hybrid search through tsvector.' }),
        sidekick('k2', 'brave-penguin', { ...PENGUIN, parent: 'room' }),
        sidekick('k3', 'quiet-otter', { step: 's3', task: 'Research LanceDB', tool: 'shell rg "hybrid" docs', turns: 3, attempts: 1, usage: usage(8_000, 0.03), started_at: NOW - 72_000, working_since: NOW - 72_000, progress_at: NOW - 72_000 }),
        ...(state === 'sidekicks' ? [sidekick('k4', 'calm-badger', { task: 'Find out who maintains each of the three, and how often they release', state: 'queued' })] : []),
      ]
    case 'goal':
    case 'wide':
      return (view.plan?.steps ?? []).flatMap((one, i) => (one.sidekick ? [work(i + 1, { step: one.id, task: one.text, state: one.status === 'done' ? 'completed' : one.status === 'failed' ? 'failed' : one.waiting ? 'waiting' : 'running', started_at: NOW - 60_000, worked_ms: 57_000, progress_at: NOW - 3_000, tool: one.status === 'in_progress' ? 'read_file' : null, result: one.status === 'done' ? 'Done.' : null })] : []))
    default:
      return []
  }
}

const ADJECTIVES = ['brave', 'quiet', 'swift', 'calm', 'keen', 'mild', 'warm', 'bold']
const ANIMALS = ['penguin', 'otter', 'heron', 'badger', 'lynx', 'raven', 'ibex']
const MORE = Array.from({ length: 56 }, (_, i) => `${ADJECTIVES[i % 8]}-${ANIMALS[i % 7]}`)
