// One open room: its view, its chat, and the words being streamed.

import { Fold } from '../chat/fold'
import type { ChatItem } from '../chat/items'
import type { Backend, Unsubscribe } from './backend'
import { EachFrame } from './frame'
import type { Chatter, RoomId, RoomView, StepId, Stored } from './wire'

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
  fold = $state.raw(new Fold())
  /** Whether there are older events to load. */
  more = $state(true)
  /** Whether older events were just put in front, so that the list keeps its place. */
  prepended = $state(false)
  #events: Stored[] = []
  #gathered: Live = SILENT
  #paint: EachFrame
  #publish: EachFrame
  #loading: Promise<void> | null = null

  constructor(room: RoomId, schedule?: (run: () => void) => void) {
    this.room = room
    this.#paint = new EachFrame(() => (this.live = this.#gathered), schedule)
    this.#publish = new EachFrame(() => {
      this.prepended = false
      this.items = this.fold.items.slice()
      this.live = this.#gathered
    }, schedule)
  }

  listen(backend: Backend): Promise<Unsubscribe> {
    return backend.openRoom(this.room, this.fold.seq, {
      events: (events) => this.takeEvents(events),
      view: (view) => this.takeView(view),
      chatter: (chatter) => this.takeChatter(chatter),
    })
  }

  /** A view replaces the one shown only when it is newer. */
  takeView(view: RoomView): void {
    if (this.view && view.seq <= this.view.seq) return
    this.view = view
  }

  takeEvents(events: Stored[]): void {
    const fresh = events.filter((event) => event.seq > this.fold.seq)
    if (fresh.length === 0) return
    this.#events.push(...fresh)
    this.fold.push(fresh)
    if ((this.#events[0]?.seq ?? 1) <= 1) this.more = false
    // A stored reply takes the place of the words streamed for it, in the same frame.
    if (fresh.some(({ event }) => event.type === 'replied')) this.#gathered = SILENT
    this.#publish.ask()
  }

  takeChatter(chatter: Chatter): void {
    const now = this.#gathered
    switch (chatter.type) {
      case 'thinking':
        this.#gathered = { ...SILENT, thinking: true }
        break
      case 'text':
        this.#gathered = { ...now, text: now.text + chatter.delta, retry: null }
        break
      case 'thought':
        this.#gathered = { ...now, thought: now.thought + chatter.delta, retry: null }
        break
      case 'retry':
        this.#gathered = {
          ...now,
          retry: { attempt: chatter.attempt, at: Date.now() + chatter.in_ms, why: chatter.why },
        }
        break
    }
    this.#paint.ask()
  }

  /** Loads the page before the oldest event here. */
  older(backend: Backend): Promise<void> {
    this.#loading ??= this.#older(backend).finally(() => (this.#loading = null))
    return this.#loading
  }

  /** Loads back to where a step began, so that all its calls are here. */
  async reachStep(backend: Backend, step: StepId): Promise<void> {
    const begun = ({ event }: Stored) => event.type === 'step_started' && event.step === step
    while (this.more && !this.#events.some(begun)) await this.older(backend)
  }

  async #older(backend: Backend): Promise<void> {
    if (!this.more) return
    const before = this.#events[0]?.seq ?? null
    const page = await backend.history(this.room, before, PAGE)
    if (page.length === 0 || (page[0]?.seq ?? 1) <= 1) this.more = false
    if (page.length === 0) return
    this.#events = [...page, ...this.#events]
    const fold = new Fold()
    fold.push(this.#events)
    this.fold = fold
    this.prepended = true
    this.items = fold.items.slice()
  }
}
