// Single keys for the buttons of the card.

/** Whether a key pressed now is meant for the card: nothing is being typed and nothing is in front. */
export function free(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false
  if (document.querySelector('dialog[open]')) return false
  const at = event.target
  if (!(at instanceof HTMLElement)) return true
  return !at.isContentEditable && !/^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName) && !at.closest('[role=menu]')
}
