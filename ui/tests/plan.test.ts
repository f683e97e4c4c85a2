import { describe, expect, test } from 'vitest'
import { ask, contentOf, NOTHING, plan, step } from '../dev/make'
import { hidden, visible, withoutHidden } from '../src/lib/visible'
import type { Action, Allows, AskView, Edit, How, PauseReason, PlanView } from '../src/lib/wire'
import { duration, left, money, quick, tokens } from '../src/lib/words'
import { changes, summary } from '../src/plan/changes'
import { counted, hunks, lines } from '../src/kit/diff'
import { allowsWords, estimateWords, runsCommands } from '../src/plan/allows'
import { comments, edits, newRow, placeFor, rowsOf, type Row } from '../src/plan/edits'
import { extra, keeps, parts } from '../src/plan/answers'
import { pauseWords } from '../src/plan/pauses'
import { reportWords, saysNothing, touchedWords } from '../src/plan/report'
import { progress, skipWords } from '../src/plan/status'

const steps = [step(1, 'one'), step(2, 'two'), step(3, 'three')]

describe('changing steps by hand', () => {
  test('nothing done is nothing to say', () => {
    expect(edits(rowsOf(steps), rowsOf(steps))).toEqual([])
  })

  test('a moved step is one move', () => {
    const [one, two, three] = rowsOf(steps)
    expect(edits(rowsOf(steps), [three!, one!, two!])).toEqual([{ op: 'move', step: 's3', after: null }])
  })

  test('remove, set and add together', () => {
    const rows = rowsOf(steps)
    const added = { ...newRow(4, ['new-4-1']), text: 'new', tool: 'shell', target: 'make' }
    const made = edits(rowsOf(steps), [{ ...rows[0]!, text: 'ONE' }, added, rows[2]!])
    expect(made).toEqual([
      { op: 'remove', step: 's2' },
      expect.objectContaining({ op: 'set', step: 's1', text: 'ONE', tool: null }),
      { op: 'add', after: 's1', new: expect.objectContaining({ text: 'new', id: 'new-4-2', tool: 'shell', target: 'make' }) },
    ])
  })

  test('a step without words is left out', () => {
    expect(edits(rowsOf(steps), [...rowsOf(steps), newRow(1, [])])).toEqual([])
  })

  test('what was emptied is taken away, what is null stays', () => {
    const before = rowsOf([step(1, 'one', 'pending', { tool: 'shell', target: 'make' })])
    expect(edits(before, [{ ...before[0]!, tool: ' ', target: '' }])).toMatchObject([{ op: 'set', step: 's1', text: null, tool: '', target: '', expected_outcome: null, verify: null }])
  })

  test('comments go out as one round', () => {
    const rows = rowsOf(steps)
    rows[1]!.comment = ' not this file '
    rows[2]!.comment = 'why?'
    expect(comments(rows)).toEqual([{ step: 's2', text: 'not this file' }, { step: 's3', text: 'why?' }])
  })

  test('a step in progress can be worded anew while its plan stands still, and keeps its place', () => {
    const now = [step(1, 'a', 'done'), step(2, 'b', 'in_progress', { tool: 'shell' }), step(3, 'c')]
    expect(rowsOf(now, 'running').map((row) => row.fixed)).toEqual([true, true, false])
    const before = rowsOf(now, 'paused')
    const [a, b, c] = before as [Row, Row, Row]
    expect(before.map((row) => row.fixed)).toEqual([true, false, false])
    expect(edits(before, [a, { ...b, text: 'B', tool: '' }, c])).toMatchObject([{ op: 'set', step: 's2', text: 'B', tool: '' }])
    // Without words it keeps those it had, as it can't be removed; and nothing goes before it.
    expect(edits(before, [a, { ...b, text: ' ' }, c])).toEqual([])
    expect([placeFor(before, 1, -1), placeFor(before, 1, 1), placeFor(before, 2, -1)]).toEqual([1, 1, 2])
  })

  test('what has ended keeps its place, and the others go round it', () => {
    const before = rowsOf([step(1, 'a', 'done'), step(2, 'b'), step(3, 'c', 'done'), step(4, 'd'), step(5, 'e', 'in_progress'), step(6, 'f')])
    expect(before.map((row) => row.id)).toEqual(['s1', 's2', 's3', 's4', 's5', 's6'])
    expect([placeFor(before, 1, -1), placeFor(before, 1, 1), placeFor(before, 2, 1), placeFor(before, 5, 1)]).toEqual([1, 2, 2, 5])
    // Every order the person can make, made by edits that move only what has not begun.
    for (const order of orders(['s2', 's4', 's6'], ['s3', 's5'])) {
      const rows = ['s1', ...order].map((id) => before.find((row) => row.id === id)!)
      const made = edits(before, rows)
      expect(made.every((edit) => edit.op === 'move' && ['s2', 's4', 's6'].includes(String(edit.step)))).toBe(true)
      expect(after(before.map((row) => row.id), made)).toEqual(['s1', ...order])
    }
  })

  /** All ways to put `free` among `fixed`, which keep their order. */
  function orders(free: string[], fixed: string[]): string[][] {
    return free.reduce((lists, one) => lists.flatMap((list) => Array.from({ length: list.length + 1 }, (_, at) => list.toSpliced(at, 0, one))), [fixed])
  }

  /** As the engine does it. */
  function after(ids: string[], made: Edit[]): string[] {
    return made.reduce((list, edit) => {
      if (edit.op !== 'move') return list
      const without = list.filter((id) => id !== edit.step)
      return without.toSpliced(edit.after === null ? 0 : without.indexOf(String(edit.after)) + 1, 0, String(edit.step))
    }, ids)
  }
})

