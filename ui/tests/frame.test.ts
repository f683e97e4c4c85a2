import { waitFor } from '@testing-library/svelte'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { EachFrame } from '../src/lib/frame'

let frames: (() => void)[] = []
const paint = () => frames.splice(0).forEach((frame) => frame())

beforeEach(() => {
  frames = []
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame))
  vi.stubGlobal('cancelAnimationFrame', () => undefined)
})
afterEach(() => vi.unstubAllGlobals())

test('each part has a frame of its own, in the order they were asked for, and once', async () => {
  const shown: string[] = []
  const [card, chat] = ['card', 'chat'].map((name) => new EachFrame(() => shown.push(name)))
  card!.ask()
  chat!.ask()
  card!.ask()
  await waitFor(() => expect(frames).toHaveLength(1))
  paint()
  expect(shown).toEqual(['card'])
  // What is asked for meanwhile comes after what waits.
  card!.ask()
  for (const all of [['card', 'chat'], ['card', 'chat', 'card']]) {
    await waitFor(() => expect(frames).toHaveLength(1))
    paint()
    expect(shown).toEqual(all)
  }
})

test('a part that fails does not hold up the next', async () => {
  const shown: string[] = []
  new EachFrame(() => {
    throw new Error('broken')
  }).ask()
  new EachFrame(() => shown.push('next')).ask()
  await waitFor(() => expect(frames).toHaveLength(1))
  expect(paint).toThrow('broken')
  await waitFor(() => expect(frames).toHaveLength(1))
  paint()
  expect(shown).toEqual(['next'])
})

test.each([
  ['much work', 30, 60],
  ['little work', 10, 10],
])('after %s of %i ms it rests for %i', async (_, work, rest) => {
  // After whatever others had to rest from.
  let now = performance.now() + 1_000
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const waits = vi.spyOn(globalThis, 'setTimeout')
  const part = new EachFrame(() => (now += work))
  part.ask()
  await waitFor(() => expect(frames).toHaveLength(1))
  paint()
  part.ask()
  await waitFor(() => expect(waits.mock.calls.map(([, ms]) => ms)).toContain(rest))
  vi.restoreAllMocks()
  await waitFor(() => expect(frames).toHaveLength(1))
  paint()
})
