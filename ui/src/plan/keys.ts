// Single keys for the buttons of the card.

import { focus, hasKeys, takesText } from '../kit/focus'

/** Whether a key pressed now is meant for the card: it is not just held, nothing is being typed and nothing is in front. */
export function free(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return false
  return reaches(event.target, event.key)
}

/** The same before a key is pressed, for the hints on the buttons: they are shown where they are true. */
export function live(key: string): boolean {
  return reaches(focus.at, key)
}

function reaches(at: EventTarget | null, key: string): boolean {
  if (!(at instanceof Element) || takesText(at) || document.querySelector('dialog[open]')) return false
  // Letters typed elsewhere are a message.
  if (key.length === 1 && !hasKeys(at)) return false
  return !at.closest('[role=menu], [data-region=notices]')
}
