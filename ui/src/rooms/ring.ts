// What a room's ring shows.

import type { Tone } from '../kit/tone'
import type { RoomSummary } from '../lib/backend'
import { planTone } from '../plan/status'
import { planState } from '../lib/words'
import { part, standing } from '../sidekicks/standing'

export function ring(room: RoomSummary, now = Date.now(), stalledMs?: number): { part: number; tone: Tone; label: string } {
  const { plan, sidekick } = room
  if (sidekick) {
    const { tone, word } = standing(sidekick, now, stalledMs)
    return { part: part(sidekick), tone, label: word }
  }
  if (!plan) {
    if (room.asks > 0) return { part: 1, tone: 'wait', label: 'waits for you' }
    return { part: room.busy ? 0.25 : 0, tone: room.busy ? 'go' : 'plain', label: room.busy ? 'working' : 'no plan' }
  }
  const tone = planTone(plan.state)
  const whole = plan.state === 'done' || plan.state === 'awaiting_approval'
  const ended = whole ? 1 : plan.steps === 0 ? 0 : plan.ended / plan.steps
  const label = `${planState(plan.state, plan.pause_reason)}, ${plan.ended} of ${plan.steps} steps`
  // A ring with nothing in it yet would look like no plan at all.
  return { part: plan.state === 'running' || plan.state === 'paused' ? Math.max(ended, 0.15) : ended, tone, label }
}
