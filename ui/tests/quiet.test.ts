// The quiet chat: what is told to the agent as a line, calls that follow each other as one, code in colours.

import { fireEvent, render, screen } from '@testing-library/svelte'
import { describe, expect, test } from 'vitest'
import Calls from '../src/chat/Calls.svelte'
import { groupWords, together } from '../src/chat/grouped'
import { coloured } from '../src/chat/highlight'
import { callLine, type CallLine, type ChatItem } from '../src/chat/items'
import { nudgeWords } from '../src/chat/nudge'

const call = (id: string, tool: string, change: Partial<CallLine> = {}): CallLine => ({ ...callLine({ id, tool, args: '{"path":"a.txt"}' } as never, null, null), state: 'ok', ms: 5, ...change })
const agent = (key: string, text: string, calls: CallLine[] = []): ChatItem => ({ kind: 'agent', key, model: 'm', at: 0, step: 1, planning: false, text, thinking: null, calls })

describe('what the agent is told', () => {
  test('is not shown as it is written for the model', () => {
    const { line, more } = nudgeWords('Plan harness: this is step 3/6, attempt 2/3. If the error suggests fallbacks, try one.', false)
    expect(line).toBe('Retrying step 3, attempt 2 of 3')
    expect(more).not.toMatch(/harness/i)
    expect(nudgeWords('Plan harness: write the plan now', false).line).toBe('Plancard reminded the agent of the plan')
  })

  test('of sidekicks is their result', () => {
    expect(nudgeWords('brave-penguin: Qdrant costs $25', true)).toEqual({ line: 'brave-penguin: Qdrant costs $25', more: '' })
  })
})

describe('calls', () => {
  test('without a word between them are together', () => {
    const all = together([agent('1', 'Look.', [call('a', 'read_file')]), agent('2', '', [call('b', 'read_file')]), agent('3', 'So.')])
    expect(all.map((one) => [one.key, one.kind === 'agent' ? one.calls.length : 0])).toEqual([['1', 2], ['3', 0]])
  })

  test('are counted by what they did, and open on demand', async () => {
    const calls = [call('a', 'read_file'), call('b', 'read_file'), call('c', 'shell')]
    expect(groupWords(calls)).toBe('Read 2 files, ran 1 command')
    render(Calls, { calls, blob: async () => '' })
    const group = screen.getByRole('button', { name: /Read 2 files, ran 1 command/ })
    expect(group.getAttribute('aria-expanded')).toBe('false')
    await fireEvent.click(group)
    expect(screen.getAllByRole('button')).toHaveLength(4)
  })

  test('of which one failed stand open', () => {
    render(Calls, { calls: [call('a', 'read_file'), call('b', 'read_file', { state: 'failed', result: 'no' }), call('c', 'shell')], blob: async () => '' })
    expect(screen.getByRole('button', { name: /1 failed/ }).getAttribute('aria-expanded')).toBe('true')
  })
})

test('code has colours where its language is known, and never elements of its own', () => {
  const code = 'const a = "&amp;" // <b>'
  expect(coloured(code, 'ts').map(({ text }) => text).join('')).toBe(code)
  expect(coloured(code, 'ts')).toContainEqual({ kind: 'hljs-comment', text: '// <b>' })
  expect(coloured('- a\n+ b', 'diff').map(({ kind }) => kind)).toEqual(expect.arrayContaining(['hljs-deletion', 'hljs-addition']))
  expect(coloured('x', 'nonsense')).toEqual([])
})
