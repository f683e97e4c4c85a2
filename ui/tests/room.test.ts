import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { fakeBackend } from '../dev/fake'
import type { State } from '../dev/fixtures'
import App from '../src/App.svelte'
import type { Backend, Link } from '../src/lib/backend'

beforeEach(() => {
  localStorage.clear()
  localStorage.setItem('plancard.room', '"room"')
})

function open(state: State, change: Partial<Backend> = {}) {
  let follow: (link: Link) => void = () => undefined
  const onLink: Backend['onLink'] = async (callback) => {
    follow = callback
    return () => undefined
  }
  const backend = { ...fakeBackend(state), onLink, ...change }
  return { backend, follow: (link: Link) => follow(link), ...render(App, { backend }) }
}
const composer = async () => (await screen.findByLabelText(/Message the room|Type what to change/)) as HTMLTextAreaElement
const NO_ROOMS: Backend['overview'] = async (onChange) => {
  setTimeout(() => onChange({ rooms: [], asks: [] }))
  return () => undefined
}

describe('a turn without a plan', () => {
  test('can be stopped, and then not again', async () => {
    const { backend } = open('busy')
    const stop = vi.spyOn(backend, 'stop')
    await fireEvent.click(await screen.findByRole('button', { name: 'Stop' }))
    expect(stop).toHaveBeenCalledExactlyOnceWith('room')
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Stop' })).toBeNull())
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

describe('what is in front', () => {
  test('is the open room, and none in the settings', async () => {
    const inFront = vi.fn(async () => undefined)
    open('running', { inFront })
    await waitFor(() => expect(inFront).toHaveBeenLastCalledWith('room'))
    await fireEvent.click(screen.getByRole('button', { name: 'Settings' }))
    await waitFor(() => expect(inFront).toHaveBeenLastCalledWith(null))
    await fireEvent.click(await screen.findByRole('button', { name: /Payments module/ }))
    await waitFor(() => expect(inFront).toHaveBeenLastCalledWith('pay'))
  })

  test('is kept when the window is loaded again', async () => {
    const first = open('running')
    await fireEvent.click(await screen.findByRole('button', { name: /Payments module/ }))
    first.unmount()
    const inFront = vi.fn(async () => undefined)
    open('running', { inFront })
    await waitFor(() => expect(inFront).toHaveBeenLastCalledWith('pay'))
  })
})

describe('links', () => {
  test('without a room, words wait for the one that is made', async () => {
    localStorage.clear()
    const { backend, follow } = open('empty', { overview: NO_ROOMS })
    await screen.findByText('No room is open')
    follow({ type: 'new', goal: 'Sort my notes' })
    const dialog = within(await screen.findByRole('dialog', { name: 'New room' }))
    expect(dialog.getByText(/Sort my notes/)).toBeTruthy()
    const say = vi.spyOn(backend, 'say')
    await fireEvent.input(dialog.getByLabelText(/Folder it works in/), { target: { value: '/home/you/notes' } })
    await fireEvent.click(dialog.getByRole('button', { name: 'Create room' }))
    await waitFor(async () => expect((await composer()).value).toBe('Sort my notes'))
    expect(screen.getByText(/From a link\./)).toBeTruthy()
    expect(say).not.toHaveBeenCalled()
  })

  test('to a step opens it and puts the focus there', async () => {
    const { follow } = open('running')
    await screen.findByRole('heading', { name: /Audit the auth module/ })
    follow({ type: 'plan', room: 'room', plan: 'plan', step: 2 })
    await screen.findByRole('group', { name: 'Details of step 2' })
    await waitFor(() => expect(document.activeElement?.getAttribute('data-step')).toBe('s2'))
  })

  test('to a plan of the past opens it over the room, to be read only', async () => {
    const past = fakeBackend('done')
    const { follow } = open('running', { plan: async (id) => ({ ...(await past.plan(id)), id }) })
    await screen.findByRole('heading', { name: /Audit the auth module/ })
    follow({ type: 'plan', room: 'room', plan: 'old', step: 3 })
    const dialog = within(await screen.findByRole('dialog', { name: 'Plan' }))
    expect(await dialog.findByText('Rename notes 1 to 5')).toBeTruthy()
    expect(dialog.queryByRole('button', { name: /Pause|Resume|Cancel plan/ })).toBeNull()
    await waitFor(() => expect(document.activeElement?.getAttribute('data-step')).toBe('s3'))
  })
})

describe('rooms', () => {
  test('are found by keyboard', async () => {
    open('running')
    await composer()
    await fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
    const search = await screen.findByRole('searchbox', { name: 'Search rooms' })
    await waitFor(() => expect(document.activeElement).toBe(search))
    await fireEvent.input(search, { target: { value: 'paym' } })
    await fireEvent.keyDown(search, { key: 'Enter' })
    await waitFor(() => expect(document.activeElement?.textContent).toContain('Payments module'))
    expect(screen.queryByRole('searchbox')).toBeNull()
  })

  test('an archived one says so and comes back', async () => {
    const { backend } = open('empty')
    await composer()
    await backend.archiveRoom('room', true)
    const back = await screen.findByRole('button', { name: 'Take it out of the archive' })
    await fireEvent.click(back)
    await waitFor(() => expect(screen.queryByText(/This room is archived/)).toBeNull())
  })

  test('one that can’t be opened says why, and can be tried again', async () => {
    const real = fakeBackend('running').openRoom
    const openRoom = vi.fn(real).mockRejectedValueOnce({ code: 'X', message: 'Its folder ~/code/gateway is gone.' })
    open('running', { openRoom })
    expect(await screen.findByText('Its folder ~/code/gateway is gone.')).toBeTruthy()
    await fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('heading', { name: /Audit the auth module/ })).toBeTruthy()
  })
})

describe('plans of a room', () => {
  const more = async (item: string) => {
    await fireEvent.click(await screen.findByRole('button', { name: 'More for this room' }))
    await fireEvent.click(screen.getByRole('menuitem', { name: item }))
  }

  test('are searched and opened', async () => {
    const plans = vi.fn(fakeBackend('checkin').plans)
    open('checkin', { plans })
    await more('Plans of this room')
    const dialog = within(await screen.findByRole('dialog', { name: 'Plans of this room' }))
    await dialog.findByRole('button', { name: /List what is unfinished/ })
    await fireEvent.input(dialog.getByRole('searchbox', { name: 'Search plans' }), { target: { value: 'unfinished' } })
    await waitFor(() => expect(plans).toHaveBeenLastCalledWith('room', 'unfinished'))
  })

  test('are saved as files', async () => {
    const saveExport = vi.fn(async () => '/home/you/plan.json')
    open('checkin', { saveExport })
    await more('Export plan as JSON')
    await fireEvent.click(await screen.findByRole('button', { name: 'Save…' }))
    expect(saveExport).toHaveBeenCalledExactlyOnceWith('plan', 'json')
    expect(await screen.findByText('Saved as ~/plan.json')).toBeTruthy()
  })
})

test('without a sandbox the card says so', async () => {
  open('locked')
  expect(await screen.findByText(/lets nothing be confined. Every shell command is asked about first/)).toBeTruthy()
})
