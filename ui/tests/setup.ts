// What the test page lacks and the window has.

import { configure } from '@testing-library/svelte'

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
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
}
window.matchMedia ??= (query: string) =>
  ({ matches: false, media: query, addEventListener() {}, removeEventListener() {} }) as unknown as MediaQueryList
Element.prototype.scrollTo ??= () => undefined
