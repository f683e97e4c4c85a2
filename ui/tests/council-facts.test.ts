import { describe, expect, test } from 'vitest'
import { council, eight, five, member, RULES, three, vote } from '../dev/councils'
import { plan } from '../dev/make'
import { asText, firstPair, pairs } from '../src/council/compare'
import { isOpen, leader, news, objections, progress, takesCard, timeLeft, turnout } from '../src/council/facts'
import { estimateWords, optionsFor, problemWith, sharedBy, wrongOption, AS_CONFIGURED } from '../src/council/start'
import { capsOf, countdown, memberWords, pauseWords, roundWords, sharedWords, stateWords, tagWords, wonWords } from '../src/council/words'
import type { CouncilPreview } from '../src/lib/wire'

describe('who leads', () => {
  test('a tie goes to the first member, and says so', () => {
    expect(leader(three())).toEqual({ member: 'agent2', votes: 1, tied: true })
    expect(tagWords(1, true, true)).toBe('1 vote, wins ties')
    expect(tagWords(1, false, true)).toBe('1 vote')
  })

  test('nobody leads without votes', () => expect(leader(five())).toBeNull())

  test('the person’s vote counts as one, once it is cast', () => {
    expect(turnout(eight())).toEqual({ cast: 6, of: 9 })
    expect(turnout(three())).toEqual({ cast: 2, of: 3 })
  })

  test('a member that is out can’t vote, and one that voted before still counts', () => {
    expect(turnout(five())).toEqual({ cast: 0, of: 4 })
    const out = council([member(1, [{ title: 'A', steps: [] }], { state: 'failed', vote: vote(1, 'mine') }), member(2, [])])
    expect(turnout(out)).toEqual({ cast: 1, of: 2 })
  })

  test('who voted for another answer objects, the person too', () => {
    expect(objections(three()).map(({ member }) => member?.id)).toEqual(['agent3'])
    expect(objections(three({ winner: 'agent2', person_vote: vote(1, 'plain') })).map(({ member }) => member?.id ?? 'you')).toEqual(['agent3', 'you'])
    expect(objections(five())).toEqual([])
  })
})

describe('a new answer', () => {
  test('names who reads it and what it replaces', () => {
    expect(news(five())).toMatchObject({ label: 'agent2.2', before: 'agent2.1', cleared: 2 })
  })

  test('is no news in the first round, nor while it is paused', () => {
    expect(news(three())).toBeNull()
    expect(news(five({ state: 'paused' }))).toBeNull()
  })
})

describe('which card stands above the chat', () => {
  const later = plan({ steps: [], created_at: three().started_at + 1, id: 'later' })

  test('the council’s while it talks, whatever plan there was', () => {
    expect(takesCard(three(), later)).toBe(true)
    expect(takesCard(three({ state: 'paused' }), null)).toBe(true)
  })

  test('the plan’s once the winner’s answer is it', () => {
    expect(takesCard(three({ state: 'executing', plan_id: 'later' }), later)).toBe(false)
    expect(isOpen(three({ state: 'paused', plan_id: 'later' }))).toBe(false)
  })

  test('that of a council that failed, until another plan is written', () => {
    expect(takesCard(three({ state: 'failed' }), null)).toBe(true)
    expect(takesCard(three({ state: 'failed' }), { ...later, created_at: 0 })).toBe(true)
    expect(takesCard(three({ state: 'failed' }), later)).toBe(false)
  })

  test('that of a council that failed in its second attempt, over the first one’s plan', () => {
    const earlier = [{ attempt: 1, members: [], plan_id: 'later', reason: '', instructions: '', result: '', round: 1, tally: [], dropped: [] }]
    expect(takesCard(three({ state: 'failed', earlier }), later)).toBe(true)
  })
})

