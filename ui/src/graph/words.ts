// What the graph and the timeline say.

import { count, listed } from '../lib/words'

/** `step 3`, `steps 1, 2 and 4`. */
export function stepNumbers(numbers: number[]): string {
  return `${numbers.length === 1 ? 'step' : 'steps'} ${listed(numbers.map(String))}`
}

export const GRAPH = {
  graph: 'Task graph',
  steps: 'Steps and what they need',
  node: (number: number, text: string, facts: string) => `Step ${number}, ${text}: ${facts}`,
  took: (time: string) => `took ${time}`,
  by: (agent: string) => `by ${agent}`,
  bySidekick: 'by a sidekick',
  after: (steps: string) => `after ${steps}`,
  before: (steps: string) => `before ${steps}`,
  smaller: 'Smaller (-)',
  larger: 'Larger (+)',
  fit: 'Fit (0)',
  readable: 'Full size',
}

export const LANES = {
  timeline: 'Timeline',
  lane: (number: number, text: string, words: string) => `Step ${number}, ${text}: ${words}`,
  queued: 'queued',
  queuedFor: (time: string) => `queued ${time}`,
  notStarted: (n: number) => `${count(n, 'step')} not started`,
}
