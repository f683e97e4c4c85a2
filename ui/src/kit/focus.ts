// Where the focus is, for what is drawn differently there.

import { createSubscriber } from 'svelte/reactivity'

class Focus {
  #subscribe = createSubscriber((update) => {
    // It moves while the page is being drawn, too: when what has it is taken out.
    const moved = () => queueMicrotask(update)
    document.addEventListener('focusin', moved)
    document.addEventListener('focusout', moved)
    return () => {
      document.removeEventListener('focusin', moved)
      document.removeEventListener('focusout', moved)
    }
  })

  /** What has it; the page itself when nothing does. */
  get at(): Element | null {
    this.#subscribe()
    return document.activeElement
  }

  within(element: Element | undefined): boolean {
    return element?.contains(this.at) ?? false
  }
}

export const focus = new Focus()

// What got the focus by the pointer. WebKit shows the focus there as soon as a key is pressed, so that it does not tell.
let pointed = false
let byPointer: EventTarget | null = null
for (const type of ['pointerdown', 'mousedown']) window.addEventListener(type, () => (pointed = true), true)
window.addEventListener('keydown', () => (pointed = false), true)
window.addEventListener('focusin', (event) => (byPointer = pointed ? event.target : null), true)

/** Whether letters typed there mean something to it. */
export function takesText(at: EventTarget | null): boolean {
  if (!(at instanceof HTMLElement)) return false
  if (at instanceof HTMLInputElement) return at.type !== 'checkbox' && at.type !== 'radio'
  return at.isContentEditable || at.tagName === 'TEXTAREA' || at.tagName === 'SELECT'
}

const CARD = '[data-region=card], [data-region=asks]'
/** Where else letters are keys, or nothing, but no message. */
const HAS_KEYS = '[data-region=notices], [data-keys], [role=menu]'
const CONTROL = 'button, a, input, select, summary'

/** Whether letters typed there are keys of the card: on one of its buttons, or where it is seen to have the focus, which a click beside them does not show. */
export function hasKeys(at: Element): boolean {
  return at.closest(CARD) !== null && (at.matches(CONTROL) || at !== byPointer)
}

/** Whether letters typed there begin a message: nothing there wants them, and nothing is in front. */
export function beginsMessage(at: EventTarget | null): boolean {
  if (!(at instanceof Element) || takesText(at) || hasKeys(at) || at.closest(HAS_KEYS)) return false
  return !document.querySelector('dialog[open]') && !!document.querySelector('[data-region=composer]')
}

/** To the message box, where whatever is typed next belongs; answers whether there is one, with nothing in front of it. */
export function toMessageBox(): boolean {
  const box = document.querySelector<HTMLElement>('[data-region=composer]')
  if (!box || document.querySelector('dialog[open]')) return false
  box.focus()
  return true
}
