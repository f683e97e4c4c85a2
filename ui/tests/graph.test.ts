import { fireEvent, render, screen, within } from '@testing-library/svelte'
import { tick } from 'svelte'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { fixture, type State } from '../dev/fixtures'
import { NOW, plan as planOf, step } from '../dev/make'
import GraphView from '../src/graph/GraphView.svelte'
import { lanes, worthLanes } from '../src/graph/lanes'
import Lanes from '../src/graph/Lanes.svelte'
import type { PlanView, StepView } from '../src/lib/wire'
import type { PlanInfo } from '../src/plan/info'
import { shownAs } from '../src/plan/as.svelte'
import { card } from './card'

const drawings = vi.hoisted(() => ({ count: 0 }))
vi.mock('../src/graph/layout', async (original) => {
  const real = await original<typeof import('../src/graph/layout')>()
  return {
    ...real,
    layout: (...args: Parameters<typeof real.layout>) => {
      drawings.count++
      return real.layout(...args)
    },
  }
})

beforeEach(() => {
  drawings.count = 0
  localStorage.clear()
  shownAs.choose('list')
})

const INFO: PlanInfo = { calls: () => [], reach: async () => undefined, blob: async () => '', revisions: [], autoSteps: 8, mode: 'soft' }

function graph(state: State, more: object = {}) {
  const onpick = vi.fn()
  const props = { plan: fixture(state).view.plan!, info: INFO, act: null, picked: null, onpick, ...more }
  return { onpick, props, ...render(GraphView, props) }
}
const node = (name: RegExp) => screen.getByRole('button', { name })
const withStep = (plan: PlanView, at: number, change: Partial<StepView>): PlanView => ({ ...plan, steps: plan.steps.map((one, i) => (i === at ? { ...one, ...change } : { ...one })) })

describe('the graph', () => {
  test('is a list that says all the picture shows', () => {
    graph('graph')
    const items = within(screen.getByRole('list', { name: 'Steps and what they need' })).getAllByRole('button')
    expect(items.map((item) => item.getAttribute('aria-label'))).toEqual([
      'Step 1, Research pgvector: done, took 2m 04s, by a sidekick, before step 4',
      'Step 2, Research Qdrant: in progress, by a sidekick, before step 4',
      'Step 3, Research LanceDB: in progress, by a sidekick, before step 4',
      'Step 4, Compare on pricing, latency and hybrid search: pending, after steps 1, 2 and 3, before step 5',
      'Step 5, Write the recommendation: pending, after step 4',
    ])
  })

  test('opens and closes a step, by pointer', async () => {
    const { onpick, props, rerender } = graph('graph')
    await fireEvent.click(node(/^Step 1,/))
    expect(onpick).toHaveBeenLastCalledWith('s1')
    await rerender({ ...props, picked: 's1' })
    // The edges of what is chosen stand out.
    expect(document.querySelectorAll('path.near').length).toBe(1)
    const pane = screen.getByRole('region', { name: 'Step 1' })
    expect(pane.textContent).toMatch(/11 ms median/)
    await fireEvent.click(within(pane).getByRole('button', { name: 'Close the details' }))
    expect(onpick).toHaveBeenLastCalledWith(null)
    expect(document.activeElement).toBe(node(/^Step 1,/))
  })

  test('is gone through with the arrows, and one node is in the way of Tab', async () => {
    const { onpick, props, rerender } = graph('graph')
    const stops = () => screen.getAllByRole('button', { name: /^Step / }).filter((one) => one.tabIndex === 0)
    expect(stops()).toEqual([node(/^Step 2,/)])
    node(/^Step 2,/).focus()
    const press = (key: string) => fireEvent.keyDown(document.activeElement!, { key })
    await press('ArrowDown')
    expect(document.activeElement).toBe(node(/^Step 4,/))
    await press('ArrowDown')
    expect(document.activeElement).toBe(node(/^Step 5,/))
    await press('Home')
    await press('ArrowRight')
    expect(document.activeElement).toBe(node(/^Step 2,/))
    expect(stops()).toEqual([node(/^Step 2,/)])
    await rerender({ ...props, picked: 's2' })
    await press('Escape')
    expect(onpick).toHaveBeenLastCalledWith(null)
  })

  test('gets larger, smaller, and back', async () => {
    const { container } = graph('goal')
    const width = () => container.querySelector<HTMLElement>('.sheet')!.style.width
    const before = width()
    await fireEvent.click(node(/^Larger/))
    expect(parseFloat(width())).toBeGreaterThan(parseFloat(before))
    await fireEvent.click(node(/^Fit/))
    expect(width()).toBe(before)
    await fireEvent.keyDown(node(/^Step 1,/), { key: '-' })
    expect(parseFloat(width())).toBeLessThan(parseFloat(before))
  })

  test('leads to the sidekick of a step', async () => {
    const open = vi.fn()
    graph('graph', { picked: 's2', info: { ...INFO, open } })
    await fireEvent.click(screen.getByRole('button', { name: 'Open the sidekick' }))
    expect(open).toHaveBeenCalledExactlyOnceWith('k2')
  })

  test('shows what waits for a place or a person, in words', () => {
    graph('goal')
    expect(node(/^Step 31,.*queued/).className).toMatch(/later/)
    expect(node(/^Step 26,.*waiting for you/).className).toMatch(/wait/)
    expect(node(/^Step 11,.*failed/).className).toMatch(/bad/)
  })
})

