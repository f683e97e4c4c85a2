import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, test, vi } from 'vitest'
import { councilRoom } from '../dev/councils'
import { fixture, overview } from '../dev/fixtures'
import StartDialog from '../src/council/StartDialog.svelte'
import { councilOf } from '../src/council/facts'
import type { RoomSummary } from '../src/lib/backend'
import { Rooms } from '../src/lib/rooms.svelte'
import type { CouncilPreview } from '../src/lib/wire'
import { impossible } from '../src/rooms/commanding'
import { hint, placeholder } from '../src/rooms/composing'
import { ring } from '../src/rooms/ring'
import { waiting } from '../src/rooms/waiting'
import { open } from './room'

const PREVIEW: CouncilPreview = { members: Array.from({ length: 6 }, (_, i) => ({ agent: `a${i}`, model: `x/m${i % 5}`, tokens: 20_000 })), shared_models: [], turns: 15, tokens: 100_000, basis: 'a guess', minutes: 30, answers_each: 2 }

function start(preview: Partial<CouncilPreview> = {}, task = 'Ship it') {
  const props = { task, preview: async () => ({ ...PREVIEW, ...preview }), onstart: vi.fn(async () => true), onsettings: vi.fn(), onclose: vi.fn() }
  return { props, ...render(StartDialog, props) }
}
const begin = () => screen.getByRole('button', { name: 'Start' }) as HTMLButtonElement

describe('starting a council', () => {
  test('offers all who can sit there, the first five chosen, with what it may take', async () => {
    const { props } = start()
    await screen.findByText('5 members × 3 turns, about 100k tokens, price unknown')
    expect(screen.getAllByRole('checkbox').map((box) => (box as HTMLInputElement).checked)).toEqual([true, true, true, true, true, false])
    await fireEvent.click(begin())
    expect(props.onstart).toHaveBeenCalledExactlyOnceWith('Ship it', ['a0', 'a1', 'a2', 'a3', 'a4'], {})
    await waitFor(() => expect(props.onclose).toHaveBeenCalledOnce())
  })

  test('Enter in the task starts it, Shift Enter makes a line', async () => {
    const { props } = start()
    await screen.findByText(/5 members/)
    await fireEvent.keyDown(screen.getByLabelText('Task'), { key: 'Enter', shiftKey: true })
    expect(props.onstart).not.toHaveBeenCalled()
    await fireEvent.keyDown(screen.getByLabelText('Task'), { key: 'Enter' })
    expect(props.onstart).toHaveBeenCalledOnce()
  })

  test('points out members that share a model, once both are chosen', async () => {
    start()
    await screen.findByText(/5 members/)
    expect(screen.queryByText(/Several members use/)).toBeNull()
    await fireEvent.click(screen.getByRole('checkbox', { name: /a5/ }))
    expect(screen.getByText(/Several members use m0\./)).toBeTruthy()
  })

  test('is not possible with one member, without a task, or where the preview says why', async () => {
    const first = start({ members: PREVIEW.members.slice(0, 1), problem: 'A council needs two agents or more.' })
    await screen.findByText('A council needs two agents or more.')
    expect(begin().disabled).toBe(true)
    await fireEvent.click(screen.getByRole('button', { name: 'Settings → Agents' }))
    expect(first.props.onsettings).toHaveBeenCalledOnce()
    first.unmount()
    start({}, '')
    await screen.findByText(/5 members/)
    expect(begin().disabled).toBe(true)
  })

  test('takes its options by the names of the configuration', async () => {
    const { props } = start()
    await screen.findByText(/5 members/)
    await fireEvent.input(screen.getByLabelText('Time limit'), { target: { value: '10' } })
    await fireEvent.change(screen.getByLabelText('Blind start'), { target: { value: 'off' } })
    await fireEvent.click(begin())
    expect(props.onstart).toHaveBeenCalledExactlyOnceWith('Ship it', expect.anything(), { orchestrator_timeout_seconds: 600, defer_voting_until_all_answered: false })
  })

  test('stays open where it was refused', async () => {
    const { props } = start()
    props.onstart.mockResolvedValue(false)
    await screen.findByText(/5 members/)
    await fireEvent.click(begin())
    expect(props.onclose).not.toHaveBeenCalled()
  })
})

