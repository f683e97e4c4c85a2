// Links from outside: they lead somewhere or bring words, and do nothing else.

import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, test, vi } from 'vitest'
import { fakeBackend } from '../dev/fake'
import { composer, NO_ROOMS, open } from './room'

describe('links', () => {
  test('without a room, words wait for the one that is made', async () => {
    localStorage.clear()
    const { backend, follow } = open('empty', { overview: NO_ROOMS })
    await screen.findByText('No room is open')
    follow({ type: 'new', goal: 'Sort my notes' })
    const dialog = within(await screen.findByRole('dialog', { name: 'New room' }))
    expect(dialog.getByText(/Sort my notes/)).toBeTruthy()
    const say = vi.spyOn(backend, 'say')
    await fireEvent.input(dialog.getByLabelText(/Folder/), { target: { value: '/home/you/notes' } })
    await fireEvent.click(dialog.getByRole('button', { name: 'Create room' }))
    await waitFor(async () => expect((await composer()).value).toBe('Sort my notes'))
    expect(screen.getByText(/From a link\./)).toBeTruthy()
    expect(say).not.toHaveBeenCalled()
  })

  test('bring no hidden characters unseen', async () => {
    const { follow } = open('running')
    const box = await composer()
    follow({ type: 'new', goal: 'Read\r\n\u202Ethis' })
    await waitFor(() => expect(box.value).toBe('Read\n\u202Ethis'))
    await waitFor(() => expect(document.activeElement).toBe(box))
    expect(screen.getByText('Hidden characters: ⟨U+202E⟩')).toBeTruthy()
    expect(screen.getByText(/From a link\./)).toBeTruthy()
    await fireEvent.click(screen.getByRole('button', { name: 'Remove them' }))
    expect(box.value).toBe('Read\nthis')
  })

  test('bring words and never commands', async () => {
    const { backend, follow } = open('running')
    const box = await composer()
    const [say, setMode] = [vi.spyOn(backend, 'say'), vi.spyOn(backend, 'setMode')]
    follow({ type: 'new', goal: '/plan off' })
    await waitFor(() => expect(box.value).toBe('/plan off'))
    // An Enter that was on its way when the words came does not send them.
    await waitFor(() => expect(document.activeElement).toBe(box))
    await fireEvent.keyDown(box, { key: 'Enter' })
    expect(say).not.toHaveBeenCalled()
    await waitFor(async () => {
      await fireEvent.keyDown(box, { key: 'Enter' })
      expect(say).toHaveBeenCalledExactlyOnceWith(expect.anything(), '/plan off')
    })
    expect(setMode).not.toHaveBeenCalled()
  })

  test('to a step opens it and puts the focus there', async () => {
    const { follow } = open('running')
    await screen.findByRole('heading', { name: /Audit the auth module/ })
    follow({ type: 'plan', room: 'room', plan: 'plan', step: 2 })
    await screen.findByRole('group', { name: 'Details of step 2' })
    await waitFor(() => expect(document.activeElement?.getAttribute('data-step')).toBe('s2'))
  })

  test('close the question whether to cancel, and cancel nothing', async () => {
    const { backend, follow } = open('running')
    const cancel = vi.spyOn(backend, 'cancel')
    await fireEvent.click(await screen.findByRole('button', { name: 'Cancel plan' }))
    await screen.findByRole('dialog', { name: 'Cancel this plan?' })
    follow({ type: 'plan', room: 'room', plan: 'plan', step: 2 })
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await screen.findByRole('group', { name: 'Details of step 2' })
    await waitFor(() => expect(document.activeElement?.getAttribute('data-step')).toBe('s2'))
    expect(cancel).not.toHaveBeenCalled()
  })

  test('to a plan of the past opens it over the room, to be read only', async () => {
    const past = fakeBackend('done')
    const { follow } = open('running', { plan: async (id) => ({ ...(await past.plan(id)), id }) })
    await screen.findByRole('heading', { name: /Audit the auth module/ })
    follow({ type: 'plan', room: 'room', plan: 'old', step: 3 })
    const dialog = within(await screen.findByRole('dialog', { name: 'Plan' }))
    expect(await dialog.findByText('Rename notes 1 to 5')).toBeTruthy()
    expect(dialog.queryByRole('button', { name: /Pause|Resume|Cancel plan/ })).toBeNull()
    await waitFor(() => expect(document.activeElement?.getAttribute('data-step')).toBe('s3'))
  })

  describe('with a plan of the past in front', () => {
    const past = async (step: number | null) => {
      const shown = open('running', { plan: async (id) => ({ ...(await fakeBackend('done').plan(id)), id }) })
      const box = await composer()
      box.blur()
      expect(document.activeElement).toBe(document.body)
      shown.follow({ type: 'plan', room: 'room', plan: 'old', step })
      const dialog = await screen.findByRole('dialog', { name: 'Plan' })
      await within(dialog).findByText('Rename notes 1 to 5')
      return { ...shown, box, dialog }
    }

    test('a step that it does not have is said to be missing', async () => {
      const { dialog } = await past(77)
      expect(within(dialog).getByText('This plan has no step 77.')).toBeTruthy()
    })

    test('one that brings words takes its place', async () => {
      const { follow, box } = await past(null)
      follow({ type: 'new', goal: 'Sort my notes' })
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
      await waitFor(() => expect(document.activeElement).toBe(box))
      expect(box.value).toBe('Sort my notes')
    })

    test('one to another plan of the past shows that', async () => {
      const { follow } = await past(null)
      follow({ type: 'plan', room: 'room', plan: 'older', step: 77 })
      expect(await screen.findByText('This plan has no step 77.')).toBeTruthy()
    })

    test('leaving it goes to the message box', async () => {
      const { dialog, box } = await past(null)
      await fireEvent(dialog, new Event('cancel', { cancelable: true }))
      await waitFor(() => expect(document.activeElement).toBe(box))
    })
  })
})
