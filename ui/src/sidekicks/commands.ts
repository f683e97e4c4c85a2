// What /sidekick does in a room. Each answers whether it was carried out; when
// not, the reason is on screen.

import type { RoomActions } from '../lib/actions'
import type { Backend } from '../lib/backend'
import { message, type Notices } from '../lib/notices.svelte'
import { sentence } from '../lib/words'
import { statusWords, toStop } from './standing'
import { SIDEKICKS } from './words'

export class SidekickCommands {
  #act: RoomActions
  #backend: Backend
  #notices: Notices

  constructor(act: RoomActions, backend: Backend, notices: Notices) {
    this.#act = act
    this.#backend = backend
    this.#notices = notices
  }

  async spawn(task: string): Promise<boolean> {
    const done = await this.#act.spawnSidekick(task)
    if (done) this.#notices.say(SIDEKICKS.started)
    return done
  }

  /** Says how they stand; `onfound` is for when there are any. */
  status(stalledMs: number, onfound: () => void): Promise<boolean> {
    return this.#notices.watch(
      this.#backend.sidekicks(this.#act.room).then((all) => {
        this.#notices.say(statusWords(all, Date.now(), stalledMs))
        if (all.length > 0) onfound()
      }),
    )
  }

  async stop(name: string): Promise<boolean> {
    const all = await this.#backend.sidekicks(this.#act.room).catch((problem: unknown) => message(problem))
    const found = typeof all === 'string' ? sentence(all) : toStop(all, name)
    if (typeof found !== 'string') return this.#act.stopSidekick(found.id)
    this.#notices.say(found)
    return false
  }
}
