// How a sidekick stands, in a word and a colour. That it is stalled is worked
// out here, from when something last happened.

import type { Tone } from '../kit/tone'
import type { RoomId, SidekickView } from '../lib/wire'
import { duration, modelName, spent } from '../lib/words'
import { COMMAND, STANDING } from './words'

/** A sidekick and its room. */
export interface Sidekick {
  id: RoomId
  view: SidekickView
}

export const STALLED_MS = 60_000

export interface Standing {
  state: SidekickView['state']
  word: string
  tone: Tone
}

export function standing(view: SidekickView, now: number, stalledMs = STALLED_MS): Standing {
  switch (view.state) {
    case 'queued':
      return { state: 'queued', word: view.waits_for === 'place' || !view.waits_for ? STANDING.queued : STANDING.waits[view.waits_for], tone: 'plain' }
    case 'running':
    case 'stalled': {
      const silent = now - (view.progress_at ?? view.started_at ?? now)
      if (silent < stalledMs) return { state: 'running', word: STANDING.running, tone: 'go' }
      return { state: 'stalled', word: STANDING.noProgress(coarse(silent)), tone: 'wait' }
    }
    case 'waiting':
      return { state: 'waiting', word: STANDING.waits[view.waits_for ?? 'person'], tone: needsYou(view) ? 'wait' : 'plain' }
    case 'completed':
      return { state: 'completed', word: STANDING.done, tone: 'good' }
    case 'stopped':
      return { state: 'stopped', word: STANDING.stopped, tone: 'plain' }
    case 'failed':
      return { state: 'failed', word: STANDING.failed, tone: 'bad' }
  }
}

/** Whether nothing goes on with it before someone says something. */
function needsYou(view: SidekickView): boolean {
  return view.state === 'waiting' && (view.waits_for ?? 'person') === 'person'
}

export function hasEnded(view: SidekickView): boolean {
  return view.state === 'completed' || view.state === 'stopped' || view.state === 'failed'
}

/** Whether it has one of the places that there are for all. */
export function atWork(view: SidekickView): boolean {
  return view.state === 'running' || view.state === 'stalled'
}

/** How long it has been at work in all; what it waited does not count. */
export function elapsed(view: SidekickView, now: number): number {
  return view.worked_ms + (view.working_since ? Math.max(0, now - view.working_since) : 0)
}

/** Time, model, attempts, tokens and cost, leaving out what there is nothing of. */
export function facts(view: SidekickView, now: number): string[] {
  return [
    duration(elapsed(view, now)),
    view.model ? modelName(view.model) : '',
    view.attempts > 0 ? STANDING.attempt(view.attempts) : '',
    ...spent(view.usage),
  ].filter(Boolean)
}

/** What it does, and when something last happened: `shell, 4 s ago`. */
export function doing(view: SidekickView, now: number): string {
  if (view.state === 'queued') return STANDING.waits[view.waits_for ?? 'place']
  if (hasEnded(view)) return ''
  const ago = view.progress_at ? now - view.progress_at : null
  const last = ago === null ? '' : ago < 1000 ? STANDING.now : STANDING.ago(duration(ago))
  if (view.tool) return [view.tool, last].filter(Boolean).join(', ')
  return last ? STANDING.lastProgress(last) : ''
}

/** Those that need a person first, then those at work, in line, and over; the newest first among the last. */
export function sorted(all: Sidekick[], now: number, stalledMs = STALLED_MS): Sidekick[] {
  const rank = (view: SidekickView) => (view.state === 'waiting' && !needsYou(view) ? RANK.queued : RANK[standing(view, now, stalledMs).state])
  const at = (view: SidekickView) => (hasEnded(view) ? -(view.progress_at ?? 0) : (view.started_at ?? 0))
  // Worked out once for each, and not for each pair.
  const placed = all.map((one) => ({ one, rank: rank(one.view), at: at(one.view) }))
  placed.sort((a, b) => a.rank - b.rank || a.at - b.at || a.one.view.codename.localeCompare(b.one.view.codename))
  return placed.map(({ one }) => one)
}

const RANK: Record<SidekickView['state'], number> = { waiting: 0, stalled: 1, running: 1, queued: 2, failed: 3, stopped: 3, completed: 3 }

/** Where the ring stands: a sidekick does not know how far it is, so it shows that it is at it. */
export function part(view: SidekickView): number {
  if (view.state === 'queued') return 0
  return hasEnded(view) || view.state === 'waiting' ? 1 : 0.7
}

/** All of them in one sentence, for `/sidekick status`. */
export function statusWords(all: SidekickView[], now: number, stalledMs = STALLED_MS): string {
  if (all.length === 0) return COMMAND.none
  if (all.length <= NAMED) return `${all.map((view) => `${view.codename}: ${standing(view, now, stalledMs).word}`).join(', ')}.`
  const counts = new Map<string, number>()
  for (const view of all) {
    const { state, word } = standing(view, now, stalledMs)
    const name = state === 'stalled' ? STANDING.stalled : word
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return COMMAND.counts(all.length, [...counts].map(([word, n]) => `${n} ${word}`).join(', '))
}

const NAMED = 4

/** The one that is meant, or in plain words why there is none to stop. */
export function toStop<T extends SidekickView & { id: RoomId }>(all: T[], name: string): T | string {
  const wanted = name.trim().toLowerCase().replace(/\s+/g, '-')
  const named = all.filter((one) => one.codename.toLowerCase() === wanted || one.id === name.trim())
  const found = named.find((one) => !hasEnded(one)) ?? named[0]
  if (found && !hasEnded(found)) return found
  if (found) return COMMAND.ended(found.codename)
  const live = all.filter((one) => !hasEnded(one)).map((one) => one.codename)
  return `${COMMAND.unknown(name.trim())} ${live.length > 0 ? COMMAND.running(live.join(', ')) : COMMAND.noneRunning}`
}

/** `1m`, `2h`: a silence is not counted in seconds. */
function coarse(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return duration(ms)
  return minutes < 60 ? `${minutes}m` : `${Math.floor(minutes / 60)}h`
}
