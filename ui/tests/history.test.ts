// The plans of a room, searched, read and saved.

import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, test, vi } from 'vitest'
import { fakeBackend } from '../dev/fake'
import { open } from './room'

describe('plans of a room', () => {
  const more = async (item: string) => {
    await fireEvent.click(await screen.findByRole('button', { name: 'More for this room' }))
    await fireEvent.click(screen.getByRole('menuitem', { name: item }))
  }

  test('are searched and opened', async () => {
    const plans = vi.fn(fakeBackend('checkin').plans)
    open('checkin', { plans })
    await more('Plans of this room')
    const dialog = within(await screen.findByRole('dialog', { name: 'Plans of this room' }))
    await dialog.findByRole('button', { name: /List what is unfinished/ })
    await fireEvent.input(dialog.getByRole('searchbox', { name: 'Search plans' }), { target: { value: 'unfinished' } })
    await waitFor(() => expect(plans).toHaveBeenLastCalledWith('room', 'unfinished'))
  })

  test('Enter opens the first that is found, however fast', async () => {
    const plans = vi.fn(fakeBackend('checkin').plans)
    open('checkin', { plans })
    await more('Plans of this room')
    const search = await screen.findByRole('searchbox', { name: 'Search plans' })
    await screen.findByRole('button', { name: /List what is unfinished/ })
    await fireEvent.input(search, { target: { value: 'unfinished' } })
    await fireEvent.keyDown(search, { key: 'Enter' })
    expect(plans).toHaveBeenLastCalledWith('room', 'unfinished')
    expect(await screen.findByRole('button', { name: 'All plans' })).toBeTruthy()
  })

  test('are left with Escape, which empties the search first', async () => {
    open('checkin')
    await more('Plans of this room')
    const dialog = within(await screen.findByRole('dialog', { name: 'Plans of this room' }))
    const search = dialog.getByRole('searchbox', { name: 'Search plans' }) as HTMLInputElement
    await fireEvent.input(search, { target: { value: 'unfinished' } })
    await fireEvent.keyDown(search, { key: 'Escape' })
    expect(search.value).toBe('')
    await fireEvent.keyDown(search, { key: 'Escape' })
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'More for this room' }))
  })

  test('reading one and going back loses no focus', async () => {
    open('checkin')
    await more('Plans of this room')
    const found = await screen.findByRole('button', { name: /List what is unfinished/ })
    found.focus()
    await fireEvent.click(found)
    const back = await screen.findByRole('button', { name: 'All plans' })
    await waitFor(() => expect(screen.getByRole('dialog').contains(document.activeElement)).toBe(true))
    await fireEvent.click(back)
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('searchbox', { name: 'Search plans' })))
  })

  test('are saved as files', async () => {
    const saveExport = vi.fn(async () => '/home/you/plan.json')
    open('checkin', { saveExport })
    await more('Export plan as JSON')
    await fireEvent.click(await screen.findByRole('button', { name: 'Save…' }))
    expect(saveExport).toHaveBeenCalledExactlyOnceWith('plan', 'json')
    expect(await screen.findByText('Saved as ~/plan.json')).toBeTruthy()
  })
})