describe('revisions', () => {
  const now = plan({ goal: 'g', steps })
  const against = (list: Parameters<typeof contentOf>[1], more: object = {}) => changes({ ...contentOf(now, list), ...more }, now)

  test('are compared by id', () => {
    const found = against([{ id: 's1', text: 'one' }, { id: 'x', text: 'gone' }, { id: 's2', text: 'was two' }])
    expect(summary(found)).toBe('1 step was added, 1 was changed and 1 was removed')
    expect(found.removed[0]?.text).toBe('gone')
    expect([...found.added]).toEqual(['s3'])
    expect(found.changed.get('s2')).toEqual([{ name: 'Text', text: 'was two', code: false }])
  })

  test('that are the same say nothing', () => {
    expect(summary(against(undefined))).toBe('')
  })

  test('say which step was moved, and where it was', () => {
    const found = against([steps[2]!, steps[0]!, steps[1]!])
    expect([...found.moved]).toEqual([['s3', 1]])
    expect(summary(found)).toBe('1 step was moved')
  })

  test('say what each part was', () => {
    const found = against([{ ...steps[0]!, tool: 'shell', target: 'rm x', expected_outcome: 'gone', verify: { file: 'x' }, model: 'a/b', agent: 'reviewer' }, steps[1]!, steps[2]!])
    expect(found.changed.get('s1')).toEqual([
      { name: 'Tool', text: 'shell', code: true },
      { name: 'Target', text: 'rm x', code: true },
      { name: 'Expect', text: 'gone', code: false },
      { name: 'Checked with', text: 'x exists', code: true },
      { name: 'Runs with', text: 'a/b', code: true },
      { name: 'Agent', text: 'reviewer', code: false },
    ])
  })

  test('a check in words is not the same as one of a file', () => {
    const one = plan({ goal: 'g', steps: [step(1, 'one', 'pending', { verify: 'x exists' })] })
    expect(changes(contentOf(one, [{ id: 's1', text: 'one', verify: { file: 'x' } }]), one).changed.size).toBe(1)
  })

  test('goal, title and reason count as well', () => {
    const found = against(undefined, { goal: 'old', title: 'a title', rationale: 'because' })
    expect(found.plan).toEqual([{ name: 'Goal', text: 'old', code: false }, { name: 'Title', text: 'a title', code: false }, { name: 'Why', text: 'because', code: false }])
    expect(summary(found)).toBe('the goal, title and reason changed')
  })

  test('what a step needs counts where it is written', () => {
    const graph = plan({ goal: 'g', mode: 'graph', steps: [steps[0]!, steps[1]!, { ...steps[2]!, needs: ['s1'] }] })
    const before = contentOf(graph, [steps[0]!, steps[1]!, { ...steps[2]!, needs: ['s2', 's1'] }])
    expect(changes(before, graph).changed.get('s3')).toEqual([{ name: 'After', text: '2, 1', code: false }])
    expect(changes({ ...before, mode: 'sequential' }, { ...graph, mode: 'sequential' }).changed.size).toBe(0)
  })
})

