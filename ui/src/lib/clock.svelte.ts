// The time, for what is counted on screen. It ticks only while something on
// screen reads it.

import { createSubscriber } from 'svelte/reactivity'

class Clock {
  #subscribe = createSubscriber((update) => {
    const timer = setInterval(update, 1000)
    return () => clearInterval(timer)
  })

  get now(): number {
    this.#subscribe()
    return Date.now()
  }
}

export const clock = new Clock()
