// What the window itself remembers. Losing it loses nothing that matters.

export function recall<T>(key: string, otherwise: T): T {
  try {
    const text = localStorage.getItem(`plancard.${key}`)
    return text === null ? otherwise : (JSON.parse(text) as T)
  } catch {
    return otherwise
  }
}

export function remember(key: string, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(`plancard.${key}`)
    else localStorage.setItem(`plancard.${key}`, JSON.stringify(value))
  } catch {
    // A full or forbidden store only means that it is not remembered.
  }
}
