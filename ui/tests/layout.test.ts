import { describe, expect, test } from 'vitest'
import { layout, type Layout, type Shape, type Size } from '../src/graph/layout'
import { sizeFor } from '../src/graph/size'
import { walk } from '../src/graph/walk'

/** `a, b, c < a b` is three steps, of which the last needs the others. */
function shapes(words: string): Shape[] {
  return words.split(',').map((one) => {
    const [id = '', needs = ''] = one.split('<')
    return { id: id.trim(), needs: needs.trim().split(/\s+/).filter(Boolean) }
  })
}

const SIZE: Size = { width: 86, height: 40, gapX: 8, gapY: 44, columns: 7 }
const RESEARCH = shapes('pgvector, qdrant, lancedb, compare < pgvector qdrant lancedb, recommend < compare')

/** A graph of so many steps in which each needs a few earlier ones: always the same. */
function made(count: number, seed: number): Shape[] {
  let state = seed
  const random = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648
  return Array.from({ length: count }, (_, i) => {
    const needs = Array.from({ length: i === 0 ? 0 : Math.floor(random() * 3) }, () => `s${Math.floor(random() * i) + 1}`)
    return { id: `s${i + 1}`, needs: [...new Set(needs)] }
  })
}

function overlapping({ nodes }: Layout, { width, height }: Size): string[] {
  return nodes.flatMap((a, i) => nodes.slice(i + 1).filter((b) => Math.abs(a.x - b.x) < width && Math.abs(a.y - b.y) < height).map((b) => `${a.id} ${b.id}`))
}

/** Every y of a path, in order. */
function heights(path: string): number[] {
  return [...path.matchAll(/M\S+ (\S+?)(?=[A-Z]|$)|V(\S+?)(?=[A-Z]|$)|C\S+ (\S+) \S+ (\S+) \S+ (\S+?)(?=[A-Z]|$)/g)].flatMap((found) => found.slice(1).filter((y) => y !== undefined).map(Number))
}

