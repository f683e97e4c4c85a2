// The answers to each kind of question, as buttons.

import { literal, visible } from '../lib/visible'
import type { AskView, Whole } from '../lib/wire'
import { reach } from '../settings/rules'

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
    { value: 'mine', label: 'Keep the folder’s' },
    { value: 'theirs', label: ask.codename ? `Take ${visible(ask.codename)}’s` : 'Take the sidekick’s' },
    { value: 'both', label: 'Keep both' },
  ]
}

export const REFUSALS: Answer[] = [
  { value: 'refuse', label: 'Refuse and go on' },
  { value: 'refuse_stop', label: 'Refuse and stop' },
]

/** What a tool does to the one file that it is given. */
const DOES = new Map([
  ['write_file', 'write'],
  ['edit_file', 'edit'],
  ['delete_file', 'delete'],
  ['create_directory', 'make the folder'],
])

/** What a question shows only a part of. */
export function partly(ask: AskView): { name: string; whole: Whole }[] {
  return ask.detail.flatMap(({ name, whole }) => (whole ? [{ name, whole }] : []))
}

const NAMES = new Map([
  ['target', 'what it would touch'],
  ['arguments', 'what it would send'],
  ['description', 'the description'],
  ['question', 'the question'],
  ['field', 'the field'],
])

/** A part of a question in words. */
export function named(name: string): string {
  return NAMES.get(name) ?? name
}

/** The question, with what it would touch set apart. */
export function parts(ask: AskView): { text: string; code: boolean }[] {
  const named = (name: string) => ask.detail.flatMap((detail) => (detail.name === name && detail.value ? [detail.value] : []))
  const does = DOES.get(named('tool')[0] ?? '')
  const [only, ...others] = named('target')
  const whole = partly(ask).length === 0
  if (ask.kind === 'drift' && ask.step_id && does && only && whole && others.length === 0) {
    return [
      { text: `It wants to ${does} `, code: false },
      { text: literal(only), code: true },
      { text: ', which the step does not name.', code: false },
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
      return 'Nothing has been changed there.'
    case 'permission':
      return 'It has not run.'
    case 'outcome':
      // The question itself says that the app stopped.
      return 'It is not run again by itself.'
    case 'conflict':
      return 'Nothing is overwritten until you choose.'
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
  const room = ask.parent ? 'for the room it works for and all its sidekicks.' : 'for this room and all its sidekicks.'
  return [
    ...shown('rule', 'always').map((rule) => ({ words: '“Always allow” keeps the rule', code: literal(rule), end: withReach(rule, room) })),
    ...shown('grant', 'add').map((rule) => ({ words: '“Add to the plan” allows', code: literal(rule), end: withReach(rule, 'in this step.') })),
  ]
}

const ALL: Record<Exclude<AskView['kind'], 'conflict'>, Answer[]> = {
  approval: [],
  drift: [
    { value: 'once', label: 'Allow once' },
    { value: 'add', label: 'Add to the plan', key: 'a' },
  ],
  permission: [
    { value: 'allow', label: 'Allow once' },
    { value: 'always', label: 'Always allow' },
  ],
  outcome: [
    { value: 'look', label: 'Let it look' },
    { value: 'happened', label: 'It happened' },
    { value: 'not', label: 'It did not' },
  ],
  question: [],
  elicitation: [],
}
