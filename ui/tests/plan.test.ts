import { describe, expect, test } from 'vitest'
import { ask, plan, step } from '../dev/make'
import { hidden, visible, withoutHidden } from '../src/lib/visible'
import type { Action, PauseReason, PlanView } from '../src/lib/wire'
import { duration, left, money, quick, tokens } from '../src/lib/words'
import { changes, summary } from '../src/plan/changes'
import { counted, hunks, lines } from '../src/plan/diff'
import { comments, edits, newRow, rowsOf } from '../src/plan/edits'
import { extra, keeps, parts } from '../src/plan/answers'
import { pauseWords } from '../src/plan/pauses'
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

test('what hides is counted by name, and can be taken out', () => {
  expect(hidden('a\u202Eb\u200Bc\u202E')).toEqual([{ name: '⟨U+202E⟩', times: 2 }, { name: '⟨U+200B⟩', times: 1 }])
  expect(hidden('plain\ntext\täöü 日本')).toEqual([])
  expect(withoutHidden('a\u202Eb\u200Bc\n')).toBe('abc\n')
})

describe('why a plan is paused', () => {
  const REASONS: (PauseReason | null)[] = ['supervisor', 'auto_budget', 'attempts', 'revise', 'cap', 'drift', 'quota', 'provider', 'interrupted', 'manual', null]
  // As the engine writes them: small at the start, nothing at the end.
  const DETAILS = [null, '', 'the agent answered 3 times without working on', 'step 2 failed 3 times', 'the cap on money is reached', 'nothing answers at http://127.0.0.1:1/: is the server running?', 'The model said so.']
  const ACTIONS: Action[][] = [['resume', 'change', 'skip', 'cancel'], ['resume', 'cancel'], ['change', 'cancel'], ['cancel'], []]
  const STEPS = [[], steps, [step(1, 'one', 'done'), step(2, 'two', 'in_progress', { attempts: 3 })], [step(1, 'one', 'failed', { attempts: 1 })]]

  const said = (more: Partial<PlanView>, auto = 8) => {
    const { why, then } = pauseWords(plan({ state: 'paused', steps: steps, ...more }), auto, 1000)
    return `${why} ${then}`.trim()
  }

  test('is said in whole sentences, whatever comes together', () => {
    for (const pause_reason of REASONS)
      for (const pause_detail of DETAILS)
        for (const actions of ACTIONS)
          for (const list of STEPS)
            for (const pause_until of [null, 61_000]) {
              const words = said({ pause_reason, pause_detail, actions, steps: list, pause_until })
              for (const one of words.split(/(?<=[.?!]) /)) expect(one, words).toMatch(/^[A-Z][^.?!]*(?:[.:]\S[^.?!]*)*[.?!]$/)
              expect(words).not.toMatch(/undefined|null|  |\.\./)
              // Only what can be done is offered.
              for (const [action, name] of [['resume', 'Resume'], ['change', 'Change '], ['skip', 'Skip']] as const) {
                if (!actions.includes(action)) expect(words).not.toContain(name)
              }
            }
  })

  test.each<[Partial<PlanView>, string]>([
    [{ pause_reason: 'attempts', pause_detail: 'the agent answered 3 times without working on' }, 'The agent answered again and again without going on with step 1. Resume gives the step fresh attempts, Change edits the plan and Skip step leaves the step out.'],
    [{ pause_reason: 'attempts', pause_detail: 'step 2 failed 3 times', steps: STEPS[2]! }, 'Step 2 failed 3 times in a row. Resume gives the step fresh attempts, Change edits the plan and Skip step leaves the step out.'],
    [{ pause_reason: 'cap', pause_detail: 'the cap on money is reached' }, 'The cap on money is reached. Resume allows as much again.'],
    [{ pause_reason: 'provider', pause_detail: 'the provider is overloaded' }, 'The provider is overloaded. Put it right, or wait a little. Resume asks it again.'],
    [{ pause_reason: 'quota', pause_detail: 'the quota at the provider is used up', pause_until: 61_000 }, 'What the provider allows is used up. It goes on by itself in 1m 00s.'],
    [{ pause_reason: 'revise', pause_detail: 'the file is gone' }, 'The plan does not fit any more. The file is gone. Resume lets the agent go on and Change edits the steps.'],
  ])('%#', (more, words) => expect(said({ actions: ['resume', 'change', 'skip', 'cancel'], ...more })).toBe(words))
})

describe('a question', () => {
  test('says only what its answers would keep', () => {
    const detail = [{ name: 'rule', value: 'fetch(x.org)' }, { name: 'grant', value: 'fetch(x.org)' }]
    const sentences = (answers: string[]) => keeps(ask({ text: '', detail, answers })).map(({ words, code, end }) => `${words} ${code} ${end}`)
    expect(sentences(['allow', 'always', 'refuse'])).toEqual(['“Always allow” keeps the rule fetch(x.org) .'])
    expect(sentences(['once', 'add', 'refuse'])).toEqual(['“Add to the plan” allows fetch(x.org) in this step.'])
    expect(sentences(['once', 'refuse'])).toEqual([])
  })

  test('about what was under way does not say twice that the app stopped', () => {
    expect(extra(ask({ kind: 'outcome', text: 'The app stopped while shell was running. Did it happen?' }))).toBe('It is not run again by itself.')
  })

  test('sets apart what it would touch, if it names it', () => {
    expect(parts(ask({ text: 'May it edit a.go?', detail: [{ name: 'target', value: 'a.go' }] })).filter((part) => part.code)).toEqual([{ text: 'a.go', code: true }])
    expect(parts(ask({ text: 'May it?', detail: [{ name: 'target', value: '' }] }))).toEqual([{ text: 'May it?', code: false }])
  })
})
