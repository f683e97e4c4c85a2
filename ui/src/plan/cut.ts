// How much of a step's words its row shows: of a long one the beginning, and all of it when it is opened.

import type { StepView } from '../lib/wire'

/** More letters than about two lines hold. */
const LONG = 180

export function isLong({ text }: StepView): boolean {
  return text.length > LONG
}
