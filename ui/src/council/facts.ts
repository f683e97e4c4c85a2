// What a council's view tells: who leads, who objects, how far it is, and where its card stands.

import type { CouncilAnswerView, CouncilMemberView, CouncilView, CouncilVoteView, PlanView, RoomView } from '../lib/wire'

/** An answer and whose it is. */
export interface Proposal {
  member: CouncilMemberView
  answer: CouncilAnswerView
}

/** Whether it ended. */
export function isOver({ state }: CouncilView): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled'
}

/** Whether it holds the room: members answer and vote, or the winner's answer is not the room's plan yet. */
export function isOpen(council: CouncilView | null | undefined): council is CouncilView {
  return !!council && !council.plan_id && !isOver(council)
}

/** Whether its winner judges what its plan did: the plan is over, and the council isn't. */
export function isJudged(council: CouncilView | null | undefined, plan: PlanView | null): council is CouncilView {
  return !!council && !isOver(council) && !!plan && council.plan_id === plan.id && ['done', 'failed', 'cancelled'].includes(plan.state)
}

/** The council that a room waits for. Pause, resume and cancel are the council's then, not the plan's. */
export function holding(room: RoomView | null | undefined): CouncilView | null {
  const council = councilOf(room)
  return isOpen(council) || isJudged(council, room?.plan ?? null) ? council : null
}

/** Whether members may still answer and vote. */
export function isTalking(council: CouncilView): boolean {
  return isOpen(council) && !council.winner
}

/** Whether the council's card stands in the place of the plan's. */
export function takesCard(council: CouncilView | null | undefined, plan: PlanView | null): council is CouncilView {
  if (!council || council.plan_id) return false
  if (!isOver(council) || !plan) return true
  // It ended without a plan: its card stays until another plan is written.
  return plan.created_at < council.started_at || council.earlier.some((attempt) => attempt.plan_id === plan.id)
}

/** Every answer, members in their order, each member's oldest first. */
export function proposals(members: CouncilMemberView[]): Proposal[] {
  return members.flatMap((member) => member.answers.map((answer) => ({ member, answer })))
}

/** The newest answer of each member that has one. */
export function newest(members: CouncilMemberView[]): Proposal[] {
  return members.flatMap((member) => {
    const answer = member.answers.at(-1)
    return answer ? [{ member, answer }] : []
  })
}

export function memberOf(council: { members: CouncilMemberView[] }, id: string): CouncilMemberView | undefined {
  return council.members.find((member) => member.id === id)
}

export function votesFor(council: CouncilView, id: string): number {
  return council.tally.find((score) => score.member === id)?.votes ?? 0
}

/** The winner, or who would win by the votes so far; ties go to the first. */
export function leader(council: CouncilView): { member: string; votes: number; tied: boolean } | null {
  if (council.winner) return { member: council.winner, votes: votesFor(council, council.winner), tied: false }
  const most = Math.max(0, ...council.tally.map((score) => score.votes))
  if (most === 0) return null
  const first = council.tally.filter((score) => score.votes === most)
  return { member: first[0]!.member, votes: most, tied: first.length > 1 }
}

export function living(members: CouncilMemberView[]): CouncilMemberView[] {
  return members.filter((member) => member.state !== 'failed')
}

/** How many votes there are, and how many there can be; a person's vote counts once it is cast. */
export function turnout(council: CouncilView): { cast: number; of: number } {
  const voters = council.members.filter((member) => member.state !== 'failed' || member.vote)
  const mine = council.person_vote ? 1 : 0
  return { cast: voters.filter((member) => member.vote).length + mine, of: voters.length + mine }
}

/** A vote against the leader, with whose it is; null is the person's. */
export interface Objection {
  member: CouncilMemberView | null
  vote: CouncilVoteView
}

/** Who voted for another answer than the one that leads or won. */
export function objections(council: CouncilView): Objection[] {
  const ahead = leader(council)
  if (!ahead) return []
  const all: Objection[] = council.members.flatMap((member) => (member.vote ? [{ member, vote: member.vote }] : []))
  if (council.person_vote) all.push({ member: null, vote: council.person_vote })
  return all.filter(({ vote }) => vote.for !== ahead.member)
}

/** A new answer that cleared votes, while those who lost theirs have not voted again. */
export function news(council: CouncilView): { label: string; before: string | null; cleared: number; readers: CouncilMemberView[] } | null {
  if (!isTalking(council) || council.state === 'paused' || council.round < 2) return null
  const readers = council.members.filter((member) => member.cleared && !member.vote && member.state !== 'failed')
  const latest = newest(council.members).reduce<Proposal | null>((last, one) => (last && last.answer.at >= one.answer.at ? last : one), null)
  if (!latest || readers.length === 0) return null
  return { label: latest.answer.label, before: latest.member.answers.at(-2)?.label ?? null, cleared: readers.length, readers }
}

/** How far it is: each member answers once and votes once. */
export function progress(council: CouncilView): number {
  if (isOver(council) || council.winner) return 1
  const alive = living(council.members)
  if (alive.length === 0) return 0
  const done = alive.reduce((sum, member) => sum + (member.answers.length > 0 ? 1 : 0) + (member.vote ? 1 : 0), 0)
  return Math.max(0.02, done / (2 * alive.length))
}

/** Milliseconds that are left of its time. */
export function timeLeft(council: CouncilView, now: number): number {
  const whole = council.rules.orchestrator_timeout_seconds * 1000
  return Math.max(0, council.deadline ? council.deadline - now : whole - council.ran_ms)
}

/** A room's newest council. A member's room names its council there by its id alone. */
export function councilOf(room: RoomView | null | undefined): CouncilView | null {
  return !room || room.kind === 'member' ? null : (room.council ?? null)
}
