// Short names of models, and what is known of the models they stand for.

import type { Json } from '../lib/backend'
import { money } from '../lib/words'
import { TEXT } from './words'

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
  { key: 'context_window', label: TEXT.facts.window, like: TEXT.facts.asKnown },
  { key: 'max_output', label: TEXT.facts.longest, like: TEXT.facts.asKnown },
]

/** What it can do, apart from how its tool calls arrive: yes or no. */
export const ABILITIES: Field[] = [
  { key: 'simple', label: TEXT.facts.simple },
  { key: 'parallel', label: TEXT.facts.parallel },
  { key: 'schema', label: TEXT.facts.schema },
  { key: 'forced_tool', label: TEXT.facts.forced },
  { key: 'thinks', label: TEXT.facts.thinks },
]

/** How its tool calls arrive. */
export const CALLS = [
  { value: 'native', label: TEXT.facts.native },
  { value: 'text', label: TEXT.facts.text },
  { value: 'none', label: TEXT.facts.none },
]

/** Dollars for a million tokens. */
export const PRICES: Field[] = [
  { key: 'input', label: TEXT.facts.input },
  { key: 'output', label: TEXT.facts.output },
  { key: 'cache_read', label: TEXT.facts.cacheRead },
  { key: 'cache_write', label: TEXT.facts.cacheWrite },
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
    facts.context_window && TEXT.facts.hasWindow(facts.context_window),
    facts.max_output && TEXT.facts.answers(facts.max_output),
    facts.vision === 'true' && TEXT.facts.images,
    facts.vision === 'false' && TEXT.facts.noImages,
    facts.tools && (facts.tools === 'none' ? TEXT.facts.noTools : TEXT.facts.tools(facts.tools === 'text')),
    facts.simple === 'true' && TEXT.facts.simpleForms,
    facts.input && facts.output && TEXT.facts.price(price('input'), price('output')),
  ]
    .filter(Boolean)
    .join(', ')
}
