// Where an arrow key leads in the graph: down and up along edges, left and
// right along the row and on into the next.

import type { StepId } from '../lib/wire'
import type { Layout, Node } from './layout'

export function walk(layout: Layout, from: StepId, key: string): StepId | null {
  const at = layout.nodes.find((node) => node.id === from)
  if (!at) return null
  switch (key) {
    case 'ArrowDown':
      return along(layout, at, layout.edges.filter((edge) => edge.from === from).map((edge) => edge.to)) ?? rowFrom(layout, at, 1)
    case 'ArrowUp':
      return along(layout, at, layout.edges.filter((edge) => edge.to === from).map((edge) => edge.from)) ?? rowFrom(layout, at, -1)
    case 'ArrowRight':
      return beside(layout, at, 1)
    case 'ArrowLeft':
      return beside(layout, at, -1)
    case 'Home':
      return layout.nodes[0]?.id ?? null
    case 'End':
      return layout.nodes.at(-1)?.id ?? null
    default:
      return null
  }
}

/** The nearest at the other end of an edge. */
function along(layout: Layout, at: Node, ends: StepId[]): StepId | null {
  return nearest(at, layout.nodes.filter((node) => ends.includes(node.id)))
}

/** Without an edge that way: the nearest in the next row, so that no step is out of reach. */
function rowFrom(layout: Layout, at: Node, by: number): StepId | null {
  return nearest(at, layout.nodes.filter((node) => node.row === at.row + by))
}

function beside(layout: Layout, at: Node, by: number): StepId | null {
  const row = layout.nodes.find((node) => node.row === at.row && node.place === at.place + by)
  if (row) return row.id
  const next = layout.nodes.filter((node) => node.row === at.row + by)
  return (by > 0 ? next[0] : next.at(-1))?.id ?? null
}

function nearest(at: Node, nodes: Node[]): StepId | null {
  const far = (node: Node) => Math.abs(node.row - at.row) * 10_000 + Math.abs(node.x - at.x)
  return nodes.reduce<Node | null>((best, node) => (best === null || far(node) < far(best) ? node : best), null)?.id ?? null
}
