// Where the steps of a plan stand when they are drawn as a graph: rows from top
// to bottom, every edge leading down. The same steps give the same picture.
//
// Steps are put below all they need; a layer too wide for the place becomes
// several rows. Where an edge passes a row it has a place of its own there, so
// that it runs past the nodes and not behind them; edges to the same step (or
// from it) share that place and are one line. Rows are ordered by the mean
// place of their neighbours, and moved as near to these as the distances allow.

import type { StepId } from '../lib/wire'

/** What the picture depends on: nothing of a step's state. */
export interface Shape {
  id: StepId
  needs: StepId[]
}

export interface Size {
  /** Of a node. */
  width: number
  height: number
  /** Between nodes of a row, and between rows. */
  gapX: number
  gapY: number
  /** The most nodes in a row. */
  columns: number
}

export interface Node {
  id: StepId
  row: number
  /** Its place in the row, from 0. */
  place: number
  /** Its upper left corner. */
  x: number
  y: number
}

export interface Edge {
  key: string
  from: StepId
  to: StepId
  /** For an SVG path. */
  path: string
}

export interface Layout {
  nodes: Node[]
  edges: Edge[]
  /** All edges as one SVG path, in which what they share is drawn once. */
  lines: string
  width: number
  height: number
}

/** Around the picture. */
const MARGIN = 8
/** The width an edge takes where it passes a row. */
const LINE = 10
const SWEEPS = 16

/** A node, or where an edge passes a row. */
interface Item {
  id: StepId | null
  row: number
  width: number
  /** The middle. */
  x: number
  above: Item[]
  below: Item[]
}

export function layout(shapes: Shape[], size: Size): Layout {
  const needs = neededBy(shapes)
  const rows = inRows(shapes, layers(shapes, needs), size)
  const items = new Map(rows.flat().map((item) => [item.id, item]))
  const routes = connect(shapes, needs, rows, items)
  order(rows)
  place(rows, size.gapX)

  const left = Math.min(...rows.map((row) => (row[0]?.x ?? 0) - (row[0]?.width ?? 0) / 2), Infinity)
  const shift = MARGIN - (Number.isFinite(left) ? left : 0)
  for (const item of rows.flat()) item.x = Math.round((item.x + shift) * 2) / 2
  const right = Math.max(0, ...rows.flat().map((item) => item.x + item.width / 2))
  const top = (row: number) => MARGIN + row * (size.height + size.gapY)

  const nodes = rows.flatMap((row) =>
    row.flatMap((item) => (item.id === null ? [] : [{ id: item.id, row: item.row, x: item.x - size.width / 2, y: top(item.row) }])).map((node, place) => ({ ...node, place })),
  )
  const edges = routes.map(({ from, to, route }) => ({ key: `${from} ${to}`, from, to, path: path(route, top, size.height) }))
  return { nodes, edges, lines: lines(rows, top, size.height), width: right + MARGIN, height: rows.length > 0 ? top(rows.length - 1) + size.height + MARGIN : 2 * MARGIN }
}

/** How many lines cross, row by row. */
export function crossings(rows: { below: object[] }[][]): number {
  let sum = 0
  for (const [i, row] of rows.entries()) {
    const at = new Map<unknown, number>((rows[i + 1] ?? []).map((item, place) => [item, place]))
    const ends = row.map((item) => item.below.map((other) => at.get(other) ?? 0))
    for (let a = 0; a < ends.length; a++)
      for (let b = a + 1; b < ends.length; b++) for (const one of ends[a] ?? []) sum += (ends[b] ?? []).filter((other) => other < one).length
  }
  return sum
}

/** What each step needs: steps that are there, each once, and never in a circle. */
function neededBy(shapes: Shape[]): Map<StepId, StepId[]> {
  const all = new Map(shapes.map((shape) => [shape.id, shape]))
  const needs = new Map<StepId, StepId[]>()
  const open = new Set<StepId>()
  const visit = (id: StepId): void => {
    open.add(id)
    const found: StepId[] = []
    for (const need of new Set(all.get(id)?.needs ?? [])) {
      if (!all.has(need) || open.has(need)) continue
      if (!needs.has(need)) visit(need)
      found.push(need)
    }
    open.delete(id)
    needs.set(id, found)
  }
  for (const { id } of shapes) if (!needs.has(id)) visit(id)
  return needs
}

