// Answering, saving, removing: what was pressed is often gone afterwards, and
// the focus with it. It then stays with what the button was in.

/** Attach it to something that can have the focus, such as with `tabindex="-1"`. */
export function keepsFocus(element: HTMLElement): () => void {
  let inside = false
  let last: Node | null = null

  function came(event: FocusEvent): void {
    inside = true
    last = event.target as Node
  }

  function left(event: FocusEvent): void {
    const { target, relatedTarget } = event
    if (relatedTarget) inside = element.contains(relatedTarget as Node)
    // Left for nothing at all, unless it was taken out: that is known a moment later.
    else queueMicrotask(() => (inside &&= !(target as Node).isConnected))
  }

  const watch = new MutationObserver(() => {
    // On its way from one to the next the focus is nowhere for a moment, too.
    if (inside && !last?.isConnected && document.activeElement === document.body) element.focus({ preventScroll: true })
  })
  element.addEventListener('focusin', came)
  element.addEventListener('focusout', left)
  watch.observe(element, { childList: true, subtree: true })
  return () => {
    element.removeEventListener('focusin', came)
    element.removeEventListener('focusout', left)
    watch.disconnect()
  }
}
