// What a council that is about to start would be: who sits in it, what it may take, and what it is held to.

import type { CouncilPreview, CouncilSeat, FinalAnswer, Json } from '../lib/wire'
import { count, money, tokens } from '../lib/words'

/** Members of a council for which nobody was named. */
export const USUAL = 5
export const MOST = 8

/** What is asked for this council where that is not as configured; empty: as configured. */
export interface Options {
  minutes: string
  answers: string
  blind: '' | 'on' | 'off'
  final: '' | FinalAnswer
}

export const AS_CONFIGURED: Options = { minutes: '', answers: '', blind: '', final: '' }

/** By the names of the configuration. */
export function optionsFor({ minutes, answers, blind, final }: Options): Record<string, Json> {
  const options: Record<string, Json> = {}
  if (whole(minutes)) options.orchestrator_timeout_seconds = Number(minutes) * 60
  if (whole(answers)) options.max_new_answers_per_agent = Number(answers)
  if (blind) options.defer_voting_until_all_answered = blind === 'on'
  if (final) options.final_answer_strategy = final
  return options
}

/** What is wrong with what was typed. */
export function wrongOption({ minutes, answers }: Options): string {
  if (minutes.trim() !== '' && !whole(minutes)) return 'The time limit is a whole number of minutes.'
  if (answers.trim() !== '' && !whole(answers)) return 'Answers each is a whole number from 1.'
  return ''
}

function whole(text: string): boolean {
  return /^[1-9]\d{0,5}$/.test(text.trim())
}

/** Models that more than one of these has. */
export function sharedBy(seats: CouncilSeat[]): string[] {
  const models = seats.map((seat) => seat.model)
  return [...new Set(models.filter((model, i) => models.indexOf(model) !== i))].sort()
}

/** `3 members × 3 turns, about 60k tokens, $0.22`: the preview is for all who would sit there by default. */
export function estimateWords(preview: CouncilPreview, chosen: number): string {
  const seated = Math.min(USUAL, Math.max(2, preview.members.length))
  const each = (n: number) => Math.round((n / seated) * chosen)
  const used = tokens({ input: each(preview.tokens), output: 0, cache_read: 0, cost_micros: 0 })
  const price = preview.cost_micros == null ? 'price unknown' : money(each(preview.cost_micros))
  return `${count(chosen, 'member')} × ${count(Math.round(preview.turns / seated), 'turn')}, about ${used}, ${price}`
}

/** Why it can't start with these members. */
export function problemWith(preview: CouncilPreview, chosen: number): string {
  if (preview.problem) return preview.problem
  if (chosen < 2) return 'Choose two members or more.'
  return chosen > MOST ? `Choose ${MOST} members at most.` : ''
}
