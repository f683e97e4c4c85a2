import { expect, test } from 'vitest'
import { fixture } from '../dev/fixtures'
import { AGENT, ask, Log, PERSON, plan, step, usage } from '../dev/make'
import { Fold } from '../src/chat/fold'
import { answerWords, callWords, inChat, outcomeWords, quiet } from '../src/chat/items'
import { withLive } from '../src/chat/rows'
import { ownStep } from '../src/plan/status'
import type { Actor, Event } from '../src/lib/wire'

function folded(log: Log): Fold {
  const fold = new Fold()
  fold.push(log.events)
  return fold
}

const shape = plan({ goal: 'g', steps: [step(1, 'one'), step(2, 'two')] })

test('calls belong to the step under way', () => {
  const log = new Log().planned(shape)
  log.push({ type: 'step_started', step: 's2' })
  log.replied('', [{ tool: 'read_file', args: { path: 'a.md' } }])
  const fold = folded(log)
  expect(fold.callsOf('plan', 's1')).toEqual([])
  expect(fold.callsOf('plan', 's2')).toMatchObject([{ tool: 'read_file', target: 'a.md', state: 'ok' }])
  expect(fold.items).toMatchObject([{ kind: 'agent', step: 2 }])
})

test('a step has its number where its plan was written before what is here', () => {
  const steps = [step(1, 'one', 'done', { id: 'look' }), step(2, 'two', 'done', { id: 'build' }), step(3, 'three', 'in_progress', { id: 'test' })]
  const shown = plan({ goal: 'g', steps })
  const log = new Log().planned(shown).push({ type: 'step_started', step: 'look' }).replied('One.')
  log.push({ type: 'step_done', step: 'look', result: 'ok' }).push({ type: 'step_started', step: 'build' }).replied('Two.')
  log.push({ type: 'step_done', step: 'build', result: 'ok' }).push({ type: 'step_started', step: 'test' }).replied('Three.')
  const agents = (fold: Fold) => fold.items.flatMap((item) => (item.kind === 'agent' ? [item.step] : []))
  for (let cut = 0; cut < log.events.length; cut++) {
    const tail = log.events.slice(cut)
    const replies = tail.filter(({ event }) => event.type === 'replied').length
    expect(agents(Fold.of(tail, shown))).toEqual([1, 2, 3].slice(3 - replies))
  }
  // A plan that is not the room's any more has the numbers of its names.
  const before = new Log().push({ type: 'step_started', step: 's7' }).replied('Seven.').push({ type: 'step_stopped', step: 'other', by: PERSON }).planned(shown)
  expect(Fold.of(before.events, shown).items).toMatchObject([{ kind: 'agent', step: 7 }, { kind: 'note', text: 'Step “other” stopped. Resume runs it again.' }])
})

test('who hands its steps to sidekicks speaks for none of them', () => {
  const log = new Log().planned(shape)
  for (const [step, room] of [['s1', 'k1'], ['s2', 'k2']] as const) log.push({ type: 'step_started', step }).push({ type: 'step_handed', step, room })
  log.replied('They work.', [{ tool: 'read_file', args: {} }])
  log.push({ type: 'step_done', step: 's1', result: 'ok' }).replied('One is done.')
  const fold = folded(log)
  expect(fold.items).toMatchObject([{ kind: 'agent', step: null }, { kind: 'agent', step: null }])
  expect([fold.callsOf('plan', 's1'), fold.callsOf('plan', 's2')]).toEqual([[], []])
  // One that is done again without them is its own.
  fold.push([{ seq: 99, at: 0, event: { type: 'step_started', step: 's2' } }, { seq: 100, at: 0, event: { type: 'replied', model: 'm', text: 'I do it.', usage: usage(), seen: 99 } }])
  expect(fold.items.at(-1)).toMatchObject({ kind: 'agent', step: 2 })
})

test('a sidekick speaks for the step above that it does, until it has ended', () => {
  const brief = (number: number | null): Event => ({ type: 'briefed', task: 't', full: false, by: AGENT, number, limits: { turns: 25, seconds: 300 } })
  const log = new Log().push(brief(2)).replied('I look.')
  log.push({ type: 'sidekick_ended', end: 'completed', result: 'done' }).replied('As I said.')
  log.push(brief(3)).replied('Next.')
  const agents = (fold: Fold) => fold.items.flatMap((item) => (item.kind === 'agent' ? [item.step] : []))
  expect(agents(folded(log))).toEqual([2, null, 3])
  expect(folded(log).serves).toBe(3)
  // A plan of its own counts first.
  log.planned(shape).push({ type: 'step_started', step: 's1' }).replied('Mine.')
  expect(agents(folded(log)).at(-1)).toBe(1)
  expect(agents(folded(new Log().push(brief(null)).replied('No step.')))).toEqual([null])
})

