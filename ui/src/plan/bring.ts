// Brings a step of a list into view.

import type { StepId } from '../lib/wire'

/** Scrolls a step into view, without moving anything but the list. */
export function bringUp(scroller: HTMLElement, step: StepId): HTMLElement | null {
  const row = scroller.querySelector<HTMLElement>(`[data-step="${CSS.escape(step)}"]`)
  if (!row) return null
  // Where it belongs, not where it is held.
  row.style.position = 'static'
  const above = row.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop
  row.style.position = ''
  // Two rows before it and one after it, as far as there is room beside the row itself.
  const spare = Math.max(0, scroller.clientHeight - row.offsetHeight)
  const top = above - Math.min(row.offsetHeight * 2, spare)
  const bottom = above + row.offsetHeight + Math.min(row.offsetHeight, spare)
  if (top < scroller.scrollTop) scroller.scrollTop = top
  else if (bottom > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = bottom - scroller.clientHeight
  return row
}
