// An open room: what is sent and stopped in it, and the keys to its parts.

import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { tick } from 'svelte'
import { describe, expect, test, vi } from 'vitest'
import { fakeBackend } from '../dev/fake'
import { fixture } from '../dev/fixtures'
import { ask } from '../dev/make'
import type { Backend, RoomListener } from '../src/lib/backend'
import type { Stored } from '../src/lib/wire'
import { composer, open } from './room'

const PERMISSION = ask({ id: 'p', kind: 'permission', text: 'It wants to fetch example.org.', answers: ['allow', 'always', 'refuse', 'refuse_stop'] })

describe('a turn without a plan', () => {
  test('can be stopped, and then not again', async () => {
    const { backend } = open('busy')
    const stop = vi.spyOn(backend, 'stop')
    await fireEvent.click(await screen.findByRole('button', { name: 'Stop' }))
    expect(stop).toHaveBeenCalledExactlyOnceWith('room')
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Stop' })).toBeNull())
  })

  test('can be stopped while it waits for a permission', async () => {
    const { backend } = open('busy', { openRoom: (_, after, on) => fakeBackend('busy').openRoom('room', after, { ...on, view: (view) => on.view({ ...view, busy: false, asks: [PERMISSION] }) }) })
    const stop = vi.spyOn(backend, 'stop')
    await fireEvent.click(await screen.findByRole('button', { name: 'Stop' }))
    expect(stop).toHaveBeenCalledExactlyOnceWith('room')
  })

  test('Escape stops nothing', async () => {
    const { backend } = open('busy')
    const stop = vi.spyOn(backend, 'stop')
    await fireEvent.keyDown(await composer(), { key: 'Escape' })
    await fireEvent.keyDown(document.body, { key: 'Escape' })
    expect(stop).not.toHaveBeenCalled()
  })

  test('while a plan runs, Pause is what stops it', async () => {
    open('running')
    expect(await screen.findByRole('button', { name: 'Pause' })).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Stop' })).toBeNull()
  })
})

test('Send sends, and is off while there is nothing to send', async () => {
  const say = vi.fn(async () => undefined)
  open('running', { say })
  const box = await composer()
  const send = screen.getByRole('button', { name: 'Send' }) as HTMLButtonElement
  expect(send.disabled).toBe(true)
  await fireEvent.input(box, { target: { value: 'go on' } })
  await fireEvent.click(send)
  expect(say).toHaveBeenCalledExactlyOnceWith('room', 'go on')
  expect(document.activeElement).toBe(box)
})

describe('what was not carried out stays as it was typed', () => {
  const send = async (text: string) => {
    const box = await composer()
    await fireEvent.input(box, { target: { value: text } })
    await fireEvent.keyDown(box, { key: 'Enter' })
    return box
  }

  test.each([
    ['/goal', /Add the goal/],
    ['/sidekick', /Add the task/],
    ['/sidekick cancel', /Add the name/],
    ['/sidekick cancel brave-penguin', /No sidekick here is called “brave-penguin”. None is running/],
    ['/nonsense', /Unknown command/],
    ['/rename', /Add the new name/],
    ['/plan maybe', /takes off, soft or status/],
    ['/export', /There is no plan to export/],
    ['/skip', /There is no step to skip/],
  ])('%s', async (text, why) => {
    open('empty')
    const box = await send(text)
    expect(await screen.findByText(why)).toBeTruthy()
    expect(box.value).toBe(text)
  })

  test('a command that was refused', async () => {
    open('running', { pause: () => Promise.reject({ code: 'X', message: 'The plan is over.' }) })
    const box = await send('/pause')
    expect(await screen.findByText('The plan is over.')).toBeTruthy()
    await waitFor(() => expect(box.value).toBe('/pause'))
  })

  test('and what was carried out does not', async () => {
    const pause = vi.fn(async () => undefined)
    open('running', { pause })
    const box = await send('/pause')
    await waitFor(() => expect(pause).toHaveBeenCalledOnce())
    expect(box.value).toBe('')
  })

  test('it goes back to its own room, wherever the person is by then', async () => {
    let refuse: (problem: unknown) => void = () => undefined
    open('running', { say: () => new Promise((_, no) => (refuse = no)) })
    await send('go on')
    await fireEvent.click(screen.getByRole('button', { name: /Payments module/ }))
    refuse({ code: 'X', message: 'The app is stopping.' })
    await screen.findByText('The app is stopping.')
    expect((await composer()).value).toBe('')
    await fireEvent.click(screen.getByRole('button', { name: /Auth audit/ }))
    await waitFor(async () => expect((await composer()).value).toBe('go on'))
  })
})

