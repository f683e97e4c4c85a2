import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, test, vi } from 'vitest'
import RulesDialog from '../src/rooms/RulesDialog.svelte'

test('what is always allowed here has its scope, and can be taken back', async () => {
  const onforget = vi.fn()
  render(RulesDialog, { rules: ['shell(cargo test)', 'write_file'], onforget, onclose: () => undefined })
  expect(screen.getByText('Commands like cargo test')).toBeTruthy()
  expect(screen.getByText('Every call of write_file')).toBeTruthy()
  await fireEvent.click(screen.getByRole('button', { name: 'Take back shell(cargo test)' }))
  expect(onforget).toHaveBeenCalledExactlyOnceWith('shell(cargo test)')
})

test('without a rule, it is said how one comes to be', () => {
  render(RulesDialog, { rules: [], onforget: () => undefined, onclose: () => undefined })
  expect(screen.getByText(/Nothing yet/)).toBeTruthy()
})
