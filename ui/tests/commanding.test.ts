// What each slash command does, and what it says when there is nothing to do.

import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { fakeBackend } from '../dev/fake'
import { fixture, type State } from '../dev/fixtures'
import { ask, plan, room, step } from '../dev/make'
import App from '../src/App.svelte'
import { HELP, parse } from '../src/chat/commands'
import type { Backend } from '../src/lib/backend'
import { impossible, toRetry, toSkip } from '../src/rooms/commanding'

beforeEach(() => {
  localStorage.clear()
  localStorage.setItem('plancard.room', '"room"')
})

async function send(state: State, text: string) {
  const backend = fakeBackend(state)
  for (const name of Object.keys(backend) as (keyof Backend)[]) vi.spyOn(backend, name)
  render(App, { backend })
  const box = (await screen.findByLabelText(/Message the room|Type what to change/)) as HTMLTextAreaElement
  await fireEvent.input(box, { target: { value: text } })
  await fireEvent.keyDown(box, { key: 'Enter' })
  return backend
}

type Effect =
  /** What the engine is asked for. */
  | { state: State; text?: string; asks: keyof Backend; with: unknown[] }
  /** What is on the page. */
  | { state: State; text?: string; shows: () => unknown }

const dialog = (name: string) => () => screen.getByRole('dialog', { name })

const EFFECTS: Record<string, Effect> = {
  '/plan': { state: 'empty', asks: 'setMode', with: ['room', 'strict'] },
  '/plan soft': { state: 'empty', asks: 'setMode', with: ['room', 'soft'] },
  '/plan off': { state: 'empty', asks: 'setMode', with: ['room', 'off'] },
  '/plan status': { state: 'running', shows: () => screen.getByText(/^Plan mode is off\. Running, 3 of 6 steps done\.$/) },
  '/stop': { state: 'busy', asks: 'stop', with: ['room'] },
  '/stop step': { state: 'running', asks: 'stopStep', with: ['room'] },
  '/pause': { state: 'running', asks: 'pause', with: ['room'] },
  '/pause step': { state: 'running', asks: 'pauseAfterStep', with: ['room', true] },
  '/resume': { state: 'checkin', asks: 'resume', with: ['room'] },
  '/skip': { state: 'running', asks: 'skip', with: ['room', 's3'] },
  '/retry': { state: 'stuck', asks: 'retry', with: ['room', 's3'] },
  '/cancel': { state: 'running', shows: dialog('Cancel this plan?') },
  '/history': { state: 'running', shows: dialog('Plans of this room') },
  '/export': { state: 'running', asks: 'exportPlan', with: ['plan', 'markdown'] },
  '/new': { state: 'running', shows: dialog('New room') },
  '/rename': { state: 'running', text: '/rename Gateway', asks: 'renameRoom', with: ['room', 'Gateway'] },
  '/archive': { state: 'empty', asks: 'archiveRoom', with: ['room', true] },
  '/inbox': { state: 'running', shows: dialog('Waiting for you') },
  '/settings': { state: 'running', shows: () => screen.getByRole('heading', { name: 'Settings' }) },
  '/council': { state: 'empty', text: '/council ship it', shows: dialog('Start a council') },
  '/goal': { state: 'empty', text: '/goal ship it', asks: 'setGoal', with: ['room', 'ship it'] },
  '/sidekick': { state: 'empty', text: '/sidekick count the tests', asks: 'spawnSidekick', with: ['room', 'count the tests'] },
  '/sidekick status': { state: 'sidekicks', asks: 'sidekicks', with: ['room'] },
  '/sidekick cancel': { state: 'sidekicks', text: '/sidekick cancel brave-penguin', asks: 'stopSidekick', with: [expect.any(String)] },
  '/quit': { state: 'running', asks: 'quit', with: [] },
  '/help': { state: 'running', shows: dialog('Commands and keys') },
}

describe('each command in the help has its effect', () => {
  test.each(HELP.map(({ usage }) => usage))('%s', async (usage) => {
    const effect = EFFECTS[usage]!
    const backend = await send(effect.state, effect.text ?? usage)
    if ('asks' in effect) await waitFor(() => expect(backend[effect.asks]).toHaveBeenCalledExactlyOnceWith(...effect.with))
    else await waitFor(() => expect(effect.shows()).toBeTruthy())
    expect(backend.say).not.toHaveBeenCalled()
  })
})

