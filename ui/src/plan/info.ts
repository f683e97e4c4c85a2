// What the card needs beside the plan's view, and how it reaches it.

import type { Revision, Span } from '../chat/fold'
import type { CallLine } from '../chat/items'
import type { AskView, PlanMode, RoomId, StepId } from '../lib/wire'

export interface PlanInfo {
  /** The calls made for a step. */
  calls(step: StepId): CallLine[]
  /** The call that a question is about, where it is here. */
  asked?(ask: AskView): CallLine | null
  /** Makes sure that all calls of the plan are here. */
  reach(): Promise<void>
  /** A stored text by its hash. */
  blob(hash: string): Promise<string>
  /** This plan's revisions, oldest first. */
  revisions: Revision[]
  /** Steps that may end on their own; what ⚡ is full at. */
  autoSteps: number
  /** The room's plan mode: what approving means depends on it. */
  mode: PlanMode
  /** The model that executes unless one is chosen with the approval, as far as that is known. */
  model?: string
  /** When a step was under way, oldest first, as far as that is here. */
  spans?(step: StepId): Span[]
  /** Opens a sidekick's room; absent where a plan is only looked at. */
  open?(room: RoomId): void
}
