import { describe, expect, test } from 'vitest'
import { plan, step } from '../dev/make'
import { visible } from '../src/lib/visible'
import { duration, left, money, quick, tokens } from '../src/lib/words'
import { changes, summary } from '../src/plan/changes'
import { counted, hunks, lines } from '../src/plan/diff'
import { comments, edits, newRow, rowsOf } from '../src/plan/edits'
import { allowance, progress } from '../src/plan/status'

const steps = [step(1, 'one'), step(2, 'two'), step(3, 'three')]

describe('changing steps by hand', () => {
  test('nothing done is nothing to say', () => {
    expect(edits(steps, rowsOf(steps))).toEqual([])
  })

  test('a moved step is one move', () => {
    const [one, two, three] = rowsOf(steps)
    expect(edits(steps, [three!, one!, two!])).toEqual([{ op: 'move', step: 's3', after: null }])
  })

  test('remove, set and add together', () => {
    const rows = rowsOf(steps)
    const added = { ...newRow(['s1', 's2', 's3']), text: 'new', tool: 'shell', target: 'make' }
    const made = edits(steps, [{ ...rows[0]!, text: 'ONE' }, added, rows[2]!])
    expect(made).toMatchObject([
      { op: 'remove', step: 's2' },
      { op: 'set', step: 's1', text: 'ONE', tool: null },
      { op: 'add', after: 's1', new: { text: 'new', id: 'new-1', tool: 'shell', target: 'make' } },
    ])
  })

  test('a step without words is left out', () => {
    expect(edits(steps, [...rowsOf(steps), newRow([])])).toEqual([])
  })

  test('comments go out as one message', () => {
    const rows = rowsOf(steps)
    rows[1]!.comment = 'not this file'
    expect(comments(rows)).toBe('Step 2: not this file')
  })
})

test('revisions are compared by id', () => {
  const before = [{ id: 's1', text: 'one' }, { id: 'x', text: 'gone' }, { id: 's2', text: 'was two' }]
  const found = changes(before, steps)
  expect(summary(found)).toBe('1 added, 1 changed, 1 removed')
  expect(found.removed[0]?.text).toBe('gone')
})

test('a diff says what went out and what came in', () => {
  const all = lines('a\nb\nc\n', 'a\nB\nc\nd\n')
  expect(all.map((line) => line.sign + line.text)).toEqual([' a', '-b', '+B', ' c', '+d'])
  expect(counted(all)).toEqual({ plus: 2, minus: 1 })
  const far = lines(Array.from({ length: 40 }, (_, i) => i).join('\n'), `x\n${Array.from({ length: 40 }, (_, i) => i).join('\n')}`)
  expect(hunks(far)).toHaveLength(3)
})

test('what approving allows is counted from what the steps name', () => {
  const view = plan({
    steps: [
      step(1, 'a', 'pending', { tool: 'edit_file', target: 'a.go, b.go' }),
      step(2, 'b', 'pending', { tool: 'write_file', target: 'a.go' }),
      step(3, 'c', 'pending', { tool: 'shell', target: 'make' }),
      step(4, 'd', 'pending', { tool: 'read_file', target: 'c.go' }),
      step(5, 'e'),
    ],
  })
  expect(allowance(view)).toEqual({ files: 2, commands: 1, others: 0, free: 0 })
  expect(progress(view)).toBe(0)
})

test('what hides is made visible', () => {
  expect(visible('a\u202Eb\u200Bc')).toBe('a⟨U+202E⟩b⟨U+200B⟩c')
  expect(visible('plain\ntext äöü 日本')).toBe('plain\ntext äöü 日本')
})

test('numbers read as a person says them', () => {
  expect([duration(9000), duration(72_000), duration(7_500_000)]).toEqual(['9 s', '1m 12s', '2h 05m'])
  expect([duration(0), duration(400), duration(1000)]).toEqual(['', '<1 s', '1 s'])
  expect([left(-5), left(400), left(61_000)]).toEqual(['a moment', '1 s', '1m 01s'])
  expect([quick(0), quick(4), quick(2100)]).toEqual(['<1 ms', '4 ms', '2 s'])
  expect([money(60_000), money(100)]).toEqual(['$0.06', 'under $0.01'])
  expect(tokens({ input: 18_000, output: 400, cache_read: 0, cost_micros: 0 })).toBe('18.4k tokens')
})
