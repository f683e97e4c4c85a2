// Whether a room's folder is still there. Nothing tells when it goes, so it is
// looked for when the room is opened, when the window is come back to, and when work begins or ends.

import type { Backend } from './backend'
import type { RoomId } from './wire'

export class Folder {
  /** What is wrong with it, beginning with its path; empty while it can be used. */
  problem = $state('')
  #backend: Backend
  #room: RoomId
  #looks = 0

  constructor(backend: Backend, room: RoomId) {
    this.#backend = backend
    this.#room = room
  }

  look = async (): Promise<void> => {
    const mine = ++this.#looks
    try {
      const problem = await this.#backend.folderProblem(this.#room)
      if (mine === this.#looks) this.problem = problem ?? ''
    } catch {
      // A room that can't be asked about says so itself.
    }
  }

  /** Looks now, and whenever the window is come back to, until what it gives back is called. */
  watch(): () => void {
    void this.look()
    window.addEventListener('focus', this.look)
    return () => window.removeEventListener('focus', this.look)
  }
}
