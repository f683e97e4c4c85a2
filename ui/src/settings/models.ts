// Short names of models, and what is known of the models they stand for.

import type { Json } from '../lib/backend'
import { money } from '../lib/words'

/** What is typed about one, as texts; empty: not said. */
export interface Facts {
  model: string
  context_window: string
  max_output: string
  vision: string
  input: string
  output: string
  cache_read: string
  cache_write: string
}

type Field = { key: keyof Facts; label: string; like?: string }

export const SIZES: Field[] = [
  { key: 'context_window', label: 'Window, in tokens', like: 'as known' },
  { key: 'max_output', label: 'Longest answer, in tokens', like: 'as known' },
]

/** Dollars for a million tokens. */
export const PRICES: Field[] = [
  { key: 'input', label: 'Read' },
  { key: 'output', label: 'Written' },
  { key: 'cache_read', label: 'From a cache' },
  { key: 'cache_write', label: 'Into a cache' },
]

const text = (value: Json | undefined) => (value == null || typeof value === 'object' ? '' : String(value))
const map = (value: Json | undefined) => (value && typeof value === 'object' && !Array.isArray(value) ? value : {})
/** What is no number goes as it is: the refusal says what is allowed. */
const number = (typed: string): Json => (Number.isFinite(Number(typed)) ? Number(typed) : typed)

/** An entry of `models` as it is typed. */
export function factsOf(entry: Json): Facts {
  const said = typeof entry === 'string' ? { model: entry } : map(entry)
  const prices = map(said['prices'])
  const at = (from: { [key: string]: Json }, key: string) => text(from[key])
  return {
    model: at(said, 'model'),
    context_window: at(said, 'context_window'),
    max_output: at(said, 'max_output'),
    vision: at(said, 'vision'),
    input: at(prices, 'input'),
    output: at(prices, 'output'),
    cache_read: at(prices, 'cache_read'),
    cache_write: at(prices, 'cache_write'),
  }
}

/** The entry for what is typed: the name alone where nothing else is said. */
export function entryOf(facts: Facts): Json {
  const typed = (key: keyof Facts) => facts[key].trim()
  const numbers = (fields: Field[]) => Object.fromEntries(fields.flatMap(({ key }) => (typed(key) ? [[key, number(typed(key))]] : [])))
  const prices = numbers(PRICES)
  const said = {
    ...numbers(SIZES),
    ...(typed('vision') ? { vision: typed('vision') === 'true' } : {}),
    ...(Object.keys(prices).length > 0 ? { prices } : {}),
  }
  return Object.keys(said).length === 0 ? typed('model') : { model: typed('model'), ...said }
}

/** `32000 tokens, no pictures, $0.10 read and $0.40 written`. */
export function factWords(facts: Facts): string {
  const price = (key: 'input' | 'output') => money(Number(facts[key]) * 1_000_000)
  return [
    facts.context_window && `window of ${facts.context_window} tokens`,
    facts.max_output && `answers up to ${facts.max_output} tokens`,
    facts.vision === 'true' && 'takes pictures',
    facts.vision === 'false' && 'takes no pictures',
    facts.input && facts.output && `${price('input')} read, ${price('output')} written`,
  ]
    .filter(Boolean)
    .join('; ')
}
