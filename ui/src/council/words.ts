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

/** What is said to a screen reader when it changes. */
export function spoken(council: CouncilView, words: string): string {
  if (!isTalking(council)) return words
  const { cast, of } = turnout(council)
  const answered = council.members.filter((member) => member.answers.length > 0).length
  return `${words}. ${answered} of ${council.members.length} members answered, ${cast} of ${of} votes.`
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
  if (member.state === 'failed') return `${sentence(member.problem ?? 'Failed before answering')}${isTalking(council) ? ' The others continue.' : ''}`
  if (!isTalking(council)) return 'No answer.'
  return council.rules.defer_voting_until_all_answered ? 'Working on its first answer, then reads the others.' : 'Working on its first answer.'
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
      return { why: detail || 'A rate limit is reached.', then: council.pause_until ? 'Resumes when the limit resets.' : then }
    case 'provider':
      return { why: detail || 'A model didn’t answer.', then: then.replace('Resume', 'Resume asks again and') }
    default:
      return { why: detail || 'The council is paused.', then }
  }
}

/** The card and its parts. */
export const COUNCIL = {
  council: 'Council',
  progress: 'Progress',
  answers: 'Answers',
  votes: 'Votes',
  rounds: 'Rounds',
  show: 'Show of the council',
  unfold: 'Show the whole council (f)',
  fold: 'Fold the council (f)',
  answersAndVotes: 'Answers and votes',
  cleared: (label: string, votes: number) => `${label} is new, so ${count(votes, 'vote')} ${votes === 1 ? 'was' : 'were'} cleared.`,
  reading: (members: string[]) => `${listed(members)} ${members.length === 1 ? 'is' : 'are'} reading it now.`,
  compareWith: (label: string) => `Compare with ${label}`,
  left: (time: string) => `${time} left`,
  stopped: (left: string) => `${left}, stopped`,
  answerNow: 'Answer now',
  pick: 'Pick winner…',
  changeVote: 'Change your vote…',
  vote: 'Your vote…',
  pause: 'Pause',
  resume: 'Resume',
  cancel: 'Cancel',
  cancelCouncil: 'Cancel council',
  notExecuted: 'Nothing was executed.',
  notChanged: 'Nothing was changed.',
  startAgain: 'Start again…',
  planNext: 'The winner’s plan comes next.',
  readOnly: 'Nothing can be changed while they talk.',
  you: 'You',
  judging: { why: 'The winner checks the result.', then: 'The work is submitted, or attempted again.' },
  objected: (who: string, reason: string) => `${who} objected: ${reason}`,
  otherProposals: 'Other proposals',
  allVotes: 'All votes',
  dissent: 'Dissent',
  prefers: (member: string | null, label: string, to: string) => (member === null ? `You prefer ${label} to ${to}` : `${member} prefers ${label} to ${to}`),
  roundCount: (n: number) => count(n, 'round'),
  votesFor: (n: number) => count(n, 'vote'),
  won: (votes: number) => `Won, ${votes}`,
  votedFor: 'Voted for',
  youVotedFor: 'You voted for',
  openConversationOf: (member: string) => `Open the conversation of ${member}`,
  openConversation: 'Open conversation',
  compareAnswers: 'Compare answers…',
  dropped: (n: number) => count(n, 'dropped vote'),
  for: 'for',
}

/** The members side by side. */
export const MEMBERS = {
  members: 'Members',
  won: (tag: string) => (tag ? `Won, ${tag}` : 'Won'),
  out: 'Out',
  new: 'New',
  moreSteps: (n: number) => count(n, 'more step'),
  noAnswer: 'No answer',
  noAnswerYet: 'No answer yet',
  waits: (left: string) => `Waiting for its provider, ${left} left`,
  earlier: 'Earlier:',
  retry: 'Retry',
  read: 'Read',
  compare: 'Compare',
  conversation: 'Conversation',
  named: (does: string, what: string) => `${does} ${what}`,
}

/** Votes as a table. */
export const VOTES = {
  caption: 'Votes: a row for each voter, a column for each answer, and the reason',
  cast: (cast: number, of: number) => `Votes, ${cast} of ${of}`,
  reason: 'Reason',
  votedForThis: 'voted for this',
  voteCleared: 'vote cleared',
  disagrees: 'Disagrees',
  voteFor: (label: string) => `Vote for ${label}`,
  noReason: 'No reason given',
  optional: 'Optional. Your vote counts as one.',
  votedFor: 'voted for',
}

