// What the chat shows: one item a line or paragraph, made from events.

import type { AskId, CallId, CallRequest, Change, Outcome, PlanId, StepId, Text } from '../lib/wire'
import { head } from '../lib/words'

/** A tool call as a quiet line. */
export interface CallLine {
  id: CallId
  tool: string
  /** The one argument worth reading. */
  target: string
  args: Text
  state: 'ready' | 'running' | 'asked' | Outcome
  /** The question it waits for. */
  ask?: AskId
  result?: Text
  warning?: string
  changed: Change[]
  ms: number
  /** The step it belongs to. */
  plan: PlanId | null
  step: StepId | null
}

export type ChatItem =
  | { kind: 'me'; key: string; text: Text; at: number }
  | {
      kind: 'agent'
      key: string
      model: string
      at: number
      /** The step's number. */
      step: number | null
      planning: boolean
      text: Text
      thinking: Text | null
      calls: CallLine[]
      /** Whether the item above has the same heading. */
      continued: boolean
    }
  | { kind: 'nudge'; key: string; text: string }
  | { kind: 'note'; key: string; text: string; tone: 'plain' | 'good' | 'bad' | 'wait' }

const TELLING = ['path', 'file', 'command', 'query', 'pattern', 'url', 'target', 'action', 'task', 'question', 'title']

/** A call that has not begun. */
export function callLine(request: CallRequest, plan: PlanId | null, step: StepId | null): CallLine {
  return {
    id: request.id,
    tool: request.tool,
    target: telling(head(request.args)),
    args: request.args,
    state: 'ready',
    changed: [],
    ms: 0,
    plan,
    step,
  }
}

/** The words at the end of the line: how it went. */
export function outcomeWords(call: CallLine): string {
  switch (call.state) {
    case 'ready':
    case 'running':
    case 'ok':
      return ''
    case 'asked':
      return 'waits for you'
    case 'failed':
      return firstLine(head(call.result)) || 'failed'
    case 'blocked':
      return `blocked: ${firstLine(head(call.result)) || 'not allowed'}`
    case 'not_run':
      return 'not run'
    case 'cancelled':
      return 'cancelled'
  }
}

function telling(args: string): string {
  let parsed: unknown
  try {
    parsed = JSON.parse(args)
  } catch {
    // Cut short, as long arguments are: find the first telling one in what is there.
    const found = TELLING.map((name) => new RegExp(`"${name}"\\s*:\\s*"([^"]{1,120})`).exec(args)?.[1])
    return found.find((value) => value !== undefined) ?? ''
  }
  if (typeof parsed !== 'object' || parsed === null) return ''
  const values = parsed as Record<string, unknown>
  const name = TELLING.find((name) => typeof values[name] === 'string')
  const value = name ? values[name] : Object.values(values).find((value) => typeof value === 'string')
  return typeof value === 'string' ? firstLine(value) : ''
}

function firstLine(text: string): string {
  const line = text.trimStart().split('\n', 1)[0] ?? ''
  return line.length > 160 ? `${line.slice(0, 159)}…` : line
}
