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

/** A covered or hidden window paints no frames, and must still follow. */
const LATEST_MS = 100

function nextFrame(run: () => void): void {
  const once = () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
    run()
  }
  const frame = requestAnimationFrame(once)
  const timer = setTimeout(once, LATEST_MS)
}
