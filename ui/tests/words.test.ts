import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { folder, setHome } from '../src/lib/home.svelte'
import { Notices } from '../src/lib/notices.svelte'
import { modelName } from '../src/lib/words'

test('a folder below the home begins with ~', () => {
  setHome('/tmp/x/home/')
  expect(folder('/tmp/x/home/plancard-sample-1')).toBe('~/plancard-sample-1')
  expect(folder('/tmp/x/home')).toBe('~')
  expect(folder('/tmp/x/homework')).toBe('/tmp/x/homework')
  setHome('C:\\Users\\me')
  expect(folder('C:\\Users\\me\\code')).toBe('~\\code')
  setHome('/')
  expect(folder('/srv')).toBe('/srv')
})

test('a model goes by its own name, the rehearsal by one', () => {
  expect(modelName('anthropic/claude-sonnet')).toBe('claude-sonnet')
  expect(modelName('rehearsal/tour')).toBe('Rehearsal')
})

describe('notices', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  const texts = (notices: Notices) => notices.list.map((one) => one.text)

  test('go by themselves, unless they tell of a problem', () => {
    const notices = new Notices()
    notices.say('Copied')
    notices.say('No room on the disk', 'bad')
    vi.advanceTimersByTime(3_600_000)
    expect(texts(notices)).toEqual(['No room on the disk'])
    notices.dismiss(notices.list[0]!.id)
    expect(texts(notices)).toEqual([])
  })

  test('stay while they are read', () => {
    const notices = new Notices()
    notices.say('Copied')
    notices.hold()
    vi.advanceTimersByTime(60_000)
    expect(texts(notices)).toEqual(['Copied'])
    notices.release()
    vi.advanceTimersByTime(5_000)
    expect(texts(notices)).toEqual([])
  })

  test('a problem is not pushed out by good news', () => {
    const notices = new Notices()
    notices.say('bad', 'bad')
    for (const n of [1, 2, 3, 4, 5]) notices.say(`good ${n}`)
    expect(texts(notices)).toEqual(['bad', 'good 3', 'good 4', 'good 5'])
  })
})
