// What a council that is about to start would be: who sits in it, what it may take, and what it is held to.

import type { CouncilPreview, CouncilSeat, FinalAnswer, Json } from '../lib/wire'
import { money, tokens as tokenWords } from '../lib/words'
import { START } from './words'

/** Members of a council for which nobody was named. */
export const USUAL = 5
export const MOST = 8

/** What is asked for this council where that is not as configured; empty: as configured. */
export interface Options {
  minutes: string
  answers: string
  /** Tokens after which it pauses and asks. */
  tokens: string
  blind: '' | 'on' | 'off'
  final: '' | FinalAnswer
}

export const AS_CONFIGURED: Options = { minutes: '', answers: '', tokens: '', blind: '', final: '' }

/** By the names of the configuration. */
export function optionsFor({ minutes, answers, tokens, blind, final }: Options): Record<string, Json> {
  const options: Record<string, Json> = {}
  if (whole(minutes)) options.orchestrator_timeout_seconds = Number(minutes) * 60
  if (whole(answers)) options.max_new_answers_per_agent = Number(answers)
  if (whole(tokens)) options.tokens = Number(tokens)
  if (blind) options.defer_voting_until_all_answered = blind === 'on'
  if (final) options.final_answer_strategy = final
  return options
}

/** What is wrong with what was typed. */
export function wrongOption({ minutes, answers, tokens }: Options): string {
  if (minutes.trim() !== '' && !whole(minutes)) return START.wrongMinutes
  if (answers.trim() !== '' && !whole(answers)) return START.wrongAnswers
  if (tokens.trim() !== '' && !whole(tokens)) return START.wrongTokens
  return ''
}

function whole(text: string): boolean {
  return /^[1-9]\d{0,8}$/.test(text.trim())
}

/** Models that more than one of these has. */
export function sharedBy(seats: CouncilSeat[]): string[] {
  const models = seats.map((seat) => seat.model)
  return [...new Set(models.filter((model, i) => models.indexOf(model) !== i))].sort()
}

/** `3 members × 3 turns, about 60k tokens, $0.22`, for those who are chosen. */
export function estimateWords(preview: CouncilPreview, chosen: CouncilSeat[]): string {
  const usual = Math.min(USUAL, Math.max(1, preview.members.length))
  const sum = (of: (seat: CouncilSeat) => number) => chosen.reduce((all, seat) => all + of(seat), 0)
  const used = tokenWords({ input: sum((seat) => seat.tokens), output: 0, cache_read: 0, cost_micros: 0 })
  const unpriced = chosen.some((seat) => seat.cost_micros == null)
  const price = unpriced ? START.noPrice : money(sum((seat) => seat.cost_micros ?? 0))
  return START.estimate(chosen.length, Math.round(preview.turns / usual), used, price)
}

/** Why it can't start with these members. */
export function problemWith(preview: CouncilPreview, chosen: number): string {
  if (preview.problem) return preview.problem
  if (chosen < 2) return START.tooFew
  return chosen > MOST ? START.tooMany(MOST) : ''
}