/** Each step's layer: one below the lowest that it needs. */
function layers(shapes: Shape[], needs: Map<StepId, StepId[]>): Map<StepId, number> {
  const known = new Map<StepId, number>()
  const layer = (id: StepId): number => {
    const found = known.get(id) ?? 1 + Math.max(-1, ...(needs.get(id) ?? []).map(layer))
    known.set(id, found)
    return found
  }
  for (const { id } of shapes) layer(id)
  return known
}

function inRows(shapes: Shape[], layerOf: Map<StepId, number>, size: Size): Item[][] {
  const byLayer: StepId[][] = []
  for (const { id } of shapes) (byLayer[layerOf.get(id) ?? 0] ??= []).push(id)
  const rows = byLayer.flatMap((ids) => evenly(ids, size.columns))
  return rows.map((ids, row) => ids.map((id) => ({ id, row, width: size.width, x: 0, above: [], below: [] })))
}

/** Parts of at most so many, as alike in length as can be. */
function evenly(ids: StepId[], most: number): StepId[][] {
  const parts = Math.ceil(ids.length / Math.max(1, most))
  const at = (part: number) => Math.ceil((part * ids.length) / parts)
  return Array.from({ length: parts }, (_, part) => ids.slice(at(part), at(part + 1)))
}

/** Joins the nodes, with a place in each row that an edge passes. */
function connect(shapes: Shape[], needs: Map<StepId, StepId[]>, rows: Item[][], items: Map<StepId | null, Item>) {
  const out = new Map<StepId, number>()
  for (const list of needs.values()) for (const id of list) out.set(id, (out.get(id) ?? 0) + 1)
  const shared = new Map<string, Item>()
  const join = (above: Item, below: Item) => {
    if (above.below.includes(below)) return
    above.below.push(below)
    below.above.push(above)
  }
  return shapes.flatMap(({ id: to }) =>
    (needs.get(to) ?? []).map((from) => {
      const [start, end] = [items.get(from), items.get(to)]
      if (!start || !end) return { from, to, route: [] }
      // The end with more lines keeps them together.
      const bundle = (needs.get(to) ?? []).length >= (out.get(from) ?? 0) ? `to ${to}` : `from ${from}`
      const route = [start]
      for (let row = start.row + 1; row < end.row; row++) {
        const name = `${bundle} ${row}`
        let passes = shared.get(name)
        if (!passes) {
          passes = { id: null, row, width: LINE, x: 0, above: [], below: [] }
          shared.set(name, passes)
          rows[row]?.push(passes)
        }
        route.push(passes)
      }
      route.push(end)
      for (let i = 1; i < route.length; i++) join(route[i - 1] as Item, route[i] as Item)
      return { from, to, route }
    }),
  )
}

/** Orders each row by the mean place of its neighbours, down and up, then by exchanging those side by side; the best that was seen is kept. */
function order(rows: Item[][]): void {
  let best = rows.map((row) => row.slice())
  let fewest = crossings(rows)
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
    const down = sweep % 2 === 0
    for (let i = down ? 1 : rows.length - 2; down ? i < rows.length : i >= 0; i += down ? 1 : -1) {
      const beside = rows[down ? i - 1 : i + 1] ?? []
      const at = new Map(beside.map((item, place) => [item, (place + 0.5) / beside.length]))
      const row = rows[i] ?? []
      const mean = new Map(row.map((item, place) => [item, average((down ? item.above : item.below).map((other) => at.get(other) ?? 0)) ?? (place + 0.5) / row.length]))
      row.sort((a, b) => (mean.get(a) ?? 0) - (mean.get(b) ?? 0))
    }
    exchange(rows)
    const now = crossings(rows)
    if (now >= fewest) continue
    fewest = now
    best = rows.map((row) => row.slice())
  }
  best.forEach((row, i) => (rows[i] = row))
}

