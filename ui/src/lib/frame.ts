/** Calls back once in the next frame, however often it was asked to. */
export class EachFrame {
  #asked = false
  #work: () => void
  #schedule: (run: () => void) => void

  constructor(work: () => void, schedule: (run: () => void) => void = nextFrame) {
    this.#work = work
    this.#schedule = schedule
  }

  ask(): void {
    if (this.#asked) return
    this.#asked = true
    this.#schedule(() => {
      this.#asked = false
      this.#work()
    })
  }
}

// A hidden window paints no frames, and must not gather text without end.
function nextFrame(run: () => void): void {
  if (document.hidden) setTimeout(run, 250)
  else requestAnimationFrame(run)
}