test('what is being written belongs to the step that its agent does', () => {
  const steps = [step(1, 'one', 'in_progress', { sidekick: 'k1' }), step(2, 'two', 'in_progress')]
  expect(ownStep(plan({ goal: 'g', steps }), null)).toBe(2)
  expect(ownStep(plan({ goal: 'g', steps: steps.slice(0, 1) }), null)).toBe(null)
  expect([ownStep(null, 4), ownStep(plan({ goal: 'g', steps: [step(1, 'one', 'done')] }), null)]).toEqual([4, null])
})

test('what was said before a plan was said while planning', () => {
  const fold = folded(new Log().said('do it').replied('Let me look.').planned(shape))
  expect(fold.items).toMatchObject([{ kind: 'me' }, { kind: 'agent', planning: true }])
  expect(fold.revisions).toMatchObject([{ revision: 1, plan: 'plan' }])
})

test('a turn that the person stopped is no error', () => {
  const fold = folded(new Log().push({ type: 'trouble', code: 'STOPPED', text: 'You stopped this turn.' }).push({ type: 'trouble', code: 'KEY', text: 'The key was refused.' }))
  expect(fold.items).toMatchObject([{ kind: 'note', tone: 'plain' }, { kind: 'failed' }])
})

test('a failed call shows its first line, and its nudge stands below', () => {
  const fold = folded(new Log().replied('', [{ tool: 't', args: {}, outcome: 'failed', result: 'no\nmore', nudge: 'try' }]))
  const item = fold.items[0]
  expect(item?.kind === 'agent' && outcomeWords(item.calls[0]!)).toBe('no')
  expect(fold.items[1]).toMatchObject({ kind: 'nudge', text: 'try' })
})

test('a refusal is told in its words, not as it was sent to the model', () => {
  const result = JSON.stringify({ code: 'NO_PLAN', message: 'there is no "plan" yet' })
  const fold = folded(new Log().replied('', [{ tool: 't', args: {}, outcome: 'blocked', result }]))
  const item = fold.items[0]
  expect(item?.kind === 'agent' && outcomeWords(item.calls[0]!)).toBe('blocked: there is no "plan" yet')
})

test('a call that was asked about waits, then runs', () => {
  const { events } = fixture('drift')
  const fold = new Fold()
  fold.push(events)
  const waits = () => fold.items.flatMap((item) => (item.kind === 'agent' ? item.calls : [])).at(-1)?.state
  expect(waits()).toBe('asked')
  fold.push([{ seq: 999, at: 0, event: { type: 'ask_answered', ask: 'ask', answer: 'once', by: { kind: 'person', principal: '', surface: 'window' } } }])
  expect(waits()).toBe('running')
})

test('a question keeps its answer', () => {
  const log = new Log().replied('', [{ tool: 'ask_user', args: { question: 'Which one?' }, outcome: null }])
  log.push({ type: 'ask_raised', ask: { ...ask({ kind: 'question', text: 'Which one?' }), call_id: log.lastCall() } })
  log.push({ type: 'ask_answered', ask: 'ask', answer: 'The second.\nIt is newer.', by: PERSON })
  log.push({ type: 'call_ended', call: log.lastCall(), outcome: 'ok', result: 'The second.\nIt is newer.' })
  const item = folded(log).items[0]
  expect(item?.kind === 'agent' && answerWords(item.calls[0]!)).toBe('You: The second.')
})

test('a shown item is replaced, not changed', () => {
  const log = new Log().replied('', [{ tool: 't', args: {}, outcome: null }])
  const fold = folded(log)
  const before = fold.items[0]
  fold.push([{ seq: 9, at: 0, event: { type: 'call_began', call: 'c1', effect: 'read' } }])
  expect(fold.items[0]).not.toBe(before)
})

test('calls whose work the card shows are quiet until they go wrong', () => {
  const done = { tool: 'plan', args: { action: 'step_done', step: 's1' } }
  const fold = folded(new Log().replied('', [done]).replied('', [{ ...done, outcome: 'failed', result: 'no' }]).replied('', [{ tool: 'read_file', args: {} }]))
  expect(fold.items.map(inChat)).toEqual([false, true, true])
  const calls = fold.items.flatMap((item) => (item.kind === 'agent' ? item.calls : []))
  expect(calls.map(quiet)).toEqual([true, false, false])
  expect(calls.map((call) => callWords(call).words)).toEqual(['Mark the step as done', 'Mark the step as done', 'read_file'])
})

test('what was said while an answer was being written stands after it', () => {
  const log = new Log().said('one')
  log.said('two')
  log.events.push({ seq: 3, at: 3, event: { type: 'replied', model: 'm', text: 'To one.', calls: [{ id: 'c', ref: '', tool: 'search', args: '{}' }], usage: usage(), seen: 1 } })
  log.events.push({ seq: 4, at: 4, event: { type: 'call_ended', call: 'c', outcome: 'ok', result: 'found' } })
  log.events.push({ seq: 5, at: 5, event: { type: 'replied', model: 'm', text: 'To two.', usage: usage(), seen: 4 } })
  expect(folded(log).items).toMatchObject([
    { kind: 'me', text: 'one' },
    { kind: 'agent', text: 'To one.', calls: [{ state: 'ok', result: 'found' }] },
    { kind: 'me', text: 'two' },
    { kind: 'agent', text: 'To two.' },
  ])
})

