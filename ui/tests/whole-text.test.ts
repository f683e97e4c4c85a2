import { fireEvent, render, screen, waitFor } from '@testing-library/svelte'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ask } from '../dev/make'
import AskBar from '../src/plan/AskBar.svelte'

const WHOLE = { blob: 'ab12', bytes: 5_213 }
const QUESTION = ask({
  kind: 'permission',
  text: 'May fetch example.com run?',
  answers: ['allow', 'refuse', 'refuse_stop'],
  detail: [
    { name: 'tool', value: 'fetch' },
    { name: 'arguments', value: 'http://example.com/?xx … 4,213 characters left out … &to=evil', whole: WHOLE },
  ],
})

// A yes counts only when the question could have been read.
beforeEach(() => void vi.useFakeTimers({ shouldAdvanceTime: true }))
afterEach(() => void vi.useRealTimers())

const allow = () => screen.getByRole('button', { name: 'Allow once' })
const ready = () => waitFor(() => expect(allow().getAttribute('aria-disabled')).toBe('false'), { timeout: 3000 })

test('what is left out is said, and all of it is a click away', async () => {
  const blob = vi.fn(async () => 'http://example.com/?the whole\u202E of it')
  const onanswer = vi.fn(async () => true)
  render(AskBar, { ask: QUESTION, blob, onanswer })
  expect(screen.getByText(/4,213 characters left out/)).toBeTruthy()
  await fireEvent.click(await screen.findByRole('button', { name: /^Show all of the request, 5/ }))
  const region = screen.getByRole('region', { name: 'All of the request' })
  expect(region.textContent).toBe('http://example.com/?the whole⟨U+202E⟩ of it')
  expect(region.tabIndex).toBe(0)
  expect(blob).toHaveBeenCalledExactlyOnceWith('ab12')
  await ready()
  await fireEvent.click(allow())
  expect(onanswer).toHaveBeenCalledExactlyOnceWith('allow', undefined)
  await fireEvent.click(screen.getByRole('button', { name: /^Show less/ }))
  expect(screen.queryByRole('region', { name: 'All of the request' })).toBeNull()
})

test.each([
  ['is no longer kept', () => Promise.reject(new Error('gone'))],
  ['can’t be opened here', undefined],
])('what %s can be refused, and not allowed', async (_, blob) => {
  const onanswer = vi.fn(async () => true)
  render(AskBar, { ask: QUESTION, blob, onanswer })
  expect(await screen.findByText('Part of the request is gone, so you can only refuse.')).toBeTruthy()
  await vi.advanceTimersByTimeAsync(800)
  expect(allow().getAttribute('aria-disabled')).toBe('true')
  await fireEvent.click(allow())
  expect(onanswer).not.toHaveBeenCalled()
  await fireEvent.click(screen.getByRole('button', { name: 'Refuse' }))
  await fireEvent.click(await screen.findByRole('button', { name: 'Refuse and continue' }))
  expect(onanswer).toHaveBeenCalledOnce()
})

test('nothing is allowed before it is there', async () => {
  let give: (text: string) => void = () => undefined
  const blob = () => new Promise<string>((done) => (give = done))
  const onanswer = vi.fn(async () => true)
  render(AskBar, { ask: QUESTION, blob, onanswer })
  await vi.advanceTimersByTimeAsync(800)
  expect(allow().getAttribute('aria-disabled')).toBe('true')
  give('all of it')
  await ready()
})
