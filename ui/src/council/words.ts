// A council's states, votes and ends in words.

import type { Tone } from '../kit/tone'
import type { CouncilAttemptView, CouncilMemberView, CouncilView, DecidedBy } from '../lib/wire'
import { count, listed, modelName, money, planState, sentence, tokens } from '../lib/words'
import { isTalking, memberOf, turnout, votesFor } from './facts'

const STATE: Record<CouncilView['state'], string> = {
  answering: 'Council: proposing',
  voting: 'Council: voting',
  decided: 'Council: decided',
  executing: 'Council: executing',
  done: 'Council done',
  failed: 'Council failed',
  cancelled: 'Council cancelled',
  paused: 'Council paused',
}

/** As on its pill. */
export function stateWords({ state, pause_reason }: Pick<CouncilView, 'state' | 'pause_reason'>): string {
  return state === 'paused' ? planState(state, pause_reason).replace('Paused', 'Council paused') : STATE[state]
}

export function councilTone(state: string): Tone {
  switch (state) {
    case 'answering':
    case 'voting':
    case 'decided':
    case 'executing':
      return 'go'
    case 'paused':
      return 'wait'
    case 'done':
      return 'good'
    case 'failed':
      return 'bad'
    default:
      return 'plain'
  }
}

/** `agent2 (codex)`: what it is called in the council, and who it is. */
export function named(member: Pick<CouncilMemberView, 'id' | 'agent'>): string {
  return `${member.id} (${member.agent})`
}

/** `23:48`, `1:02:09`. */
export function countdown(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  const two = (n: number) => String(n).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  const rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
  return hours > 0 ? `${hours}:${rest}` : rest.replace(/^0(?=\d:)/, '')
}

/** `Round 2, attempt 1 of 2`; a council that can't restart has one attempt. */
export function roundWords({ round, attempt, attempts }: CouncilView): string {
  return attempts > 1 ? `Round ${round}, attempt ${attempt} of ${attempts}` : `Round ${round}`
}

/** Where a member stands, as in the last column of its row. */
export function memberWords(member: CouncilMemberView, council: CouncilView): string {
  if (member.state === 'failed') return `Out, doesn’t count. ${sentence(member.problem ?? '')}`.trim()
  if (member.vote) return member.vote.reason
  if (member.cleared) return `Cleared. “${member.cleared.reason}”`
  if (!isTalking(council)) return 'Didn’t vote'
  if (member.waits_until) return 'Waiting for its provider'
  if (member.answers.length > 0) return council.state === 'voting' ? 'Reading the answers' : 'Answered, hasn’t voted'
  return council.rules.defer_voting_until_all_answered ? 'Answers first, then votes' : 'Working'
}

/** What is shown in the place of an answer that isn't there. */
export function silentWords(member: CouncilMemberView, council: CouncilView): string {
  if (member.state === 'failed') return `${sentence(member.problem ?? 'It failed before it answered')}${isTalking(council) ? ' The others continue.' : ''}`
  if (!isTalking(council)) return 'It gave no answer.'
  return council.rules.defer_voting_until_all_answered ? 'Working on its first answer. It sees the others after that.' : 'Working on its first answer.'
}

const BY: Record<DecidedBy, string> = {
  votes: '',
  timeout: 'Time ran out.',
  person: 'You decided.',
  last_member: 'Only this member was left.',
}

/** `agent2 (codex) won 2 of 3 votes`, and how it was decided where the votes did not do it alone. */
export function wonWords(council: CouncilView): { first: string; then: string } {
  const winner = council.winner && memberOf(council, council.winner)
  if (!winner) return { first: council.end_reason ? sentence(council.end_reason) : 'No winner.', then: '' }
  const { of } = turnout(council)
  const votes = votesFor(council, winner.id)
  const by = BY[council.decided_by ?? 'votes']
  const cast = council.members.some((member) => member.vote) || council.person_vote
  if (!cast) return { first: `${named(winner)} won without a vote.`, then: by }
  return { first: `${named(winner)} won ${votes} of ${count(of, 'vote')}.`, then: by }
}

/** The council's own caps, with how much of each is used. */
export function capsOf({ rules, usage }: CouncilView): { words: string; part: number }[] {
  const caps: { words: string; part: number }[] = []
  if (rules.tokens) {
    const whole = tokens({ ...usage, input: rules.tokens, output: 0 })
    caps.push({ words: `${tokens(usage).replace(/ tokens$/, '')} of ${whole}`, part: (usage.input + usage.output) / rules.tokens })
  }
  if (rules.cost_micros) caps.push({ words: `${money(usage.cost_micros)} of ${money(rules.cost_micros)}`, part: usage.cost_micros / rules.cost_micros })
  return caps
}

/** Members that share a model agree with themselves. */
export function sharedWords(models: string[]): string {
  if (models.length === 0) return ''
  return `Several members use ${listed(models.map(modelName))}. Members of one model tend to agree with each other.`
}

/** The tag at a member's answer. */
export function tagWords(votes: number, leads: boolean, tied: boolean): string {
  if (votes === 0) return ''
  return leads && tied ? `${count(votes, 'vote')}, wins ties` : count(votes, 'vote')
}

/** How an earlier attempt was decided. */
export function attemptWords(attempt: CouncilAttemptView): string {
  const winner = attempt.members.find((member) => member.id === attempt.winner)
  const votes = attempt.tally.find((score) => score.member === attempt.winner)?.votes ?? 0
  return `Attempt ${attempt.attempt}${winner ? `: ${named(winner)} won${votes > 0 ? ` with ${count(votes, 'vote')}` : ''}` : ''}`
}

/** Why it stands still, and what Resume does. */
export function pauseWords(council: CouncilView): { why: string; then: string } {
  const detail = sentence(council.pause_detail ?? '')
  const then = council.actions.includes('resume') ? 'Resume continues where it stopped.' : ''
  switch (council.pause_reason) {
    case 'supervisor':
      return { why: 'You paused the council.', then: `The clock is stopped. ${then}`.trim() }
    case 'interrupted':
      return { why: detail || 'The app was closed while the council ran.', then: `Answers and votes are kept. ${then}`.trim() }
    case 'cap':
      // A limit of the room or the day is not the council's: it stays where it is until it is raised.
      if (council.pause_code === 'LIMIT_REACHED') return { why: detail || 'A spending limit is reached.', then: 'Raise it in Settings, then resume.' }
      return { why: detail || 'The council reached a limit.', then: council.actions.includes('resume') ? 'Resume allows as much again.' : '' }
    case 'quota':
      return { why: detail || 'A rate limit is reached.', then: council.pause_until ? 'It resumes when the limit resets.' : then }
    case 'provider':
      return { why: detail || 'A model didn’t answer.', then: then.replace('Resume', 'Resume asks again and') }
    default:
      return { why: detail || 'The council is paused.', then }
  }
}
