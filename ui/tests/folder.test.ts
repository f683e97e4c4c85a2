// The folder of a room: chosen for a new one, and gone from under an old one.

import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, test, vi } from 'vitest'
import { fakeBackend } from '../dev/fake'
import type { Backend } from '../src/lib/backend'
import type { PlanMode } from '../src/lib/wire'
import { composer, open } from './room'

describe('a new room', () => {
  const dialog = async (change: Partial<Backend> = {}) => {
    const createRoom = vi.fn(fakeBackend('empty').createRoom)
    open('running', { createRoom, ...change })
    await composer()
    await fireEvent.keyDown(document.body, { key: 'n', ctrlKey: true })
    const box = within(await screen.findByRole('dialog', { name: 'New room' }))
    const create = async (path: string) => {
      await fireEvent.input(box.getByLabelText(/Folder/), { target: { value: path } })
      await fireEvent.click(box.getByRole('button', { name: 'Create room' }))
    }
    return { box, create, createRoom }
  }

  test.each([' ~/x ', '~/x/', '/home/you/x//'])('in %j is one in the folder it means', async (typed) => {
    const { create, createRoom } = await dialog()
    await create(typed)
    expect(createRoom).toHaveBeenCalledExactlyOnceWith({ title: undefined, workspace: '/home/you/x', plan_mode: undefined })
    // What comes next is to say something there.
    await waitFor(async () => expect(document.activeElement).toBe(await composer()))
  })

  const mode = (box: Awaited<ReturnType<typeof dialog>>['box']) => (box.getByRole('radio', { checked: true }) as HTMLInputElement).value

  test.each<[PlanMode, string]>([
    ['strict', 'helper'],
    ['soft', 'default'],
  ])('has the mode %s that is configured for the agent %s, unless another is chosen', async (plan_mode, name) => {
    const view = await fakeBackend('running').settings()
    const settings = async () => ({ ...view, agent: { ...view.agent, name }, values: { ...view.values, agents: { other: { plan_mode: 'off' }, [name]: { plan_mode } } } })
    const { box, create, createRoom } = await dialog({ settings })
    expect(mode(box)).toBe(plan_mode)
    await create('/home/you/x')
    // What is configured by then holds.
    expect(createRoom).toHaveBeenCalledExactlyOnceWith({ title: undefined, workspace: '/home/you/x', plan_mode: undefined })
  })

  test('has the mode that was chosen', async () => {
    const { box, create, createRoom } = await dialog()
    await fireEvent.click(box.getByRole('radio', { name: 'Off' }))
    expect(mode(box)).toBe('off')
    await create('/home/you/x')
    expect(createRoom).toHaveBeenCalledExactlyOnceWith({ title: undefined, workspace: '/home/you/x', plan_mode: 'off' })
  })

  test('says what is wrong with the folder, before and after asking', async () => {
    const { box, create, createRoom } = await dialog({ createRoom: vi.fn().mockRejectedValue({ code: 'X', message: '/srv/x can’t be opened' }) })
    await create('code/x')
    expect(box.getByText(/Enter the full path/)).toBeTruthy()
    expect(createRoom).not.toHaveBeenCalled()
    await create('/srv/x')
    expect(await box.findByText('/srv/x can’t be opened.')).toBeTruthy()
    expect(document.activeElement).toBe(box.getByLabelText(/Folder/))
  })

  test('knows a folder that another room works in, however it is typed', async () => {
    const { box } = await dialog()
    await fireEvent.input(box.getByLabelText(/Folder/), { target: { value: '~/code/gateway/' } })
    expect(box.getByText(/uses this folder too/)).toBeTruthy()
  })
})

describe('a folder that vanished', () => {
  test('is said in the room, and another can be chosen', async () => {
    const { backend } = open('gone', { pickFolder: async () => '/home/you/elsewhere' })
    const move = vi.spyOn(backend, 'moveRoom')
    const notice = await screen.findByRole('group', { name: 'Folder' })
    expect(notice.textContent).toContain('The folder ~/notes is not there.')
    await fireEvent.click(screen.getByRole('button', { name: 'Choose another folder…' }))
    await waitFor(() => expect(move).toHaveBeenCalledExactlyOnceWith('room', '/home/you/elsewhere'))
    await waitFor(() => expect(screen.queryByRole('group', { name: 'Folder' })).toBeNull())
  })

  test('is not replaced by one that another room works in before that was said', async () => {
    const { backend } = open('gone')
    const move = vi.spyOn(backend, 'moveRoom')
    await fireEvent.click(await screen.findByRole('button', { name: 'Choose another folder…' }))
    const notice = within(screen.getByRole('group', { name: 'Folder' }))
    expect(await notice.findByText(/“Auth audit” uses this folder too\. The rooms can overwrite each other’s changes\./)).toBeTruthy()
    expect(move).not.toHaveBeenCalled()
    await fireEvent.click(notice.getByRole('button', { name: 'Use anyway' }))
    await waitFor(() => expect(move).toHaveBeenCalledExactlyOnceWith('room', '/home/you/code/gateway'))
  })

  test('is looked for again when the window is come back to', async () => {
    let problem: string | null = null
    open('running', { folderProblem: async () => problem })
    await composer()
    expect(screen.queryByRole('group', { name: 'Folder' })).toBeNull()
    problem = '/home/you/code/gateway is not a folder'
    await fireEvent.focus(window)
    const notice = await screen.findByRole('group', { name: 'Folder' })
    expect(notice.textContent).toContain('The folder ~/code/gateway is not a folder.')
    // A plan keeps its folder till its end.
    expect(notice.textContent).toContain('stop the agent or cancel the plan first')
    expect(screen.queryByRole('button', { name: 'Choose another folder…' })).toBeNull()
    await fireEvent.click(screen.getByRole('button', { name: 'Check again' }))
    expect(await screen.findByText('The folder still can’t be used.')).toBeTruthy()
    problem = null
    await fireEvent.click(screen.getByRole('button', { name: 'Check again' }))
    await waitFor(() => expect(screen.queryByRole('group', { name: 'Folder' })).toBeNull())
  })

  test('@ says so instead of finding nothing', async () => {
    open('gone')
    const box = await composer()
    box.focus()
    await fireEvent.input(box, { target: { value: '@' } })
    box.setSelectionRange(1, 1)
    await fireEvent.select(box)
    expect(await screen.findByText('/home/you/notes is not there.')).toBeTruthy()
  })
})
