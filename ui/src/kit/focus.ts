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

/** Whether letters typed there mean something to it. */
export function takesText(at: EventTarget | null): boolean {
  if (!(at instanceof HTMLElement)) return false
  if (at instanceof HTMLInputElement) return at.type !== 'checkbox' && at.type !== 'radio'
  return at.isContentEditable || at.tagName === 'TEXTAREA' || at.tagName === 'SELECT'
}

/** Whether letters typed there begin a message: nothing has the focus, and nothing is in front. */
export function beginsMessage(at: EventTarget | null): boolean {
  return at === document.body && !document.querySelector('dialog[open]') && !!document.querySelector('[data-region=composer]')
}
