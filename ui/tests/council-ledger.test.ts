import { describe, expect, test } from 'vitest'
import { councilRoom, RULES } from '../dev/councils'
import { CAPS, Log, PERSON } from '../dev/make'
import { Fold } from '../src/chat/fold'
import type { ChatItem } from '../src/chat/items'
import type { Event } from '../src/lib/wire'

const SITTING = [{ agent: 'claude', model: 'x/a', room: 'r1' }, { agent: 'codex', model: 'x/b', room: 'r2' }]
const CONTENT = { goal: 'Do it', title: 'Folders', mode: 'sequential', advance: 'auto', venue: 'main', workspace: '', steps: [] } as const
const FRAME = { origin: 'council', caps: CAPS, lanes: 1, on_partial: 'fail', venue_room: 'room' } as const

const began: Event = { type: 'council_started', council: 'c', task: 'Do it', members: SITTING, rules: RULES, frame: FRAME, plan: 'p', ask: 'q', by: PERSON }
const answered = (member: number, nth = 1): Event => ({ type: 'council_answered', member, label: `agent${member}.${nth}`, content: 'x', plan: { ...CONTENT, steps: [] } })
const voted = (member: number | null, choice: number): Event => ({ type: 'council_voted', member, vote: { for: choice, label: `agent${choice}.1`, reason: 'It is small' } })

function fold(...events: Event[]): Fold {
  const log = new Log()
  for (const event of events) log.push(event)
  const made = new Fold()
  made.push(log.events)
  return made
}
const notes = (made: Fold) => made.items.flatMap((item: ChatItem) => (item.kind === 'note' ? [item.text] : []))

describe('a council in the chat', () => {
  test('stands below the task that a person gave it', () => {
    expect(fold(began).items.map((item) => item.kind)).toEqual(['me', 'note'])
    const byAgent: Event = { ...began, by: { ...PERSON, kind: 'agent' } }
    expect(fold(byAgent).items.map((item) => item.kind)).toEqual(['note'])
  })

  test('is a line for its start, each answer and vote, and its end', () => {
    const made = fold(began, answered(1), answered(2), voted(1, 2), voted(null, 2), { type: 'council_decided', winner: 2, by: 'votes' }, { type: 'council_ended', state: 'done' })
    expect(notes(made)).toEqual([
      'Council of 2 started by you: claude and codex', 'agent1 (claude) proposed agent1.1: Folders', 'agent2 (codex) proposed agent2.1: Folders',
      'agent1 (claude) voted for agent2.1: It is small', 'You voted for agent2.1: It is small', 'agent2 (codex) won the vote', 'Council done',
    ])
  })

  test('says when a member is out, waits, repeats itself or is retried', () => {
    const made = fold(
      began, { type: 'council_member_waits', member: 1, until: 5 }, { type: 'council_member_waits', member: 1 }, { type: 'council_not_new', member: 1, overlap: 80 }, { type: 'council_vote_dropped', member: 2, vote: { for: 1, label: 'agent1.1', reason: '' }, why: 'A new answer came first.' },
      { type: 'council_member_failed', member: 2, reason: 'No key.' }, { type: 'council_member_retried', member: 2, who: SITTING[1]!, by: PERSON },
    )
    expect(notes(made).slice(1)).toEqual([
      'agent1 (claude) is waiting for its provider', 'agent1 (claude) repeated an earlier answer (80 % the same). This member can only vote now.', 'agent2 (codex): vote for agent1.1 dropped: A new answer came first.',
      'agent2 (codex) is out: No key.', 'agent2 (codex) was retried by you',
    ])
  })

  test('says why it is paused, and that it began again', () => {
    const made = fold(began, { type: 'council_paused', reason: 'cap', detail: '$3 used' }, { type: 'council_resumed', by: PERSON }, { type: 'council_restarted', reason: 'Nothing imports', instructions: 'Make it a package', result: '', members: SITTING, plan: 'p2', ask: 'q2' })
    expect(notes(made).slice(1)).toEqual(['Council paused: limit reached: $3 used', 'Council resumed by you', 'Council attempt 2 started: Nothing imports'])
  })

  test('a member’s own room shows what it was asked', () => {
    const made = new Fold()
    made.push(councilRoom('member').events)
    expect(made.items[0]).toMatchObject({ kind: 'brief', from: 'council' })
  })

  test('what only the council needs is not shown', () => {
    expect(notes(fold({ type: 'council_review_began' }, { type: 'council_handed_over', text: 'x' }, { type: 'member_rested', turn: 1 }))).toEqual([])
  })
})

describe('rounds', () => {
  test('an answer that clears votes begins the next, and one that clears none does not', () => {
    const made = fold(began, answered(1), answered(2), voted(1, 2), answered(2, 2), voted(1, 2))
    expect(made.council.of('c', 2).map((one) => [one.kind, one.round])).toEqual([['state', 1], ['answer', 1], ['answer', 1], ['vote', 1], ['answer', 2], ['vote', 2]])
    expect(notes(made)).toContain('agent2 (codex) proposed agent2.2: Folders (1 vote cleared)')
  })

  test('are counted back from the last where the beginning is not here', () => {
    const made = fold(answered(1, 2), voted(1, 2))
    expect(made.council.of('c', 3).map((one) => one.round)).toEqual([3, 3])
    expect(notes(made)[0]).toBe('agent1 proposed agent1.2: Folders')
  })

  test('are those of the last attempt, and of this council alone', () => {
    const made = fold(began, answered(1), { type: 'council_restarted', reason: '', instructions: '', result: '', members: SITTING, plan: 'p2', ask: 'q2' }, answered(2))
    expect(made.council.of('c', 1).map((one) => one.kind)).toEqual(['state', 'answer'])
    expect(made.council.of('other', 1)).toEqual([])
  })
})
