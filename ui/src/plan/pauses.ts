// Why a plan stands still, and what going on would do, in words.

import type { Action, PlanView, StepView } from '../lib/wire'
import { left, listed, sentence } from '../lib/words'
import { PAUSE } from './words'

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
  if (plan.left) return { why: PAUSE.gaveUp, then: sentence(plan.left) }
  const goesOn = offers({ resume: PAUSE.resumes })
  switch (plan.pause_reason) {
    case 'auto_budget':
      return { why: PAUSE.steps(autoSteps), then: PAUSE.review }
    case 'supervisor':
      return { why: PAUSE.byYou, then: goesOn }
    case 'attempts': {
      const step = plan.steps.find((step) => ['in_progress', 'failed', 'pending'].includes(step.status))
      const failed = step?.check_failed?.trim().replace(/[^.!?…]$/, '$&.') ?? ''
      return {
        why: stuck(step),
        then: both(
          failed && `${PAUSE.checkSays} ${failed}`,
          offers({ resume: PAUSE.retries, change: PAUSE.edits, skip: PAUSE.skips }),
          failed && PAUSE.skipsCheck,
        ),
      }
    }
    case 'revise':
      return {
        why: both(PAUSE.needsChanges, detail),
        then: offers({ resume: PAUSE.letsContinue, change: PAUSE.editsSteps }),
      }
    case 'cap':
      // Limits of rooms and days are raised in the settings alone; those of a plan are counted from each Resume.
      return { why: detail || PAUSE.limit, then: /in the settings/.test(detail) ? '' : offers({ resume: PAUSE.allowsMore }) }
    case 'drift':
      return {
        why: both(PAUSE.beyond, detail),
        then: both(PAUSE.nothingChanged, goesOn),
      }
    case 'quota':
      return {
        why: detail || PAUSE.quota,
        then: plan.pause_until
          ? PAUSE.resumesIn(left(plan.pause_until - now))
          : offers({ resume: PAUSE.triesLater }),
      }
    case 'provider':
      return {
        why: detail || PAUSE.noAnswer,
        then: PAUSE.fixInSettings,
      }
    case 'interrupted':
      // They say what stopped it and what to do, or what was cut off.
      if (detail) return { why: detail, then: goesOn }
      return { why: PAUSE.closed, then: both(PAUSE.keptWork, goesOn) }
    case 'manual':
      // Where it was stuck and the step was skipped, they say so.
      return { why: detail || PAUSE.manual, then: offers({ resume: PAUSE.startsNext }) }
    default:
      return { why: both(PAUSE.paused, detail), then: goesOn }
  }
}

/** The last attempt failed; or, while there are some left, nothing was tried at all. */
function stuck(step: StepView | undefined): string {
  if (!step) return PAUSE.stuck
  if (step.attempts >= step.max_attempts) return PAUSE.failed(step.number, step.attempts)
  return PAUSE.noProgress(step.number)
}

/** What each of these buttons would do, for those that are there. */
function offered(actions: Action[], words: Partial<Record<Action, string>>): string {
  const parts = actions.filter((action) => words[action]).map((action) => `${PAUSE.button[action]} ${words[action]}`)
  return parts.length > 0 ? `${listed(parts)}.` : ''
}

function both(...sentences: string[]): string {
  return sentences.filter(Boolean).join(' ')
}
