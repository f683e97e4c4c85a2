// The buttons of a plan, and which of them stand in a menu.

import type { Action } from '../lib/wire'

export { ACTION as LABEL } from './words'

/** Beside the goal there is room for two; these are in a menu there. */
export const IN_MENU: Action[] = ['pause_after', 'stop_step', 'skip', 'override', 'change']
