// What is wrong with the configuration, and where, in words.

import { folder } from '../lib/home.svelte'
import type { ConfigProblem } from '../lib/wire'
import { sentence } from '../lib/words'
import { TEXT } from './words'

/** `~/.config/plancard/plancard.yaml, line 4`; empty when no file is to blame. */
export function placeOf({ file, line }: ConfigProblem): string {
  return file === '' ? '' : TEXT.problems.at(folder(file), line)
}

/** An error, as it is told when the window opens. */
export function configWords(problem: ConfigProblem): string {
  const place = placeOf(problem)
  return sentence(TEXT.problems.error(place, problem.message))
}
