// Whether a person ended what went on in a room, as far as its last events tell.

import type { Event, Stored } from './wire'

/** Whether it was ended by a person, wherever they did, who let nothing begin there since. */
export function isHalted(events: Stored[]): boolean {
  const last = events.findLast(({ event }) => halts(event) || begins(event))
  return last !== undefined && halts(last.event)
}

function halts(event: Event): boolean {
  switch (event.type) {
    case 'trouble':
      return event.code === 'STOPPED'
    case 'plan_cancelled':
      return event.by.kind === 'person'
    case 'sidekick_ended':
      return event.end === 'stopped'
    case 'room_archived':
      return event.archived
    default:
      return false
  }
}

function begins({ type }: Event): boolean {
  return type === 'said' || type === 'approved' || type === 'resumed'
}
