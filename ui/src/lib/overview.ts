// The overview comes whole once and then as what is other; here it is whole again.

import { share } from './share'
import type { AskView, Overview, OverviewNews, RoomId, RoomSummary } from './wire'

export class WholeOverview {
  #rooms = new Map<RoomId, RoomSummary>()
  #order: RoomId[] = []
  #asks: AskView[] = []

  take(news: OverviewNews): Overview {
    for (const room of news.rooms) this.#rooms.set(room.id, share(this.#rooms.get(room.id), room))
    if (news.order) {
      this.#order = news.order
      const there = new Set(news.order)
      for (const id of [...this.#rooms.keys()]) if (!there.has(id)) this.#rooms.delete(id)
    }
    if (news.asks) this.#asks = news.asks
    return { rooms: this.#order.flatMap((id) => this.#rooms.get(id) ?? []), asks: this.#asks }
  }
}
