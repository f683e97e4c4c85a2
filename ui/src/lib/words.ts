// Numbers, times and states as a person reads them.

import type { ActorKind, PauseReason, Text, Usage } from './wire'

/** `<1 s`, `9 s`, `1m 12s`, `2h 05m`; nothing for what took no time. */
export function duration(ms: number): string {
  if (ms <= 0) return ''
  if (ms < 1000) return '<1 s'
  const seconds = Math.floor(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m ${String(seconds % 60).padStart(2, '0')}s`
  return `${Math.floor(minutes / 60)}h ${String(minutes % 60).padStart(2, '0')}m`
}

/** What is left of a wait: `3 s`, `1m 12s`, and at its end `a moment`. */
export function left(ms: number): string {
  return ms <= 0 ? 'a moment' : duration(Math.ceil(ms / 1000) * 1000)
}

/** `4 ms` below a second, else as `duration`. */
export function quick(ms: number): string {
  if (ms < 1) return '<1 ms'
  return ms < 1000 ? `${Math.round(ms)} ms` : duration(ms)
}

/** `950 tokens`, `18.4k tokens`, `96k tokens`. */
export function tokens(usage: Usage): string {
  const count = usage.input + usage.output
  if (count < 1000) return `${count} tokens`
  if (count < 1_000_000) return `${short(count / 1000)}k tokens`
  return `${short(count / 1_000_000)}M tokens`
}

/** `$0.06`; a cost below a cent is still not nothing. */
export function money(micros: number): string {
  const dollars = micros / 1_000_000
  return dollars > 0 && dollars < 0.005 ? 'under $0.01' : `$${dollars.toFixed(2)}`
}

/** Tokens and cost, leaving out what is zero. */
export function spent(usage: Usage): string[] {
  const parts: string[] = []
  if (usage.input + usage.output > 0) parts.push(tokens(usage))
  if (usage.cost_micros > 0) parts.push(money(usage.cost_micros))
  return parts
}

/** How far something is: `40 %`, `3`, with what is being done. */
export function farSoFar(done: number, total?: number | null, text?: string | null): string {
  const far = total && total > 0 ? `${Math.round(Math.min(1, done / total) * 100)} %` : String(done)
  return text ? `${far}, ${text}` : far
}

/** `12 KB` */
export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`
  return `${short(bytes / 1024 / 1024)} MB`
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(parts: string[]): string {
  return [parts.slice(0, -1).join(', '), ...parts.slice(-1)].filter(Boolean).join(' and ')
}

/**
 * What the engine says in passing, as a sentence of its own: it begins large, unless its first word
 * is a name such as a path or an address, and it ends.
 */
export function sentence(words: string): string {
  const said = words.trim()
  if (said === '') return ''
  const begun = /^[a-z]+(?=[\s,;’'])/.test(said) ? said.charAt(0).toUpperCase() + said.slice(1) : said
  return /[.!?…:]["”’')\]]*$/.test(begun) ? begun : `${begun}.`
}

/** `3 files`, `1 file`. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`
}

/** The state of a plan, as on its pill. */
export function planState(state: string, reason?: PauseReason | null, sentBack = false): string {
  switch (state) {
    case 'draft':
      return sentBack ? 'Sent back' : 'Draft'
    case 'awaiting_approval':
      return 'Waiting for your approval'
    case 'running':
      return 'Running'
    case 'paused':
      return reason ? `Paused: ${PAUSED[reason]}` : 'Paused'
    case 'done':
      return 'Done'
    case 'failed':
      return 'Failed'
    case 'cancelled':
      return 'Cancelled'
    default:
      return state
  }
}

const PAUSED: Record<PauseReason, string> = {
  supervisor: 'by you',
  auto_budget: 'checking in',
  attempts: 'stuck',
  revise: 'needs a new plan',
  cap: 'limit reached',
  drift: 'outside the plan',
  quota: 'waiting for quota',
  provider: 'can’t use the model',
  interrupted: 'interrupted',
  manual: 'step by step',
}

/** `by you`, `by the agent`: who did something. */
export function who(kind: ActorKind): string {
  switch (kind) {
    case 'person':
      return 'you'
    case 'agent':
      return 'the agent'
    case 'sidekick':
      return 'a sidekick'
    case 'harness':
      return 'Plancard'
  }
}

/** The model's own name, without its provider; the rehearsal is not a model and has one name. */
export function modelName(model: string): string {
  if (model.startsWith('rehearsal/')) return 'Rehearsal'
  return model.slice(model.indexOf('/') + 1)
}

const PROVIDERS: Record<string, string> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  gemini: 'Gemini',
  xai: 'xAI',
  ollama: 'Ollama',
  lmstudio: 'LM Studio',
  openrouter: 'OpenRouter',
  deepseek: 'DeepSeek',
  mistral: 'Mistral',
  groq: 'Groq',
  claude_code: 'Claude Code',
  codex: 'Codex',
  copilot: 'Copilot',
  gemini_cli: 'Gemini CLI',
  goose: 'goose',
  opencode: 'opencode',
}

/** A provider as it spells itself; one of the person's own has the name they gave it. */
export function providerName(name: string): string {
  return PROVIDERS[name] ?? name
}

/** What is here of a text that may be stored elsewhere. */
export function head(text: Text | undefined | null): string {
  if (text == null) return ''
  return typeof text === 'string' ? text : text.head
}

/** `14:05` */
export function clockTime(time: number): string {
  return new Date(time).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
}

/** `today 14:05`, `3 Mar 14:05`. */
export function when(time: number, now = Date.now()): string {
  const at = new Date(time)
  const clock = clockTime(time)
  if (at.toDateString() === new Date(now).toDateString()) return `today ${clock}`
  return `${at.toLocaleDateString(undefined, { day: 'numeric', month: 'short' })} ${clock}`
}

function short(n: number): string {
  return n < 100 ? n.toFixed(1).replace(/\.0$/, '') : String(Math.round(n))
}