describe('words', () => {
  test.each([
    [0, '0:00'],
    [999, '0:01'],
    [61_000, '1:01'],
    [1_428_000, '23:48'],
    [3_729_000, '1:02:09'],
  ])('%i ms left is %s', (ms, words) => expect(countdown(ms)).toBe(words))

  test('time that stands still counts what it ran', () => {
    expect(timeLeft(three({ deadline: null, ran_ms: 60_000 }), 0)).toBe(1_740_000)
    expect(timeLeft(three({ deadline: 5_000 }), 9_000)).toBe(0)
  })

  test('says how the vote went', () => {
    expect(wonWords(three({ winner: 'agent2', decided_by: 'votes' }))).toEqual({ first: 'agent2 (codex) won 1 of 3 votes.', then: '' })
    expect(wonWords(three({ winner: 'agent1', decided_by: 'person' }))).toEqual({ first: 'agent1 (claude) won 0 of 3 votes.', then: 'You decided.' })
    expect(wonWords(five({ winner: 'agent2', decided_by: 'timeout' }))).toEqual({ first: 'agent2 (codex) won without a vote.', then: 'Time ran out.' })
    expect(wonWords(five({ end_reason: 'nobody answered' })).first).toBe('Nobody answered.')
  })

  test('says its state, round and attempt', () => {
    expect(stateWords(three())).toBe('Council: voting')
    expect(stateWords(three({ state: 'paused', pause_reason: 'supervisor' }))).toBe('Council paused: by you')
    expect(roundWords(three())).toBe('Round 1, attempt 1 of 2')
    expect(roundWords(five())).toBe('Round 2')
  })

  test('says why it is paused and what Resume does', () => {
    expect(pauseWords(three({ pause_reason: 'cap', pause_detail: 'the council used $3.00', actions: ['resume'] }))).toEqual({ why: 'The council used $3.00.', then: 'Resume allows as much again.' })
    const limit = three({ pause_reason: 'cap', pause_code: 'LIMIT_REACHED', pause_detail: 'the limit on tokens for today is reached; it can be raised in the settings', actions: ['resume'] })
    expect(pauseWords(limit).then).toBe('Raise it in Settings, then resume.')
    expect(pauseWords(three({ pause_reason: 'quota', pause_until: 5, actions: ['resume'] })).then).toBe('Resumes when the limit resets.')
    expect(pauseWords(three({ pause_reason: 'supervisor', actions: [] })).then).toBe('The clock is stopped.')
  })

  test('shows both of its caps', () => {
    const used = { ...three().usage, input: 40_000, output: 2_000, cost_micros: 500_000 }
    const capped = three({ usage: used, rules: { ...RULES, tokens: 84_000, cost_micros: 2_000_000 } })
    expect(capsOf(capped)).toEqual([{ words: '42k of 84k tokens', part: 0.5 }, { words: '$0.50 of $2.00', part: 0.25 }])
    expect(capsOf(three({ rules: RULES }))).toEqual([])
  })

  test('says where each member stands', () => {
    const all = five()
    expect(all.members.map((one) => memberWords(one, all))).toEqual([
      'Cleared. “Easy to go back at any point.”', 'Answered, hasn’t voted', 'Cleared. “It can be undone. Mine can’t.”', 'Out, doesn’t count. xAI rejected the request: rate limit, after 3 tries.', 'Working',
    ])
  })

  test('points out a shared model', () => {
    expect(sharedWords(['anthropic/claude-opus'])).toMatch(/^Several members use claude-opus\./)
    expect(sharedWords([])).toBe('')
  })

  test('progress counts an answer and a vote of each that lives', () => {
    expect(progress(three())).toBeCloseTo(5 / 6)
    expect(progress(five())).toBeCloseTo(3 / 8)
    expect(progress(three({ winner: 'agent1' }))).toBe(1)
  })
})

