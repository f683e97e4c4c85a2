import { onDestroy, untrack } from 'svelte'
import { EachFrame } from './frame'

/** A value that is shown in a frame of its own, after those of what it is read from. */
export function inTurn<T>(read: () => T): { readonly now: T } {
  let now = $state.raw(untrack(read))
  let gone = false
  onDestroy(() => (gone = true))
  const show = new EachFrame(() => {
    if (!gone) now = untrack(read)
  })
  let first = true
  $effect.pre(() => {
    read()
    if (!first) show.ask()
    first = false
  })
  return {
    get now() {
      return now
    },
  }
}
