// Characters that hide or turn text around are shown by name, so that what is
// approved is what is read.

// Zero width, joiners, bidi controls and isolates, soft hyphen, fillers, tags.
const HIDDEN =
  /[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\u{E0000}-\u{E007F}]|[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/gu

/** A joiner where a script or a picture of several parts needs it: emoji, Persian, Hindi. */
const NEEDED = /(?<=[\p{Extended_Pictographic}\u{1F3FB}-\u{1F3FF}\uFE0F])\u200D(?=\p{Extended_Pictographic})|(?<=[\u0590-\u1CFF]\p{M}*)[\u200C\u200D](?=[\u0590-\u1CFF])/gu

/** The text with every hidden character written out as `⟨U+202E⟩`. */
export function visible(text: string): string {
  if (text.search(HIDDEN) < 0) return text
  const needed = new Set([...text.matchAll(NEEDED)].map((found) => found.index))
  return text.replace(HIDDEN, (char, at: number) => {
    if (needed.has(at)) return char
    const code = char.codePointAt(0) ?? 0
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
  })
}
