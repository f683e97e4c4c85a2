// The slash commands. Only the composer knows them: elsewhere text is text.

import { TEXT } from './words'

export type Command =
  | { name: 'plan'; mode: 'strict' | 'soft' | 'off' }
  | { name: 'status' | 'stop' | 'pause' | 'resume' | 'skip' | 'retry' | 'history' | 'help' | 'inbox' | 'settings' }
  | { name: 'cancel'; reason: string }
  | { name: 'export'; format: 'markdown' | 'json' }
  | { name: 'rename'; title: string }
  | { name: 'new' | 'archive' | 'quit' }
  | { name: 'goal'; goal: string }
  | { name: 'council'; task: string }
  | { name: 'sidekick'; task: string }
  | { name: 'sidekicks' }
  | { name: 'stop-sidekick'; codename: string }
  | { name: 'pause-after' | 'stop-step' }
  /** Not a command, or not all of one: what is wrong with it. */
  | { name: 'wrong'; message: string }

export interface Help {
  /** As it is typed. */
  usage: string
  does: string
}

export const HELP: Help[] = Object.entries(TEXT.help).map(([usage, does]) => ({ usage, does }))

/** The command in a text, or null when it is a message. */
export function parse(text: string): Command | null {
  const trimmed = text.trim()
  // A path such as /etc/hosts is a message; a command is one word of letters, large or small.
  const match = /^\/([a-z]+)(?:\s+([\s\S]*))?$/i.exec(trimmed)
  if (!match) return null
  const word = (match[1] ?? '').toLowerCase()
  const rest = (match[2] ?? '').trim()
  switch (word) {
    case 'plan':
      return plan(rest.toLowerCase())
    case 'stop':
      return isStep(rest) ? { name: 'stop-step' } : { name: 'stop' }
    case 'pause':
      return isStep(rest) ? { name: 'pause-after' } : { name: 'pause' }
    case 'resume':
    case 'skip':
    case 'retry':
    case 'history':
    case 'help':
    case 'inbox':
    case 'settings':
    case 'new':
    case 'archive':
    case 'quit':
      return { name: word }
    case 'cancel':
      return { name: 'cancel', reason: rest }
    case 'rename':
      return rest === '' ? wrong(TEXT.commands.rename) : { name: 'rename', title: rest }
    case 'export':
      return exported(rest.toLowerCase())
    case 'sidekick':
      return sidekick(rest)
    case 'goal':
      return rest === '' ? wrong(TEXT.commands.goal) : { name: 'goal', goal: rest }
    case 'council':
      return { name: 'council', task: rest }
    default:
      return wrong(TEXT.commands.unknown(word))
  }
}

/** Commands that begin with what is typed. */
export function matching(text: string): Help[] {
  if (!text.startsWith('/') || text.includes('\n')) return []
  const typed = text.toLowerCase()
  return HELP.filter((help) => help.usage.startsWith(typed.trimEnd()) && help.usage !== typed)
}

function isStep(rest: string): boolean {
  return rest.toLowerCase() === 'step'
}

function exported(rest: string): Command {
  if (rest === '' || rest === 'markdown' || rest === 'md') return { name: 'export', format: 'markdown' }
  if (rest === 'json') return { name: 'export', format: 'json' }
  return wrong(TEXT.commands.export)
}

function plan(rest: string): Command {
  switch (rest) {
    case '':
    case 'on':
    case 'strict':
      return { name: 'plan', mode: 'strict' }
    case 'soft':
    case 'off':
      return { name: 'plan', mode: rest }
    case 'status':
      return { name: 'status' }
    default:
      return wrong(TEXT.commands.plan)
  }
}

/** Only `status` alone and `cancel` with a name are words of ours; anything else is the task. */
function sidekick(rest: string): Command {
  if (rest === '') return wrong(TEXT.commands.task)
  const word = rest.toLowerCase()
  if (word === 'status') return { name: 'sidekicks' }
  if (word === 'cancel') return wrong(TEXT.commands.which)
  const cancel = /^cancel\s+(\S[\s\S]*)$/i.exec(rest)
  return cancel ? { name: 'stop-sidekick', codename: cancel[1] ?? '' } : { name: 'sidekick', task: rest }
}

function wrong(message: string): Command {
  return { name: 'wrong', message }
}
