import { untrack } from 'svelte'
import { EachFrame } from './frame'

/** A value that is shown in a frame of its own, after those of what it is read from. */
export function inTurn<T>(read: () => T): { readonly now: T } {
  let latest = untrack(read)
  let now = $state.raw(latest)
  const show = new EachFrame(() => (now = latest))
  $effect.pre(() => {
    latest = read()
    show.ask()
  })
  return {
    get now() {
      return now
    },
  }
}
