// The answers to each kind of question, as buttons.

import { literal, visible } from '../lib/visible'
import type { AskView, Whole } from '../lib/wire'
import { reach } from '../settings/rules'
import { ASK } from './words'

export interface Answer {
  value: string
  label: string
  key?: string
}

/** Everything but a no, which asks for words first. */
export function answersOf(ask: AskView): Answer[] {
  const all = ask.kind === 'conflict' ? conflictAnswers(ask) : ALL[ask.kind]
  return all.filter((answer) => ask.answers.includes(answer.value))
}

/** Neither version need be the person's own: one is in the folder, the other is a sidekick's. */
function conflictAnswers(ask: AskView): Answer[] {
  return [
    { value: 'mine', label: ASK.keepFolder },
    { value: 'theirs', label: ask.codename ? ASK.take(visible(ask.codename)) : ASK.takeSidekick },
    { value: 'both', label: ASK.keepBoth },
  ]
}

export const REFUSALS: Answer[] = [
  { value: 'refuse', label: ASK.refuseAndContinue },
  { value: 'refuse_stop', label: ASK.refuseAndStop },
]

/** What a question shows only a part of. */
export function partly(ask: AskView): { name: string; whole: Whole }[] {
  return ask.detail.flatMap(({ name, whole }) => (whole ? [{ name, whole }] : []))
}

/** A part of a question in words. */
export function named(name: string): string {
  return ASK.parts.get(name) ?? name
}

/** The question, with what it would touch set apart. */
export function parts(ask: AskView): { text: string; code: boolean }[] {
  const named = (name: string) => ask.detail.flatMap((detail) => (detail.name === name && detail.value ? [detail.value] : []))
  const does = ASK.does.get(named('tool')[0] ?? '')
  const [only, ...others] = named('target')
  const whole = partly(ask).length === 0
  if (ask.kind === 'drift' && ask.step_id && does && only && whole && others.length === 0) {
    const { before, after } = ASK.beyond(does)
    return [
      { text: before, code: false },
      { text: literal(only), code: true },
      { text: after, code: false },
    ]
  }
  const target = [...named('target'), ...named('path')].find((value) => ask.text.includes(value))
  if (!target) return [{ text: visible(ask.text), code: false }]
  const at = ask.text.indexOf(target)
  return [
    { text: visible(ask.text.slice(0, at)), code: false },
    { text: literal(target), code: true },
    { text: visible(ask.text.slice(at + target.length)), code: false },
  ]
}

/** The sentence below the question. */
export function extra(ask: AskView): string {
  switch (ask.kind) {
    case 'drift':
      return ASK.nothingChanged
    case 'outcome':
      // The question itself says that the app stopped.
      return ASK.notRepeated
    case 'conflict':
      return ASK.nothingOverwritten
    case 'permission':
    case 'approval':
    case 'question':
    case 'elicitation':
      return ''
  }
}

function withReach(rule: string, end: string): string {
  return [literal(reach(rule)), end].filter(Boolean).join(', ')
}

/** What an answer would keep beyond this one call, to the letter, and where it would hold. */
export function keeps(ask: AskView): { words: string; code: string; end: string }[] {
  const shown = (name: string, answer: string) => (ask.answers.includes(answer) ? ask.detail.filter((detail) => detail.name === name).map((detail) => detail.value) : [])
  const room = ask.parent ? ASK.forParent : ASK.forRoom
  return [
    ...shown('rule', 'always').map((rule) => ({ words: ASK.alwaysKeeps, code: literal(rule), end: withReach(rule, room) })),
    ...shown('grant', 'add').map((rule) => ({ words: ASK.addAllows, code: literal(rule), end: withReach(rule, ASK.inStep) })),
  ]
}

const ALL: Record<Exclude<AskView['kind'], 'conflict'>, Answer[]> = {
  approval: [],
  drift: [
    { value: 'once', label: ASK.allowOnce },
    { value: 'add', label: ASK.addToPlan, key: 'a' },
  ],
  permission: [
    { value: 'allow', label: ASK.allowOnce },
    { value: 'always', label: ASK.alwaysAllow },
  ],
  outcome: [
    { value: 'look', label: ASK.letCheck },
    { value: 'happened', label: ASK.ran },
    { value: 'not', label: ASK.didNotRun },
  ],
  question: [],
  elicitation: [],
}
