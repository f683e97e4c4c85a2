// What the screens of plans, graphs, sidekicks and councils say keeps to the voice of the app.

import { expect, test } from 'vitest'
import council from '../src/council/words?raw'
import graph from '../src/graph/words?raw'
import plan from '../src/plan/words?raw'
import sidekicks from '../src/sidekicks/words?raw'

const NOT = [
  /\b(shall|whoever|whatever|anew|thereby)\b/i,
  /\b(what came of it|under way|for want of|put away|put (?:it )?right|in no mode|if you like|agents that are programs)\b/i,
  /\b(goes|go|went) on\b/i,
  /\blets? it\b/i,
  /\b(please|simply|sorry)\b/i,
  // The agent is “the agent”.
  /^It (?:has|is|wants|did|does|reads|gave)\b/,
  /!$/,
]

test.each([['plan', plan], ['graph', graph], ['sidekicks', sidekicks], ['council', council]])('the words of the %s', (_, source) => {
  const code = source.replace(/\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const strings = [...code.matchAll(/'([^'\n]*)'|`([^`]*)`/g)].map(([, plain, made]) => plain ?? made ?? '')
  expect(strings.length).toBeGreaterThan(10)
  for (const said of strings) for (const not of NOT) expect(said).not.toMatch(not)
  // An idea a sentence.
  for (const said of strings) for (const sentence of said.replace(/\$\{[^}]*\}/g, 'x').split(/[.?:] /)) expect(sentence.split(/\s+/).length, sentence).toBeLessThanOrEqual(20)
})