describe('two answers compared', () => {
  test('what was replaced stands beside what replaced it', () => {
    expect(pairs('a\nb\nc', 'a\nx\ny\nc')).toEqual([
      { left: 'a', right: 'a', same: true },
      { left: 'b', right: 'x', same: false },
      { left: null, right: 'y', same: false },
      { left: 'c', right: 'c', same: true },
    ])
  })

  test('begins with an answer and the one before it, else with another member’s', () => {
    expect(firstPair(['agent1.1', 'agent2.1', 'agent2.2'], 'agent2.2')).toEqual(['agent2.1', 'agent2.2'])
    expect(firstPair(['agent1.1', 'agent2.1'], 'agent1.1')).toEqual(['agent2.1', 'agent1.1'])
    expect(firstPair(['agent1.1'])).toBeNull()
  })

  test('steps are part of it', () => {
    expect(asText(three().members[0]!.answers[0]!)).toContain('1. Create src/, tests/ and docs/\n   Does: write_file')
  })

  test('all that a step says is part of it, even where it is the only one', () => {
    const step = { id: 's2', text: 'Test', tool: 'shell', target: 'npm test', expected_outcome: 'All pass', verify: 'npm test', needs: ['s1'], agent: 'bob', model: 'x/m' }
    const answer = { ...three().members[0]!.answers[0]!, content: 'Words', steps: [step] }
    expect(asText(answer)).toBe('Words\n\n1. Test\n   Does: shell npm test\n   Expected: All pass\n   Check: npm test\n   After: s1\n   Agent: bob\n   Model: x/m')
  })
})

describe('before it starts', () => {
  const preview: CouncilPreview = { members: [{ agent: 'a', model: 'x/m', tokens: 20_100, cost_micros: 50_000 }, { agent: 'b', model: 'x/m', tokens: 20_100, cost_micros: 50_000 }, { agent: 'c', model: 'y/n', tokens: 20_100, cost_micros: 200_000 }], shared_models: ['x/m'], turns: 9, tokens: 60_300, cost_micros: 300_000, basis: '', minutes: 30 }

  test('the estimate goes by how many are chosen', () => {
    expect(estimateWords(preview, preview.members)).toBe('3 members × 3 turns, about 60.3k tokens, $0.30')
    expect(estimateWords(preview, preview.members.slice(0, 2))).toBe('2 members × 3 turns, about 40.2k tokens, $0.10')
    const unpriced = { ...preview.members[2]!, cost_micros: null }
    expect(estimateWords(preview, [preview.members[0]!, unpriced])).toContain('price unknown')
  })

  test('shared models are those of the chosen', () => {
    expect(sharedBy(preview.members)).toEqual(['x/m'])
    expect(sharedBy(preview.members.slice(1))).toEqual([])
  })

  test('one member is too few and nine are too many', () => {
    expect(problemWith(preview, 1)).toMatch(/two members or more/)
    expect(problemWith(preview, 9)).toMatch(/8 members at most/)
    expect(problemWith({ ...preview, problem: 'A plan is active.' }, 3)).toBe('A plan is active.')
    expect(problemWith(preview, 3)).toBe('')
  })

  test('only what was chosen is asked for, by the names of the configuration', () => {
    expect(optionsFor(AS_CONFIGURED)).toEqual({})
    const options = optionsFor({ minutes: '5', answers: '1', tokens: '5000', blind: 'off', final: 'winner_reuse' })
    expect(options).toEqual({ orchestrator_timeout_seconds: 300, max_new_answers_per_agent: 1, tokens: 5_000, defer_voting_until_all_answered: false, final_answer_strategy: 'winner_reuse' })
    for (const name of Object.keys(options)) expect(RULES).toHaveProperty(name)
    expect(wrongOption({ ...AS_CONFIGURED, minutes: 'soon' })).toMatch(/whole number of minutes/)
    expect(wrongOption({ ...AS_CONFIGURED, answers: '0' })).toMatch(/whole number/)
    expect(wrongOption({ ...AS_CONFIGURED, tokens: '1.5' })).toMatch(/Max tokens/)
  })
})
