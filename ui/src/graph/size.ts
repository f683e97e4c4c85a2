// How large the nodes are: as large as there is room for, small when they are many.

import type { Shape, Size } from './layout'

/** `full`: two lines of words; `line`: one; `dot`: state and number. */
export type Look = 'full' | 'line' | 'dot'

/** A picture this wide or less is narrow, as in the inspector. */
const NARROW = 480
const GAP = 8

/** The looks that these steps may have in this room, the largest first. */
export function sizesFor(shapes: Shape[], room: number): (Size & { look: Look })[] {
  const narrow = room <= NARROW
  const looks: Look[] = shapes.length <= (narrow ? 12 : 24) ? (narrow ? ['full'] : ['full', 'line']) : narrow ? ['dot'] : ['line', 'dot']
  return looks.map((look) => sizeOf(shapes, room, look))
}

/** The largest of them. */
export function sizeFor(shapes: Shape[], room: number): Size & { look: Look } {
  return sizesFor(shapes, room)[0]!
}

function sizeOf(shapes: Shape[], room: number, look: Look): Size & { look: Look } {
  const [least, most, height, gapY] = { full: [86, 168, 42, 44], line: [96, 150, 24, 30], dot: [46, 46, 24, 26] }[look] as [number, number, number, number]
  const fits = Math.max(1, Math.floor((room - GAP) / (least + GAP)))
  // What does not fit is several rows of the same length.
  const widest = widestLayer(shapes)
  const inRow = Math.ceil(widest / Math.ceil(widest / fits))
  const width = Math.min(most, Math.max(least, Math.floor((room - GAP) / inRow) - GAP))
  // Between rows there is room for lines, where there are any.
  return { width, height, gapX: GAP, gapY: shapes.some((shape) => shape.needs.length > 0) ? gapY : GAP, columns: fits, look }
}

/** How many steps could begin together, at most: a guess by depth that is right for a plan. */
function widestLayer(shapes: Shape[]): number {
  const depth = new Map<string, number>()
  const wide: number[] = []
  for (const { id, needs } of shapes) {
    const at = 1 + Math.max(-1, ...needs.map((need) => depth.get(need) ?? -1))
    depth.set(id, at)
    wide[at] = (wide[at] ?? 0) + 1
  }
  return Math.max(1, ...wide)
}
