// Why a plan is paused, and what going on would do, in words.

import type { PlanView } from '../lib/wire'
import { count, left } from '../lib/words'

export function pauseWords(plan: PlanView, autoSteps: number, now: number): { why: string; then: string } {
  const step = plan.steps.find((step) => ['in_progress', 'failed', 'pending'].includes(step.status))
  const detail = plan.pause_detail ? ` ${plan.pause_detail}` : ''
  switch (plan.pause_reason) {
    case 'auto_budget':
      return { why: `It has done ${count(autoSteps, 'step')} on its own.`, then: 'Have a look, then let it go on.' }
    case 'supervisor':
      return { why: 'You paused it.', then: 'Resume goes on where it stopped.' }
    case 'attempts':
      return {
        why: `Step ${step?.number ?? ''} does not get through.${detail}`,
        then: 'Resume gives it fresh attempts; or skip the step, or change the plan.',
      }
    case 'revise':
      return { why: `The plan does not fit any more.${detail}`, then: 'Resume lets the agent go on; Change edits the steps.' }
    case 'cap':
      return { why: `A limit is reached.${detail}`, then: 'Resume goes on past it.' }
    case 'drift':
      return { why: `It wants to do something the plan does not name.${detail}`, then: 'Nothing has been changed there.' }
    case 'quota':
      return {
        why: `The provider’s quota is used up.${detail}`,
        then: plan.pause_until
          ? `It goes on by itself in ${left(plan.pause_until - now)}.`
          : 'It goes on by itself when the quota is back.',
      }
    case 'provider':
      return { why: `The model can’t be reached.${detail}`, then: 'Put it right, then resume.' }
    case 'interrupted':
      return { why: 'The app was closed while this ran.', then: 'Nothing was lost and nothing is run twice.' }
    case 'manual':
      return { why: 'A step ended, and this plan waits after each.', then: 'Resume does the next one.' }
    default:
      return { why: 'It is paused.', then: 'Resume goes on where it stopped.' }
  }
}
