import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { fakeBackend } from '../dev/fake'
import type { State } from '../dev/fixtures'
import App from '../src/App.svelte'
import type { Backend, Link } from '../src/lib/backend'

beforeEach(() => {
  localStorage.clear()
  localStorage.setItem('plancard.room', '"room"')
})

function open(state: State, change: Partial<Backend> = {}) {
  let follow: (link: Link) => void = () => undefined
  const onLink: Backend['onLink'] = async (callback) => {
    follow = callback
    return () => undefined
  }
  const backend = { ...fakeBackend(state), onLink, ...change }
  return { backend, follow: (link: Link) => follow(link), ...render(App, { backend }) }
}
const composer = async () => (await screen.findByLabelText(/Message the room|Type what to change/)) as HTMLTextAreaElement
const NO_ROOMS: Backend['overview'] = async (onChange) => {
  setTimeout(() => onChange({ rooms: [], asks: [] }))
  return () => undefined
}

describe('a turn without a plan', () => {
  test('can be stopped, and then not again', async () => {
    const { backend } = open('busy')
    const stop = vi.spyOn(backend, 'stop')
    await fireEvent.click(await screen.findByRole('button', { name: 'Stop' }))
    expect(stop).toHaveBeenCalledExactlyOnceWith('room')
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Stop' })).toBeNull())
  })

  test('Escape stops nothing', async () => {
    const { backend } = open('busy')
    const stop = vi.spyOn(backend, 'stop')
    await fireEvent.keyDown(await composer(), { key: 'Escape' })
    await fireEvent.keyDown(document.body, { key: 'Escape' })
    expect(stop).not.toHaveBeenCalled()
  })

  test('while a plan runs, Pause is what stops it', async () => {
    open('running')
    expect(await screen.findByRole('button', { name: 'Pause' })).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Stop' })).toBeNull()
  })
})

test('Send sends, and is off while there is nothing to send', async () => {
  const say = vi.fn(async () => undefined)
  open('running', { say })
  const box = await composer()
  const send = screen.getByRole('button', { name: 'Send' }) as HTMLButtonElement
  expect(send.disabled).toBe(true)
  await fireEvent.input(box, { target: { value: 'go on' } })
  await fireEvent.click(send)
  expect(say).toHaveBeenCalledExactlyOnceWith('room', 'go on')
  expect(document.activeElement).toBe(box)
})

describe('what was not carried out stays as it was typed', () => {
  const send = async (text: string) => {
    const box = await composer()
    await fireEvent.input(box, { target: { value: text } })
    await fireEvent.keyDown(box, { key: 'Enter' })
    return box
  }

  test.each([
    ['/goal', /Say the goal/],
    ['/sidekick', /Say the task/],
    ['/sidekick cancel', /Say which one/],
    ['/sidekick cancel brave-penguin', /There is no sidekick “brave-penguin” here. None is under way/],
    ['/council which one?', /There are no councils in this version yet/],
    ['/nonsense', /There is no command/],
    ['/rename', /Say the new name/],
    ['/plan maybe', /takes off, soft or status/],
    ['/export', /There is no plan to export/],
    ['/skip', /There is no step to skip/],
  ])('%s', async (text, why) => {
    open('empty')
    const box = await send(text)
    expect(await screen.findByText(why)).toBeTruthy()
    expect(box.value).toBe(text)
  })

  test('a command that was refused', async () => {
    open('running', { pause: () => Promise.reject({ code: 'X', message: 'The plan is over.' }) })
    const box = await send('/pause')
    expect(await screen.findByText('The plan is over.')).toBeTruthy()
    await waitFor(() => expect(box.value).toBe('/pause'))
  })

  test('and what was carried out does not', async () => {
    const pause = vi.fn(async () => undefined)
    open('running', { pause })
    const box = await send('/pause')
    await waitFor(() => expect(pause).toHaveBeenCalledOnce())
    expect(box.value).toBe('')
  })

  test('it goes back to its own room, wherever the person is by then', async () => {
    let refuse: (problem: unknown) => void = () => undefined
    open('running', { say: () => new Promise((_, no) => (refuse = no)) })
    await send('go on')
    await fireEvent.click(screen.getByRole('button', { name: /Payments module/ }))
    refuse({ code: 'X', message: 'The app is stopping.' })
    await screen.findByText('The app is stopping.')
    expect((await composer()).value).toBe('')
    await fireEvent.click(screen.getByRole('button', { name: /Auth audit/ }))
    await waitFor(async () => expect((await composer()).value).toBe('go on'))
  })
})

