import { describe, expect, test } from 'vitest'
import { fixture, OTHER_ASKS, overview } from '../dev/fixtures'
import { sidekick } from '../dev/sidekicks'
import type { RoomSummary } from '../src/lib/backend'
import { Rooms } from '../src/lib/rooms.svelte'
import type { PauseReason } from '../src/lib/wire'
import { ring } from '../src/rooms/ring'
import { waiting } from '../src/rooms/waiting'

const base = overview('running', fixture('running')).rooms[0]!

function paused(reason: PauseReason, more: Partial<RoomSummary> = {}): RoomSummary {
  return { ...base, id: reason, title: reason, plan: { ...base.plan!, state: 'paused', pause_reason: reason, ended: 3, steps: 9 }, ...more }
}

describe('what waits for a person', () => {
  test.each<[PauseReason, RegExp]>([
    ['auto_budget', /^Checked in, 3 of 9 steps done\.$/],
    ['interrupted', /Interrupted, 3 of 9/],
    ['attempts', /^Stuck on a step/],
    ['provider', /Can’t use the model/],
    ['drift', /outside the plan/],
    ['revise', /needs changes/],
    ['cap', /Limit reached/],
    ['manual', /waiting for you/],
  ])('a plan that stopped by itself: %s', (reason, why) => {
    expect(waiting([paused(reason)], [])).toMatchObject([{ room: reason, title: reason, why: expect.stringMatching(why), at: base.updated_at, ask: null }])
  })

  test('a plan that was sent back and that its agent gave up', () => {
    const room = { ...base, plan: { ...base.plan!, state: 'draft', left: true } }
    expect(waiting([room], [])).toMatchObject([{ room: base.id, why: expect.stringMatching(/gave up after you requested changes/) }])
    expect(waiting([{ ...room, plan: { ...room.plan, left: false } }, { ...room, archived: true }], [])).toEqual([])
  })

  test('not one the person paused, that goes on by itself, or that was put away', () => {
    expect(waiting([base, paused('supervisor'), paused('quota'), paused('cap', { archived: true })], [])).toEqual([])
  })

  test('a question stands for the pause it caused; the oldest comes first', () => {
    const ask = { ...OTHER_ASKS[0]!, room_id: 'drift', created_at: 5 }
    const found = waiting([paused('drift'), paused('cap', { updated_at: 2 })], [ask])
    expect(found.map((one) => [one.room, one.why])).toEqual([
      ['cap', 'Limit reached, 3 of 9 steps done.'],
      ['drift', 'The agent asks for permission.'],
    ])
  })

  test('the rail marks the same rooms', () => {
    const rooms = new Rooms()
    rooms.take({ rooms: [base, paused('cap')], asks: [{ ...OTHER_ASKS[0]!, room_id: base.id }] })
    expect([...rooms.waitingIn].sort()).toEqual([base.id, 'cap'].sort())
  })

  test('what a sidekick asks waits in the rooms above it, too', () => {
    const rooms = new Rooms()
    const below = (id: string, parent: string) => ({ ...base, id, parent, plan: undefined })
    rooms.take({ rooms: [base, below('b', base.id), below('c', 'b'), below('other', base.id)], asks: [{ ...OTHER_ASKS[0]!, room_id: 'c' }] })
    expect([...rooms.waitingIn].sort()).toEqual([base.id, 'b', 'c'].sort())
    expect(rooms.list.map((room) => rooms.depth(room))).toEqual([0, 1, 2, 1])
  })

  test('a ring is amber where the rail says that someone is needed, and only there', () => {
    const rooms = new Rooms()
    const below = (id: string, parent: string) => ({ ...sidekick(id, id, { state: id === 'asks' ? 'waiting' : 'running' }), parent })
    const talks = { ...base, id: 'talks', plan: undefined, busy: true }
    const list = [base, below('works', base.id), below('middle', base.id), below('asks', 'middle'), talks, { ...base, id: 'elsewhere' }, { ...talks, id: 'asking' }]
    rooms.take({ rooms: list, asks: [{ ...OTHER_ASKS[0]!, room_id: 'asks' }, { ...OTHER_ASKS[0]!, id: 'b', room_id: 'asking' }] })
    const tones = rooms.list.map((room) => [room.id, ring(room, rooms.waitingIn.has(room.id)).tone])
    expect(Object.fromEntries(tones)).toEqual({ [base.id]: 'wait', works: 'go', middle: 'wait', asks: 'wait', talks: 'go', elsewhere: 'go', asking: 'wait' })
  })
})
