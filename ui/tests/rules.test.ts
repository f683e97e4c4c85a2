import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, test, vi } from 'vitest'
import RulesDialog from '../src/rooms/RulesDialog.svelte'
import { scope } from '../src/settings/rules'

test('what is always allowed here has its scope, and can be taken back', async () => {
  const onforget = vi.fn()
  render(RulesDialog, { rules: ['shell(cargo test)', 'write_file'], onforget, onclose: () => undefined })
  expect(screen.getByText('The command cargo test, in any folder')).toBeTruthy()
  expect(screen.getByText('Every call of write_file')).toBeTruthy()
  await fireEvent.click(screen.getByRole('button', { name: 'Remove shell(cargo test)' }))
  expect(onforget).toHaveBeenCalledExactlyOnceWith('shell(cargo test)')
})

test.each([
  ['cd . && make test', 'The command make test, in the workspace’s own folder'],
  ['cd sub && make test …', 'The command make test …, with any words after it, in sub/'],
  ["cd 'a b' && rm 'c d'", "The command rm 'c d', in a b/"],
  ['make test …', 'The command make test …, with any words after it, in any folder'],
  ['git push *', 'The command git push …, with any words after it, in any folder'],
  ['git commit * --amend', 'Commands like git commit * --amend, in any folder'],
  ['echo [*]', 'The command echo *, in any folder'],
])('a rule for the command %s says where it holds and for which words', (target, words) => {
  expect(scope({ text: '', tool: 'shell', target, examples: [], notExamples: [] })).toBe(words)
})

test('without a rule, it is said how one comes to be', () => {
  render(RulesDialog, { rules: [], onforget: () => undefined, onclose: () => undefined })
  expect(screen.getByText(/No rules yet/)).toBeTruthy()
})
