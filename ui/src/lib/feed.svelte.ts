// One open room: its view, its chat, and the words being streamed. Whatever
// comes is taken at once; the view and the chat are shown in turn, a frame for each.

import { Fold } from '../chat/fold'
import type { ChatItem } from '../chat/items'
import type { Backend, Unsubscribe } from './backend'
import { EachFrame } from './frame'
import { message } from './notices.svelte'
import { share } from './share'
import type { CallId, Chatter, PlanId, RoomId, RoomView, Stored } from './wire'
import { farSoFar } from './words'

/** Words that are not an event yet. */
export interface Live {
  thinking: boolean
  text: string
  thought: string
  retry: { attempt: number; at: number; why: string } | null
}

const SILENT: Live = { thinking: false, text: '', thought: '', retry: null }
const PAGE = 200

export class Feed {
  readonly room: RoomId
  view = $state.raw<RoomView | null>(null)
  items = $state.raw<ChatItem[]>([])
  live = $state.raw<Live>(SILENT)
  /** How far calls under way are, in the words of their servers. */
  progress = $state.raw<ReadonlyMap<CallId, string>>(new Map())
  /** Why the room can't be shown. */
  problem = $state('')
  fold = $state.raw(new Fold())
  /** The last event the model was shown; what came later it has not read. */
  seen = $state(0)
  /** The number of the step above that a sidekick does. */
  serves = $state<number | null>(null)
  /** Whether there are older events to load. */
  more = $state(true)
  /** Whether older events were just put in front, so that the list keeps its place. */
  prepended = $state(false)
  #events: Stored[] = []
  #latest: RoomView | null = null
  #gathered: Live = SILENT
  /** What is said after an event that is still on its way. */
  #next: { after: number; live: Live } | null = null
  #progress = new Map<CallId, string>()
  #moved = false
  #happened = false
  #asked = 0
  #look: EachFrame
  #talk: EachFrame
  #loading: Promise<void> | null = null
  #listening: Promise<Unsubscribe> | null = null

  constructor(room: RoomId, schedule?: (run: () => void) => void) {
    this.room = room
    this.#look = new EachFrame(() => this.#showView(), schedule)
    this.#talk = new EachFrame(() => this.#showChat(), schedule)
  }

  /** Opens the room, once. */
  listen(backend: Backend): Promise<Unsubscribe> {
    this.#listening ??= this.#listen(backend)
    return this.#listening
  }

  async #listen(backend: Backend): Promise<Unsubscribe> {
    try {
      return await backend.openRoom(this.room, this.fold.seq, {
        events: (events) => this.takeEvents(events),
        view: (view) => this.takeView(view),
        chatter: (chatter) => this.takeChatter(chatter),
      })
    } catch (problem) {
      this.problem = message(problem)
      return () => undefined
    }
  }

  /** A view replaces the one shown only when it is newer. */
  takeView(view: RoomView): void {
    // The same number with other words: something happened in a sidekick's room.
    if (this.#latest && view.seq < this.#latest.seq) return
    this.#latest = view
    // What opens the room is shown at once: a window that is still hidden paints no frames.
    if (this.view !== null) return this.#look.ask()
    this.#showView()
    // Of a plan that was written before the first event here, only the view tells.
    if (this.#events.length > 0) this.#fold()
  }

  takeEvents(events: Stored[]): void {
    const fresh = events.filter((event) => event.seq > this.fold.seq)
    if (fresh.length === 0) return
    const first = this.#events.length === 0
    this.#events.push(...fresh)
    if (first) this.fold = Fold.of(fresh, this.#latest?.plan ?? null)
    else this.fold.push(fresh)
    this.#happened = true
    for (const { event } of fresh) if (event.type === 'call_ended') this.#moved = this.#progress.delete(event.call) || this.#moved
    if ((this.#events[0]?.seq ?? 1) <= 1) this.more = false
    // A stored reply takes the place of the words streamed for it, in the same frame.
    if (fresh.some(({ event }) => event.type === 'replied')) this.#gathered = SILENT
    if (this.#next && this.fold.seq >= this.#next.after) {
      this.#gathered = this.#next.live
      this.#next = null
    }
    if (this.items.length === 0) this.#showChat()
    else this.#talk.ask()
  }

  takeChatter(chatter: Chatter): void {
    const now = this.#next?.live ?? this.#gathered
    switch (chatter.type) {
      case 'thinking':
        this.#turn(chatter.after, { ...SILENT, thinking: true })
        this.#asked = chatter.after
        break
      case 'quiet':
        this.#turn(chatter.after, SILENT)
        break
      case 'text':
        this.#say({ ...now, text: now.text + chatter.delta, retry: null })
        break
      case 'thought':
        this.#say({ ...now, thought: now.thought + chatter.delta, retry: null })
        break
      case 'progress':
        this.#progress.set(chatter.call, farSoFar(chatter.done, chatter.total, chatter.text))
        this.#moved = true
        break
      case 'retry':
        this.#say({ ...now, retry: { attempt: chatter.attempt, at: Date.now() + chatter.in_ms, why: chatter.why } })
        break
    }
    this.#talk.ask()
  }

  /** Words stay until the event that takes their place is here. */
  #turn(after: number, live: Live): void {
    if (after > this.fold.seq && this.#gathered !== SILENT) this.#next = { after, live }
    else {
      this.#gathered = live
      this.#next = null
    }
  }

  #say(live: Live): void {
    if (this.#next) this.#next.live = live
    else this.#gathered = live
  }

  /** Loads the page before the oldest event here. */
  older(backend: Backend): Promise<void> {
    this.#loading ??= this.#older(backend).finally(() => (this.#loading = null))
    return this.#loading
  }

  /** Loads back to where a plan was written, so that all its calls are here. */
  async reachPlan(backend: Backend, plan: PlanId): Promise<void> {
    const written = ({ event }: Stored) => event.type === 'plan_written' && event.plan === plan
    while (this.more && !this.#events.some(written)) await this.older(backend)
  }

  #showView(): void {
    this.view = this.#latest = share(this.view, this.#latest)
  }

  #showChat(): void {
    this.prepended = false
    this.live = this.#gathered
    this.seen = Math.max(this.#asked, this.fold.seen)
    if (this.#moved) {
      this.#moved = false
      this.progress = new Map(this.#progress)
    }
    if (!this.#happened) return
    this.#happened = false
    this.items = this.fold.items.slice()
    this.serves = this.fold.serves
  }

  #fold(): void {
    this.fold = Fold.of(this.#events, this.#latest?.plan ?? null)
    this.items = this.fold.items.slice()
    this.serves = this.fold.serves
  }

  async #older(backend: Backend): Promise<void> {
    if (!this.more) return
    const before = this.#events[0]?.seq ?? null
    const page = await backend.history(this.room, before, PAGE)
    if (page.length === 0 || (page[0]?.seq ?? 1) <= 1) this.more = false
    if (page.length === 0) return
    this.#events = [...page, ...this.#events]
    this.prepended = true
    this.#fold()
  }
}
