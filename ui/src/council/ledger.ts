// A council's events as lines of the chat, and as rounds over time.

import type { Tone } from '../kit/tone'
import type { CouncilId, Event, Sitting } from '../lib/wire'
import { count, listed, planState, who } from '../lib/words'
import { unreachable } from '../lib/unreachable'

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

const IN_FORCE = { votes: 'the vote', timeout: 'when time ran out', person: 'by your decision', last_member: 'as the last member' } as const

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
        moment('state', null, 'Started')
        return plain(`Council of ${event.members.length} started by ${who(event.by.kind)}: ${listed(event.members.map((one) => one.agent))}`)
      case 'council_answered': {
        const title = event.plan.title || event.plan.goal
        const cleared = this.#votes
        if (cleared > 0) this.#round += 1
        this.#votes = 0
        moment('answer', event.member, `${event.label}: ${title}`)
        return plain(`${this.#name(event.member)} proposed ${event.label}: ${title}${cleared > 0 ? ` (${count(cleared, 'vote')} cleared)` : ''}`)
      }
      case 'council_not_new':
        moment('drop', event.member, `Answer refused, ${event.overlap} % like an earlier one`)
        return plain(`${this.#name(event.member)} repeated an earlier answer (${event.overlap} % the same). It can only vote now.`)
      case 'council_voted': {
        this.#votes += 1
        moment('vote', event.member ?? null, `Voted for ${event.vote.label}`)
        const voter = event.member == null ? 'You' : this.#name(event.member)
        return plain(`${voter} voted for ${event.vote.label}${because(event.vote.reason)}`)
      }
      case 'council_vote_dropped':
        moment('drop', event.member, `Vote for ${event.vote.label} dropped${because(event.why)}`)
        return plain(`${this.#name(event.member)}: vote for ${event.vote.label} dropped${because(event.why)}`)
      case 'council_member_waits':
        return event.until == null ? null : plain(`${this.#name(event.member)} waits for its provider`)
      case 'council_member_failed':
        moment('out', event.member, `Out${because(event.reason)}`)
        return { text: `${this.#name(event.member)} is out${because(event.reason)}`, tone: 'bad' }
      case 'council_member_retried':
        this.#members = this.#members.map((one, i) => (i + 1 === event.member ? event.who : one))
        moment('state', event.member, 'Retried')
        return plain(`${this.#name(event.member)} was retried by ${who(event.by.kind)}`)
      case 'council_paused':
        moment('state', null, planState('paused', event.reason))
        return plain(`Council ${planState('paused', event.reason).toLowerCase()}${event.reason === 'supervisor' ? '' : because(event.detail ?? '')}`)
      case 'council_resumed':
        moment('state', null, 'Resumed')
        return plain(`Council resumed by ${who(event.by.kind)}`)
      case 'council_decided':
        moment('state', event.winner, `Won ${IN_FORCE[event.by]}`)
        return { text: `${this.#name(event.winner)} won ${IN_FORCE[event.by]}`, tone: 'good' }
      case 'council_restarted':
        this.#begin(event.members, this.#attempt + 1)
        moment('state', null, `Attempt ${this.#attempt} started`)
        return plain(`Council attempt ${this.#attempt} started${because(event.reason)}`)
      case 'council_ended': {
        const word = { done: 'done', failed: 'failed', cancelled: 'cancelled' }[event.state]
        moment('state', null, word[0]!.toUpperCase() + word.slice(1))
        return { text: `Council ${word}${because(event.reason ?? '')}`, tone: event.state === 'failed' ? 'bad' : event.state === 'done' ? 'good' : 'plain' }
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
