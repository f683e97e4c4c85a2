// Putting text on the clipboard.

/** Whether it worked. A web view may refuse its own clipboard, so the old way is the second try. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelected(text)
  }
}

function copySelected(text: string): boolean {
  // Inside what is in front: a dialog keeps the focus from everything else.
  const place = document.querySelector('dialog[open]') ?? document.body
  const area = document.createElement('textarea')
  const before = document.activeElement
  area.value = text
  area.className = 'sr'
  place.append(area)
  area.select()
  const worked = document.execCommand?.('copy') ?? false
  area.remove()
  if (before instanceof HTMLElement) before.focus()
  return worked
}
