// Rooms: which one is in front, how one is found, put away and deleted.

import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, test, vi } from 'vitest'
import { fakeBackend } from '../dev/fake'
import { composer, open } from './room'

describe('what is in front', () => {
  test('is the open room, and none in the settings', async () => {
    const inFront = vi.fn(async () => undefined)
    open('running', { inFront })
    await waitFor(() => expect(inFront).toHaveBeenLastCalledWith('room'))
    await fireEvent.click(await screen.findByRole('button', { name: 'Settings' }))
    await waitFor(() => expect(inFront).toHaveBeenLastCalledWith(null))
    await fireEvent.click(await screen.findByRole('button', { name: /Payments module/ }))
    await waitFor(() => expect(inFront).toHaveBeenLastCalledWith('pay'))
  })

  test('is kept when the window is loaded again', async () => {
    const first = open('running')
    await fireEvent.click(await screen.findByRole('button', { name: /Payments module/ }))
    first.unmount()
    const inFront = vi.fn(async () => undefined)
    open('running', { inFront })
    await waitFor(() => expect(inFront).toHaveBeenLastCalledWith('pay'))
  })
})

describe('rooms', () => {
  test('are found by keyboard', async () => {
    open('running')
    await composer()
    await fireEvent.click(screen.getByRole('button', { name: 'Search rooms' }))
    const search = await screen.findByRole('searchbox', { name: 'Search rooms' })
    await waitFor(() => expect(document.activeElement).toBe(search))
    await fireEvent.input(search, { target: { value: 'paym' } })
    await fireEvent.keyDown(search, { key: 'Enter' })
    await waitFor(() => expect(document.activeElement?.textContent).toContain('Payments module'))
    expect(screen.queryByRole('searchbox')).toBeNull()
  })

  test('Escape empties the search, then leaves it and goes back', async () => {
    open('running')
    const box = await composer()
    box.focus()
    await fireEvent.click(screen.getByRole('button', { name: 'Search rooms' }))
    const search = (await screen.findByRole('searchbox', { name: 'Search rooms' })) as HTMLInputElement
    await waitFor(() => expect(document.activeElement).toBe(search))
    await fireEvent.input(search, { target: { value: 'paym' } })
    await fireEvent.keyDown(search, { key: 'Escape' })
    expect(search.value).toBe('')
    await fireEvent.keyDown(search, { key: 'Escape' })
    expect(screen.queryByRole('searchbox')).toBeNull()
    expect(document.activeElement).toBe(box)
  })

  test('one that is deleted leaves the focus with the next', async () => {
    const { backend } = open('running')
    const deleteRoom = vi.spyOn(backend, 'deleteRoom')
    await fireEvent.click(await screen.findByRole('button', { name: 'More for this room' }))
    await fireEvent.click(screen.getByRole('menuitem', { name: 'Delete…' }))
    await fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Delete' }))
    expect(deleteRoom).toHaveBeenCalledExactlyOnceWith('room')
    await waitFor(() => expect(document.activeElement?.getAttribute('aria-current')).toBe('page'))
  })

  test('one that could not be deleted or renamed keeps what was typed', async () => {
    const no = () => Promise.reject({ code: 'X', message: 'The log is busy.' })
    open('running', { deleteRoom: no, renameRoom: no })
    const box = await composer()
    await fireEvent.input(box, { target: { value: 'half a thought' } })
    const more = async (item: string) => {
      await fireEvent.click(screen.getByRole('button', { name: 'More for this room' }))
      await fireEvent.click(screen.getByRole('menuitem', { name: item }))
      return within(await screen.findByRole('dialog'))
    }
    await fireEvent.click((await more('Delete…')).getByRole('button', { name: 'Delete' }))
    expect(await screen.findByText('The log is busy.')).toBeTruthy()
    expect(box.value).toBe('half a thought')
    const dialog = await more('Rename…')
    await fireEvent.input(dialog.getByLabelText('Name'), { target: { value: 'Another' } })
    await fireEvent.click(dialog.getByRole('button', { name: 'Rename' }))
    await new Promise((done) => setTimeout(done))
    expect((dialog.getByLabelText('Name') as HTMLInputElement).value).toBe('Another')
  })

  test('an archived one says so and comes back', async () => {
    const { backend } = open('empty')
    await composer()
    await backend.archiveRoom('room', true)
    const back = await screen.findByRole('button', { name: 'Unarchive' })
    // Deleting it offers nothing that it is already.
    await fireEvent.click(screen.getByRole('button', { name: 'More for this room' }))
    await fireEvent.click(await screen.findByRole('menuitem', { name: 'Delete…' }))
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.getByRole('button', { name: 'Delete' })).toBeTruthy()
    expect(dialog.queryByRole('button', { name: 'Archive instead' })).toBeNull()
    await fireEvent.click(dialog.getByRole('button', { name: 'Cancel' }))
    await fireEvent.click(back)
    await waitFor(() => expect(screen.queryByText(/This room is archived/)).toBeNull())
  })

  test('archived ones that are hidden are not said to be missing', async () => {
    const fake = fakeBackend('empty')
    const overview: typeof fake.overview = (tell) => fake.overview((all) => tell({ ...all, rooms: all.rooms.filter(({ id }) => id === 'room').map((room) => ({ ...room, archived: true })) }))
    open('empty', { overview })
    expect(await screen.findByText('Archived rooms are hidden')).toBeTruthy()
    expect(screen.queryByText('No rooms yet')).toBeNull()
  })

  test('one that can’t be opened says why, and can be tried again', async () => {
    const real = fakeBackend('running').openRoom
    const openRoom = vi.fn(real).mockRejectedValueOnce({ code: 'X', message: 'Its folder ~/code/gateway is gone.' })
    open('running', { openRoom })
    expect(await screen.findByText('Its folder ~/code/gateway is gone.')).toBeTruthy()
    await fireEvent.click(screen.getByRole('button', { name: 'Retry' }))
    expect(await screen.findByRole('heading', { name: /Audit the auth module/ })).toBeTruthy()
  })
})

