import { describe, expect, test } from 'vitest'
import { fixture, overview } from '../dev/fixtures'
import { Feed } from '../src/lib/feed.svelte'
import { Rooms } from '../src/lib/rooms.svelte'
import { share } from '../src/lib/share'
import type { RoomView } from '../src/lib/wire'

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

describe('what did not change', () => {
  test('is the same object as before', () => {
    const before = { a: { b: [1, 2, { c: 3 }] }, d: 'x' }
    expect(share(before, copy(before))).toBe(before)
    const after = share(before, { ...copy(before), d: 'y' })
    expect(after).toEqual({ ...before, d: 'y' })
    expect(after.a).toBe(before.a)
  })

  test('is found by its id, wherever it went', () => {
    const before = [{ id: 'a', n: 1 }, { id: 'b', n: 2 }]
    const after = share(before, [{ id: 'b', n: 2 }, { id: 'c', n: 3 }, { id: 'a', n: 5 }])
    expect(after).toEqual([{ id: 'b', n: 2 }, { id: 'c', n: 3 }, { id: 'a', n: 5 }])
    expect(after[0]).toBe(before[1])
  })

  test.each([
    [{ a: 1 }, { a: 1, b: undefined }],
    [{ a: 1, b: 2 }, { a: 1 }],
    [[1, 2], [1]],
    [[1], { 0: 1 }],
    [null, { a: 1 }],
    [{ a: null }, { a: {} }],
  ])('is not confused: %j, %j', (before, now) => expect(share<unknown>(before, now)).toEqual(now))

  test('is kept from view to view of a room: one step changes, and one is new', () => {
    const feed = new Feed('room', (run) => run())
    const { view } = fixture('goal')
    feed.takeView(copy(view))
    const before = feed.view!.plan!.steps
    const next = copy(view) as RoomView
    next.seq++
    next.plan!.steps[40]!.status = 'done'
    feed.takeView(next)
    const after = feed.view!.plan!.steps
    expect(after[40]!.status).toBe('done')
    expect(after.filter((step, i) => step !== before[i]).map((step) => step.id)).toEqual(['s41'])
  })

  test('is kept from overview to overview', () => {
    const rooms = new Rooms()
    const all = overview('goal', fixture('goal'))
    rooms.take(copy(all))
    const before = rooms.list
    rooms.take(copy(all))
    expect(rooms.list).toBe(before)
  })
})
