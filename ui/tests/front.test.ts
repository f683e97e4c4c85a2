// What leads on from where a person is: errors, questions, the archive, the context menu.

import { fireEvent, render, screen, waitFor } from '@testing-library/svelte'
import { describe, expect, test, vi } from 'vitest'
import type { ChatItem } from '../src/chat/items'
import Message from '../src/chat/Message.svelte'
import { offersAt } from '../src/lib/offers'
import { Rooms } from '../src/lib/rooms.svelte'
import { providerName } from '../src/lib/words'
import { fixture, overview } from '../dev/fixtures'
import { composer, open } from './room'

const rest = { continued: false, blob: async () => '', onlink: () => undefined }

describe('a turn that failed', () => {
  const item: ChatItem = { kind: 'failed', key: '3', text: 'OpenAI rejected the key (401)', code: 'MODEL_INVALID_KEY' }

  test('says why, and leads on', async () => {
    const [retry, onmodel, onsettings] = [vi.fn(), vi.fn(), vi.fn()]
    render(Message, { item, ...rest, retry, onmodel, onsettings })
    expect(screen.getByText('OpenAI rejected the key (401).')).toBeTruthy()
    for (const name of ['Retry', 'Change model', 'Open settings']) await fireEvent.click(screen.getByRole('button', { name }))
    for (const done of [retry, onmodel, onsettings]) expect(done).toHaveBeenCalledOnce()
  })

  test('offers nothing where more was said since', () => {
    render(Message, { item, ...rest })
    expect(screen.queryByRole('button')).toBeNull()
  })
})

test('words that were said can be edited and said again', async () => {
  const onedit = vi.fn()
  render(Message, { item: { kind: 'me', key: '1', text: 'Fix it', at: 0 }, ...rest, onedit })
  await fireEvent.click(screen.getByRole('button', { name: 'Edit and resend' }))
  expect(onedit).toHaveBeenCalledExactlyOnceWith('Fix it')
})

test('what is typed while a question waits is offered as its answer', async () => {
  const answer = vi.fn(async () => undefined)
  open('question', { answer })
  const box = await composer()
  expect(screen.queryByRole('button', { name: 'Send as answer' })).toBeNull()
  await fireEvent.input(box, { target: { value: 'The second one' } })
  await fireEvent.click(await screen.findByRole('button', { name: 'Send as answer' }))
  expect(answer).toHaveBeenCalledWith(expect.anything(), 'The second one', undefined)
  await waitFor(() => expect(box.value).toBe(''))
})

test('the list of commands closes when the focus leaves', async () => {
  open('running')
  const box = await composer()
  await fireEvent.input(box, { target: { value: '/pl' } })
  expect(await screen.findByRole('listbox')).toBeTruthy()
  await fireEvent.blur(box)
  await waitFor(() => expect(screen.queryByRole('listbox')).toBeNull())
})

test('a room that was archived is left for the newest other one', () => {
  const rooms = new Rooms()
  const [first] = overview('running', fixture('running')).rooms
  rooms.take({ rooms: [first!, { ...first!, id: 'other' }], asks: [] })
  rooms.enter(first!.id)
  rooms.leave(first!.id)
  expect(rooms.current).toBe('other')
})

test('the context menu copies what is there', () => {
  document.body.innerHTML = '<p data-copy="words"><span data-path="/a/b">x</span></p>'
  expect(offersAt(document.querySelector('span')!).map((one) => one.label)).toEqual(['Copy message', 'Copy path'])
  expect(offersAt(document.body)).toEqual([])
})

test('providers are spelled as they spell themselves', () => {
  expect(['openai', 'xai', 'lmstudio', 'mine'].map(providerName)).toEqual(['OpenAI', 'xAI', 'LM Studio', 'mine'])
})