describe('F6', () => {
  test('goes through the parts, and what the card asks is one of them', async () => {
    open('approval')
    const box = await composer()
    await screen.findByRole('group', { name: 'Messages' })
    box.focus()
    const at = () => document.activeElement!.getAttribute('aria-label') ?? document.activeElement!.textContent
    const seen: (string | null)[] = []
    for (let i = 0; i < 5; i++) {
      await fireEvent.keyDown(document.activeElement!, { key: 'F6' })
      seen.push(at())
    }
    expect(seen).toEqual(['Needs you', 'Steps', 'Messages', expect.stringContaining('Payments module'), 'Type what to change'])
    await fireEvent.keyDown(box, { key: 'F6', shiftKey: true })
    await fireEvent.keyDown(document.activeElement!, { key: 'F6', shiftKey: true })
    expect(at()).toBe('Messages')
  })

  test('is in the help, and beside what is being written', async () => {
    open('approval')
    const box = await composer()
    expect(screen.getByText('Enter sends, F6 goes to the plan')).toBeTruthy()
    await fireEvent.input(box, { target: { value: '/help' } })
    await fireEvent.keyDown(box, { key: 'Enter' })
    const help = within(await screen.findByRole('dialog', { name: 'Commands and keys' }))
    expect(help.getByText(/what it asks, plan, messages, inspector, rooms, message box/)).toBeTruthy()
    expect(help.getByText(/F6 leads out of the message box/)).toBeTruthy()
  })
})

describe('a new room', () => {
  const dialog = async (change: Partial<Backend> = {}) => {
    const createRoom = vi.fn(fakeBackend('empty').createRoom)
    open('running', { createRoom, ...change })
    await composer()
    await fireEvent.keyDown(document.body, { key: 'n', ctrlKey: true })
    const box = within(await screen.findByRole('dialog', { name: 'New room' }))
    const create = async (path: string) => {
      await fireEvent.input(box.getByLabelText(/Folder it works in/), { target: { value: path } })
      await fireEvent.click(box.getByRole('button', { name: 'Create room' }))
    }
    return { box, create, createRoom }
  }

  test.each([' ~/x ', '~/x/', '/home/you/x//'])('in %j is one in the folder it means', async (typed) => {
    const { create, createRoom } = await dialog()
    await create(typed)
    expect(createRoom).toHaveBeenCalledExactlyOnceWith({ title: undefined, workspace: '/home/you/x', plan_mode: 'off' })
    // What comes next is to say something there.
    await waitFor(async () => expect(document.activeElement).toBe(await composer()))
  })

  test('says what is wrong with the folder, before and after asking', async () => {
    const { box, create, createRoom } = await dialog({ createRoom: vi.fn().mockRejectedValue({ code: 'X', message: '/srv/x can’t be opened' }) })
    await create('code/x')
    expect(box.getByText(/Write the path in full/)).toBeTruthy()
    expect(createRoom).not.toHaveBeenCalled()
    await create('/srv/x')
    expect(await box.findByText('/srv/x can’t be opened.')).toBeTruthy()
    expect(document.activeElement).toBe(box.getByLabelText(/Folder it works in/))
  })

  test('knows a folder that another room works in, however it is typed', async () => {
    const { box } = await dialog()
    await fireEvent.input(box.getByLabelText(/Folder it works in/), { target: { value: '~/code/gateway/' } })
    expect(box.getByText(/works in this folder, too/)).toBeTruthy()
  })
})

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