test('a diff says what went out and what came in', () => {
  const all = lines('a\nb\nc\n', 'a\nB\nc\nd\n')
  expect(all.map((line) => line.sign + line.text)).toEqual([' a', '-b', '+B', ' c', '+d'])
  expect(counted(all)).toEqual({ plus: 2, minus: 1 })
  const far = lines(Array.from({ length: 40 }, (_, i) => i).join('\n'), `x\n${Array.from({ length: 40 }, (_, i) => i).join('\n')}`)
  expect(hunks(far)).toHaveLength(3)
})

describe('what approving allows', () => {
  test.each<[Partial<Allows>, string]>([
    [{}, 'The agent only reads.'],
    [{ files: 1 }, 'Approving lets the agent change 1 file.'],
    [{ files: 3, commands: 1 }, 'Approving lets the agent change 3 files and run 1 command.'],
    [{ as_written: 1 }, 'Approving lets the agent run 1 command exactly as written.'],
    [{ with_more: 1 }, 'Approving lets the agent run 1 command with any arguments.'],
    [{ commands: 2, with_more: 1, any_folder: 1 }, 'Approving lets the agent run 2 commands, 1 command with any arguments and 1 command in any folder.'],
    [{ commands: 2, as_written: 1, checks: 1 }, 'Approving lets the agent run 2 commands, 1 command exactly as written and 1 check.'],
    [{ files: 3, patterns: 1, commands: 2, checks: 1, hosts: 1 }, 'Approving lets the agent change 3 files and files matching 1 pattern, run 2 commands and 1 check, and reach 1 host.'],
    [{ patterns: 2 }, 'Approving lets the agent change files matching 2 patterns.'],
    [{ tools: 2 }, 'Approving lets the agent use 2 other tools.'],
    [{ hosts: 2, free: 1 }, 'Approving lets the agent reach 2 hosts and change anything in the workspace in 1 step.'],
  ])('%j', (allows, words) => expect(allowsWords({ ...NOTHING, ...allows }, [])).toBe(words))

  test('handing work to sidekicks is not only reading', () => {
    const hands = step(1, 'Split it up', 'pending', { tool: 'spawn_sidekick', grants: 'may hand work to sidekicks' })
    expect(allowsWords(NOTHING, [hands, step(2, 'Read')])).toBe('Approving lets the agent hand work to sidekicks in 1 step.')
    // One with a target is counted as a tool already.
    expect(allowsWords({ ...NOTHING, tools: 1 }, [{ ...hands, target: 'docs/**' }])).toBe('Approving lets the agent use 1 other tool.')
  })

  test('a check is a command, too', () => {
    expect([{ commands: 1 }, { checks: 1 }, { as_written: 1 }, { with_more: 1 }, { any_folder: 1 }, { files: 9, hosts: 1 }].map((one) => runsCommands({ ...NOTHING, ...one }))).toEqual([true, true, true, true, true, false])
  })

  test('and what it will take', () => {
    const estimate = { model: 'a/b', input_tokens: 38_000, output_tokens: 4_200, basis: '' }
    expect(estimateWords({ ...estimate, cost: 0.183 })).toBe('Estimate: 42.2k tokens, $0.18')
    expect(estimateWords({ ...estimate, cost: 0 })).toBe('Estimate: 42.2k tokens, $0.00')
    expect(estimateWords(estimate)).toBe('Estimate: 42.2k tokens (no price data)')
  })
})