/** Reading, comparing and choosing answers. */
export const ANSWERS = {
  yourVote: 'Your vote',
  pickWinner: 'Pick the winner',
  answers: 'Answers',
  reason: 'Reason (optional)',
  reasonName: 'Reason',
  back: 'Back',
  vote: 'Vote',
  pick: (member: string | undefined) => `Pick ${member ?? 'winner'}`,
  replaces: 'Your earlier vote is replaced.',
  countsAsOne: 'Your vote counts as one. A new answer clears it with the others.',
  endsWithoutVote: 'The council ends here, without a vote.',
  overrides: (votes: number) => `The council ends here. Your pick overrides ${count(votes, 'vote')}.`,
  leads: (member: string, votes: number) => ` ${member} leads with ${count(votes, 'vote')}.`,
  compare: 'Compare answers',
  first: 'First answer',
  second: 'Second answer',
  swap: 'Swap',
  same: 'No difference',
  differ: (n: number) => `${count(n, 'line')} differ${n === 1 ? 's' : ''}`,
  beside: (left: string, right: string) => `${left} beside ${right}`,
  onlyLeft: 'only left:',
  onlyRight: 'only right:',
  answer: 'Answer',
  steps: 'Steps',
  previous: 'Previous',
  next: 'Next',
  compareThis: 'Compare…',
  voteForThis: 'Vote for this…',
  pickThis: 'Pick…',
  /** What a step says beside its text. */
  does: 'Does',
  expected: 'Expected',
  check: 'Check',
  after: 'After',
  agent: 'Agent',
  model: 'Model',
}

/** Attempts and rounds before now. */
export const EARLIER = {
  attempts: 'Earlier attempts',
  because: 'Restarted because',
  instructions: 'Instructions',
  answers: 'Answers',
  votes: 'Votes',
  dropped: 'Dropped:',
  result: 'Result',
  timeline: 'Rounds over time',
  round: (n: number) => `Round ${n}`,
}

/** Before a council starts. */
export const START = {
  title: 'Start a council',
  about: 'Several agents propose, read each other’s answers and vote. The winner’s answer becomes this room’s plan.',
  task: 'Task',
  taskHint: 'What they work on',
  members: 'Members',
  estimating: 'Estimating…',
  settings: 'Settings → Agents',
  advanced: 'Advanced',
  minutes: 'Time limit',
  minutesUnit: 'minutes',
  answers: 'Answers each',
  answersUnit: 'at most',
  tokens: 'Max tokens',
  tokensUnit: 'then it pauses and asks',
  noLimit: 'no limit',
  blind: 'Blind start',
  final: 'Final answer',
  asInSettings: 'As in settings',
  blindOn: 'On: everyone answers before anyone reads',
  blindOff: 'Off: answers are open at once',
  executes: 'The winner executes its plan',
  combines: 'The winner combines all answers first',
  answerOnly: 'Show the answer only',
  back: 'Back',
  start: 'Start',
  wrongMinutes: 'The time limit is a whole number of minutes.',
  wrongAnswers: 'Answers each is a whole number from 1.',
  wrongTokens: 'Max tokens is a whole number from 1.',
  estimate: (members: number, turns: number, tokens: string, price: string) => `${count(members, 'member')} × ${count(turns, 'turn')}, about ${tokens}, ${price}`,
  noPrice: 'price unknown',
  tooFew: 'Choose two members or more.',
  tooMany: (most: number) => `Choose ${most} members at most.`,
}

/** Lines of the chat, and of the rounds over time. Reasons come with their colon. */
export const LEDGER = {
  inForce: { votes: 'the vote', timeout: 'when time ran out', person: 'by your decision', last_member: 'as the last member' },
  started: 'Started',
  startedBy: (members: number, who: string, agents: string[]) => `Council of ${members} started by ${who}: ${listed(agents)}`,
  proposed: (who: string, label: string, title: string, cleared: number) => `${who} proposed ${label}: ${title}${cleared > 0 ? ` (${count(cleared, 'vote')} cleared)` : ''}`,
  refused: (overlap: number) => `Answer refused, ${overlap} % like an earlier one`,
  repeated: (who: string, overlap: number) => `${who} repeated an earlier answer (${overlap} % the same). This member can only vote now.`,
  votedFor: (label: string) => `Voted for ${label}`,
  voted: (who: string, label: string, because: string) => `${who} voted for ${label}${because}`,
  voteDropped: (label: string, because: string) => `Vote for ${label} dropped${because}`,
  dropped: (who: string, label: string, because: string) => `${who}: vote for ${label} dropped${because}`,
  waits: (who: string) => `${who} is waiting for its provider`,
  out: (because: string) => `Out${because}`,
  isOut: (who: string, because: string) => `${who} is out${because}`,
  retried: 'Retried',
  wasRetried: (who: string, by: string) => `${who} was retried by ${by}`,
  paused: (state: string, because: string) => `Council ${state.toLowerCase()}${because}`,
  resumed: 'Resumed',
  resumedBy: (who: string) => `Council resumed by ${who}`,
  won: (how: string) => `Won ${how}`,
  memberWon: (who: string, how: string) => `${who} won ${how}`,
  attempt: (n: number) => `Attempt ${n} started`,
  attemptStarted: (n: number, because: string) => `Council attempt ${n} started${because}`,
  ended: { done: 'done', failed: 'failed', cancelled: 'cancelled' },
  councilEnded: (word: string, because: string) => `Council ${word}${because}`,
}