/** Exchanges two that stand side by side wherever fewer lines cross then. */
function exchange(rows: Item[][]): void {
  const at = new Map(rows.flatMap((row) => row.map((item, place) => [item, place] as const)))
  const crossed = (left: Item[], right: Item[]) => {
    let sum = 0
    for (const one of left) for (const other of right) if ((at.get(one) ?? 0) > (at.get(other) ?? 0)) sum++
    return sum
  }
  for (const row of rows) {
    for (let i = 1; i < row.length; i++) {
      const [a, b] = [row[i - 1] as Item, row[i] as Item]
      const better = crossed(b.above, a.above) + crossed(b.below, a.below) < crossed(a.above, b.above) + crossed(a.below, b.below)
      if (!better) continue
      ;[row[i - 1], row[i]] = [b, a]
      at.set(b, i - 1).set(a, i)
    }
  }
}

/** Moves each row as near to its neighbours as the distances in it allow, within the width of the widest. */
function place(rows: Item[][], gap: number): void {
  const half = Math.max(0, ...rows.map((row) => row.reduce((sum, item) => sum + item.width + gap, -gap))) / 2
  for (const row of rows) settle(row, row.map(() => 0), gap, half)
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const down = sweep % 2 === 0
    // At the end both sides count, so that neither is left behind.
    const both = sweep >= SWEEPS - 4
    for (let i = down ? 0 : rows.length - 1; down ? i < rows.length : i >= 0; i += down ? 1 : -1) {
      const row = rows[i] ?? []
      const wish = (item: Item) => {
        const [near, far] = down ? [item.above, item.below] : [item.below, item.above]
        return toward(item, both ? [...near, ...far] : near) ?? toward(item, far) ?? item.x
      }
      settle(row, row.map(wish), gap, half)
    }
  }
}

/** The mean place of others; a line that goes on is kept straight before anything else. */
function toward(item: Item, others: Item[]): number | null {
  const on = item.id === null ? others.filter((other) => other.id === null) : []
  return average((on.length > 0 ? on : others).map((other) => other.x))
}

/** Gives each item of a row the place nearest to the wished one, in order and apart: by pools of those that touch. */
function settle(row: Item[], wished: number[], gap: number, half: number): void {
  const offsets: number[] = []
  row.forEach((item, i) => {
    const before = row[i - 1]
    offsets.push(before ? (offsets[i - 1] ?? 0) + (before.width + item.width) / 2 + gap : 0)
  })
  const pools: { sum: number; weight: number; count: number }[] = []
  row.forEach((item, i) => {
    // A line that is straight is easier to follow than a node that is centred.
    const weight = item.id === null ? 4 : 1
    let pool = { sum: ((wished[i] ?? 0) - (offsets[i] ?? 0)) * weight, weight, count: 1 }
    for (let last = pools.at(-1); last && last.sum / last.weight > pool.sum / pool.weight; last = pools.at(-1)) {
      pools.pop()
      pool = { sum: pool.sum + last.sum, weight: pool.weight + last.weight, count: pool.count + last.count }
    }
    pools.push(pool)
  })
  const least = (row[0]?.width ?? 0) / 2 - half
  const most = half - (row.at(-1)?.width ?? 0) / 2 - (offsets.at(-1) ?? 0)
  let i = 0
  for (const pool of pools) {
    const start = Math.min(most, Math.max(least, pool.sum / pool.weight))
    for (const end = i + pool.count; i < end; i++) (row[i] as Item).x = start + (offsets[i] ?? 0)
  }
}

function lines(rows: Item[][], top: (row: number) => number, height: number): string {
  const drawn = rows.flatMap((row) => row.flatMap((item) => item.below.map((other) => path([item, other], top, height))))
  return [...new Set(drawn)].join('')
}

/** From the lower edge of the first to the upper edge of the last, in curves that begin and end upright. */
function path(route: Item[], top: (row: number) => number, height: number): string {
  const [first, ...rest] = route
  if (!first) return ''
  let words = `M${first.x} ${top(first.row) + height}`
  let from = first
  for (const item of rest) {
    const [y0, y1] = [top(from.row) + height, top(item.row)]
    const middle = (y0 + y1) / 2
    words += from.x === item.x ? `V${y1}` : `C${from.x} ${middle} ${item.x} ${middle} ${item.x} ${y1}`
    if (item.id === null) words += `V${y1 + height}`
    from = item
  }
  return words
}

function average(numbers: number[]): number | null {
  return numbers.length === 0 ? null : numbers.reduce((sum, n) => sum + n, 0) / numbers.length
}
