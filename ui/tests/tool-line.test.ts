import { render } from '@testing-library/svelte'
import { expect, test } from 'vitest'
import { callLine } from '../src/chat/items'
import LiveMessage from '../src/chat/LiveMessage.svelte'
import ToolLine from '../src/chat/ToolLine.svelte'
import source from '../src/chat/ToolLine.svelte?raw'

const shown = (tool: string, args: object, ms: number) => {
  const call = { ...callLine({ id: 'c', ref: '', tool, args: JSON.stringify(args) }, null, null), state: 'ok' as const, ms }
  return render(ToolLine, { call, blob: async () => '' }).container.querySelector('.end')?.textContent
}

test('a question shows what was answered', () => {
  const call = { ...callLine({ id: 'c', ref: '', tool: 'ask_user', args: '{"question":"Which one?"}' }, null, null), state: 'ok' as const, answer: 'The second' }
  const { container } = render(ToolLine, { call, blob: async () => '' })
  expect(container.querySelector('button')?.textContent).toMatch(/Ask you: Which one\?.*You: The second/)
})

test('a call says how long it took, and a question does not', () => {
  expect(shown('shell', { command: 'sleep 3' }, 3000)).toBe('3 s')
  expect(shown('ask_user', { question: 'Which one?' }, 0)).toBeUndefined()
})

test('a long error gives way to what was called, and a short word is never cut', () => {
  const end = (state: 'failed' | 'asked', result = '') => {
    const call = { ...callLine({ id: 'c', ref: '', tool: 'shell', args: '{"command":"make"}' }, null, null), state, result }
    return render(ToolLine, { call, blob: async () => '' }).container.querySelector('.end')!
  }
  expect([end('asked').textContent, end('asked').classList.contains('short')]).toEqual(['waits for you', true])
  expect(end('failed', 'no rule to make target all, needed by nothing').classList.contains('short')).toBe(false)
  // There is no layout in this page, so the numbers are read where they are written.
  expect(source).toMatch(/\.end \{\s*flex-shrink: 1000000;/)
  expect(source).toMatch(/\.short \{\s*flex: none;/)
})

test('why the model is asked again ends before the next sentence begins', () => {
  const live = { thinking: true, text: '', thought: '', retry: { attempt: 1, at: 0, why: 'the provider has a problem (status 500): boom' } }
  const { container } = render(LiveMessage, { live, step: null, continued: false, onlink: () => undefined })
  expect(container.textContent).toMatch(/The provider has a problem \(status 500\): boom\. Retrying in a moment, attempt 2\./)
})