describe('in a room', () => {
  test('the button beside Send takes what is typed, which goes when it has started', async () => {
    const startCouncil = vi.fn(async () => 'c')
    open('done', { startCouncil })
    const box = (await screen.findByLabelText('Message the room')) as HTMLTextAreaElement
    await fireEvent.input(box, { target: { value: 'Add a retry policy' } })
    await fireEvent.click(screen.getByRole('button', { name: /Start a council/ }))
    expect(((await screen.findByLabelText('Task')) as HTMLTextAreaElement).value).toBe('Add a retry policy')
    expect(box.value).toBe('Add a retry policy')
    await screen.findByText(/4 members/)
    await fireEvent.click(begin())
    await waitFor(() => expect(startCouncil).toHaveBeenCalledExactlyOnceWith('room', 'Add a retry policy', ['claude', 'codex', 'gemini', 'claude-2'], {}))
    await waitFor(() => expect(box.value).toBe(''))
  })

  test('too few agents lead to the settings of agents', async () => {
    open('bare')
    await fireEvent.click(await screen.findByRole('button', { name: /Start a council/ }))
    await fireEvent.click(await screen.findByRole('button', { name: 'Settings → Agents' }))
    expect((await screen.findByRole('tab', { name: 'Agents' })).ariaSelected ?? screen.getByRole('tab', { name: 'Agents' }).getAttribute('aria-selected')).toBe('true')
  })

  test('the council stands in the place of the plan while it talks', async () => {
    open('council-three')
    expect(await screen.findByRole('region', { name: 'Council' })).toBeTruthy()
    expect(screen.queryByRole('region', { name: 'Plan' })).toBeNull()
    expect(await screen.findByLabelText('Message the council')).toBeTruthy()
    expect(screen.queryByRole('button', { name: /Start a council/ })).toBeNull()
  })

  test('the plan it chose says how the vote went, and leads to the other proposals', async () => {
    open('council-decided')
    expect(await screen.findByText('agent2 (codex) won 2 of 3 votes.')).toBeTruthy()
    expect(screen.getByText('agent3 (gemini) objected: A docs folder nobody builds goes stale.')).toBeTruthy()
    expect(screen.getByText('chosen by council, agent2.1')).toBeTruthy()
    await fireEvent.click(screen.getByRole('button', { name: /^agent1\.1, Plain folders/ }))
    expect(await screen.findByRole('dialog', { name: 'Plain folders with a README in each' })).toBeTruthy()
    await fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: /Compare/ }))
    expect(await screen.findByRole('dialog', { name: 'Compare answers' })).toBeTruthy()
  })

  test('all votes are in the inspector', async () => {
    open('council-executing')
    await fireEvent.click(await screen.findByRole('button', { name: 'All votes' }))
    const pane = within(await screen.findByRole('complementary', { name: 'Inspector' }))
    expect(await pane.findByText('Won, 2')).toBeTruthy()
    expect(pane.getAllByRole('button', { name: /Open the conversation of/ }).length).toBe(3)
  })

  test('a member’s room is read, not written in', async () => {
    open('member')
    expect(await screen.findByText(/You’re reading a council member’s conversation/)).toBeTruthy()
    expect(screen.queryByRole('textbox')).toBeNull()
    expect(screen.queryByRole('group', { name: 'Plan mode' })).toBeNull()
  })
})

describe('commands while a council talks', () => {
  const room = (state: Parameters<typeof councilRoom>[0]) => councilRoom(state).view

  test('pause, resume and cancel are its own', () => {
    expect(impossible({ name: 'pause' }, room('council-three'))).toBe('')
    expect(impossible({ name: 'resume' }, room('council-three'))).toBe('The council is already running.')
    expect(impossible({ name: 'resume' }, room('council-paused'))).toBe('')
    expect(impossible({ name: 'pause' }, room('council-paused'))).toBe('The council is already paused.')
    expect(impossible({ name: 'cancel', reason: '' }, room('council-paused'))).toBe('')
  })

  test('a council starts in a room, not in a member’s', () => {
    expect(impossible({ name: 'council', task: '' }, room('member'))).not.toBe('')
    expect(impossible({ name: 'council', task: '' }, room('council-failed'))).toBe('')
  })

  test('the message box says who reads it', () => {
    expect(placeholder(room('council-three'))).toBe('Message the council')
    expect(hint(room('council-three'))).toBe('Agents read this before their next answer')
    expect(placeholder(room('council-executing'))).toBe('Message the room')
  })

  test('a member’s room names its council by its id alone, which is not taken for one', () => {
    expect(councilOf(room('member'))).toBeNull()
  })
})

