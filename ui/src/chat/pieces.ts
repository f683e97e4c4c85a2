// A long paragraph in pieces. While it grows only its last piece is parsed
// again; where it is cut depends on what stands before the cut alone, so the
// pieces of a text are those of any longer one.

/** The least length of a piece. */
const LEAST = 1000
/** What has to come in pairs, or a mark would be cut from its end. */
const PAIRED = '*_~`'

/** The paragraph, cut at blanks where no mark is open. */
export function pieces(text: string): string[] {
  const list: string[] = []
  let begin = 0
  let odd = 0
  let deep = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    const mark = PAIRED.indexOf(char)
    // Several in a row, such as **, are one mark.
    if (mark >= 0) odd ^= text[at - 1] === char ? 0 : 1 << mark
    else if (char === '[' || char === '(' || char === '<') deep++
    else if (char === ']' || char === ')' || char === '>') deep = Math.max(0, deep - 1)
    else if (char === '\\') at++
    else if (char === ' ' && odd === 0 && deep === 0 && at - begin >= LEAST && text[at + 1] !== ' ' && text[at - 1] !== ' ') {
      list.push(text.slice(begin, at + 1))
      begin = at + 1
    }
  }
  list.push(text.slice(begin))
  return list
}
