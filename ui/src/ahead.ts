// Runs before the rest of the window's code is there, so that its answers are when it is.

import { askAhead } from './lib/backend'
import { recall } from './lib/store'
import type { RoomId } from './lib/wire'

// The first layout then has them, and looks for no others in their place.
for (const font of ['Inter Variable', 'JetBrains Mono Variable']) void document.fonts.load(`13px '${font}'`)

askAhead(recall<RoomId | null>('room', null))
