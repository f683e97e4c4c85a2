// The rules of the agents, as a person reads them.

import type { Json } from '../lib/backend'
import { TEXT } from './words'

export interface Rule {
  /** As it is written, such as `shell(git push *)`. */
  text: string
  /** Which tools, as a pattern. */
  tool: string
  /** Which commands, paths or hosts, as a pattern; empty: all. */
  target: string
  /** What it was tried on when it was read. */
  examples: string[]
  notExamples: string[]
}

export type Action = 'deny' | 'ask' | 'allow' | 'open'

/** In the order in which they count. */
export const ACTIONS: { action: Action; title: string; short: string }[] = [
  { action: 'deny', title: TEXT.rules.never, short: TEXT.rules.neverShort },
  { action: 'ask', title: TEXT.rules.ask, short: TEXT.rules.askShort },
  { action: 'allow', title: TEXT.rules.allow, short: TEXT.rules.allowShort },
  { action: 'open', title: TEXT.rules.open, short: TEXT.rules.openShort },
]

/** The rules in a list of the configuration: texts, or maps with examples. */
export function rulesOf(list: Json): Rule[] {
  return (Array.isArray(list) ? list : []).flatMap((one) => {
    const map = one && typeof one === 'object' && !Array.isArray(one) ? one : { rule: one }
    const text = map['rule']
    if (typeof text !== 'string') return []
    const [, tool = text, target = ''] = /^([^(]*)\((.*)\)$/s.exec(text) ?? []
    return [{ text, tool, target, examples: texts(map['examples']), notExamples: texts(map['not_examples']) }]
  })
}

/** Whether a rule speaks of a tool. */
export function speaksOf(rule: Rule, tool: string): boolean {
  const pattern = rule.tool.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${pattern.join('.*')}$`).test(tool)
}

/** What a rule is about, in words. */
export function scope({ tool, target }: Rule): string {
  if (target === '') return tool === '*' ? 'Every call' : `Every call of ${tool}`
  if (tool === 'shell') return commands(target)
  if (tool === 'fetch') return `Addresses at ${target}`
  return `${tool} where it touches ${target}`
}

/** Which commands a rule or a grant means, and where. One that names no folder means any. */
export function commands(target: string): string {
  const { words, like, more, place } = commandOf(target)
  return `${like ? 'Commands like' : 'The command'} ${words}${more ? ', with any words after it' : ''}, ${place}`
}

/** Where a rule for a command holds, and for which words, in words; empty for other rules. */
export function reach(rule: string): string {
  const [of] = rulesOf([rule])
  if (of?.tool !== 'shell' || of.target === '') return ''
  const { like, more, place } = commandOf(of.target)
  return `${place}, ${more ? 'with any words after it' : like ? 'with words like these' : 'with these words only'}`
}

function commandOf(target: string): { words: string; like: boolean; more: boolean; place: string } {
  const [, quoted, rest = target] = /^cd ('[^']*'|"[^"]*"|\S+) && (.*)$/s.exec(target) ?? []
  const folder = quoted?.replace(/^(['"])(.*)\1$/s, '$2')
  // What ends with a blank and a star was always any words; a character in brackets is itself.
  const words = folder === undefined ? rest.replace(/ \*$/, ' …').replace(/\[(.)\]/gs, '$1') : rest
  const like = folder === undefined && /[*?[{]/.test(rest.replace(/ \*$/, '').replace(/\[.\]/gs, ''))
  const place = folder === undefined ? 'in any folder' : folder === '.' ? 'in the workspace’s own folder' : `in ${folder}/`
  return { words, like, more: words.endsWith(' …'), place }
}

function texts(list: Json | undefined): string[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : []
}