describe('the picture of a plan', () => {
  const cases = [1, 2, 3, 7, 12, 20, 40, 60].flatMap((count) => [1, 2, 3].map((seed) => [count, seed] as const))

  test.each(cases)('%i steps (%i): nothing overlaps, every edge leads down, all of it is there', (count, seed) => {
    const all = made(count, seed)
    for (const room of [300, 700]) {
      const size = sizeFor(all, room)
      const drawn = layout(all, size)
      expect(drawn.nodes.map((node) => node.id).sort()).toEqual(all.map((one) => one.id).sort())
      expect(overlapping(drawn, size)).toEqual([])
      expect(drawn.edges.length).toBe(all.flatMap((one) => one.needs).length)
      for (const edge of drawn.edges) {
        const ys = heights(edge.path)
        expect(ys, edge.path).toEqual([...ys].sort((a, b) => a - b))
        expect(ys.length, edge.path).toBeGreaterThan(1)
      }
      for (const node of drawn.nodes) {
        expect(node.x).toBeGreaterThanOrEqual(0)
        expect(node.x + size.width).toBeLessThanOrEqual(drawn.width)
        expect(node.y + size.height).toBeLessThanOrEqual(drawn.height)
      }
    }
  })

  test('the same steps give the same picture', () => {
    expect(layout(made(40, 9), SIZE)).toEqual(layout(made(40, 9), SIZE))
  })

  test('three researchers, a comparison and a recommendation stand as in the design', () => {
    const { nodes } = layout(RESEARCH, SIZE)
    expect(nodes.map(({ id, row, place }) => [id, row, place])).toEqual([
      ['pgvector', 0, 0],
      ['qdrant', 0, 1],
      ['lancedb', 0, 2],
      ['compare', 1, 0],
      ['recommend', 2, 0],
    ])
    const x = (id: string) => nodes.find((node) => node.id === id)?.x
    expect(x('compare')).toBe(x('qdrant'))
    expect(x('recommend')).toBe(x('qdrant'))
  })

  test('an edge from the first to the last row runs past what is between', () => {
    const all = shapes('a, b < a, c < b, d < c a')
    const { nodes, edges } = layout(all, SIZE)
    const long = edges.find((edge) => edge.from === 'a' && edge.to === 'd')!
    const xs = [...long.path.matchAll(/(\d+(?:\.\d+)?) (?:\d+(?:\.\d+)?)V/g)].map((found) => Number(found[1]))
    for (const node of nodes.filter((one) => one.id === 'b' || one.id === 'c'))
      for (const x of xs.slice(1)) expect(x < node.x || x > node.x + SIZE.width).toBe(true)
  })

  test('a layer too wide for the place is several rows, and its edges still lead down', () => {
    const all = [...Array.from({ length: 20 }, (_, i) => ({ id: `s${i}`, needs: [] })), { id: 'all', needs: Array.from({ length: 20 }, (_, i) => `s${i}`) }]
    const drawn = layout(all, { ...SIZE, columns: 3 })
    expect(Math.max(...drawn.nodes.map((node) => node.place))).toBe(2)
    // The lines to one step are one line where they pass a row.
    expect(drawn.width).toBeLessThan(3 * 94 + 40)
    expect(overlapping(drawn, SIZE)).toEqual([])
    // Twenty lines, of which those from upper rows end in one that is drawn once.
    expect(drawn.edges.length).toBe(20)
    expect(drawn.lines.match(/M/g)!.length).toBeLessThan(20 + 7)
  })

  test('crossed edges are uncrossed where that can be', () => {
    const { nodes } = layout(shapes('a, b, c, x < c, y < b, z < a'), SIZE)
    expect(nodes.filter((node) => node.row === 1).map((node) => node.id)).toEqual(['z', 'y', 'x'])
  })

  test('a need that is not there, twice there or in a circle does no harm', () => {
    const drawn = layout(shapes('a < b gone, b < a a'), SIZE)
    expect(drawn.nodes.length).toBe(2)
    expect(drawn.edges.map((edge) => [edge.from, edge.to])).toEqual([['b', 'a']])
    expect(layout([], SIZE)).toEqual({ nodes: [], edges: [], lines: '', width: 8, height: 16 })
  })

  test('sixty steps take little time', () => {
    const all = made(60, 4)
    const began = performance.now()
    for (let i = 0; i < 10; i++) layout(all, sizeFor(all, 700))
    expect((performance.now() - began) / 10).toBeLessThan(50)
  })
})

describe('nodes', () => {
  test('are as large as there is room for, and small when they are many', () => {
    expect(sizeFor(RESEARCH, 306)).toMatchObject({ look: 'full', width: 91, columns: 3 })
    expect(sizeFor(RESEARCH, 700)).toMatchObject({ look: 'full', width: 168 })
    expect(sizeFor(made(60, 1), 700).look).toBe('line')
    expect(sizeFor(made(60, 1), 306).look).toBe('dot')
  })
})

describe('arrows', () => {
  const drawn = layout(RESEARCH, SIZE)

  test.each([
    ['pgvector', 'ArrowRight', 'qdrant'],
    ['pgvector', 'ArrowLeft', null],
    ['lancedb', 'ArrowRight', 'compare'],
    ['lancedb', 'ArrowDown', 'compare'],
    ['compare', 'ArrowUp', 'qdrant'],
    ['compare', 'ArrowLeft', 'lancedb'],
    ['recommend', 'ArrowDown', null],
    ['compare', 'Home', 'pgvector'],
    ['pgvector', 'End', 'recommend'],
    ['pgvector', 'x', null],
  ])('from %s %s leads to %s', (from, key, to) => expect(walk(drawn, from, key)).toBe(to))

  test('without an edge they lead to the next row, so that every step is reached', () => {
    expect(walk(layout(shapes('a, b, c < a'), SIZE), 'b', 'ArrowDown')).toBe('c')
  })
})
