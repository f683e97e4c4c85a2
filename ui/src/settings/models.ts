// Short names of models, and what is known of the models they stand for.

import type { Json } from '../lib/backend'
import { money } from '../lib/words'

/** What is typed about one, as texts; empty: not said. */
export interface Facts {
  model: string
  context_window: string
  max_output: string
  vision: string
  tools: string
  simple: string
  parallel: string
  schema: string
  forced_tool: string
  thinks: string
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

/** What it can do, apart from how its tool calls arrive: yes or no. */
export const ABILITIES: Field[] = [
  { key: 'simple', label: 'Simple forms' },
  { key: 'parallel', label: 'Parallel tool calls' },
  { key: 'schema', label: 'Answers by JSON schema' },
  { key: 'forced_tool', label: 'Forced tool calls' },
  { key: 'thinks', label: 'Thinks first' },
]

/** How its tool calls arrive. */
export const CALLS = [
  { value: 'native', label: 'Native' },
  { value: 'text', label: 'As text' },
  { value: 'none', label: 'None' },
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
    tools: at(said, 'tools'),
    simple: at(said, 'simple'),
    parallel: at(said, 'parallel'),
    schema: at(said, 'schema'),
    forced_tool: at(said, 'forced_tool'),
    thinks: at(said, 'thinks'),
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
  const flags = (keys: (keyof Facts)[]) => Object.fromEntries(keys.flatMap((key) => (typed(key) ? [[key, typed(key) === 'true']] : [])))
  const prices = numbers(PRICES)
  const said = {
    ...numbers(SIZES),
    ...flags(['vision']),
    ...(typed('tools') ? { tools: typed('tools') } : {}),
    ...flags(ABILITIES.map(({ key }) => key)),
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
    facts.tools && (facts.tools === 'none' ? 'calls no tools' : `calls tools ${facts.tools === 'text' ? 'as text' : 'natively'}`),
    facts.simple === 'true' && 'simple forms',
    facts.input && facts.output && `${price('input')} read, ${price('output')} written`,
  ]
    .filter(Boolean)
    .join('; ')
}