test('news of a sidekick that came while an answer was being written stands after it', () => {
  const log = new Log().said('one')
  log.push({ type: 'nudged', text: 'Sidekick brave-otter has finished: 42' })
  log.events.push({ seq: 3, at: 3, event: { type: 'replied', model: 'm', text: 'To one.', usage: usage(), seen: 1 } })
  expect(folded(log).items).toMatchObject([{ kind: 'me' }, { kind: 'agent', text: 'To one.' }, { kind: 'nudge' }])
})

test('a message that is queued stands below the answer under way, and a plan written then is still planned', () => {
  const fold = folded(new Log().said('one').said('two'))
  const words = (seen: number) => withLive(fold.items, seen).map((row) => (row.kind === 'me' ? row.text : row.kind))
  expect(words(1)).toEqual(['one', 'live', 'two'])
  expect(words(2)).toEqual(['one', 'two', 'live'])
  fold.push([{ seq: 3, at: 3, event: { type: 'replied', model: 'm', text: 'A plan.', usage: usage(), seen: 1 } }])
  fold.push(new Log().said('').said('').said('').planned(shape).events)
  expect(fold.items).toMatchObject([{ text: 'one' }, { text: 'A plan.', planning: true }, { text: 'two' }])
})

test('what was said to a plan that waits stands once', () => {
  const words = 'Step 2 (two): not this file'
  const log = new Log().planned(shape).said(words)
  log.push({ type: 'sent_back', reason: words, rejected: false, by: PERSON })
  const shown = folded(log).items.filter((item) => JSON.stringify(item).includes('not this file'))
  expect(shown).toMatchObject([{ kind: 'me', text: words }])
  expect(folded(log).items.at(-1)).toMatchObject({ kind: 'note', text: 'You requested changes' })
})

test('why a plan was rejected is told where nothing was said', () => {
  const log = new Log().planned(shape).said('do it')
  log.push({ type: 'sent_back', reason: 'too much', rejected: true, by: PERSON })
  expect(folded(log).items.at(-1)).toMatchObject({ text: 'You requested changes: too much' })
})

test('a room that is taken out of the archive says so, one that is put away does not', () => {
  const log = new Log().push({ type: 'room_archived', archived: true }).push({ type: 'room_archived', archived: false }).said('go on')
  expect(folded(log).items).toMatchObject([{ kind: 'note', text: 'Unarchived' }, { kind: 'me' }])
})

test('a pause says what interrupted it', () => {
  const log = new Log().push({ type: 'paused', reason: 'interrupted', detail: '/a is not there.' }).push({ type: 'paused', reason: 'interrupted' })
  expect(folded(log).items.map((item) => item.kind === 'note' && item.text)).toEqual(['Paused: interrupted: /a is not there.', 'Paused: interrupted'])
})

test('plan mode off says what still holds changes up, and else that the rules alone decide', () => {
  const off = (...events: Event[]) => {
    const log = new Log().planned(shape)
    for (const event of [...events, { type: 'mode_changed', mode: 'off', by: PERSON } as const]) log.push(event)
    const item = folded(log).items.at(-1)
    return item?.kind === 'note' ? item.text : ''
  }
  const asked: Event = { type: 'approval_requested' }
  const back: Event = { type: 'sent_back', reason: 'no', rejected: true, about: [], by: PERSON }
  const cancelled = (by: Actor): Event => ({ type: 'plan_cancelled', reason: '', by })
  const rules = 'Plan mode is off: permission rules apply'
  expect(off(asked)).toBe('Plan mode is off, but nothing changes until you approve or cancel the waiting plan')
  expect(off(asked, back)).toBe('Plan mode is off, but nothing changes until you approve a new revision or cancel the plan')
  expect(off(asked, back, cancelled(AGENT))).toMatch(/until you approve another plan/)
  expect(off(asked, back, cancelled(AGENT), asked, cancelled(AGENT))).toMatch(/until you approve another plan/)
  expect(off({ type: 'started' }, { type: 'paused', reason: 'manual' })).toMatch(/is paused until you resume/)
  for (const free of [off(asked, back, cancelled(PERSON)), off({ type: 'started' }), off(asked, back, asked, { type: 'started' }), off(asked, cancelled(AGENT))]) expect(free).toBe(rules)
  // In strict mode that is what it says anyway.
  const strict = folded(new Log().planned(shape).push(asked).push({ type: 'mode_changed', mode: 'strict', by: PERSON }))
  expect(strict.items.at(-1)).toMatchObject({ text: 'Plan mode is strict: nothing changes before you approve a plan' })
})
