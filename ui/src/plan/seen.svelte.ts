// Nothing can be agreed to before it could have been read: whatever is asked is
// inert for a moment after it appears, and again when it changes.

export const INERT_MS = 700

export class Seen {
  #seen = $state<string | null>(null)
  #painted: () => string

  /** Call it while a component is set up; `painted` names what is on screen. */
  constructor(painted: () => string) {
    this.#painted = painted
    $effect(() => {
      const now = painted()
      let timer: ReturnType<typeof setTimeout>
      const begin = () => {
        clearTimeout(timer)
        // A window that is not on screen shows nothing to anyone.
        if (!document.hidden) timer = setTimeout(() => (this.#seen = now), INERT_MS)
      }
      begin()
      document.addEventListener('visibilitychange', begin)
      return () => {
        clearTimeout(timer)
        document.removeEventListener('visibilitychange', begin)
        // What comes back soon is new all the same.
        this.#seen = null
      }
    })
  }

  get inert(): boolean {
    return this.#seen !== this.#painted()
  }
}
