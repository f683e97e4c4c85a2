// Soft mode lets a call pass and warns about it: on the card, and in the chat.

import { fireEvent, render, screen, within } from '@testing-library/svelte'
import { beforeEach, expect, test, vi } from 'vitest'
import { fakeBackend } from '../dev/fake'
import { fixture } from '../dev/fixtures'
import { Log } from '../dev/make'
import App from '../src/App.svelte'
import type { RoomListener } from '../src/lib/backend'

const WORDS = 'edit_file src/auth/policy.toml is not what this step names'

vi.mock('virtua/svelte', async () => ({ VList: (await import('./AllRows.svelte')).default }))

beforeEach(() => {
  localStorage.clear()
  localStorage.setItem('plancard.room', '"room"')
})

test('a call that was warned about says so in the chat and on its step', async () => {
  const soft = fixture('soft')
  const plan = soft.view.plan!
  const steps = plan.steps.map((one) => ({ ...one, warnings: [] as string[] }))
  const log = new Log().created('Auth audit', '/home/you').said('Audit it.').planned(plan).push({ type: 'step_started', step: 's3' })
    .replied('', [{ tool: 'edit_file', args: { path: 'src/auth/policy.toml' }, result: 'edited' }])
  let room: RoomListener | undefined
  const backend = { ...fakeBackend('soft'), openRoom: async (_room: string, _after: number, on: RoomListener) => {
    room = on
    on.view({ ...soft.view, plan: { ...plan, steps } })
    on.events(log.events)
    return () => undefined
  } }
  const { container } = render(App, { backend })
  const chat = await screen.findByRole('group', { name: 'Messages' })
  const row = () => container.querySelector('[data-step=s3]')!
  expect([chat.textContent, row().textContent].join()).not.toContain(WORDS)

  // It is warned while it runs, and the view that comes with it has it on the step.
  const before = log.events.length
  log.push({ type: 'warned', call: log.lastCall(), text: WORDS })
  room!.events(log.events.slice(before))
  room!.view({ ...soft.view, seq: soft.view.seq + 1, plan: { ...plan, steps: steps.map((one) => (one.id === 's3' ? { ...one, warnings: [WORDS] } : one)) } })
  await within(chat).findByText(WORDS)
  const warning = await within(row() as HTMLElement).findByText((_, element) => element?.matches('.warning') === true)
  expect(warning.textContent).toContain(`Warning: ${WORDS}`)

  await fireEvent.click(screen.getByRole('button', { name: 'Show details of step 3' }))
  expect(within(screen.getByRole('group', { name: 'Tool calls of step 3' })).getByText(WORDS)).toBeTruthy()
})
