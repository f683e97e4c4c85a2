import { render } from '@testing-library/svelte'
import { expect, test } from 'vitest'
import { callLine } from '../src/chat/items'
import ToolLine from '../src/chat/ToolLine.svelte'

const shown = (tool: string, args: object, ms: number) => {
  const call = { ...callLine({ id: 'c', ref: '', tool, args: JSON.stringify(args) }, null, null), state: 'ok' as const, ms }
  return render(ToolLine, { call, blob: async () => '' }).container.querySelector('.end')?.textContent
}

test('a call says how long it took, and a question does not', () => {
  expect(shown('shell', { command: 'sleep 3' }, 3000)).toBe('3 s')
  expect(shown('ask_user', { question: 'Which one?' }, 0)).toBeUndefined()
})