describe('planned against done', () => {
  const view = plan({
    steps: [step(1, 'a', 'done', { tool: 'edit_file', target: 'a' }), step(2, 'b', 'done', { target: 'b' }), step(3, 'c', 'done'), step(4, 'd', 'skipped', { target: 'd' }), step(5, 'e', 'done', { tool: 'read_file', target: 'e' })],
  })
  const line = (number: number, touched: boolean, ...how: How[]) => ({ step: `s${number}`, number, planned: '', touched, beyond: how.map((one) => ({ tool: 'shell', touches: ['x'], how: one })) })

  test('counts what went as planned and what went beyond', () => {
    expect(reportWords(view, { lines: [line(1, true), line(2, true, 'once', 'warned'), line(3, false), line(4, false), line(5, false)] })).toBe('As planned: 3 of 5 steps. 2 unplanned changes.')
    expect(reportWords(view, { lines: [line(1, true, 'planned')] })).toBe('As planned: 1 of 1 step. No unplanned changes.')
    // A file that was to be changed and was not.
    expect(reportWords(view, { lines: [line(1, false), line(2, false)] })).toBe('As planned: 0 of 2 steps. No unplanned changes.')
  })

  test('says nothing of a plan that named nothing and that nobody held to anything', () => {
    const named = plan({ steps: [step(1, 'a', 'done'), step(2, 'b', 'done')] })
    expect(saysNothing(named, { lines: [] })).toBe(true)
    expect(saysNothing(named, { lines: [line(1, false, 'unplanned'), line(2, false)] })).toBe(true)
    expect(saysNothing(named, { lines: [line(1, false, 'warned'), line(2, false)] })).toBe(false)
    expect(saysNothing(view, { lines: [line(1, false)] })).toBe(false)
    expect(saysNothing({ ...named, approval: { plan: 'plan', revision: 1, hash: '', by: { kind: 'person', principal: '', surface: 'window' }, at: 0, scope: [], fresh_context: false } }, { lines: [line(1, false)] })).toBe(false)
  })

  test('says of steps that were not finished what they changed, even if nobody held them to anything', () => {
    const cut = plan({ steps: [step(1, 'a', 'failed', { changed: ['x'] }), step(2, 'b', 'skipped', { changed: ['x', 'y'], skip_cause: 'plan_ended', took_ms: 9 }), step(3, 'c', 'done', { changed: ['z'] })] })
    const report = { lines: [line(1, false), line(2, false), line(3, false)] }
    expect(saysNothing(cut, report)).toBe(false)
    expect(reportWords(cut, report)).toBe('As planned: 1 of 3 steps. No unplanned changes. Steps 1 and 2 didn’t finish and changed 2 files.')
  })

  test('says of each step whether what it named was touched', () => {
    expect([line(1, true), line(2, false), line(3, false), line(4, false), line(5, false)].map((one) => touchedWords(view, one))).toEqual(['yes', 'no', 'changed nothing', 'no', 'changed nothing'])
  })
})