describe('in the list of rooms', () => {
  const listed = (state: Parameters<typeof councilRoom>[0]) => overview(state, fixture(state)).rooms.find((one) => one.id === 'room')!

  test('a room with a council at work shows how far it is', () => {
    expect(ring(listed('council-three'), false)).toEqual({ part: 5 / 6, tone: 'go', label: 'Council: voting, 3 of 3 answered, 2 voted' })
    expect(ring(listed('council-capped'), true).tone).toBe('wait')
    expect(ring(listed('council-executing'), false).label).toMatch(/^Running/)
  })

  test('a council that is paused by itself or failed waits for a person, one that the person paused does not', () => {
    const why = (state: Parameters<typeof councilRoom>[0]) => waiting([listed(state)], []).map((one) => one.why)
    expect(why('council-capped')).toEqual(['The council reached a limit.'])
    expect(why('council-paused')).toEqual(['The council was interrupted.'])
    expect(why('council-failed')[0]).toMatch(/^The council failed\./)
    expect(why('council-three')).toEqual([])
    const mine = { ...listed('council-capped'), council: { id: 'c', task: '', talks: true, planned: false, actions: [], state: 'paused', pause_reason: 'supervisor', members: 3, answered: 1, voted: 0 } } as RoomSummary
    expect(waiting([mine], [])).toEqual([])
  })

  test('members’ rooms are not listed, and make the room above look busy', () => {
    const rooms = new Rooms()
    const above: RoomSummary = { ...listed('council-begun'), busy: false }
    rooms.take({ rooms: [above, { ...above, id: 'm1', title: 'agent1', kind: 'member', parent: 'room', busy: true }], asks: [] })
    expect(rooms.shown.map((room) => room.id)).toEqual(['room'])
    expect(rooms.room('room')?.busy).toBe(true)
    rooms.query = 'agent1'
    expect(rooms.shown).toEqual([])
  })
})

describe('a council that stands still while its winner judges', () => {
  const judged = () => councilRoom('council-judged').view

  test('is resumed and cancelled on the plan’s card', async () => {
    const { backend } = open('council-judged', {})
    const resume = vi.spyOn(backend, 'resume')
    const cancel = vi.spyOn(backend, 'cancel')
    const card = within(await screen.findByRole('group', { name: 'Council' }))
    expect(card.getByRole('status').textContent).toMatch(/^OpenAI rejected the key \(401\)\. Resume asks again/)
    await waitFor(() => expect(card.getByRole('button', { name: 'Resume' }).getAttribute('aria-disabled')).not.toBe('true'))
    await fireEvent.click(card.getByRole('button', { name: 'Resume' }))
    expect(resume).toHaveBeenCalledExactlyOnceWith('room')
    await fireEvent.click(card.getByRole('button', { name: 'Cancel council' }))
    expect(cancel).toHaveBeenCalledExactlyOnceWith('room', '')
  })

  test('takes /resume, /cancel and messages as the council’s, and no other council', () => {
    const command = (name: string) => ({ name }) as Parameters<typeof impossible>[0]
    expect(impossible(command('resume'), judged())).toBe('')
    expect(impossible(command('cancel'), judged())).toBe('')
    expect(impossible(command('pause'), judged())).toBe('The council is already paused.')
    expect(placeholder(judged())).toBe('Message the council')
    expect(impossible(command('resume'), councilRoom('council-executing').view)).not.toBe('')
  })

  test('waits for a person in the inbox, and shows on its room', () => {
    const listed = overview('council-judged', fixture('council-judged')).rooms.find((one) => one.id === 'room')!
    expect(waiting([listed], []).map((one) => one.why)).toEqual(['The council is paused: a model didn’t answer.'])
    expect(ring(listed, true).label).toMatch(/^Council paused/)
  })
})
