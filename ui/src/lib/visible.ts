// Characters that hide or turn text around are shown by name, so that what is
// approved is what is read.

import { TEXT } from './text'

// Zero width, joiners, bidi controls and isolates, soft hyphen, fillers, tags.
const HIDDEN =
  /[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\u{E0000}-\u{E007F}]|[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/gu

/** What a joiner joins to a picture of several parts. */
const PICTURE = /^\p{Extended_Pictographic}$/u
const PART_OF_PICTURE = /^[\p{Extended_Pictographic}\u{1F3FB}-\u{1F3FF}\uFE0F]$/u
/** Scripts that need joiners: Persian, Hindi and their neighbours. */
const JOINING = /^[\u0590-\u1CFF]$/
const MARK = /^\p{M}$/u

/** The text with every hidden character written out as `⟨U+202E⟩`. */
export function visible(text: string): string {
  if (text.search(HIDDEN) < 0) return text
  const needed = joiners(text)
  return text.replace(HIDDEN, (char, at: number) => (needed.has(at) ? char : named(char)))
}

/** What breaks a line or looks like a space, or like nothing at all, and is none. */
const ODD = /[\t\n\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u2800\u3000\u{1D173}-\u{1D17A}]/gu

/** The same for what is taken to the letter: a tool, a target, a command. */
export function literal(text: string): string {
  return visible(text).replace(ODD, named)
}

/** Which hidden characters a text holds, each by its name and how often, in the order they come. */
export function hidden(text: string): { name: string; times: number }[] {
  const found = new Map<string, number>()
  const needed = joiners(text)
  for (const { 0: char, index } of text.matchAll(HIDDEN)) {
    if (!needed.has(index)) found.set(named(char), (found.get(named(char)) ?? 0) + 1)
  }
  return [...found].map(([name, times]) => ({ name, times }))
}

/** The same on one line; empty where there are none. */
export function hiddenWords(text: string): string {
  const names = hidden(text).map(({ name, times }) => (times > 1 ? `${name} ×${times}` : name))
  return names.length > 0 ? TEXT.shared.hidden(names.join(', ')) : ''
}

/** The text without them. */
export function withoutHidden(text: string): string {
  const needed = joiners(text)
  return text.replace(HIDDEN, (char, at: number) => (needed.has(at) ? char : ''))
}

/** Where the joiners are that have to stay: in emoji, Persian, Hindi. */
function joiners(text: string): Set<number> {
  const found = new Set<number>()
  for (const { index, 0: joiner } of text.matchAll(/[\u200C\u200D]/g)) {
    const next = String.fromCodePoint(text.codePointAt(index + 1) ?? 0)
    const before = [...text.slice(Math.max(0, index - 8), index)]
    const last = before.at(-1) ?? ''
    const letter = before.findLast((char) => !MARK.test(char)) ?? ''
    const picture = joiner === '\u200D' && PART_OF_PICTURE.test(last) && PICTURE.test(next)
    if (picture || (JOINING.test(letter) && JOINING.test(next))) found.add(index)
  }
  return found
}

function named(char: string): string {
  const code = char.codePointAt(0) ?? 0
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
}
