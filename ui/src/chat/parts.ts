// Very long texts are laid out in parts: nobody reads a megabyte at once, and
// no window stays quick with it.

/** As much as is laid out at once. */
export const PART = 64 * 1024
/** As much of a folded text as is shown at most; at least half of it is. */
export const FOLDED = 8 * 1024

/** The beginning of a text, cut where a paragraph ends, else a line, else a word. */
export function beginning(text: string, length: number): string {
  if (text.length <= length) return text
  const ends = ['\n\n', '\n', ' '].map((mark) => text.lastIndexOf(mark, length))
  return text.slice(0, ends.find((end) => end > length / 2) ?? length)
}

/** The end of a text that still grows; it begins at the same place until it is a part longer. */
export function ending(text: string): string {
  if (text.length <= 2 * PART) return text
  const from = (Math.floor(text.length / PART) - 1) * PART
  const start = text.indexOf('\n\n', from)
  return text.slice(start < 0 || start > from + PART / 2 ? from : start + 2)
}
