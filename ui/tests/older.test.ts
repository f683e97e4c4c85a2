// What is older is loaded as long as the view is at the top of what is here.

import { fireEvent, render, screen, waitFor } from '@testing-library/svelte'
import { beforeEach, expect, test, vi } from 'vitest'
import Chat from '../src/chat/Chat.svelte'
import type { ChatItem } from '../src/chat/items'

vi.mock('virtua/svelte', async () => ({ VList: (await import('./AllRows.svelte')).default }))

beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockReturnValue(5000)
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(500)
})

const item = (n: number): ChatItem => ({ kind: 'agent', key: `${n}`, model: 'm', at: n, step: null, planning: false, thinking: null, calls: [], text: `Row ${n}.` })
const from = (first: number) => Array.from({ length: 100 - first }, (_, i) => item(first + i))

function chat() {
  const onolder = vi.fn()
  const props = {
    items: from(80), live: { thinking: false, text: '', thought: '', retry: null }, step: null, seen: 0, waits: '', progress: new Map(), prepended: false,
    blob: async () => '', onlink: () => undefined, onolder,
  }
  return { onolder, props, ...render(Chat, props) }
}

const frames = () => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))

/** By hand, from somewhere below. */
async function up(to: number): Promise<void> {
  await screen.findByText('Row 80.')
  const list = screen.getByRole('group', { name: 'Messages' })
  for (const at of [3000, to]) {
    list.scrollTop = at
    await fireEvent.wheel(list, { deltaY: -1 })
    await fireEvent.scroll(list)
  }
}

test('a view that is held at the top, as by the thumb, asks for page after page', async () => {
  const { onolder, props, rerender } = chat()
  await up(0)
  await waitFor(() => expect(onolder).toHaveBeenCalledTimes(1))
  await rerender({ ...props, items: from(60), prepended: true })
  await waitFor(() => expect(onolder).toHaveBeenCalledTimes(2))
  // Without another, there is nothing more to ask for.
  await frames()
  expect(onolder).toHaveBeenCalledTimes(2)
})

test('one that kept its place below what came asks for no more', async () => {
  const { onolder, props, rerender } = chat()
  await up(0)
  screen.getByRole('group', { name: 'Messages' }).scrollTop = 2000
  await rerender({ ...props, items: from(60), prepended: true })
  await frames()
  expect(onolder).toHaveBeenCalledTimes(1)
})
