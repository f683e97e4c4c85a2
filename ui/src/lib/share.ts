// What arrives is all new, and mostly the same as before. What did not change
// is taken from before, so that only what did is drawn again.

/** The new value, with every part that equals the one before being that very part. Items of a list are told apart by their `id`, else by their place. */
export function share<T>(before: T | undefined, now: T): T {
  if (Object.is(before, now) || !isThing(before) || !isThing(now)) return now
  if (Array.isArray(before) || Array.isArray(now)) return Array.isArray(before) && Array.isArray(now) ? (shareList(before, now) as T) : now
  const names = Object.keys(now) as (keyof T)[]
  let same = names.length === Object.keys(before).length
  const next: Partial<T> = {}
  for (const name of names) {
    next[name] = share(before[name], now[name])
    same &&= Object.is(next[name], before[name]) && name in before
  }
  return same ? before : (next as T)
}

/** Shares each value with the one before it. */
export function withLast<T>(): (now: T) => T {
  let before: T | undefined
  return (now) => (before = share(before, now))
}

function shareList(before: unknown[], now: unknown[]): unknown[] {
  const byId = new Map(before.map((item) => [idOf(item), item]))
  let same = before.length === now.length
  const next = now.map((item, i) => {
    const id = idOf(item)
    const shared = share(id === undefined ? before[i] : byId.get(id), item)
    same &&= Object.is(shared, before[i])
    return shared
  })
  return same ? before : next
}

function idOf(item: unknown): unknown {
  return isThing(item) && 'id' in item ? item.id : undefined
}

function isThing(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
