// Whether a click was meant. A press, of a key or of the pointer, ends later than it began: it
// counts only when it began on that very button, while the button could be pressed, and what the
// button stands for has not changed since.

interface Press {
  on: Element | null
  key: string
  good: boolean
}

let byPointer: Press = { on: null, key: '', good: false }
let byKey = byPointer
/** The pointer's down comes twice: as its own event, and as one of the mouse. */
let mouseFollows = false

function press(event: Event, key = '', fresh = true): Press {
  const on = event.target instanceof Element ? event.target.closest('button') : null
  return { on, key, good: fresh && on?.getAttribute('aria-disabled') !== 'true' }
}

function pointerDown(event: Event): void {
  byPointer = press(event)
  mouseFollows = true
}

function mouseDown(event: Event): void {
  if (!mouseFollows) byPointer = press(event)
  mouseFollows = false
}

function keyDown(event: KeyboardEvent): void {
  const { key, repeat } = event
  if (key !== 'Enter' && key !== ' ') return
  const next = press(event, key, !repeat)
  // Held, Enter presses again and again. The space bar presses once, when it is let go: its first down counts.
  const same = repeat && key === ' ' && byKey.key === ' ' && byKey.on === next.on
  if (!same) byKey = next
}

window.addEventListener('pointerdown', pointerDown, true)
window.addEventListener('mousedown', mouseDown, true)
window.addEventListener('keydown', keyDown, true)

/** Whether this click ends a press that began as it should. One without a press at all is a reader's or a form's. */
export function meant(event: MouseEvent): boolean {
  const on = event.currentTarget
  if (event.detail > 0) return byPointer.on === on && byPointer.good
  const began = [byKey, byPointer].find((one) => one.on === on)
  return began?.good ?? true
}

/** What a button stands for has changed: a press of it that is under way was meant for something else. */
export function spoil(button: Element): void {
  for (const one of [byPointer, byKey]) if (one.on === button) one.good = false
}

/** Attach it to what asks: an Enter that is held was pressed elsewhere, and sends no form that opened under it. */
export function unheld(element: HTMLElement): () => void {
  const keys = (event: KeyboardEvent) => {
    if (event.repeat && event.key === 'Enter') event.preventDefault()
  }
  element.addEventListener('keydown', keys)
  return () => element.removeEventListener('keydown', keys)
}
