// What the buttons of a plan are called, and which of them stand in a menu.

import type { Action } from '../lib/wire'

export const LABEL: Record<Action, string> = {
  approve: 'Approve',
  change: 'Change…',
  reject: 'Reject',
  pause: 'Pause',
  pause_after: 'Pause after this step',
  stop_step: 'Stop this step now',
  resume: 'Resume',
  skip: 'Skip step',
  override: 'Take it as done',
  cancel: 'Cancel',
}

/** Beside the goal there is room for two; these are in a menu there. */
export const IN_MENU: Action[] = ['pause_after', 'stop_step', 'skip', 'override', 'change']
