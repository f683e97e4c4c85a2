import { beforeEach, describe, expect, test, vi } from 'vitest'
import { fakeBackend } from '../dev/fake'
import { fixture, overview } from '../dev/fixtures'
import { RoomActions } from '../src/lib/actions'
import { Drafts } from '../src/lib/drafts.svelte'
import { Notices } from '../src/lib/notices.svelte'
import { Rooms } from '../src/lib/rooms.svelte'
import { Settings } from '../src/lib/settings.svelte'

beforeEach(() => localStorage.clear())

describe('drafts', () => {
  test('each room has its own, and it outlives the window', () => {
    const drafts = new Drafts()
    drafts.set('a', 'half a thought')
    drafts.set('b', 'another')
    expect(new Drafts().get('a')).toBe('half a thought')
    drafts.sent('a', 'half a thought')
    expect(new Drafts().get('a')).toBe('')
    expect(new Drafts().get('b')).toBe('another')
    expect(new Drafts().history('a')).toEqual(['half a thought'])
  })

  test('one that was sent is dropped when it is found again, and no other', () => {
    new Drafts().set('a', 'Two pages')
    const found = new Drafts()
    found.wasSaid('a', 'Two pages')
    expect(found.get('a')).toBe('')
    expect(new Drafts().get('a')).toBe('')
    found.set('a', 'Two pages')
    found.wasSaid('a', 'Two pages')
    expect(found.get('a')).toBe('Two pages')
    const other = new Drafts()
    other.wasSaid('a', 'One page')
    expect(other.get('a')).toBe('Two pages')
  })

  test.each([
    ['its beginning', 'Two pa', 'Two pages about birds', ''],
    ['its beginning and a space', 'Two pages ', 'Two pages about birds', ''],
    ['all of very long words', 'Two pages about birds', { blob: 'b', bytes: 99_999, head: 'Two pages' }, ''],
    ['more than was said', 'Two pages about birds', 'Two pages', 'Two pages about birds'],
    ['something else', 'Three pages', 'Two pages about birds', 'Three pages'],
    ['its end', 'birds', 'Two pages about birds', 'birds'],
    ['something else than very long words', 'Three', { blob: 'b', bytes: 99_999, head: 'Two pages' }, 'Three'],
  ])('what is found of what was said: %s', (_, kept, said, left) => {
    new Drafts().set('a', kept)
    const found = new Drafts()
    found.wasSaid('a', said)
    expect(found.get('a')).toBe(left)
  })

  test('that it came from a link outlives the window, and goes with the words', () => {
    const drafts = new Drafts()
    drafts.set('a', 'mine')
    drafts.link('a', 'theirs')
    expect(new Drafts().get('a')).toBe('mine\n\ntheirs')
    expect(new Drafts().note('a')).toMatch(/From a link/)
    expect(new Drafts().note('b')).toBe('')
    drafts.set('a', '')
    expect(new Drafts().note('a')).toBe('')
  })

  test('sending the same again keeps it once, last', () => {
    const drafts = new Drafts()
    for (const text of ['x', 'y', 'x']) drafts.sent('a', text)
    expect(drafts.history('a')).toEqual(['y', 'x'])
  })
})

describe('rooms', () => {
  test('sidekicks stand below their room, archived ones away', () => {
    const rooms = new Rooms()
    rooms.take(overview('running', fixture('running')))
    expect(rooms.shown.map((room) => room.title)).toEqual([
      'Auth audit', 'Vector database research', 'pgvector', 'Qdrant', 'LanceDB', '2026-03 report names', 'Payments module',
    ])
  })

  test('searching finds a sidekick with the room it belongs to', () => {
    const rooms = new Rooms()
    rooms.take(overview('running', fixture('running')))
    rooms.query = 'lance'
    expect(rooms.shown.map((room) => room.title)).toEqual(['Vector database research', 'LanceDB'])
  })

  test('the open room stays open, and one that is gone is left', () => {
    const rooms = new Rooms()
    const all = overview('running', fixture('running'))
    rooms.take(all)
    rooms.enter('pay')
    rooms.take(all)
    expect(rooms.current).toBe('pay')
    rooms.take({ ...all, rooms: all.rooms.filter((room) => room.id !== 'pay') })
    expect(rooms.current).toBe('room')
  })
})

test('a refused setting keeps its value and says why', async () => {
  const settings = new Settings(fakeBackend('running'))
  await settings.load()
  expect(await settings.save('caps.steps', 'many', 'many')).toBe(false)
  expect(settings.value('caps.steps')).toBe(20)
  expect(settings.refused.get('caps.steps')?.message).toMatch(/whole number/)
  expect(await settings.save('caps.steps', 30)).toBe(true)
  expect(settings.value('caps.steps')).toBe(30)
  expect(settings.refused.size).toBe(0)
  expect(settings.fixed('caps.attempts')).toBe(true)
})

test('what fails is said in its own words', async () => {
  const notices = new Notices()
  expect(await notices.watch(Promise.reject({ code: 'X', message: 'The plan changed meanwhile.' }))).toBe(false)
  expect(notices.list).toMatchObject([{ tone: 'bad', text: 'The plan changed meanwhile.' }])
  await notices.watch(Promise.reject({ code: 'X', message: 'the app is stopping' }))
  expect(notices.list.at(-1)?.text).toBe('The app is stopping.')
})

test('the same thing asked for twice at once is done once, and can be done again later', async () => {
  const resume = vi.fn(async () => undefined)
  const skip = vi.fn(async () => undefined)
  const act = new RoomActions({ ...fakeBackend('running'), resume, skip }, new Notices(), 'room')
  expect(await Promise.all([act.resume(), act.resume()])).toEqual([true, true])
  expect(resume).toHaveBeenCalledOnce()
  await act.resume()
  expect(resume).toHaveBeenCalledTimes(2)
  await Promise.all([act.skip('s1'), act.skip('s2')])
  expect(skip.mock.calls).toEqual([['room', 's1'], ['room', 's2']])
})