test('nothing of a plan is done before it begins', () => {
  expect(progress(plan({ steps }))).toBe(0)
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

  test.each([
    ['The app was closed while this ran, and it was cut off:', 'The app was closed while this ran, and it was cut off: shell sleep 300. What it did before that stays.'],
    ['/home/you/app.d is not there.', '/home/you/app.d is not there. Put the folder back and resume.'],
    ['Nothing answers at http://127.0.0.1:1/:', 'nothing answers at http://127.0.0.1:1/: is the server running?'],
  ])('is seen at a glance: %s', (first, pause_detail) => {
    for (const pause_reason of ['interrupted', 'provider'] as const) {
      const { why, then } = pauseWords(plan({ state: 'paused', pause_reason, pause_detail, actions: ['resume'], steps }), 8, 1000)
      expect(why).toBe(first)
      expect(`${why} ${then}`.toLowerCase()).toContain(pause_detail.toLowerCase())
    }
  })

  test('is said in whole sentences, whatever comes together', () => {
    for (const pause_reason of REASONS)
      for (const pause_detail of DETAILS)
        for (const actions of ACTIONS)
          for (const list of STEPS)
            for (const pause_until of [null, 61_000]) {
              const words = said({ pause_reason, pause_detail, actions, steps: list, pause_until })
              for (const one of words.split(/(?<=[.?!]) /)) expect(one, words).toMatch(/^[A-Z0-9][^.?!]*(?:[.:]\S[^.?!]*)*[.?!]$/)
              expect(words).not.toMatch(/undefined|null|  |\.\./)
              // Only what can be done is offered.
              for (const [action, name] of [['resume', 'Resume'], ['change', 'Change '], ['skip', 'Skip']] as const) {
                if (!actions.includes(action)) expect(words).not.toContain(name)
              }
            }
  })

  test.each<[Partial<PlanView>, string]>([
    [{ pause_reason: 'attempts', pause_detail: 'the agent answered 3 times without working on' }, 'The agent kept answering without working on step 1. Resume retries the step, Change edits the plan and Skip step moves on without it.'],
    [{ pause_reason: 'attempts', pause_detail: 'step 2 failed 3 times', steps: STEPS[2]! }, 'Step 2 failed 3 times in a row. Resume retries the step, Change edits the plan and Skip step moves on without it.'],
    [{ pause_reason: 'cap', pause_detail: 'the cap on money is reached' }, 'The cap on money is reached. Resume allows as much again.'],
    [{ pause_reason: 'provider', pause_detail: 'the provider is overloaded' }, 'The provider is overloaded. Fix this in Settings, then retry.'],
    [{ pause_reason: 'quota', pause_detail: 'the quota at the provider is used up', pause_until: 61_000 }, 'The quota at the provider is used up. Continues automatically in 1m 00s.'],
    [{ pause_reason: 'interrupted' }, 'The app was closed while this ran. Finished steps are kept, and nothing runs twice. Resume continues where the plan stopped.'],
    [{ pause_reason: 'interrupted', actions: ['change', 'skip', 'cancel'] }, 'The app was closed while this ran. Finished steps are kept, and nothing runs twice.'],
    [{ pause_reason: 'interrupted', pause_detail: 'The app was closed while this ran, and it was cut off: shell make. What it did before that stays, and the agent is told to look.' }, 'The app was closed while this ran, and it was cut off: shell make. What it did before that stays, and the agent is told to look. Resume continues where the plan stopped.'],
    [{ pause_reason: 'manual' }, 'A step finished, and this plan waits after each one. Resume starts the next step.'],
    [{ pause_reason: 'manual', pause_detail: 'step 2, where it was stuck, was skipped' }, 'Step 2, where it was stuck, was skipped. Resume starts the next step.'],
    [{ pause_reason: 'revise', pause_detail: 'the file is gone' }, 'The plan needs changes. The file is gone. Resume lets the agent continue and Change edits the steps.'],
  ])('%#', (more, words) => expect(said({ actions: ['resume', 'change', 'skip', 'cancel'], ...more })).toBe(words))
})

