// How the card keeps in view what matters: the step under way, the ways to stop it, and its own outline.

import { fireEvent, screen, within } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { fixture } from '../dev/fixtures'
import chatSource from '../src/chat/Chat.svelte?raw'
import { paintGutter } from '../src/plan/gutter'
import cardSource from '../src/plan/PlanCard.svelte?raw'
import rowSource from '../src/plan/StepRow.svelte?raw'
import stepsSource from '../src/plan/Steps.svelte?raw'
import roomSource from '../src/rooms/RoomCard.svelte?raw'
import headerSource from '../src/rooms/RoomHeader.svelte?raw'
import { button, card, planCard, settle } from './card'
import { open } from './room'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

describe('a plan that is edited', () => {
  test('can be stopped and let go on while it is edited, and nothing typed is lost', async () => {
    const { act, props, rerender } = card('checkin')
    await fireEvent.keyDown(planCard(), { key: 'm' })
    const field = () => screen.getByLabelText('Step 10') as HTMLInputElement
    await fireEvent.input(field(), { target: { value: 'Rename the rest' } })
    await settle()
    await fireEvent.click(button('Resume'))
    expect(act['resume']).toHaveBeenCalledOnce()
    await rerender({ plan: { ...props.plan, state: 'running', pause_reason: null, actions: ['pause', 'pause_after', 'stop_step', 'skip', 'cancel'] } })
    await fireEvent.click(button('Pause'))
    expect(act['pause']).toHaveBeenCalledOnce()
    // What ends the plan is not in a row with what leaves the editor.
    expect(screen.queryByRole('button', { name: 'Cancel plan' })).toBeNull()
    await fireEvent.click(button('More for this plan'))
    await fireEvent.click(screen.getByRole('menuitem', { name: 'Cancel plan' }))
    await fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Cancel plan' }))
    expect(act['cancel']).toHaveBeenCalledOnce()
    expect(field().value).toBe('Rename the rest')
    expect(screen.queryByRole('button', { name: /^Change/ })).toBeNull()
  })

  test('that ended while nothing was changed is not edited any more', async () => {
    const { props, rerender } = card('checkin')
    await fireEvent.keyDown(planCard(), { key: 'm' })
    expect(screen.getByRole('form', { name: 'Change the plan' })).toBeTruthy()
    await rerender({ plan: { ...props.plan, state: 'cancelled', actions: [] } })
    await tick()
    expect(screen.queryByRole('form', { name: 'Change the plan' })).toBeNull()
    expect(document.activeElement).toBe(planCard())
  })

  test('with nothing left to change is left with Escape', async () => {
    card('checkin', { steps: fixture('checkin').view.plan!.steps.map((one) => ({ ...one, status: 'done' })) })
    await fireEvent.keyDown(planCard(), { key: 'm' })
    expect(document.activeElement).toBe(button('Add a step'))
    await fireEvent.keyDown(document.activeElement!, { key: 'Escape' })
    expect(screen.queryByRole('form', { name: 'Change the plan' })).toBeNull()
  })

  test('that ended while it was edited says so, and saves nothing', async () => {
    const { act, props, rerender } = card('checkin')
    await fireEvent.keyDown(planCard(), { key: 'm' })
    await fireEvent.click(button('Add a step'))
    await fireEvent.input(screen.getByLabelText('Step 13'), { target: { value: 'One more' } })
    await rerender({ plan: { ...props.plan, state: 'cancelled', actions: [], steps: props.plan.steps.map((one) => (one.status === 'done' ? one : { ...one, status: 'skipped', skip_cause: 'plan_ended' as const })) } })
    expect(screen.getByRole('status').textContent).toBe('The plan has ended and can’t be changed.')
    await fireEvent.keyDown(screen.getByLabelText('Step 13'), { key: 'Enter', ctrlKey: true })
    expect(act['edit']).not.toHaveBeenCalled()
    expect((screen.getByLabelText('Step 13') as HTMLInputElement).value).toBe('One more')
  })
})

