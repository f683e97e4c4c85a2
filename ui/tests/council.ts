// A council's card on its own, with every call to the room watched.

import { render, screen } from '@testing-library/svelte'
import { vi } from 'vitest'
import CouncilCard from '../src/council/CouncilCard.svelte'
import type { Moment } from '../src/council/ledger'
import type { RoomActions } from '../src/lib/actions'
import type { CouncilView } from '../src/lib/wire'

const DOES = ['answerNow', 'voteCouncil', 'pickWinner', 'retryMember', 'pause', 'resume', 'cancel']

export function councilCard(council: CouncilView, moments: Moment[] = []) {
  const act: Record<string, ReturnType<typeof vi.fn>> = Object.fromEntries(DOES.map((name) => [name, vi.fn(async () => true)]))
  act.blob = vi.fn(async () => 'All of it')
  const props = { council, act: act as unknown as RoomActions, moments, onopen: vi.fn(), onagain: vi.fn(), onlink: vi.fn() }
  return { act, props, ...render(CouncilCard, props) }
}

export const theCard = () => screen.getByRole('region', { name: 'Council' })