test('what is sent is seen, also by whoever had scrolled up', async () => {
  open('running', { say: async () => undefined })
  const box = await composer()
  const messages = await screen.findByRole('group', { name: 'Messages' })
  const scroll = async (to: number) => {
    messages.scrollTop = to
    await fireEvent.scroll(messages)
  }
  await scroll(500)
  await fireEvent.wheel(messages, { deltaY: -9 })
  await scroll(100)
  expect(await screen.findByRole('button', { name: 'Jump to latest' })).toBeTruthy()
  await fireEvent.input(box, { target: { value: 'go on' } })
  await fireEvent.keyDown(box, { key: 'Enter' })
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Jump to latest' })).toBeNull())
})

describe('a letter', () => {
  test.each([
    ['a room of the rail', () => screen.getByRole('button', { name: /Payments module/ })],
    ['the conversation', () => screen.getByRole('group', { name: 'Messages' })],
    ['an icon', () => screen.getByRole('button', { name: 'Search rooms' })],
  ])('is for the message box with the focus on %s, and m is no key then', async (_, on) => {
    open('approval')
    const box = await composer()
    await screen.findByRole('group', { name: 'Messages' })
    on().focus()
    await tick()
    await tick()
    expect(screen.queryByText('m', { selector: 'kbd' })).toBeNull()
    await fireEvent.keyDown(on(), { key: 'm' })
    expect(document.activeElement).toBe(box)
    expect(screen.queryByRole('form', { name: 'Change the plan' })).toBeNull()
  })

  test('is so, too, when the button that was pressed in the plan is gone', async () => {
    let room: RoomListener
    const fake = fakeBackend('checkin')
    open('checkin', { openRoom: (id, after, on) => fake.openRoom(id, after, (room = on)) })
    const box = await composer()
    screen.getByRole('button', { name: 'Resume' }).focus()
    room!.view(fixture('running').view)
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Resume' })).toBeNull())
    await tick()
    expect(document.activeElement).not.toBe(document.body)
    await fireEvent.keyDown(document.activeElement!, { key: 'f' })
    expect(document.activeElement).toBe(box)
  })
})

test.each([
  ['approval', 'Go to what needs you', 'asks'],
  ['running', 'Go to the plan', 'card'],
  ['empty', 'Go to the message box', 'composer'],
] as const)('the first Tab in %s leads past the rooms: %s', async (state, words, region) => {
  const { container } = open(state)
  await composer()
  const past = screen.getByRole('button', { name: words })
  const stops = [...container.querySelectorAll<HTMLElement>('button, input, select, textarea, a, [tabindex="0"]')]
  expect(stops[0]).toBe(past)
  await fireEvent.click(past)
  const at = document.activeElement as HTMLElement
  expect(at.dataset['region']).toBe(region)
  // What is to be approved is one Tab further on.
  if (region === 'asks') expect(at.querySelector('button')?.textContent).toMatch(/^Approve/)
})

describe('F6', () => {
  test('goes through the parts, and what the card asks is one of them', async () => {
    open('approval')
    const box = await composer()
    await screen.findByRole('group', { name: 'Messages' })
    box.focus()
    const at = () => document.activeElement!.getAttribute('aria-label') ?? document.activeElement!.textContent
    const seen: (string | null)[] = []
    for (let i = 0; i < 5; i++) {
      await fireEvent.keyDown(document.activeElement!, { key: 'F6' })
      seen.push(at())
    }
    expect(seen).toEqual(['Needs you', 'Steps', 'Messages', expect.stringContaining('Payments module'), 'Type what to change'])
    await fireEvent.keyDown(box, { key: 'F6', shiftKey: true })
    await fireEvent.keyDown(document.activeElement!, { key: 'F6', shiftKey: true })
    expect(at()).toBe('Messages')
  })

  test('shows where it goes, after the mouse as well', async () => {
    open('approval')
    const box = await composer()
    const focused = vi.spyOn(HTMLElement.prototype, 'focus')
    await fireEvent.keyDown(box, { key: 'F6' })
    expect(focused).toHaveBeenCalledExactlyOnceWith({ focusVisible: true })
    focused.mockRestore()
  })

  test('is in the help, and beside what is being written', async () => {
    open('approval')
    const box = await composer()
    expect(screen.getByText('Enter to send · F6: go to the plan')).toBeTruthy()
    await fireEvent.input(box, { target: { value: '/help' } })
    await fireEvent.keyDown(box, { key: 'Enter' })
    const help = within(await screen.findByRole('dialog', { name: 'Commands and keys' }))
    expect(help.getByText(/questions, plan, messages, inspector, rooms, message box/)).toBeTruthy()
    expect(help.getByText(/press F6 or click the plan/)).toBeTruthy()
    expect(help.getByText('Change the plan while it waits for you or is paused')).toBeTruthy()
  })
})

