// A plan compared with its result, counted and in words.

import type { Amendment, Deed, How, PlanView, Report, ReportLine, StepView } from '../lib/wire'
import { literal } from '../lib/visible'
import { when, who } from '../lib/words'
import { REPORT } from './words'

/** What was done beyond what the step named. */
export function beyond(line: ReportLine): Deed[] {
  return line.beyond.filter((deed) => deed.how !== 'planned')
}

/** The files that a step changed before it failed, was left out or was cut off with its plan. */
export function leftBehind(plan: PlanView, line: ReportLine): string[] {
  const step = stepOf(plan, line)
  return step && step.status !== 'done' ? step.changed : []
}

/** `As planned: 5 of 6 steps. 1 unplanned change. Step 6 didn’t finish and changed 2 files.` */
export function reportWords(plan: PlanView, report: Report): string {
  const things = report.lines.reduce((sum, line) => sum + beyond(line).length, 0)
  const kept = report.lines.filter((line) => asPlanned(plan, line)).length
  return [REPORT.asPlanned(kept, report.lines.length), REPORT.unplanned(things), unfinishedWords(plan, report)].filter(Boolean).join(' ')
}

/** Whether something the step named was touched. Reading changes nothing, so it is not in the report. */
export function touchedWords(plan: PlanView, line: ReportLine): string {
  if (line.touched) return REPORT.yes
  const step = stepOf(plan, line)
  return step?.status === 'done' && !meansToChange(step) ? REPORT.changedNothing : REPORT.no
}

/** `by you, today 14:05: read only → may change the workspace` */
export function amendedWords({ by, at, was, now }: Amendment): string {
  return REPORT.amended(who(by.kind), when(at), literal(was), literal(now))
}

/** Whether the report tells nothing: no step named anything or was left half done, and nobody approved, was asked or warned. */
export function saysNothing(plan: PlanView, report: Report): boolean {
  if (report.lines.length === 0) return true
  if (report.lines.some((line) => leftBehind(plan, line).length > 0)) return false
  const held = !!plan.approval || plan.steps.some((step) => step.target) || report.lines.some((line) => beyond(line).some((deed) => deed.how !== 'unplanned'))
  return !held
}

export const HOW: Record<How, string> = REPORT.how

function unfinishedWords(plan: PlanView, report: Report): string {
  const lines = report.lines.filter((line) => leftBehind(plan, line).length > 0)
  if (lines.length === 0) return ''
  const files = new Set(lines.flatMap((line) => leftBehind(plan, line)))
  return REPORT.unfinished(lines.map((line) => line.number), files.size)
}

/** The step is done, did what it meant to change, and changed nothing else. */
function asPlanned(plan: PlanView, line: ReportLine): boolean {
  const step = stepOf(plan, line)
  return step?.status === 'done' && beyond(line).length === 0 && (line.touched || !meansToChange(step))
}

/** Whether it names files to change. What a command or another tool does is known only when it runs. */
function meansToChange(step: StepView): boolean {
  return !!step.target && (!step.tool || CHANGING.includes(step.tool))
}

function stepOf(plan: PlanView, line: ReportLine): StepView | undefined {
  return plan.steps.find((step) => step.id === line.step)
}

const CHANGING = ['write_file', 'edit_file', 'create_directory', 'move_file', 'delete_file']
