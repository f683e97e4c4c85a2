// What the test page lacks and the window has.

import { configure } from '@testing-library/svelte'
import { afterAll, vi } from 'vitest'
import { isAtRest } from '../src/lib/frame'

// A machine that is busy with other things is slow, not wrong.
configure({ asyncUtilTimeout: 8000 })

HTMLDialogElement.prototype.showModal ??= function () {
  this.open = true
}
HTMLDialogElement.prototype.close ??= function () {
  this.open = false
}
globalThis.CSS ??= {} as typeof CSS
CSS.escape ??= (text: string) => text
// It tells of every element once, as a browser does; nothing here is ever resized.
globalThis.ResizeObserver ??= class {
  #tell: ResizeObserverCallback
  #on = true
  constructor(tell: ResizeObserverCallback) {
    this.#tell = tell
  }
  observe() {
    queueMicrotask(() => this.#on && this.#tell([], this))
  }
  unobserve() {}
  disconnect() {
    this.#on = false
  }
}
window.matchMedia ??= (query: string) =>
  ({ matches: false, media: query, addEventListener() {}, removeEventListener() {} }) as unknown as MediaQueryList
Element.prototype.scrollTo ??= () => undefined

// The page is not taken away from what is still being shown.
afterAll(() => vi.waitUntil(isAtRest, 8000))
