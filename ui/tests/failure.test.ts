// A step that is stuck, and why.

import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { step } from '../dev/make'
import type { CallLine } from '../src/chat/items'
import { failureOf, lastFailed } from '../src/plan/failure'
import { button, card } from './card'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const call = (more: Partial<CallLine> = {}): CallLine => ({ id: 'c', tool: 'shell', target: 'make test', args: '{}', state: 'failed', changed: [], ms: 9, plan: 'plan', step: 's3', ...more })
const LONG = `${Array.from({ length: 60 }, (_, i) => `line ${i + 1}`).join('\n')}\n(exit code 2)`

describe('a failed call', () => {
  test('is told by its exit code and its last lines', () => {
    expect(failureOf(LONG)).toEqual({ code: '2', lines: Array.from({ length: 8 }, (_, i) => `line ${i + 53}`) })
    expect(failureOf('killed\n(exit code 137: ended by SIGKILL)\n')).toEqual({ code: '137: ended by SIGKILL', lines: ['killed'] })
    expect(failureOf('(exit code 1)')).toEqual({ code: '1', lines: [] })
  })

  test('that is no command is told in its own words', () => {
    expect(failureOf('{"code":"X","message":"no such file"}')).toEqual({ code: '', lines: ['no such file'] })
    expect(failureOf('no such file')).toEqual({ code: '', lines: ['no such file'] })
  })

  test('counts unless one after it worked', () => {
    expect(lastFailed([call(), call({ id: 'd', state: 'ok' })])).toBeNull()
    expect(lastFailed([call({ id: 'a', state: 'ok' }), call({ id: 'b' }), call({ id: 'c', tool: 'plan' })])?.id).toBe('b')
    expect(lastFailed([])).toBeNull()
  })
})

describe('a step that failed as often as it may', () => {
  const row = () => document.querySelector<HTMLElement>('[data-step=s3]')!
  const bar = () => within(screen.getByRole('group', { name: 'Needs you' }))

  test('looks stuck, in the list and not elsewhere', () => {
    card('stuck')
    expect(row().querySelector('[data-glyph]')?.getAttribute('data-glyph')).toBe('✗')
    expect(within(row()).getByRole('img', { name: 'stuck' })).toBeTruthy()
    expect(row().classList.contains('stuck')).toBe(true)
    expect(document.querySelectorAll('.step.stuck')).toHaveLength(1)
  })

  test('is under way again once the plan runs', async () => {
    const { props, rerender } = card('stuck')
    await rerender({ plan: { ...props.plan, state: 'running', pause_reason: null } })
    expect(row().querySelector('[data-glyph]')?.getAttribute('data-glyph')).toBe('▶')
  })

  test('quotes what its agent said on the amber bar', () => {
    card('stuck', { steps: [step(1, 'a', 'done'), step(2, 'b', 'in_progress', { attempts: 3, error: 'the tests need a database' })] })
    expect(bar().getByText('Last error: “the tests need a database”')).toBeTruthy()
  })

  test('or shows how the last command ended, from all of its output', async () => {
    const result = { blob: 'hash', bytes: 900, head: 'line 1\nline 2' }
    const blob = vi.fn(async () => LONG)
    card('stuck', {}, { calls: (id) => (id === 's3' ? [call({ result })] : []), blob })
    await vi.advanceTimersByTimeAsync(1)
    expect(blob).toHaveBeenCalledWith('hash')
    expect(bar().getByText('Exit code 2')).toBeTruthy()
    expect(bar().getByRole('region', { name: 'Last 8 lines' }).textContent).toMatch(/^line 53\n.*line 60$/s)
    await fireEvent.click(button('Show details of step 3'))
    expect(within(screen.getByRole('group', { name: 'Details of step 3' })).getByText('Exit code 2')).toBeTruthy()
  })
})
