// What a person can do to one room and its plan. Each answers whether it worked;
// when not, the reason is on screen.

import type { Backend } from './backend'
import type { Notices } from './notices.svelte'
import type { AskView, Edit, PlanMode, PlanView, RoomId, StepId } from './wire'

export class RoomActions {
  #backend: Backend
  #notices: Notices
  readonly room: RoomId

  constructor(backend: Backend, notices: Notices, room: RoomId) {
    this.#backend = backend
    this.#notices = notices
    this.room = room
  }

  say = (text: string) => this.#do(this.#backend.say(this.room, text))
  stop = () => this.#do(this.#backend.stop(this.room))
  setMode = (mode: PlanMode) => this.#do(this.#backend.setMode(this.room, mode))
  rename = (title: string) => this.#do(this.#backend.renameRoom(this.room, title))
  archive = (archived: boolean) => this.#do(this.#backend.archiveRoom(this.room, archived))
  remove = () => this.#do(this.#backend.deleteRoom(this.room))
  pause = () => this.#do(this.#backend.pause(this.room))
  resume = () => this.#do(this.#backend.resume(this.room))
  cancel = (reason: string) => this.#do(this.#backend.cancel(this.room, reason))
  reject = (reason: string) => this.#do(this.#backend.reject(this.room, reason))
  skip = (step: StepId) => this.#do(this.#backend.skip(this.room, step))
  retry = (step: StepId) => this.#do(this.#backend.retry(this.room, step))
  letChange = (step: StepId) => this.#do(this.#backend.letChange(this.room, step))
  edit = (revision: number, edits: Edit[]) => this.#do(this.#backend.edit(this.room, revision, edits))
  answer = (ask: AskView, answer: string, note?: string) => this.#do(this.#backend.answer(ask.id, answer, note))

  /** Approves exactly the plan that is painted. */
  approve = (painted: PlanView, model: string | null, fresh: boolean) =>
    this.#do(this.#backend.approve(this.room, painted.revision, painted.hash, model, fresh))

  /** The whole of a stored text. */
  blob = (hash: string) => this.#backend.blob(hash)
  files = (prefix: string) => this.#backend.files(this.room, prefix)

  #do(work: Promise<unknown>): Promise<boolean> {
    return this.#notices.watch(work)
  }
}
