// What Plancard told the agent, as one quiet line for the person.

import { TEXT } from './words'

const HEAD = /^\s*plan harness:\s*/i
const MOST = 160

/** The line, and whether there is more to read than it says. */
export function nudgeWords(text: string, news: boolean): { line: string; more: string } {
  const own = text.replace(HEAD, '')
  const [, step, attempt, of] = /step (\d+)(?:\/\d+)?, attempt (\d+)\/(\d+)/.exec(own) ?? []
  if (step && attempt && of) return { line: TEXT.nudge.attempt(step, attempt, of), more: own }
  // News of sidekicks are words of theirs.
  const first = own.split('\n', 1)[0] ?? ''
  if (news) return { line: first.length > MOST ? `${first.slice(0, MOST - 1)}…` : first, more: first === own && first.length <= MOST ? '' : own }
  return HEAD.test(text) ? { line: TEXT.nudge.reminded, more: own } : { line: first.length > MOST ? `${first.slice(0, MOST - 1)}…` : first, more: first === own ? '' : own }
}
