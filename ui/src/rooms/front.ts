// What can lie over an open room.

import type { PlanId, RoomSize } from '../lib/wire'

export type Front =
  | { type: 'history'; plan: PlanId | null; step: number | null }
  | { type: 'export'; plan: PlanId; text: string; format: 'markdown' | 'json' }
  | { type: 'link'; url: string }
  | { type: 'rename' | 'rules' }
  | { type: 'delete'; frees: RoomSize | null }
  | { type: 'cancel'; why: string }
  /** A council about to start. */
  | { type: 'council'; task: string }
  /** An answer of the room's council, or two. */
  | { type: 'proposal' | 'compare'; label: string }
