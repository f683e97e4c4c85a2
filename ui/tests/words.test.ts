import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { folder, notAFolder, setHome, whole } from '../src/lib/home.svelte'
import { Notices } from '../src/lib/notices.svelte'
import { hidden, visible } from '../src/lib/visible'
import { listed, modelName, sentence } from '../src/lib/words'

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

test('a folder typed with ~, blanks or slashes at its end is the same folder', () => {
  setHome('/home/you')
  expect(['~/x', ' ~/x/ ', '/home/you/x//', '~', '/', '/srv/ '].map(whole)).toEqual(['/home/you/x', '/home/you/x', '/home/you/x', '/home/you', '/', '/srv'])
  // Someone else's home is not ours to guess.
  expect(whole('~root/x')).toBe('~root/x')
  expect(['~/x', '/srv', 'C:\\code', ''].map(notAFolder)).toEqual(['', '', '', ''])
  expect(notAFolder('code/x')).toBe('Enter the full path, such as /home/you/code/project or ~/code/project.')
  expect(notAFolder('~root/x')).toMatch(/Only folders in your own home/)
  setHome('')
  expect(notAFolder('~/x')).not.toBe('')
})

test('what the engine says in passing is a sentence', () => {
  expect(sentence('step 3 failed 3 times')).toBe('Step 3 failed 3 times.')
  expect(sentence(' Is it running? ')).toBe('Is it running?')
  expect(sentence('/srv/x can’t be opened')).toBe('/srv/x can’t be opened.')
  expect(sentence('http://x.org/ did not answer in time')).toBe('http://x.org/ did not answer in time.')
  expect(sentence('caps.steps is 0')).toBe('caps.steps is 0.')
  expect(sentence('')).toBe('')
})

test('several things are listed', () => {
  expect([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(listed)).toEqual(['', 'a', 'a and b', 'a, b and c'])
})

test('a model goes by its own name, the rehearsal by one', () => {
  expect(modelName('anthropic/claude-sonnet')).toBe('claude-sonnet')
  expect(modelName('rehearsal/tour')).toBe('Rehearsal')
})

describe('notices', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  const texts = (notices: Notices) => notices.list.map((one) => one.text)

  test('go by themselves, a problem later than good news', () => {
    const notices = new Notices()
    notices.say('Copied')
    notices.say('No room on the disk', 'bad')
    vi.advanceTimersByTime(10_000)
    expect(texts(notices)).toEqual(['No room on the disk'])
    vi.advanceTimersByTime(20_000)
    expect(texts(notices)).toEqual([])
  })

  test('a long one has the time it takes to read', () => {
    const notices = new Notices()
    notices.say('word '.repeat(100))
    vi.advanceTimersByTime(15_000)
    expect(texts(notices)).toHaveLength(1)
    vi.advanceTimersByTime(60_000)
    expect(texts(notices)).toEqual([])
  })

  test('stay while they are read, in each of the ways', () => {
    const notices = new Notices()
    notices.say('Copied')
    notices.say('No room on the disk', 'bad')
    notices.hold('pointer')
    notices.hold('focus')
    vi.advanceTimersByTime(60_000)
    notices.release('pointer')
    vi.advanceTimersByTime(60_000)
    expect(texts(notices)).toEqual(['Copied', 'No room on the disk'])
    notices.release('focus')
    vi.advanceTimersByTime(10_000)
    expect(texts(notices)).toEqual([])
  })

  test('one that came while nobody could see it has all its time', () => {
    const notices = new Notices()
    notices.hold('unseen')
    notices.say('No room on the disk', 'bad')
    vi.advanceTimersByTime(3_600_000)
    notices.release('unseen')
    vi.advanceTimersByTime(20_000)
    expect(texts(notices)).toEqual(['No room on the disk'])
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

describe('hidden characters', () => {
  test.each([
    ['a\u202Eb', 'a⟨U+202E⟩b'],
    ['evil\u200C.sh', 'evil⟨U+200C⟩.sh'],
    ['👩\u200D💻 and 🏳️\u200D🌈', '👩\u200D💻 and 🏳️\u200D🌈'],
    ['می\u200Cخواهم', 'می\u200Cخواهم'],
    ['plain', 'plain'],
  ])('%j is shown as %j', (text, shown) => {
    expect(visible(text)).toBe(shown)
    expect(hidden(text)).toHaveLength(shown === text ? 0 : 1)
  })
})
