// What the chat shows: one item a line or paragraph, made from events.

import type { ActorKind, AskId, CallId, CallRequest, Change, Outcome, PlanId, StepId, Text } from '../lib/wire'
import { head } from '../lib/words'
import { TEXT } from './words'

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
  /** What the person answered, where it asked them something. */
  answer?: string
  result?: Text
  warning?: string
  /** When it began to run. */
  began?: number
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
    }
  /** What a sidekick or a member of a council is to do. */
  | { kind: 'brief'; key: string; text: Text; from: ActorKind | 'council'; full: boolean; at: number }
  | { kind: 'nudge'; key: string; text: string; /** Whether it only tells what came of a step. */ news: boolean }
  /** A turn that ended without an answer, and why. */
  | { kind: 'failed'; key: string; text: string; code: string }
  | { kind: 'note'; key: string; text: string; tone: 'plain' | 'good' | 'bad' | 'wait'; /** When, where that is worth a place. */ at?: number }

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

/** The harness's own tools in words: an action of `plan`, or another tool's name. */
const OWN: Record<string, string> = {
  write: TEXT.calls.write,
  write_plan: TEXT.calls.write,
  run: TEXT.calls.run,
  step_done: TEXT.calls.done,
  step_failed: TEXT.calls.failed,
  revise: TEXT.calls.revise,
  status: TEXT.calls.status,
  cancel: TEXT.calls.cancel,
  submit_plan: TEXT.calls.submit,
  sidekick_complete: TEXT.calls.handBack,
  submit: TEXT.calls.handIn,
  restart_orchestration: TEXT.calls.restart,
}

/** What the call is, as it was called or in words where it is the harness's own. */
export function callWords(call: CallLine): { words: string; own: boolean } {
  const own = call.tool === 'plan' ? OWN[call.target] : OWN[call.tool]
  if (own) return { words: own, own: true }
  if (call.tool === 'spawn_sidekick') return { words: TEXT.calls.sidekick(call.target), own: true }
  if (call.tool === 'start_council') return { words: TEXT.calls.council(call.target), own: true }
  if (call.tool === 'new_answer') return { words: TEXT.calls.answer(call.target), own: true }
  if (call.tool === 'vote') return { words: TEXT.calls.vote(call.target), own: true }
  if (call.tool === 'ask_user') return { words: TEXT.calls.ask(call.target), own: true }
  return { words: `${call.tool} ${call.target}`.trimEnd(), own: false }
}

/** Whether the card already shows what the call did: a plan written, a step done. */
export function quiet(call: CallLine): boolean {
  if (call.warning || call.state === 'failed' || call.state === 'blocked') return false
  return call.tool === 'submit_plan' || (call.tool === 'plan' && call.target !== 'step_failed' && call.target !== 'revise')
}

/** Whether there is anything of it to show. */
export function inChat(item: ChatItem): boolean {
  if (item.kind !== 'agent') return true
  return head(item.text) !== '' || item.thinking !== null || !item.calls.every(quiet)
}

/** The words at the end of the line: how it went. */
export function outcomeWords(call: CallLine): string {
  switch (call.state) {
    case 'ready':
    case 'running':
    case 'ok':
      return ''
    case 'asked':
      return TEXT.calls.waits
    case 'failed':
      return said(head(call.result)) || TEXT.calls.fails
    case 'blocked':
      return TEXT.calls.blocked(said(head(call.result)))
    case 'not_run':
      return TEXT.calls.notRun
    case 'cancelled':
      return TEXT.calls.cancelled
    case 'already_done':
      return TEXT.calls.already
  }
}

/** What was answered to its question, on one line. */
export function answerWords(call: CallLine): string {
  const answered = call.answer !== undefined && (call.state === 'running' || call.state === 'ok')
  return answered ? TEXT.calls.you(firstLine(call.answer ?? '')) : ''
}

/** The first line of a result, or of its message where the harness answered the model with one. */
function said(result: string): string {
  const message = /^\{.*"message":("(?:[^"\\]|\\.)*")/s.exec(result)?.[1]
  return firstLine(message ? String(JSON.parse(message)) : result)
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