test('a council that came to no plan is exported by its room', async () => {
  const backend = await send('council-failed', '/export json')
  await waitFor(() => expect(backend.exportPlan).toHaveBeenCalledExactlyOnceWith('room', 'json'))
})

test('/cancel is asked about once, as on the card, with the reason that was typed', async () => {
  const backend = await send('running', '/cancel it took too long')
  const asked = await screen.findByRole('dialog', { name: 'Cancel this plan?' })
  expect(backend.cancel).not.toHaveBeenCalled()
  expect((within(asked).getByLabelText('Reason') as HTMLInputElement).value).toBe('it took too long')
  await fireEvent.click(within(asked).getByRole('button', { name: 'Cancel plan' }))
  expect(backend.cancel).toHaveBeenCalledExactlyOnceWith('room', 'it took too long')
  expect(screen.queryByRole('dialog')).toBeNull()
})

describe('a command with nothing to do says why', () => {
  test.each<[State, string, string]>([
    ['empty', '/stop', 'Nothing is running here.'],
    ['empty', '/stop step', 'No step is running here.'],
    ['empty', '/pause', 'There is no plan to pause.'],
    ['done', '/pause', 'There is no plan to pause.'],
    ['checkin', '/pause', 'The plan is already paused.'],
    ['approval', '/pause', 'The plan isn’t running yet.'],
    ['pausing', '/pause step', 'The plan already pauses after this step.'],
    ['empty', '/resume', 'There is no plan to resume.'],
    ['running', '/resume', 'The plan is already running.'],
    ['approval', '/resume', 'Approve the plan on its card first.'],
    ['empty', '/cancel', 'There is no plan to cancel.'],
    ['done', '/cancel', 'There is no plan to cancel.'],
    ['empty', '/skip', 'There is no step to skip.'],
    ['done', '/retry', 'There is no step to retry.'],
  ])('%s: %s', (state, text, why) => {
    expect(impossible(parse(text)!, fixture(state).view)).toBe(why)
  })

  test('in one line on the page, and nothing is asked for', async () => {
    const backend = await send('checkin', '/pause')
    expect(await screen.findByText('The plan is already paused.')).toBeTruthy()
    expect(backend.pause).not.toHaveBeenCalled()
  })

  test('but what waits for a permission can be stopped', () => {
    const asks = [ask({ kind: 'permission', text: 'May it?' })]
    expect(impossible({ name: 'stop' }, room({ title: '', workspace: '', asks }))).toBe('')
  })

  test('but a plan that stands still for a question can be paused, and not resumed', () => {
    const drift = room({ title: '', workspace: '', plan: plan({ state: 'paused', pause_reason: 'drift', actions: ['pause', 'cancel'], steps: [] }) })
    expect(impossible({ name: 'pause' }, drift)).toBe('')
    expect(impossible({ name: 'resume' }, drift)).toBe('Answer the question to resume the plan.')
  })
})

describe('/retry does again', () => {
  const of = (state: string, ...status: string[]) => toRetry(plan({ state, steps: status.map((one, i) => step(i + 1, '', one)) }))?.id

  test.each([
    ['the last that failed, whatever came after it', 'running', ['failed', 'failed', 'skipped', 'in_progress'], 's2'],
    ['else the one a paused plan stands at', 'paused', ['skipped', 'in_progress', 'skipped'], 's2'],
    ['else the last that was left out', 'running', ['skipped', 'skipped', 'in_progress'], 's2'],
    ['nothing that is just being done', 'running', ['done', 'in_progress'], undefined],
    ['nothing of a plan that is over', 'failed', ['failed'], undefined],
  ] as const)('%s', (_, state, status, step) => expect(of(state, ...status)).toBe(step))
})

test('/skip leaves out the step under way, else the next', () => {
  const of = (...status: string[]) => toSkip(plan({ steps: status.map((one, i) => step(i + 1, '', one)) }))?.id
  expect([of('pending', 'in_progress'), of('done', 'pending'), of('done')]).toEqual(['s2', 's2', undefined])
})