test('a name can’t hide or turn what it says', async () => {
  const { backend } = open('running')
  await backend.renameRoom('room', 'Gone\u202E evil')
  expect(await screen.findByRole('heading', { name: 'Gone⟨U+202E⟩ evil' })).toBeTruthy()
})

test('sending into an archived room says before that it brings it back', async () => {
  const { backend } = open('running')
  await composer()
  await backend.archiveRoom('room', true)
  expect(await screen.findByText('Archived. Sending a message unarchives it.')).toBeTruthy()
})

describe('deleting a room', () => {
  const ask = async () => {
    await fireEvent.click(await screen.findByRole('button', { name: 'More for this room' }))
    await fireEvent.click(screen.getByRole('menuitem', { name: 'Delete…' }))
    return within(await screen.findByRole('dialog'))
  }

  test('that works says that this stops it', async () => {
    open('busy')
    expect((await ask()).getByText('The agent is working. Deleting stops it.')).toBeTruthy()
  })

  test('says what that frees, and that files stay', async () => {
    const { backend } = open('done')
    const roomSize = vi.spyOn(backend, 'roomSize')
    const dialog = await ask()
    expect(await dialog.findByText(/^This permanently deletes 3\.2 MB of messages, plans and stored outputs, including 4 sidekicks\./)).toBeTruthy()
    expect(dialog.getByText(/stay\./).textContent).toContain('~/notes')
    expect(roomSize).toHaveBeenCalledExactlyOnceWith('room')
  })

  test('does not wait for the number, nor need it', async () => {
    let fail: (problem: unknown) => void = () => undefined
    open('done', { roomSize: () => new Promise((_, no) => (fail = no)) })
    const dialog = await ask()
    const words = /^This permanently deletes messages, plans and stored outputs\./
    expect(dialog.getByText(words)).toBeTruthy()
    fail({ code: 'X', message: 'The log is busy.' })
    await new Promise((done) => setTimeout(done))
    expect(dialog.getByText(words)).toBeTruthy()
    expect(screen.queryByText('The log is busy.')).toBeNull()
  })

  test('that rests says nothing of it', async () => {
    open('done')
    expect((await ask()).queryByText(/Deleting stops it/)).toBeNull()
  })
})
