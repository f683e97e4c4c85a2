// @files in what is being typed.

/** The word after an @ that the caret is in, or null. */
export function fileWord(text: string, caret: number): string | null {
  const before = text.slice(0, caret)
  const match = /(?:^|\s)@([^\s@]*)$/.exec(before)
  return match ? (match[1] ?? '') : null
}

/** The text with that word made whole, and where the caret goes. */
export function withFile(text: string, caret: number, path: string): { text: string; caret: number } {
  const before = text.slice(0, caret).replace(/@[^\s@]*$/, '')
  const after = text.slice(caret)
  const put = `@${path}${after.startsWith(' ') ? '' : ' '}`
  return { text: before + put + after, caret: before.length + put.length }
}