test('without a sandbox the card says so', async () => {
  open('locked')
  expect(await screen.findByText(/lets nothing be confined. Shell commands can’t run here. File tools work/)).toBeTruthy()
})

describe('a draft that was found again', () => {
  const SAID = 'Audit the auth module'
  const keep = (text: string) => localStorage.setItem('plancard.drafts', JSON.stringify({ room: text }))

  /** Opens the room with its view alone; the events come when they are told to. */
  function viewFirst(older: Stored[] = []) {
    const { view, events } = fixture('running')
    let on: RoomListener | undefined
    const openRoom: Backend['openRoom'] = async (_room, _after, listener) => {
      on = listener
      setTimeout(() => listener.view(view))
      return () => undefined
    }
    open('running', { openRoom, history: async () => older })
    return { tell: (all = events) => on?.events(all), events }
  }

  test.each([`${SAID}: list every route`, SAID])('goes when what was said comes after the view: %s', async (text) => {
    keep(text)
    const { tell } = viewFirst()
    const box = await composer()
    expect(box.value).toBe(text)
    tell()
    await waitFor(() => expect(box.value).toBe(''))
    expect(JSON.parse(localStorage.getItem('plancard.drafts') ?? '')).toEqual({})
  })

  test('goes when what was said is further back than what is here', async () => {
    keep(SAID)
    const { events } = fixture('running')
    const { tell } = viewFirst(events.slice(0, 3))
    const box = await composer()
    tell(events.slice(3))
    await waitFor(() => expect(box.value).toBe(''))
  })

  test('stays when it is something else', async () => {
    keep('And the tests, too')
    const { tell } = viewFirst()
    const box = await composer()
    tell()
    await tick()
    expect(box.value).toBe('And the tests, too')
  })

  test('stays when the person typed since', async () => {
    keep(`${SAID}: list`)
    const { tell } = viewFirst()
    const box = await composer()
    await fireEvent.input(box, { target: { value: SAID } })
    tell()
    await tick()
    expect(box.value).toBe(SAID)
  })
})

test('after pointing at + of a step, what is typed is a message', async () => {
  open('running')
  const box = await composer()
  const plus = screen.getAllByRole('button', { name: /^Show details of step/ })[0]!
  // A press gives the focus, unless that is prevented.
  if (await fireEvent.mouseDown(plus)) plus.focus()
  await fireEvent.click(plus)
  expect(plus.getAttribute('aria-expanded')).toBe('true')
  await fireEvent.keyDown(document.activeElement!, { key: 'h' })
  expect(document.activeElement).toBe(box)
})

test('after a click on the card beside its buttons, what is typed is a message, and no key of the card', async () => {
  open('approval')
  const box = await composer()
  const text = await screen.findByText('Update the schema')
  const row = text.closest<HTMLElement>('[tabindex]')!
  // A press gives the focus, which is not shown then.
  await fireEvent.mouseDown(text)
  row.focus()
  await fireEvent.keyDown(row, { key: 'm' })
  expect(screen.queryByLabelText('Step 1')).toBeNull()
  expect(document.activeElement).toBe(box)
  // Reached by a key, it shows, and its letters are keys.
  await fireEvent.keyDown(box, { key: 'F6' })
  expect(document.activeElement).toBe(screen.getByRole('group', { name: 'Needs you' }))
  await fireEvent.keyDown(document.activeElement!, { key: 'm' })
  expect(await screen.findByLabelText('Step 1')).toBeTruthy()
})

