// What changed between two texts, line by line.

import { diffArrays } from 'diff'

export interface Line {
  sign: ' ' | '+' | '-'
  text: string
  /** Its number before and after; null where it is not there. */
  before: number | null
  after: number | null
}

/** More different lines than these are not compared: all of the one goes, and all of the other comes. */
const MOST = 2000
const AROUND = 2

/** Every line of both, in order. */
export function lines(before: string, after: string): Line[] {
  const [a, b] = [split(before), split(after)]
  const parts = diffArrays(a, b, { maxEditLength: MOST }) ?? [
    { removed: true, added: false, value: a },
    { removed: false, added: true, value: b },
  ]
  let [left, right] = [0, 0]
  return parts.flatMap(({ removed, added, value }) =>
    value.map((text): Line => {
      if (removed) return { sign: '-', text, before: ++left, after: null }
      if (added) return { sign: '+', text, before: null, after: ++right }
      return { sign: ' ', text, before: ++left, after: ++right }
    }),
  )
}

/** Only what changed, with a little around it; null marks a gap. */
export function hunks(all: Line[]): (Line | null)[] {
  const near = new Set<number>()
  all.forEach((line, i) => {
    if (line.sign !== ' ') for (let at = i - AROUND; at <= i + AROUND; at++) near.add(at)
  })
  const shown: (Line | null)[] = []
  all.forEach((line, i) => {
    if (near.has(i)) shown.push(line)
    else if (shown.length > 0 && shown.at(-1) !== null) shown.push(null)
  })
  if (shown.at(-1) === null) shown.pop()
  return shown
}

export function counted(all: Line[]): { plus: number; minus: number } {
  return {
    plus: all.filter((line) => line.sign === '+').length,
    minus: all.filter((line) => line.sign === '-').length,
  }
}

function split(text: string): string[] {
  if (text === '') return []
  const list = text.split('\n')
  if (list.at(-1) === '') list.pop()
  return list
}