describe('links', () => {
  test('without a room, words wait for the one that is made', async () => {
    localStorage.clear()
    const { backend, follow } = open('empty', { overview: NO_ROOMS })
    await screen.findByText('No room is open')
    follow({ type: 'new', goal: 'Sort my notes' })
    const dialog = within(await screen.findByRole('dialog', { name: 'New room' }))
    expect(dialog.getByText(/Sort my notes/)).toBeTruthy()
    const say = vi.spyOn(backend, 'say')
    await fireEvent.input(dialog.getByLabelText(/Folder it works in/), { target: { value: '/home/you/notes' } })
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
    expect(screen.getByText('Holds hidden characters: ⟨U+202E⟩')).toBeTruthy()
    expect(screen.getByText(/From a link\./)).toBeTruthy()
    await fireEvent.click(screen.getByRole('button', { name: 'Take them out' }))
    expect(box.value).toBe('Read\nthis')
  })

  test('bring words and never commands', async () => {
    const { backend, follow } = open('running')
    const box = await composer()
    const [say, setMode] = [vi.spyOn(backend, 'say'), vi.spyOn(backend, 'setMode')]
    follow({ type: 'new', goal: '/plan off' })
    await waitFor(() => expect(box.value).toBe('/plan off'))
    await fireEvent.keyDown(box, { key: 'Enter' })
    await waitFor(() => expect(say).toHaveBeenCalledWith(expect.anything(), '/plan off'))
    expect(setMode).not.toHaveBeenCalled()
  })

  test('to a step opens it and puts the focus there', async () => {
    const { follow } = open('running')
    await screen.findByRole('heading', { name: /Audit the auth module/ })
    follow({ type: 'plan', room: 'room', plan: 'plan', step: 2 })
    await screen.findByRole('group', { name: 'Details of step 2' })
    await waitFor(() => expect(document.activeElement?.getAttribute('data-step')).toBe('s2'))
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
})

describe('rooms', () => {
  test('are found by keyboard', async () => {
    open('running')
    await composer()
    await fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
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
    await fireEvent.keyDown(box, { key: 'k', ctrlKey: true })
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
    const back = await screen.findByRole('button', { name: 'Take it out of the archive' })
    await fireEvent.click(back)
    await waitFor(() => expect(screen.queryByText(/This room is archived/)).toBeNull())
  })

  test('one that can’t be opened says why, and can be tried again', async () => {
    const real = fakeBackend('running').openRoom
    const openRoom = vi.fn(real).mockRejectedValueOnce({ code: 'X', message: 'Its folder ~/code/gateway is gone.' })
    open('running', { openRoom })
    expect(await screen.findByText('Its folder ~/code/gateway is gone.')).toBeTruthy()
    await fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('heading', { name: /Audit the auth module/ })).toBeTruthy()
  })
})

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

test('a name can’t hide or turn what it says', async () => {
  const { backend } = open('running')
  await backend.renameRoom('room', 'Gone\u202E evil')
  expect(await screen.findByRole('heading', { name: 'Gone⟨U+202E⟩ evil' })).toBeTruthy()
})

test('without a sandbox the card says so', async () => {
  open('locked')
  expect(await screen.findByText(/lets nothing be confined. Shell commands do not run here; working on files does/)).toBeTruthy()
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
    expect(await notice.findByText(/“Auth audit” works in this folder, too\. They may get in each other’s way\./)).toBeTruthy()
    expect(move).not.toHaveBeenCalled()
    await fireEvent.click(notice.getByRole('button', { name: 'Use it all the same' }))
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
    expect(notice.textContent).toContain('first stop it or cancel its plan')
    expect(screen.queryByRole('button', { name: 'Choose another folder…' })).toBeNull()
    await fireEvent.click(screen.getByRole('button', { name: 'Look again' }))
    expect(await screen.findByText('The folder still can’t be used.')).toBeTruthy()
    problem = null
    await fireEvent.click(screen.getByRole('button', { name: 'Look again' }))
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

test('sending into an archived room says before that it brings it back', async () => {
  const { backend } = open('running')
  await composer()
  await backend.archiveRoom('room', true)
  expect(await screen.findByText('Archived; sending brings it back')).toBeTruthy()
})

describe('deleting a room', () => {
  const ask = async () => {
    await fireEvent.click(await screen.findByRole('button', { name: 'More for this room' }))
    await fireEvent.click(screen.getByRole('menuitem', { name: 'Delete…' }))
    return within(await screen.findByRole('dialog'))
  }

  test('that works says that this stops it', async () => {
    open('busy')
    expect((await ask()).getByText('This room is working. Deleting stops it.')).toBeTruthy()
  })

  test('says what that frees, and that files stay', async () => {
    const { backend } = open('done')
    const roomSize = vi.spyOn(backend, 'roomSize')
    const dialog = await ask()
    expect(await dialog.findByText(/^This frees 3\.2 MB: its messages, plans and stored outputs, and those of 4 sidekicks\. They are gone for good\./)).toBeTruthy()
    expect(dialog.getByText(/stay as they are/).textContent).toContain('~/notes')
    expect(roomSize).toHaveBeenCalledExactlyOnceWith('room')
  })

  test('does not wait for the number, nor need it', async () => {
    let fail: (problem: unknown) => void = () => undefined
    open('done', { roomSize: () => new Promise((_, no) => (fail = no)) })
    const dialog = await ask()
    const words = /^This deletes its messages, plans and stored outputs for good\./
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
