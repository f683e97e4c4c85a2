// Where a line may be cut so that its end stays: a file's name, the last words of a command.

/** As much of the end as is kept, if it has room at all. */
const MOST = 28

export function ends(text: string): { head: string; end: string } {
  const from = Math.max(0, text.length - MOST)
  // At the beginning of a name or a word, the first that fits; after the last slash where there is one.
  const slash = text.lastIndexOf('/', text.length - 2) + 1
  const word = text.indexOf(' ', from) + 1
  const at = slash > from ? slash : word > from && word < text.length ? word : from
  return { head: text.slice(0, at), end: text.slice(at) }
}
