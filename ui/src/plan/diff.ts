// A small line diff, for the changed files of a step.

export interface Line {
  sign: ' ' | '+' | '-'
  text: string
}

/** Beyond this the files are only counted, not compared. */
const MOST = 4000
const AROUND = 2

/** Every line of both, in order. */
export function lines(before: string, after: string): Line[] {
  const a = split(before)
  const b = split(after)
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const middle = compare(a.slice(start, a.length - end), b.slice(start, b.length - end))
  const same = (text: string): Line => ({ sign: ' ', text })
  return [...a.slice(0, start).map(same), ...middle, ...a.slice(a.length - end).map(same)]
}

/** Only what changed, with a little around it; null marks a gap. */
export function hunks(all: Line[]): (Line | null)[] {
  const near = all.map((_, i) => all.slice(Math.max(0, i - AROUND), i + AROUND + 1).some((line) => line.sign !== ' '))
  const shown: (Line | null)[] = []
  all.forEach((line, i) => {
    if (near[i]) shown.push(line)
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

// Longest common lines; large files fall back to "all out, all in".
function compare(a: string[], b: string[]): Line[] {
  const out = (text: string): Line => ({ sign: '-', text })
  const into = (text: string): Line => ({ sign: '+', text })
  if (a.length * b.length > MOST * 250) return [...a.map(out), ...b.map(into)]
  const width = b.length + 1
  const best = new Uint32Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      best[i * width + j] =
        a[i] === b[j]
          ? best[(i + 1) * width + j + 1]! + 1
          : Math.max(best[(i + 1) * width + j]!, best[i * width + j + 1]!)
  const list: Line[] = []
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      list.push({ sign: ' ', text: a[i]! })
      i++
      j++
    } else if (best[(i + 1) * width + j]! >= best[i * width + j + 1]!) list.push(out(a[i++]!))
    else list.push(into(b[j++]!))
  }
  return [...list, ...a.slice(i).map(out), ...b.slice(j).map(into)]
}
