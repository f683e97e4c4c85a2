// What a room's ring shows. It is amber where its badge says that someone is needed: in the room, or in one below it.

import { glanceOf } from '../council/glance'
import { councilTone, stateWords } from '../council/words'
import type { Tone } from '../kit/tone'
import type { RoomSummary } from '../lib/backend'
import { planTone } from '../plan/status'
import { planState } from '../lib/words'
import { part, standing } from '../sidekicks/standing'
import { TEXT } from './words'

interface Shown {
  part: number
  tone: Tone
  label: string
}

export function ring(room: RoomSummary, needsYou: boolean, now = Date.now(), stalledMs?: number): Shown {
  const shown = howItStands(room, needsYou, now, stalledMs)
  return needsYou ? { ...shown, tone: 'wait' } : shown
}

/** Its states before there is a plan. */
const IN_COUNCIL = new Set(['answering', 'voting', 'paused', 'decided'])

function howItStands(room: RoomSummary, needsYou: boolean, now: number, stalledMs?: number): Shown {
  const { plan, sidekick, busy } = room
  const council = glanceOf(room)
  if (sidekick) {
    const { tone, word } = standing(sidekick, now, stalledMs)
    return { part: part(sidekick), tone, label: word }
  }
  if (council && IN_COUNCIL.has(council.state)) {
    const { members, answered, voted } = council
    const label = TEXT.ring.council(stateWords(council as Parameters<typeof stateWords>[0]), answered, members, voted)
    return { part: Math.max(0.15, (answered + voted) / Math.max(1, 2 * members)), tone: councilTone(council.state), label }
  }
  if (!plan) {
    if (needsYou) return { part: 1, tone: 'wait', label: TEXT.ring.waits }
    return { part: busy ? 0.25 : 0, tone: busy ? 'go' : 'plain', label: busy ? TEXT.ring.working : TEXT.ring.noPlan }
  }
  const tone = planTone(plan.state)
  const whole = plan.state === 'done' || plan.state === 'awaiting_approval'
  const ended = whole ? 1 : plan.steps === 0 ? 0 : plan.ended / plan.steps
  const label = TEXT.ring.plan(planState(plan.state, plan.pause_reason), plan.ended, plan.steps)
  // A ring with nothing in it yet would look like no plan at all.
  return { part: plan.state === 'running' || plan.state === 'paused' ? Math.max(ended, 0.15) : ended, tone, label }
}
