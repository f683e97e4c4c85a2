import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte'
import axe from 'axe-core'
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
  const backend = { ...fakeBackend(state), ...change }
  return { backend, ...render(App, { backend }) }
}
const composer = async () => (await screen.findByLabelText(/Message the room|Type what to change/)) as HTMLTextAreaElement

async function send(text: string): Promise<HTMLTextAreaElement> {
  const box = await composer()
  await fireEvent.input(box, { target: { value: text } })
  await fireEvent.keyDown(box, { key: 'Enter' })
  return box
}

describe('the window', () => {
  test('opens on the room with its plan, and says that it is ready', async () => {
    const uiReady = vi.fn(async () => undefined)
    open('running', { uiReady })
    expect(await screen.findByRole('heading', { name: /Audit the auth module/ })).toBeTruthy()
    await waitFor(() => expect(uiReady).toHaveBeenCalledOnce())
  })

  test('a message is sent, and comes back when it was refused', async () => {
    const say = vi.fn().mockRejectedValue({ code: 'X', message: 'The app is stopping.' })
    open('running', { say })
    const box = await send('go on')
    expect(say).toHaveBeenCalledExactlyOnceWith('room', 'go on')
    await waitFor(() => expect(box.value).toBe('go on'))
    expect(screen.getByText('The app is stopping.')).toBeTruthy()
  })

  test('a command is done, not sent', async () => {
    const say = vi.fn()
    const pause = vi.fn(async () => undefined)
    open('running', { say, pause })
    await send('/pause')
    expect(pause).toHaveBeenCalledExactlyOnceWith('room')
    await send('/goal ship it')
    expect(await screen.findByText(/can’t be started from the window yet/)).toBeTruthy()
    expect(say).not.toHaveBeenCalled()
  })

  test('approving sends the revision and hash that are painted', async () => {
    const approve = vi.fn(async () => undefined)
    open('approval', { approve })
    const button = await screen.findByRole('button', { name: 'Approve' })
    await waitFor(() => expect(button.getAttribute('aria-disabled')).toBe('false'), { timeout: 2000 })
    await fireEvent.click(button)
    expect(approve).toHaveBeenCalledExactlyOnceWith('room', 1, 'hash1', null, false)
  })

  test('sending never moves the focus to the card', async () => {
    open('approval')
    const box = await composer()
    box.focus()
    await send('use another file')
    expect(document.activeElement).toBe(box)
  })

  test('the inbox holds what waits anywhere', async () => {
    const answer = vi.fn(async () => undefined)
    open('running', { answer })
    await fireEvent.click(await screen.findByRole('button', { name: /Inbox, 1 question/ }))
    const box = within(await screen.findByRole('dialog'))
    const allow = box.getByRole('button', { name: 'Allow once' })
    await waitFor(() => expect(allow.getAttribute('aria-disabled')).toBe('false'), { timeout: 2000 })
    await fireEvent.click(allow)
    expect(answer).toHaveBeenCalledExactlyOnceWith('p', 'allow', undefined)
  })

  test('a link writes into the composer and sends nothing', async () => {
    const say = vi.fn()
    let follow: (link: Link) => void = () => undefined
    open('running', {
      say,
      onLink: async (callback) => {
        follow = callback
        return () => undefined
      },
    })
    const box = await composer()
    follow({ type: 'new', goal: '/cancel everything' })
    await waitFor(() => expect(box.value).toBe('/cancel everything'))
    expect(screen.getByText(/From a link\./)).toBeTruthy()
    expect(say).not.toHaveBeenCalled()
  })

  test('a link that leads nowhere is said in words', async () => {
    open('running', { takeLink: async () => ({ type: 'unknown', message: 'There is no plan with this name.' }) })
    expect(await screen.findByText('There is no plan with this name.')).toBeTruthy()
  })
})

describe('the first start', () => {
  test('trying it is one click, and needs no key', async () => {
    const say = vi.fn(async () => undefined)
    const createRoom = vi.fn(fakeBackend('empty').createRoom)
    open('first-run', { say, createRoom })
    await fireEvent.click(await screen.findByRole('button', { name: 'Try it without a model' }))
    await waitFor(() => expect(say).toHaveBeenCalledOnce())
    expect(createRoom).toHaveBeenCalledExactlyOnceWith({ title: 'Rehearsal' })
  })

  test('a key that does not work stops there, with the reason', async () => {
    const { backend } = open('first-run')
    const setKey = vi.spyOn(backend, 'setKey')
    await fireEvent.click(await screen.findByRole('button', { name: 'Continue' }))
    await fireEvent.click(await screen.findByLabelText(/Anthropic/))
    await fireEvent.input(screen.getByLabelText('Key'), { target: { value: 'wrong' } })
    await fireEvent.click(screen.getByRole('button', { name: 'Continue' }))
    expect(await screen.findByText('Anthropic says that this key is not valid.')).toBeTruthy()
    expect(setKey).toHaveBeenCalledExactlyOnceWith('anthropic', 'wrong')
    expect(screen.getByRole('heading', { name: 'Who should do the work?' })).toBeTruthy()
  })
})

describe('nobody is kept out', () => {
  test.each<State>(['empty', 'running', 'approval', 'checkin', 'drift', 'long', 'first-run'])('%s', async (state) => {
    const { container } = open(state)
    await screen.findByRole('main')
    await new Promise((done) => setTimeout(done, 50))
    // Colours are checked in a browser: this page has none.
    const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } })
    expect(violations.filter((one) => one.impact === 'serious' || one.impact === 'critical')).toEqual([])
  })
})