describe('the step under way', () => {
  test('is held in view, whatever is opened around it', async () => {
    const { container, props, rerender } = card('checkin')
    const held = () => [...container.querySelectorAll('li.held .held')].map((row) => row.getAttribute('data-step'))
    expect(held()).toEqual(['s9'])
    await fireEvent.click(button('Show details of step 8'))
    expect(held()).toEqual(['s9'])
    await rerender({ plan: { ...props.plan, steps: props.plan.steps.map((one) => (one.id === 's9' ? { ...one, status: 'done' } : one)) } })
    expect(held()).toEqual(['s10'])
    expect(rowSource).toMatch(/\.held \{\s*position: sticky;\s*top: 0;\s*bottom: 0;/)
    // Its own details must not end what it is held within.
    expect(stepsSource).toMatch(/\.held \{\s*display: contents;/)
  })

  test('comes into view at its own place, not where it is held', async () => {
    const { container, props, rerender } = card('long')
    const list = screen.getByRole('group', { name: 'Steps' })
    Object.defineProperty(list, 'clientHeight', { value: 100 })
    const at = (top: number) => ({ top }) as DOMRect
    list.getBoundingClientRect = () => at(0)
    const row = container.querySelector<HTMLElement>('[data-step=s13]')!
    row.getBoundingClientRect = () => at(row.style.position === 'static' ? 400 - list.scrollTop : 80)
    await rerender({ plan: { ...props.plan, steps: props.plan.steps.map((one) => ({ ...one, status: one.number < 13 ? 'done' : one.number === 13 ? 'in_progress' : 'pending' })) } })
    expect(list.scrollTop).toBe(300)
    expect(row.style.position).toBe('')
  })

  test('does not move sideways when the list begins to scroll', () => {
    expect(stepsSource).toMatch(/\.scroll \{\s*overflow: hidden auto;/)
    expect(stepsSource).toMatch(/\.steps \{\s*width: 100cqi;/)
    expect(cardSource).toContain('container-type: inline-size')
  })

  test('comes into view again when the rows get other heights, until the list is used', async () => {
    const told: (() => void)[] = []
    vi.stubGlobal('ResizeObserver', class {
      constructor(tell: () => void) {
        told.push(tell)
      }
      observe() {}
      disconnect() {}
    })
    const { container } = card('long')
    const list = screen.getByRole('group', { name: 'Steps' })
    Object.defineProperty(list, 'clientHeight', { value: 100 })
    list.getBoundingClientRect = () => ({ top: 0 }) as DOMRect
    const row = container.querySelector<HTMLElement>('li.held .held')!
    const at = (top: number) => {
      row.getBoundingClientRect = () => ({ top: top - list.scrollTop }) as DOMRect
      told.forEach((tell) => tell())
    }
    // As narrow as a window that is not shown yet, the rows above it are high.
    at(900)
    expect(list.scrollTop).toBe(800)
    at(48)
    expect(list.scrollTop).toBe(48)
    await fireEvent.wheel(list)
    at(900)
    expect(list.scrollTop).toBe(48)
    vi.unstubAllGlobals()
  })
})

test('a plan that ends is shown from its first step', async () => {
  const { props, rerender } = card('long')
  const list = screen.getByRole('group', { name: 'Steps' })
  list.scrollTop = 130
  await rerender({ plan: { ...props.plan, state: 'done', actions: [], steps: props.plan.steps.map((one) => ({ ...one, status: 'done' })) } })
  expect(list.scrollTop).toBe(0)
})

describe('the strip of the scroll bar', () => {
  const at = (element: Element, top: number, height: number) => void (element.getBoundingClientRect = () => ({ top, height }) as DOMRect)

  function list(client: number) {
    const { container } = card('failed', { state: 'running' })
    const scroller = screen.getByRole('group', { name: 'Steps' })
    Object.defineProperties(scroller, { offsetWidth: { value: 900 }, clientWidth: { value: client } })
    at(scroller, 100, 400)
    const [row] = container.querySelectorAll('.step.failed, .step.now')
    at(row!, 160, 30)
    paintGutter(scroller)
    return scroller.style.background
  }

  test('goes on in the colours of the rows beside it', () => {
    expect(list(890)).toMatch(/var\(--(accent|bad)-bg\).* 0 60px \/ 100% 30px/)
  })

  test('has none where there is no scroll bar', () => {
    expect(list(900)).toBe('')
  })
})

test('the ring of the conversation lies inside, where nothing cuts it off', () => {
  expect(chatSource).toMatch(/\.messages:focus-visible\) \{\s*outline-offset: -\d+px;/)
})

describe('the card', () => {
  test('its ring lies inside, where nothing below can cut it off', () => {
    const plain = /\n  \.plan \{[^}]*\}/.exec(cardSource)?.[0]
    expect(plain).toMatch(/outline-offset: -\d+px/)
    expect(stepsSource).toMatch(/\.scroll:last-child:focus-visible \{\s*border-radius: 0 0 /)
  })

  test('has a soft shadow that no change inside it has to blur again', async () => {
    const { container } = open('running')
    await vi.waitFor(() => expect(container.querySelector('.card > .plan')).toBeTruthy(), 8000)
    expect(roomSource).toMatch(/\.card > :global\(\.plan\)::after \{[^}]*linear-gradient/)
    for (const source of [cardSource, roomSource]) expect(source).not.toMatch(/box-shadow|filter:/)
  })
})

test('what a step names may have what its words leave free', () => {
  const { container, props } = card('running')
  const row = container.querySelector<HTMLElement>('[data-step=s1]')!
  expect(row.style.getPropertyValue('--letters')).toBe(String(props.plan.steps[0]!.text.length))
  expect(rowSource).toMatch(/max-width: max\(40cqi, [^;]*100cqi - 118px - var\(--letters\) \* 0\.72em\);/)
})

test('the folder gives way before the beginning of the room’s name does', () => {
  expect(headerSource).toMatch(/h1 \{\s*flex: 1 1 7em;/)
  expect(headerSource).toMatch(/h1 ~ \.mono \{\s*flex-shrink: 1000;/)
})