describe('sixty steps and fifty changes a second', () => {
  test('are laid out once, whatever happens to the steps', async () => {
    const { props, rerender } = graph('goal')
    const before = drawings.count
    expect(before).toBe(1)
    let plan = props.plan
    const states = ['in_progress', 'done', 'failed', 'pending']
    for (let i = 0; i < 100; i++) {
      plan = withStep(plan, i % 60, { status: states[i % 4]!, took_ms: i, attempts: i % 3, queued: i % 2 === 0 })
      await rerender({ ...props, plan })
    }
    expect(drawings.count).toBe(1)
    plan = { ...plan, steps: plan.steps.map((one, i) => (i === 59 ? { ...one, needs: ['s1'] } : one)) }
    await rerender({ ...props, plan })
    expect(drawings.count).toBe(2)
  })

  test('change one node of the page, and no edge', async () => {
    const { props, rerender, container } = graph('goal')
    const touched = new Set<string>()
    const watch = new MutationObserver((all) => {
      for (const { target } of all) {
        const element = target instanceof Element ? target : target.parentElement
        touched.add(element?.closest('[data-node]')?.getAttribute('data-node') ?? element?.tagName ?? '?')
      }
    })
    watch.observe(container, { subtree: true, childList: true, attributes: true, characterData: true })
    await rerender({ ...props, plan: withStep(props.plan, 40, { status: 'done', took_ms: 5000 }) })
    await tick()
    await new Promise((done) => setTimeout(done))
    watch.disconnect()
    expect([...touched]).toEqual(['s41'])
  })
})