describe('after the editor of a plan', () => {
  const edit = async () => {
    const box = await composer()
    box.blur()
    await fireEvent.click(await screen.findByRole('button', { name: /^Change…/ }))
    const first = await screen.findByLabelText('Step 1')
    expect(document.activeElement).toBe(first)
    return { box, first }
  }

  test('what is typed begins a message, and Enter approves nothing', async () => {
    const approve = vi.fn()
    open('approval', { approve })
    const { box, first } = await edit()
    await fireEvent.keyDown(first, { key: 'Escape' })
    await waitFor(() => expect(document.activeElement).toBe(box))
    await fireEvent.keyDown(box, { key: 'm' })
    await fireEvent.keyDown(box, { key: 'Enter' })
    expect(screen.queryByLabelText('Step 1')).toBeNull()
    expect(approve).not.toHaveBeenCalled()
  })

  test('Ctrl Enter, held, saves and sends no draft', async () => {
    const [say, save] = [vi.fn(), vi.fn(async () => undefined)]
    open('approval', { say, edit: save })
    const { box, first } = await edit()
    await fireEvent.input(box, { target: { value: 'a draft' } })
    await fireEvent.input(first, { target: { value: 'Add it' } })
    await fireEvent.keyDown(first, { key: 'Enter', ctrlKey: true })
    await waitFor(() => expect(document.activeElement).toBe(box))
    expect(save).toHaveBeenCalledOnce()
    await fireEvent.keyDown(box, { key: 'Enter', ctrlKey: true, repeat: true })
    expect(say).not.toHaveBeenCalled()
  })
})

describe('what was done to the steps and not saved', () => {
  const form = () => screen.findByRole('form', { name: 'Change the plan' })
  const change = async () => {
    await composer()
    await fireEvent.click(await screen.findByRole('button', { name: /^Change/ }))
    const field = within(await form()).getAllByRole('textbox').find((one) => one.matches('.text textarea')) as HTMLTextAreaElement
    await fireEvent.input(field, { target: { value: 'mine' } })
    return field
  }

  test('is there again when the page is loaded anew, until it is dropped', async () => {
    const first = open('approval')
    const { ariaLabel } = await change()
    first.unmount()
    const second = open('approval')
    const field = within(await form()).getByLabelText(ariaLabel ?? /^Step \d+$/, { selector: 'textarea' }) as HTMLTextAreaElement
    expect(field.value).toBe('mine')
    await fireEvent.click(screen.getByRole('button', { name: /^Discard changes/ }))
    second.unmount()
    open('approval')
    await composer()
    expect(screen.queryByRole('form', { name: 'Change the plan' })).toBeNull()
  })

  test('is saved by one key, and the same key once more sends no draft', async () => {
    const { backend } = open('approval')
    const [edit, say] = [vi.spyOn(backend, 'edit'), vi.spyOn(backend, 'say')]
    const box = await composer()
    await fireEvent.input(box, { target: { value: 'half a thought' } })
    const field = await change()
    await fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true })
    await waitFor(() => expect(document.activeElement).toBe(box))
    await fireEvent.keyDown(box, { key: 'Enter', ctrlKey: true })
    expect(edit).toHaveBeenCalledOnce()
    expect(say).not.toHaveBeenCalled()
    expect(box.value).toBe('half a thought')
  })

  /** Another room has no plan. */
  const openTwo = () => {
    const [mine, other] = [fakeBackend('approval'), fakeBackend('empty')]
    return open('approval', { ...mine, openRoom: (room, after, on) => (room === 'room' ? mine : other).openRoom(room, after, on) })
  }
  const away = async () => {
    await fireEvent.click(screen.getByRole('button', { name: /2026-03 report names/ }))
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Plan' })).toBeNull())
    await composer()
  }
  const back = () => fireEvent.click(screen.getByRole('button', { name: /Payments module/ }))

  test('is there again after a look at another room, with a word if the plan is another by then', async () => {
    const { backend } = openTwo()
    const { ariaLabel } = await change()
    const typed = async () => (within(await form()).getByLabelText(ariaLabel ?? '', { selector: 'textarea' }) as HTMLTextAreaElement).value
    await away()
    await back()
    expect(await typed()).toBe('mine')
    await away()
    await backend.edit('room', 1, [])
    await back()
    expect(await typed()).toBe('mine')
    expect(within(await form()).getByRole('status').textContent).toMatch(/The plan is at revision 2 now/)
  })

  test('is said to have no place any more where the plan ended meanwhile', async () => {
    const { backend } = openTwo()
    await change()
    await away()
    await backend.cancel('room', '')
    await back()
    expect(within(await form()).getByRole('status').textContent).toMatch(/The plan has ended/)
  })
})
