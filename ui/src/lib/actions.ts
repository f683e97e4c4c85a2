// What a person can do to one room and its plan. Each answers whether it worked;
// when not, the reason is on screen.

import type { Backend } from './backend'
import type { Notices } from './notices.svelte'
import type { AskView, Edit, Json, PlanMode, PlanView, RoomId, StepComment, StepId } from './wire'

export class RoomActions {
  #backend: Backend
  #notices: Notices
  #underWay = new Map<string, Promise<boolean>>()
  readonly room: RoomId

  constructor(backend: Backend, notices: Notices, room: RoomId) {
    this.#backend = backend
    this.#notices = notices
    this.room = room
  }

  say = (text: string) => this.#notices.watch(this.#backend.say(this.room, text))
  stop = () => this.#do('stop', () => this.#backend.stop(this.room))
  /** Words to another room: a sidekick's. */
  sayTo = (room: RoomId, text: string) => this.#notices.watch(this.#backend.say(room, text))
  spawnSidekick = (task: string) => this.#do(`spawn ${task}`, () => this.#backend.spawnSidekick(this.room, task))
  stopSidekick = (room: RoomId) => this.#do(`stop ${room}`, () => this.#backend.stopSidekick(room))
  startCouncil = (task: string, members: string[], options: Record<string, Json>) => this.#do('council', () => this.#backend.startCouncil(this.room, task, members, options))
  answerNow = () => this.#do('answer now', () => this.#backend.councilAnswerNow(this.room))
  voteCouncil = (member: string, reason: string) => this.#do(`vote ${member}`, () => this.#backend.councilVote(this.room, member, reason))
  pickWinner = (member: string) => this.#do('pick', () => this.#backend.councilPick(this.room, member))
  retryMember = (member: string) => this.#do(`retry ${member}`, () => this.#backend.councilRetry(this.room, member))
  forgetRule = (rule: string) => this.#do(`rule ${rule}`, () => this.#backend.forgetRule(this.room, rule))
  setMode = (mode: PlanMode) => this.#do(`mode ${mode}`, () => this.#backend.setMode(this.room, mode))
  rename = (title: string) => this.#do(`rename ${title}`, () => this.#backend.renameRoom(this.room, title))
  archive = (archived: boolean) => this.#do(`archive ${archived}`, () => this.#backend.archiveRoom(this.room, archived))
  move = (path: string) => this.#do(`move ${path}`, () => this.#backend.moveRoom(this.room, path))
  remove = () => this.#do('remove', () => this.#backend.deleteRoom(this.room))
  pause = () => this.#do('pause', () => this.#backend.pause(this.room))
  pauseAfterStep = (on: boolean) => this.#do(`pause after ${on}`, () => this.#backend.pauseAfterStep(this.room, on))
  stopStep = () => this.#do('stop step', () => this.#backend.stopStep(this.room))
  resume = () => this.#do('resume', () => this.#backend.resume(this.room))
  cancel = (reason: string) => this.#do('cancel', () => this.#backend.cancel(this.room, reason))
  reject = (reason: string) => this.#do('reject', () => this.#backend.reject(this.room, reason))
  skip = (step: StepId) => this.#do(`skip ${step}`, () => this.#backend.skip(this.room, step))
  retry = (step: StepId) => this.#do(`retry ${step}`, () => this.#backend.retry(this.room, step))
  overrideCheck = (step: StepId) => this.#do(`override ${step}`, () => this.#backend.overrideCheck(this.room, step))
  letChange = (step: StepId, on: boolean, seen: number) => this.#do(`let ${step} ${on}`, () => this.#backend.letChange(this.room, step, on, seen))
  comment = (seen: number, on: StepComment[], text = '') => this.#do(`comment ${seen}`, () => this.#backend.comment(this.room, seen, on, text))
  edit = (revision: number, edits: Edit[]) => this.#do(`edit ${revision}`, () => this.#backend.edit(this.room, revision, edits))
  answer = (ask: AskView, answer: string, note?: string) => this.#do(`answer ${ask.id}`, () => this.#backend.answer(ask.id, answer, note))

  /** Approves exactly the plan that is painted. */
  approve = (painted: PlanView, model: string | null, fresh: boolean) =>
    this.#do(`approve ${painted.hash}`, () => this.#backend.approve(this.room, painted.revision, painted.hash, model, fresh))

  estimate = (model: string | null) => this.#backend.estimate(this.room, model)
  /** The whole of a stored text. */
  blob = (hash: string) => this.#backend.blob(hash)
  files = (prefix: string) => this.#backend.files(this.room, prefix)

  /** The same thing asked for again while it is under way is one thing, done once. */
  #do(what: string, work: () => Promise<unknown>): Promise<boolean> {
    const underWay = this.#underWay.get(what)
    if (underWay) return underWay
    const done = this.#notices.watch(work()).finally(() => this.#underWay.delete(what))
    this.#underWay.set(what, done)
    return done
  }
}
