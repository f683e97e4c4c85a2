// A council's events as lines of the chat, and as rounds over time.

import type { Tone } from '../kit/tone'
import type { CouncilId, Event, Sitting } from '../lib/wire'
import { planState, who } from '../lib/words'
import { unreachable } from '../lib/unreachable'
import { COUNCIL, LEDGER } from './words'

/** Something that happened in a council. */
export interface Moment {
  key: string
  council: CouncilId | null
  attempt: number
  /** Counted from the first event that is here. */
  round: number
  at: number
  /** The member, by its number; null: the person or the council itself. */
  member: number | null
  kind: 'answer' | 'vote' | 'drop' | 'out' | 'state'
  text: string
}

export interface Note {
  text: string
  tone: Exclude<Tone, 'go'>
}

export type CouncilEvent = Extract<Event, { type: `council_${string}` }>

export function isCouncilEvent(event: Event): event is CouncilEvent {
  return event.type.startsWith('council_')
}

export class Ledger {
  moments: Moment[] = []
  #council: CouncilId | null = null
  #members: Sitting[] = []
  #attempt = 1
  #round = 1
  #votes = 0

  /** Takes an event, and gives the line that the chat shows for it, if any. */
  take(event: CouncilEvent, key: string, at: number): Note | null {
    const moment = (kind: Moment['kind'], member: number | null, text: string) =>
      this.moments.push({ key, council: this.#council, attempt: this.#attempt, round: this.#round, at, member, kind, text })
    switch (event.type) {
      case 'council_started':
        this.#council = event.council
        this.#begin(event.members, 1)
        moment('state', null, LEDGER.started)
        return plain(LEDGER.startedBy(event.members.length, who(event.by.kind), event.members.map((one) => one.agent)))
      case 'council_answered': {
        const title = event.plan.title || event.plan.goal
        const cleared = this.#votes
        if (cleared > 0) this.#round += 1
        this.#votes = 0
        moment('answer', event.member, `${event.label}: ${title}`)
        return plain(LEDGER.proposed(this.#name(event.member), event.label, title, cleared))
      }
      case 'council_not_new':
        moment('drop', event.member, LEDGER.refused(event.overlap))
        return plain(LEDGER.repeated(this.#name(event.member), event.overlap))
      case 'council_voted': {
        this.#votes += 1
        moment('vote', event.member ?? null, LEDGER.votedFor(event.vote.label))
        const voter = event.member == null ? COUNCIL.you : this.#name(event.member)
        return plain(LEDGER.voted(voter, event.vote.label, because(event.vote.reason)))
      }
      case 'council_vote_dropped':
        moment('drop', event.member, LEDGER.voteDropped(event.vote.label, because(event.why)))
        return plain(LEDGER.dropped(this.#name(event.member), event.vote.label, because(event.why)))
      case 'council_member_waits':
        return event.until == null ? null : plain(LEDGER.waits(this.#name(event.member)))
      case 'council_member_failed':
        moment('out', event.member, LEDGER.out(because(event.reason)))
        return { text: LEDGER.isOut(this.#name(event.member), because(event.reason)), tone: 'bad' }
      case 'council_member_retried':
        this.#members = this.#members.map((one, i) => (i + 1 === event.member ? event.who : one))
        moment('state', event.member, LEDGER.retried)
        return plain(LEDGER.wasRetried(this.#name(event.member), who(event.by.kind)))
      case 'council_paused':
        moment('state', null, planState('paused', event.reason))
        return plain(LEDGER.paused(planState('paused', event.reason), event.reason === 'supervisor' ? '' : because(event.detail ?? '')))
      case 'council_resumed':
        moment('state', null, LEDGER.resumed)
        return plain(LEDGER.resumedBy(who(event.by.kind)))
      case 'council_decided':
        moment('state', event.winner, LEDGER.won(LEDGER.inForce[event.by]))
        return { text: LEDGER.memberWon(this.#name(event.winner), LEDGER.inForce[event.by]), tone: 'good' }
      case 'council_restarted':
        this.#begin(event.members, this.#attempt + 1)
        moment('state', null, LEDGER.attempt(this.#attempt))
        return plain(LEDGER.attemptStarted(this.#attempt, because(event.reason)))
      case 'council_ended': {
        const word = LEDGER.ended[event.state]
        moment('state', null, word[0]!.toUpperCase() + word.slice(1))
        return { text: LEDGER.councilEnded(word, because(event.reason ?? '')), tone: event.state === 'failed' ? 'bad' : event.state === 'done' ? 'good' : 'plain' }
      }
      case 'council_asked':
      case 'council_handed_over':
      case 'council_review_began':
        return null
      default:
        return unreachable(event)
    }
  }

  /** What happened in a council's last attempt, with its rounds counted so that the last one is `round`. */
  of(council: CouncilId, round: number): Moment[] {
    // A council that began before the first event here has no name.
    const known = this.moments.some((one) => one.council === council)
    const all = this.moments.filter((one) => one.council === (known ? council : null))
    const latest = Math.max(...all.map((one) => one.attempt), 1)
    const own = all.filter((one) => one.attempt === latest)
    const shift = Math.max(0, round - Math.max(...own.map((one) => one.round), 0))
    return own.map((one) => ({ ...one, round: one.round + shift }))
  }

  #begin(members: Sitting[], attempt: number): void {
    this.#members = members
    this.#attempt = attempt
    this.#round = 1
    this.#votes = 0
  }

  #name(member: number): string {
    const agent = this.#members[member - 1]?.agent
    return agent ? `agent${member} (${agent})` : `agent${member}`
  }
}

function plain(text: string): Note {
  return { text, tone: 'plain' }
}

function because(reason: string): string {
  return reason.trim() === '' ? '' : `: ${reason.trim()}`
}
