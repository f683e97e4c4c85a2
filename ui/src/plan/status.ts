// Which word, colour and place a plan's or a step's state has.

import type { Tone } from '../kit/tone'
import type { PlanView, StepView } from '../lib/wire'

export function planTone(state: string): Tone {
  switch (state) {
    case 'running':
      return 'go'
    case 'awaiting_approval':
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

/** How a step is called and drawn. */
export function stepLook(step: StepView): { glyph: string; word: string; tone: Tone } {
  if (step.waiting && step.status === 'in_progress') return { glyph: '▶', word: 'waits for you', tone: 'go' }
  switch (step.status) {
    case 'in_progress':
      return { glyph: '▶', word: 'in progress', tone: 'go' }
    case 'done':
      return { glyph: '✓', word: 'done', tone: 'good' }
    case 'failed':
      return { glyph: '✗', word: 'failed', tone: 'bad' }
    case 'skipped':
      return { glyph: '—', word: 'skipped', tone: 'plain' }
    default:
      return { glyph: '○', word: step.blocked ? 'blocked' : 'pending', tone: 'plain' }
  }
}

/** Why a step was left out. */
export function skipWords(step: StepView): string {
  switch (step.skip_cause) {
    case 'need':
      return 'a step it needs failed'
    case 'plan_ended':
      return 'not reached'
    case 'given_up':
      return 'given up by the agent'
    default:
      return 'skipped by you'
  }
}

export function done(plan: PlanView): number {
  return plan.steps.filter((step) => step.status === 'done').length
}

export function ended(plan: PlanView): number {
  return plan.steps.filter((step) => ['done', 'failed', 'skipped'].includes(step.status)).length
}

/** The steps under way, or the one that comes next while the plan is active. */
export function current(plan: PlanView): Set<string> {
  const running = plan.steps.filter((step) => step.status === 'in_progress').map((step) => step.id)
  if (running.length > 0) return new Set(running)
  if (plan.state !== 'running' && plan.state !== 'paused') return new Set()
  const next = plan.steps.find((step) => step.status === 'pending')
  return new Set(next ? [next.id] : [])
}

/** How much of the plan is done, with the step under way as half. */
export function progress(plan: PlanView): number {
  if (plan.state === 'awaiting_approval') return 1
  if (plan.steps.length === 0) return 0
  const half = plan.steps.filter((step) => step.status === 'in_progress').length / 2
  return (ended(plan) + half) / plan.steps.length
}

/** What approving allows, counted. */
export function allowance(plan: PlanView): { files: number; commands: number; others: number; free: number } {
  const files = new Set<string>()
  const commands = new Set<string>()
  const others = new Set<string>()
  let free = 0
  for (const step of plan.steps) {
    if (step.may_change) free++
    else if (!step.target || step.grants === 'read only') continue
    else if (step.tool === 'shell') commands.add(step.target)
    else if (step.tool && READING.has(step.tool)) continue
    else if (!step.tool || FILES.has(step.tool)) for (const path of step.target.split(',')) files.add(path.trim())
    else others.add(`${step.tool} ${step.target}`)
  }
  return { files: files.size, commands: commands.size, others: others.size, free }
}

const FILES = new Set(['write_file', 'edit_file', 'create_directory', 'move_file', 'delete_file', 'apply_patch'])
const READING = new Set(['read_file', 'list_dir', 'search', 'glob', 'find', 'grep'])
