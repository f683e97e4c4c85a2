import { expect, it } from 'vitest'
import { WholeOverview } from '../src/lib/overview'
import type { AskView, RoomSummary } from '../src/lib/wire'

const room = (id: string, title: string) => ({ id, title }) as RoomSummary

it('puts what is other into what was there', () => {
  const whole = new WholeOverview()
  const [one, two] = [room('1', 'One'), room('2', 'Two')]
  expect(whole.take({ order: ['2', '1'], rooms: [one, two], asks: [] }).rooms).toEqual([two, one])
  const renamed = room('1', 'First')
  const next = whole.take({ order: null, rooms: [renamed], asks: [{ id: 'a' } as AskView] })
  expect(next).toEqual({ rooms: [two, renamed], asks: [{ id: 'a' }] })
  expect(next.rooms[0]).toBe(two)
  // A room that went is gone, and one that comes back is what it is then.
  expect(whole.take({ order: ['1'], rooms: [], asks: null }).rooms).toEqual([renamed])
  expect(whole.take({ order: ['2', '1'], rooms: [room('2', 'Again')], asks: null }).rooms.map(({ title }) => title)).toEqual(['Again', 'First'])
})