describe('list or graph', () => {
  const choice = (name: 'List' | 'Graph') => screen.getByRole('radio', { name })

  test('is chosen on the card and kept', async () => {
    const first = card('graph')
    expect(screen.queryByRole('group', { name: 'Task graph' })).toBeNull()
    await fireEvent.click(choice('Graph'))
    expect(await screen.findByRole('group', { name: 'Task graph' })).toBeTruthy()
    expect(localStorage.getItem('plancard.plan.as')).toBe('"graph"')
    first.unmount()
    card('graph')
    expect(await screen.findByRole('group', { name: 'Task graph' })).toBeTruthy()
    await fireEvent.click(choice('List'))
    expect(screen.queryByRole('group', { name: 'Task graph' })).toBeNull()
  })

  test('is no choice for a chain, nor for what is to be approved', () => {
    shownAs.choose('graph')
    const chain = card('running')
    expect(screen.queryByRole('radio', { name: 'Graph' })).toBeNull()
    chain.unmount()
    card('graph', { state: 'awaiting_approval', actions: ['approve', 'change', 'reject', 'cancel'] })
    expect(screen.queryByRole('radio', { name: 'Graph' })).toBeNull()
    expect(screen.getByText('Research Qdrant')).toBeTruthy()
  })

  test('a row says that a sidekick works on it, and leads there', async () => {
    const open = vi.fn()
    card('graph', {}, { open })
    await fireEvent.click(screen.getByRole('button', { name: 'Open the sidekick of step 2' }))
    expect(open).toHaveBeenCalledExactlyOnceWith('k2')
  })

  test('a row says that its step waits for a place', async () => {
    card('wide')
    await fireEvent.click(screen.getByRole('button', { name: /later steps/ }))
    expect(screen.getAllByText('queued').length).toBe(17)
  })
})

describe('steps over time', () => {
  const T = 1_000_000
  const steps = [
    step(1, 'a', 'done', { needs: [], sidekick: 'k1', took_ms: 40_000 }),
    step(2, 'b', 'in_progress', { needs: [], sidekick: 'k2', started_at: T + 10_000 }),
    step(3, 'c', 'pending', { needs: ['s1'], queued: true }),
    step(4, 'd', 'pending', { needs: ['s2', 's3'] }),
  ]
  const plan = planOf({ mode: 'graph', state: 'running', steps })
  const spans = (id: string) => (id === 's1' ? [{ from: T, to: T + 40_000 }] : id === 's2' ? [{ from: T + 10_000, to: null }] : [])

  test('tell when each began, what it took, and how long it was queued', () => {
    const { rows, from, to, ticks, later } = lanes(plan, spans, () => null, T + 70_000)
    expect(rows.map(({ step, stretches }) => [step.id, ...stretches.map(({ kind, from, to }) => [kind, from - T, to - T])])).toEqual([
      ['s1', ['ran', 0, 40_000]],
      ['s2', ['queued', 0, 10_000], ['runs', 10_000, 70_000]],
      ['s3', ['queued', 40_000, 70_000]],
    ])
    expect([from - T, to - T, ticks, later]).toEqual([0, 90_000, [0, 30_000, 60_000, 90_000], 1])
  })

  test('go on from what the step and its sidekick know, without the log', () => {
    const began = (id: string) => (id === 's1' ? T : null)
    const { rows } = lanes(plan, () => [], began, T + 70_000)
    expect(rows.map(({ ran }) => ran)).toEqual([40_000, 60_000, 0])
  })

  test('stand still while the plan is paused', () => {
    const paused = { ...plan, state: 'paused', steps: steps.map((one) => (one.id === 's2' ? { ...one, took_ms: 20_000, started_at: null } : one)) }
    expect(lanes(paused, spans, () => null, T + 900_000).rows[1]?.ran).toBe(20_000)
  })

  test('are worth it for several sidekicks only', () => {
    expect(worthLanes(plan)).toBe(true)
    expect(worthLanes(fixture('running').view.plan!)).toBe(false)
  })

  test('are a list of buttons that say the same', async () => {
    const onpick = vi.fn()
    const { plan } = fixture('graph').view
    render(Lanes, { plan: plan!, info: { ...INFO, spans: (id) => (id === 's1' ? [{ from: NOW - 126_000, to: NOW - 2_000 }] : []) }, began: () => null, picked: null, onpick })
    await fireEvent.click(screen.getByRole('button', { name: /^Step 1, Research pgvector: 2m 04s, done/ }))
    expect(onpick).toHaveBeenCalledExactlyOnceWith('s1')
    expect(screen.getByText('2 steps not started')).toBeTruthy()
  })
})
