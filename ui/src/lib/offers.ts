// What the context menu offers, by what was clicked.

import type { Offer } from '../kit/ContextMenu.svelte'
import { copy } from './clipboard'
import { TEXT } from './text'

export function offersAt(at: Element): Offer[] {
  const selected = document.getSelection()?.toString() ?? ''
  const message = at.closest<HTMLElement>('[data-copy]')?.dataset['copy'] ?? ''
  const path = at.closest<HTMLElement>('[data-path]')?.dataset['path'] ?? ''
  return [
    { label: TEXT.shared.copy, text: selected },
    { label: TEXT.shared.copyMessage, text: message },
    { label: TEXT.shared.copyPath, text: path },
  ].flatMap(({ label, text }) => (text === '' ? [] : [{ label, run: () => void copy(text) }]))
}
