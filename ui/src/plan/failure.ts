// What a failed call ended with: the exit code of a command and the last lines it wrote.

import type { CallLine } from '../chat/items'

/** So many lines tell why a command failed; all of them are in its output. */
const LINES = 8

export interface Failure {
  /** `2`, `137: ended by SIGKILL`; empty where it was no command, or never ended by itself. */
  code: string
  lines: string[]
}

const EXIT = /^\(exit code (\d+(?:: [^)]*)?)\)$/

/** Of a command's output its end, of any other answer its words. */
export function failureOf(output: string): Failure {
  const all = output.trimEnd().split('\n')
  const at = all.findLastIndex((line) => EXIT.test(line.trim()))
  const code = at < 0 ? '' : (EXIT.exec(all[at]!.trim())?.[1] ?? '')
  const said = (at < 0 ? [message(output)] : all.filter((_, i) => i !== at)).join('\n').split('\n').filter((line) => line.trim() !== '')
  return { code, lines: said.slice(-LINES) }
}

/** The last call that failed, unless one after it worked. */
export function lastFailed(calls: CallLine[]): CallLine | null {
  const ended = calls.filter((call) => call.state === 'failed' || call.state === 'ok')
  const last = ended.findLast((call) => call.tool !== 'plan')
  return last?.state === 'failed' ? last : null
}

/** The words of an answer that the harness gave the model. */
function message(output: string): string {
  const found = /^\{.*"message":("(?:[^"\\]|\\.)*")/s.exec(output)?.[1]
  return found ? String(JSON.parse(found)) : output
}
