// Why a plan stands still, and what going on would do, in words.

import type { Action, PlanView, StepView } from '../lib/wire'
import { count, left, listed, sentence } from '../lib/words'

interface Words {
  why: string
  then: string
}

/** The first sentence is what is seen at a glance; all that follows is read beside it. */
export function pauseWords(plan: PlanView, autoSteps: number, now: number): Words {
  const { why, then } = wordsFor(plan, autoSteps, now)
  const first = /^.*?[.:!?](?=\s|$)/s.exec(why)?.[0] ?? why
  return { why: first, then: both(why.slice(first.length).trim(), then) }
}

function wordsFor(plan: PlanView, autoSteps: number, now: number): Words {
  const detail = sentence(plan.pause_detail ?? '')
  const offers = (words: Partial<Record<Action, string>>) => offered(plan.actions, words)
  if (plan.left) return { why: 'The agent gave up on the next revision.', then: sentence(plan.left) }
  const goesOn = offers({ resume: 'goes on where it stopped' })
  switch (plan.pause_reason) {
    case 'auto_budget':
      return { why: `It has done ${count(autoSteps, 'step')} on its own.`, then: 'Have a look, then let it go on.' }
    case 'supervisor':
      return { why: 'You paused it.', then: goesOn }
    case 'attempts': {
      const step = plan.steps.find((step) => ['in_progress', 'failed', 'pending'].includes(step.status))
      const failed = step?.check_failed?.trim().replace(/[^.!?…]$/, '$&.') ?? ''
      return {
        why: stuck(step),
        then: both(
          failed && `Its check says: ${failed}`,
          offers({ resume: 'gives the step fresh attempts', change: 'edits the plan', skip: 'leaves the step out' }),
          failed && 'Take it as done goes on without the check.',
        ),
      }
    }
    case 'revise':
      return {
        why: both('The plan does not fit any more.', detail),
        then: offers({ resume: 'lets the agent go on', change: 'edits the steps' }),
      }
    case 'cap':
      // Limits of rooms and days are raised in the settings alone; those of a plan are counted from each Resume.
      return { why: detail || 'A limit is reached.', then: /in the settings/.test(detail) ? '' : offers({ resume: 'allows as much again' }) }
    case 'drift':
      return {
        why: both('It wants to do something that the plan does not name.', detail),
        then: both('Nothing has been changed there.', goesOn),
      }
    case 'quota':
      return {
        why: detail || 'What the provider allows is used up.',
        then: plan.pause_until
          ? `It goes on by itself in ${left(plan.pause_until - now)}.`
          : offers({ resume: 'tries again when there is more' }),
      }
    case 'provider':
      return {
        why: detail || 'The model does not answer.',
        then: both('Put it right, or wait a little.', offers({ resume: 'asks it again' }).replace(/^Resume/, 'Retry')),
      }
    case 'interrupted':
      // They say what stopped it and what to do, or what was cut off.
      if (detail) return { why: detail, then: goesOn }
      return { why: 'The app was closed while this ran.', then: both('What has ended is kept, and nothing is run twice.', goesOn) }
    case 'manual':
      // Where it was stuck and the step was skipped, they say so.
      return { why: detail || 'A step ended, and this plan waits after each.', then: offers({ resume: 'does the next one' }) }
    default:
      return { why: both('It is paused.', detail), then: goesOn }
  }
}

/** The last attempt failed; or, while there are some left, nothing was tried at all. */
function stuck(step: StepView | undefined): string {
  if (!step) return 'It does not get on.'
  if (step.attempts >= step.max_attempts) return `Step ${step.number} failed ${count(step.attempts, 'time')} in a row.`
  return `The agent answered again and again without going on with step ${step.number}.`
}

const BUTTON: Partial<Record<Action, string>> = { resume: 'Resume', change: 'Change', skip: 'Skip step' }

/** What each of these buttons would do, for those that are there. */
function offered(actions: Action[], words: Partial<Record<Action, string>>): string {
  const parts = actions.filter((action) => words[action]).map((action) => `${BUTTON[action]} ${words[action]}`)
  return parts.length > 0 ? `${listed(parts)}.` : ''
}

function both(...sentences: string[]): string {
  return sentences.filter(Boolean).join(' ')
}
