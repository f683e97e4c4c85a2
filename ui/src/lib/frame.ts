// What is asked to be shown, one part in each frame: no part has to wait while
// the page paints all of them.

/** Calls back once in one of the next frames, however often it was asked to. */
export class EachFrame {
  #asked = false
  #work: () => void
  #schedule: (run: () => void) => void

  constructor(work: () => void, schedule: (run: () => void) => void = standInLine) {
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

const line: (() => void)[] = []
let underWay = false
let begun = 0
/** Rest for each part of work: the page always hears the person, however much there is to show, and leaves the processors to what is shown. */
const REST = 2
const LONGEST_REST_MS = 100
/** After so little work it rests no longer than it worked: words are there as they are said. */
const LITTLE_MS = 16
/** When it has rested from what it did last. */
let rested = 0
const painted = new MessageChannel()
painted.port1.onmessage = () => {
  const now = performance.now()
  const worked = now - begun
  rested = now + Math.min(worked > LITTLE_MS ? REST * worked : worked, LONGEST_REST_MS)
  underWay = false
  next()
}

/** Whether nothing waits to be shown. */
export function isAtRest(): boolean {
  return !underWay && line.length === 0
}

function standInLine(run: () => void): void {
  line.push(run)
  next()
}

function next(): void {
  if (underWay || line.length === 0) return
  underWay = true
  const rest = rested - performance.now()
  if (rest > 0) setTimeout(wait, rest)
  else wait()
}

function wait(): void {
  const frame = requestAnimationFrame(() => {
    clearTimeout(latest)
    show()
  })
  const latest = setTimeout(() => {
    cancelAnimationFrame(frame)
    show()
  }, LATEST_MS)
}

function show(): void {
  begun = performance.now()
  // It is heard when what was changed is painted, whatever becomes of the part.
  painted.port2.postMessage(null)
  line.shift()?.()
}
