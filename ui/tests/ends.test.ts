import { render } from '@testing-library/svelte'
import { expect, test } from 'vitest'
import { callLine } from '../src/chat/items'
import ToolLine from '../src/chat/ToolLine.svelte'
import { ends } from '../src/kit/ends'
import { card } from './card'

test.each([
  ['edit_file pkg/runtime/dispatcher.go', 'dispatcher.go'],
  ['read_file src/auth/', 'auth/'],
  ['write_file notes.md', 'notes.md'],
  ['shell cargo test --workspace --all-features -- --nocapture slow', '-- --nocapture slow'],
  ['shell cat docs/a.md | sort | uniq -c | sort -rn | head -n 20', '-c | sort -rn | head -n 20'],
  [`read_file src/${'x'.repeat(40)}.rs`, `${'x'.repeat(25)}.rs`],
])('of %s the end stays', (text, end) => {
  const parts = ends(text)
  expect(parts.end).toBe(end)
  expect(parts.head + parts.end).toBe(text)
})

test('a call keeps the name of its file in view, and reads as one', () => {
  const call = { ...callLine({ id: 'c', ref: '', tool: 'edit_file', args: '{"path":"pkg/runtime/dispatcher.go"}' }, null, null), state: 'ok' as const }
  const { container } = render(ToolLine, { call, blob: async () => '' })
  const what = container.querySelector('.what')!
  expect(what.textContent).toBe('edit_file pkg/runtime/dispatcher.go')
  expect(what.querySelector('.head')?.textContent).toBe('edit_file pkg/runtime/')
})

test('a step keeps the name of its file in view, but is read in full where it is to be approved', () => {
  const names = (container: HTMLElement) => container.querySelector('[data-step=s2] .meta .mono')!
  const running = card('drift').container
  expect([names(running).textContent, names(running).querySelector('.head')?.textContent]).toEqual(['edit_file pkg/runtime/dispatcher.go', 'edit_file pkg/runtime/'])
  const waiting = card('approval').container
  expect([names(waiting).textContent, names(waiting).querySelector('.head')]).toEqual(['edit_file pkg/runtime/dispatcher.go', null])
})
