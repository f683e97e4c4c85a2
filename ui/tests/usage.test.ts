import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte'
import { beforeEach, expect, test, vi } from 'vitest'
import { fakeBackend } from '../dev/fake'
import App from '../src/App.svelte'
import UsagePane from '../src/rooms/UsagePane.svelte'

beforeEach(() => {
  localStorage.clear()
  localStorage.setItem('plancard.room', '"room"')
})

const rows = () => within(screen.getByRole('region', { name: 'Usage' })).getAllByRole('term').map((name) => `${name.textContent} ${name.nextElementSibling?.textContent}`.replace(/\s+/g, ' '))

test('the inspector says what the planning and the executing model used', async () => {
  const backend = fakeBackend('approval')
  const usage = vi.spyOn(backend, 'usage')
  render(App, { backend })
  await fireEvent.click(await screen.findByRole('button', { name: /inspector/i }))
  await screen.findByRole('region', { name: 'Usage' })
  expect(usage).toHaveBeenCalledWith('room')
  expect(rows()).toEqual(['claude-opus plans 3 turns, 22.9k tokens, $0.45', 'claude-sonnet executes 11 turns, 71.4k tokens, $0.30'])
})

test('it looks again when something was used, and an older answer does not win', async () => {
  const told = (turns: number) => ({ models: [{ model: 'a/b', turns, input_tokens: 900, output_tokens: 50, cost: null }] })
  let first: (usage: object) => void = () => undefined
  const load = vi.fn().mockImplementationOnce(() => new Promise((done) => (first = done))).mockResolvedValue(told(2))
  const { rerender } = render(UsagePane, { load, at: 1, plans: 'a/b', executes: 'a/b' })
  await rerender({ at: 2 })
  await waitFor(() => expect(rows()).toEqual(['b plans and executes 2 turns, 950 tokens, no price data']))
  first(told(1))
  await Promise.resolve()
  expect(rows()[0]).toContain('2 turns')
  expect(load).toHaveBeenCalledTimes(2)
})

test('quit is in the window, by a command and in the settings', async () => {
  const backend = fakeBackend('running')
  const quit = vi.spyOn(backend, 'quit')
  render(App, { backend })
  const box = await screen.findByLabelText(/Message the room|Type what to change/)
  await fireEvent.input(box, { target: { value: '/quit' } })
  await fireEvent.keyDown(box, { key: 'Enter' })
  expect(quit).toHaveBeenCalledOnce()
  await fireEvent.keyDown(document.body, { key: ',', ctrlKey: true })
  await fireEvent.click(await screen.findByRole('tab', { name: 'About' }))
  await fireEvent.click(screen.getByRole('button', { name: 'Quit Plancard' }))
  expect(quit).toHaveBeenCalledTimes(2)
})
