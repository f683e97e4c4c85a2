// A plan card on its own, with every call to the room watched.

import { render, screen } from '@testing-library/svelte'
import { tick } from 'svelte'
import { vi } from 'vitest'
import { fixture, type State } from '../dev/fixtures'
import type { RoomActions } from '../src/lib/actions'
import type { PlanView } from '../src/lib/wire'
import type { PlanInfo } from '../src/plan/info'
import PlanCard from '../src/plan/PlanCard.svelte'

const DOES = ['approve', 'reject', 'pause', 'resume', 'skip', 'cancel', 'edit', 'say', 'answer', 'retry', 'letChange', 'comment', 'overrideCheck', 'pauseAfterStep', 'stopStep']

export const ESTIMATE = { model: 'anthropic/claude-sonnet', input_tokens: 38_000, output_tokens: 4_200, cost: 0.18, basis: 'steps like those before' }

export function card(state: State, change: Partial<PlanView> = {}, about: Partial<PlanInfo> = {}, more: object = {}) {
  const { view } = fixture(state)
  const act = Object.fromEntries([...DOES.map((name) => [name, vi.fn(async (..._: unknown[]) => true)] as const), ['estimate', vi.fn(async (model: unknown) => ({ ...ESTIMATE, model: model ?? ESTIMATE.model }))] as const])
  const info: PlanInfo = { calls: () => [], reach: async () => undefined, blob: async () => '', revisions: [], autoSteps: 8, mode: 'strict', ...about }
  const props = { plan: { ...view.plan!, ...change }, asks: view.asks, info, act: act as unknown as RoomActions, ...more }
  return { act: act as Record<string, ReturnType<typeof vi.fn>>, props, ...render(PlanCard, props) }
}

export const button = (name: RegExp | string) => screen.getByRole('button', { name })

/** Until what appeared could have been read. */
export const settle = async () => {
  await vi.advanceTimersByTimeAsync(701)
  await tick()
}

/** Where its letters are keys. */
export const planCard = () => screen.getByRole('region', { name: 'Plan' })