describe('a question', () => {
  test('says only what its answers would keep', () => {
    const detail = [{ name: 'rule', value: 'fetch(x.org)' }, { name: 'grant', value: 'fetch(x.org)' }]
    const sentences = (answers: string[]) => keeps(ask({ text: '', detail, answers })).map(({ words, code, end }) => `${words} ${code} ${end}`)
    expect(sentences(['allow', 'always', 'refuse'])).toEqual(['“Always allow” adds the rule fetch(x.org) for this room and its sidekicks.'])
    const below = keeps(ask({ text: '', detail, answers: ['allow', 'always'], parent: 'above', codename: 'calm-badger' }))
    expect(below.map(({ end }) => end)).toEqual(['for the parent room and its sidekicks.'])
    expect(sentences(['once', 'add', 'refuse'])).toEqual(['“Add to the plan” allows fetch(x.org) in this step.'])
    expect(sentences(['once', 'refuse'])).toEqual([])
    const exact = [{ name: 'rule', value: 'shell(cd . && make test)' }]
    expect(keeps(ask({ text: '', detail: exact, answers: ['always'] }))[0]!.end).toBe('in the workspace’s own folder, with these words only, for this room and its sidekicks.')
    const more = [{ name: 'grant', value: 'shell(cd sub && make …)' }]
    expect(keeps(ask({ text: '', detail: more, answers: ['add'] }))[0]!.end).toBe('in sub/, with any words after it, in this step.')
  })

  test('about what was under way does not say twice that the app stopped', () => {
    expect(extra(ask({ kind: 'outcome', text: 'The app stopped while this ran: shell make. Did it happen?' }))).toBe('The call isn’t repeated automatically.')
  })

  test('sets apart what it would touch, if it names it', () => {
    expect(parts(ask({ text: 'May it edit a.go?', detail: [{ name: 'target', value: 'a.go' }] })).filter((part) => part.code)).toEqual([{ text: 'a.go', code: true }])
    expect(parts(ask({ text: 'May it?', detail: [{ name: 'target', value: '' }] }))).toEqual([{ text: 'May it?', code: false }])
  })

  test('a call beyond the plan is asked about in a sentence, where it touches one file', () => {
    const said = (tool: string, targets: string[], more: Partial<AskView> = {}) =>
      parts(ask({ text: 'engine’s words', detail: [{ name: 'tool', value: tool }, ...targets.map((value) => ({ name: 'target', value }))], ...more }))
        .map((part) => (part.code ? `[${part.text}]` : part.text))
        .join('')
    expect(said('edit_file', ['a.go'])).toBe('The agent wants to edit [a.go], which isn’t in this step.')
    expect(said('write_file', ['a\u202eb'])).toBe('The agent wants to write [a⟨U+202E⟩b], which isn’t in this step.')
    expect(said('delete_file', ['a.go'])).toMatch(/^The agent wants to delete/)
    // Whatever else there is to know is in the words of the engine.
    for (const [tool, targets, more] of [
      ['edit_file', ['a.go', 'b.go'], {}],
      ['edit_file', [], { detail: [{ name: 'tool', value: 'edit_file' }, { name: 'target', value: 'a…', whole: { blob: 'b', bytes: 5_000 } }] }],
      ['edit_file', [], {}],
      ['edit_file', ['a.go'], { step_id: null }],
      ['edit_file', ['a.go'], { kind: 'permission' }],
      ['shell', ['make'], {}],
      ['server.edit_file', ['a.go'], {}],
      ['constructor', ['a.go'], {}],
    ] as [string, string[], Partial<AskView>][])
      expect(said(tool, targets, more)).toBe('engine’s words')
  })
})

test('a step that was under way when its plan ended was reached', () => {
  const ended = { ...step(1, 'Write'), status: 'skipped', skip_cause: 'plan_ended' as const }
  expect(skipWords({ ...ended, took_ms: 0 })).toBe('not reached')
  expect(skipWords({ ...ended, took_ms: 1200 })).toBe('interrupted')
})
