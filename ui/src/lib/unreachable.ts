/** Ends a switch over a union: a new case does not compile until it is thought about. */
export function unreachable(value: never): never {
  throw new Error(`not expected: ${JSON.stringify(value)}`)
}
