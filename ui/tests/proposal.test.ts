// What a call would do, shown before it is allowed: a change, a command, a request, and never JSON.

import { render, screen, within } from '@testing-library/svelte'
import axe from 'axe-core'
import { describe, expect, test, vi } from 'vitest'
import { ask } from '../dev/make'
import type { CallLine } from '../src/chat/items'
import Diff from '../src/kit/Diff.svelte'
import { lines } from '../src/kit/diff'
import type { AskView, Text } from '../src/lib/wire'
import AskBar from '../src/plan/AskBar.svelte'
import { proposalIn, proposalOf } from '../src/plan/proposal'
import { card } from './card'

const call = (tool: string, args: Text): CallLine => ({ id: 'c', tool, target: '', args, state: 'asked', ask: 'a', changed: [], ms: 0, plan: null, step: null })
const PERMISSION: Partial<AskView> = { id: 'a', kind: 'permission', answers: ['allow', 'always', 'refuse'] }
const bar = (asked: Partial<AskView>, made: CallLine | null, blob = async () => '') => render(AskBar, { ask: ask({ text: 'May this run?', ...PERMISSION, ...asked }), call: made, blob, onanswer: async () => true })

describe('a call', () => {
  test('that edits or writes a file is a change', () => {
    expect(proposalOf('edit_file', JSON.stringify({ path: 'a.go', old: 'one\ntwo', new: 'one\n2' }))).toMatchObject({ type: 'change', path: 'a.go', whole: false, lines: [{ sign: ' ', text: 'one' }, { sign: '-', text: 'two' }, { sign: '+', text: '2' }] })
    expect(proposalOf('write_file', JSON.stringify({ path: 'a.go', content: 'x\n' }))).toMatchObject({ type: 'change', whole: true, lines: [{ sign: '+', text: 'x', after: 1 }] })
  })

  test('that runs or fetches something is a command or a request', () => {
    expect(proposalOf('shell', '{"command":"make test"}')).toEqual({ type: 'command', command: 'make test', folder: '' })
    expect(proposalOf('fetch', '{"url":"https://x.org/a?b=1"}')).toEqual({ type: 'request', method: 'GET', host: 'x.org', address: 'https://x.org/a?b=1', body: '' })
    expect(proposalIn(ask({ text: '', detail: [{ name: 'tool', value: 'fetch' }, { name: 'arguments', value: 'https://x.org/a' }] }))).toMatchObject({ type: 'request', host: 'x.org' })
  })

  test('of any other tool is its values by name; what can’t be read is nothing', () => {
    expect(proposalOf('mail.send', '{"to":"a@b.c","urgent":true,"lines":[1]}')).toEqual({ type: 'values', values: [{ name: 'to', value: 'a@b.c' }, { name: 'urgent', value: 'true' }, { name: 'lines', value: '[1]' }] })
    expect([proposalOf('mail.send', '{"to":"a… 900 bytes left out …'), proposalOf('x', '[1]'), proposalOf('x', '{}')]).toEqual([null, null, null])
  })
})

describe('the bar that asks', () => {
  test('shows the change', async () => {
    const { container } = bar({}, call('edit_file', JSON.stringify({ path: 'pkg/hooks.go', old: 'return h.next(ctx)', new: 'return retry(ctx, h.next)' })))
    const diff = screen.getByRole('region', { name: 'Proposed change of pkg/hooks.go' })
    expect([...diff.children].map((line) => line.textContent)).toEqual(['- return h.next(ctx)', '+ return retry(ctx, h.next)'])
    expect(container.textContent).not.toContain('{"')
    const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false }, region: { enabled: false } } })
    expect(violations.map((one) => one.id)).toEqual([])
  })

  test('makes hidden characters of it seen', () => {
    bar({}, call('edit_file', JSON.stringify({ path: 'a', old: 'x', new: 'x\u202e' })))
    expect(screen.getByText('+ x⟨U+202E⟩')).toBeTruthy()
  })

  test('reads the whole of it where that is kept elsewhere', async () => {
    const blob = vi.fn(async () => JSON.stringify({ path: 'a', content: 'all of it' }))
    bar({}, call('write_file', { blob: 'hash', bytes: 9000, head: '{"path":"a","content":"al' }), blob)
    expect(await screen.findByText('+ all of it')).toBeTruthy()
    expect(blob).toHaveBeenCalledWith('hash')
  })

  test('shows a command that the question does not name, and one that it names once', () => {
    const { unmount } = bar({ text: 'Run this?' }, call('shell', '{"command":"make a\\nmake b"}'))
    expect(screen.getByRole('region', { name: 'Command' }).textContent).toBe('make a\nmake b')
    unmount()
    bar({ text: 'Run `make test`?' }, call('shell', '{"command":"make test"}'))
    expect(screen.queryByRole('region', { name: 'Command' })).toBeNull()
  })

  test('shows a request by its parts, and a tool of a server by what it is given', () => {
    const { unmount } = bar({ detail: [{ name: 'tool', value: 'fetch' }, { name: 'arguments', value: 'https://x.org/a?secret=1' }] }, null)
    expect(within(screen.getByRole('group', { name: 'Request' })).getAllByRole('definition').map((one) => one.textContent)).toEqual(['GET', 'x.org', 'https://x.org/a?secret=1'])
    unmount()
    bar({ detail: [{ name: 'tool', value: 'mail.send' }, { name: 'arguments', value: '{"to":"a@b.c","text":"Hello"}' }] }, null)
    expect(within(screen.getByRole('group', { name: 'Call' })).getAllByRole('definition').map((one) => one.textContent)).toEqual(['a@b.c', 'Hello'])
  })

  test('of a plan finds the call that it is about', () => {
    const made = { ...call('edit_file', '{"path":"pkg/runtime/hooks.go","old":"a","new":"b"}'), ask: 'ask' }
    const { props } = card('drift', {}, { calls: (step) => (step === 's2' ? [{ ...made, ask: props?.asks[0]?.id ?? 'ask' }] : []), asked: () => made })
    expect(screen.getByRole('region', { name: 'Proposed change of pkg/runtime/hooks.go' })).toBeTruthy()
  })
})

describe('a diff', () => {
  test('numbers the lines on both sides, and leaves the rest out', () => {
    const before = Array.from({ length: 20 }, (_, i) => `${i + 1}`).join('\n')
    render(Diff, { all: lines(before, before.replace('10', 'ten')), label: 'Changes' })
    const rows = [...screen.getByRole('region', { name: 'Changes' }).children] as HTMLElement[]
    expect(rows.map((row) => [row.dataset['before'], row.dataset['after'], row.textContent])).toEqual([
      ['8', '8', '  8'], ['9', '9', '  9'], ['10', '', '- 10'], ['', '10', '+ ten'], ['11', '11', '  11'], ['12', '12', '  12'],
    ])
  })

  test('of texts that have little in common is still there at once', () => {
    const [a, b] = [1, 2].map((n) => Array.from({ length: 20_000 }, (_, i) => `${n} ${i}`).join('\n'))
    const started = performance.now()
    expect(lines(a!, b!)).toHaveLength(40_000)
    expect(performance.now() - started).toBeLessThan(2000)
  })
})
