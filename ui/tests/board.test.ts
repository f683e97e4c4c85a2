// The board, the palette and what is found in a room.

import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte'
import axe from 'axe-core'
import { describe, expect, test, vi } from 'vitest'
import { fakeBackend } from '../dev/fake'
import { fixture, OTHER_ASKS, overview } from '../dev/fixtures'
import { Notices } from '../src/lib/notices.svelte'
import { Rooms } from '../src/lib/rooms.svelte'
import { cards } from '../src/rooms/board'
import Board from '../src/rooms/Board.svelte'
import { composer, open } from './room'

const base = overview('running', fixture('running')).rooms[0]!
const NOW = Date.now()
const room = (id: string, state: string, more = {}) => ({ ...base, id, title: id, busy: false, updated_at: NOW, plan: { ...base.plan!, state, pause_reason: null, actions: state === 'paused' ? (['resume'] as never) : [] }, ...more })
const ASK = { ...OTHER_ASKS[0]!, room_id: 'asks', created_at: NOW - 1000 }

function shown(list: ReturnType<typeof room>[], asks = [ASK]) {
  const rooms = new Rooms()
  rooms.take({ rooms: list, asks: asks.filter((ask) => list.some(({ id }) => id === ask.room_id)) })
  return rooms
}

describe('the board', () => {
  test('has each room where it belongs', () => {
    const rooms = shown([room('asks', 'running'), room('runs', 'running'), room('rests', 'paused', { plan: { ...base.plan!, state: 'paused', pause_reason: 'supervisor' } }), room('over', 'done'), room('long ago', 'done', { updated_at: 0 }), room('away', 'running', { archived: true })])
    expect(Object.fromEntries(cards(rooms.list, rooms.waiting, NOW).map((card) => [card.room.id, card.column]))).toEqual({ asks: 'needs', runs: 'running', rests: 'paused', over: 'done' })
  })

  test('opens, resumes and moves by keyboard', async () => {
    const [onopen, resume] = [vi.fn(), vi.fn(async () => undefined)]
    const rooms = shown([room('asks', 'running'), room('runs', 'running'), room('rests', 'paused')])
    const { container } = render(Board, { rooms, backend: { ...fakeBackend('running'), resume }, notices: new Notices(), onopen, onnew: vi.fn(), onclose: vi.fn() })
    await fireEvent.keyDown(document.body, { key: 'n' })
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Open asks')
    await fireEvent.keyDown(document.activeElement!, { key: 'ArrowRight' })
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Open runs')
    await fireEvent.click(document.activeElement!)
    expect(onopen).toHaveBeenCalledExactlyOnceWith('runs')
    await fireEvent.click(within(screen.getByRole('region', { name: 'Paused' })).getByRole('button', { name: 'Resume' }))
    expect(resume).toHaveBeenCalledExactlyOnceWith('rests')
    const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false }, region: { enabled: false } } })
    expect(violations.map((one) => one.id)).toEqual([])
  })

  test('without rooms says what comes there', () => {
    render(Board, { rooms: shown([]), backend: fakeBackend('running'), notices: new Notices(), onopen: vi.fn(), onnew: vi.fn(), onclose: vi.fn() })
    expect(screen.getByText('Nothing on the board')).toBeTruthy()
  })

  test('is reached from the rail', async () => {
    open('running')
    await composer()
    await fireEvent.click(screen.getByRole('button', { name: 'Board' }))
    expect(await screen.findByRole('heading', { name: 'Board' })).toBeTruthy()
  })
})

test('Ctrl K finds rooms, commands and settings, and Enter goes there', async () => {
  open('running')
  const box = await composer()
  await fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
  const dialog = within(await screen.findByRole('dialog', { name: 'Find and do' }))
  const field = dialog.getByRole('combobox')
  await fireEvent.input(field, { target: { value: 'paym' } })
  expect(dialog.getAllByRole('option')[0]?.textContent).toContain('Payments module')
  await fireEvent.input(field, { target: { value: 'max steps per plan' } })
  await waitFor(() => expect(dialog.getAllByRole('option')[0]?.textContent).toContain('Setting'))
  await fireEvent.input(field, { target: { value: 'skip the' } })
  await fireEvent.keyDown(field, { key: 'Enter' })
  await waitFor(() => expect(box.value).toBe('/skip'))
})

test('Ctrl F finds words in the room', async () => {
  open('running')
  await composer()
  await screen.findByRole('log')
  await fireEvent.keyDown(document.body, { key: 'f', ctrlKey: true })
  const field = await screen.findByRole('textbox', { name: 'Find in this room' })
  await fireEvent.input(field, { target: { value: 'legacy' } })
  await waitFor(() => expect(screen.getByText(/^1 of \d/)).toBeTruthy())
  await fireEvent.keyDown(field, { key: 'Escape' })
  expect(screen.queryByRole('textbox', { name: 'Find in this room' })).toBeNull()
})
