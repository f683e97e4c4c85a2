// Carries out what was typed as a command.

import { holding } from '../council/facts'
import { roundWords, stateWords } from '../council/words'
import type { Command } from '../chat/commands'
import type { RoomActions } from '../lib/actions'
import type { Backend } from '../lib/backend'
import type { Notices } from '../lib/notices.svelte'
import { unreachable } from '../lib/unreachable'
import type { PlanId, RoomId, RoomView, StepId, StepView } from '../lib/wire'
import { ended, stateOf } from '../plan/status'
import { SidekickCommands } from '../sidekicks/commands'
import { exported, toRetry, toSkip } from './commanding'
import type { Front } from './front'
import { TEXT } from './words'

/** What a command of an open room works with. */
export interface Here {
  view: RoomView | null
  act: RoomActions
  backend: Backend
  notices: Notices
  /** After how long a sidekick is said to be stalled. */
  stalledMs: number
  show: (front: Front) => void
  inspect: () => void
  exportPlan: (id: PlanId | RoomId, format: 'markdown' | 'json') => Promise<boolean>
  archive: () => Promise<boolean>
  onpage: (page: 'new' | 'inbox' | 'settings' | 'help') => void
  onopen: (room: RoomId) => void
}

/** Whether the command was carried out; when not, the reason is on screen. */
export async function carryOut(command: Command, here: Here): Promise<boolean> {
  const { act, backend, notices } = here
  const plan = here.view?.plan ?? null
  const sidekicks = new SidekickCommands(act, backend, notices)
  switch (command.name) {
    case 'plan':
      return act.setMode(command.mode)
    case 'status':
      notices.say(status(here.view))
      return true
    case 'stop':
      return act.stop()
    case 'stop-step':
      return act.stopStep()
    case 'pause':
      return act.pause()
    case 'pause-after':
      return act.pauseAfterStep(true)
    case 'resume':
      return act.resume()
    case 'cancel':
      // As on the card, it is asked about once.
      here.show({ type: 'cancel', why: command.reason })
      return true
    case 'skip':
      return onStep(toSkip(plan), act.skip)
    case 'retry':
      return onStep(toRetry(plan), act.retry)
    case 'export': {
      const id = here.view && exported(here.view)
      return !!id && here.exportPlan(id, command.format)
    }
    case 'history':
      here.show({ type: 'history', plan: null, step: null })
      return true
    case 'rename':
      return act.rename(command.title)
    case 'archive':
      return here.archive()
    case 'quit':
      return notices.watch(backend.quit())
    case 'goal':
      return notices.watch(backend.setGoal(act.room, command.goal).then(here.onopen))
    case 'council':
      here.show({ type: 'council', task: command.task })
      return true
    case 'sidekick':
      return sidekicks.spawn(command.task)
    case 'sidekicks':
      return sidekicks.status(here.stalledMs, here.inspect)
    case 'stop-sidekick':
      return sidekicks.stop(command.codename)
    case 'new':
    case 'inbox':
    case 'settings':
    case 'help':
      here.onpage(command.name)
      return true
    case 'wrong':
      return false
    default:
      return unreachable(command)
  }
}

async function onStep(step: StepView | undefined, work: (step: StepId) => Promise<boolean>): Promise<boolean> {
  return !!step && work(step.id)
}

function status(view: RoomView | null): string {
  const mode = TEXT.status.mode(view?.plan_mode ?? 'off')
  const plan = view?.plan
  const council = holding(view)
  if (council) return `${mode} ${stateWords(council)}, ${roundWords(council).toLowerCase()}.`
  if (!plan) return `${mode} ${TEXT.status.noPlan}`
  return `${mode} ${TEXT.status.plan(stateOf(plan), ended(plan), plan.steps.length)}`
}
