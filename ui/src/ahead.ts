// Runs before the rest of the window's code is there, so that its answers are when it is.

import { askAhead } from './lib/backend'
import { recall } from './lib/store'
import type { RoomId } from './lib/wire'

askAhead(recall<RoomId | null>('room', null))
