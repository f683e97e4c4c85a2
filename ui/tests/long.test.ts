import { fireEvent, render, screen, waitFor } from '@testing-library/svelte'
import { describe, expect, test, vi } from 'vitest'
import type { ChatItem } from '../src/chat/items'
import Message from '../src/chat/Message.svelte'
import { beginning, FOLDED } from '../src/chat/parts'

const text = Array.from({ length: 900 }, (_, i) => `Line ${i} of a very long answer, which goes on and on.`).join('\n')
const item: ChatItem = {
  kind: 'agent', key: '1', model: 'm', at: 1, step: null, planning: false, thinking: null, calls: [],
  text: { blob: 'hash', bytes: text.length, head: text.slice(0, 24_576) },
}

describe('a very long answer', () => {
  test('shows its first pages, whole lines of them, and all of it on demand', async () => {
    const blob = vi.fn(async () => text)
    const { container } = render(Message, { item, continued: false, blob, onlink: () => undefined })
    await waitFor(() => expect(container.textContent).toContain('Line 140 '))
    expect(container.textContent).not.toContain('Line 200 ')
    await fireEvent.click(screen.getByRole('button', { name: /Show all, 4\d KB/ }))
    expect(blob).toHaveBeenCalledExactlyOnceWith('hash')
    await waitFor(() => expect(container.textContent).toContain('Line 899 '))
    expect(screen.queryByRole('button', { name: /Show all/ })).toBeNull()
  })

  test('begins the same, however much of it is here', () => {
    const [part, all] = [text.slice(0, 24_576), text].map((one) => beginning(one, FOLDED))
    expect(part).toBe(all)
    expect(part).toMatch(/on and on\.$/)
    expect(part!.length).toBeGreaterThan(FOLDED - 100)
  })

  test('that is one line ends with a word', () => {
    expect(beginning('word '.repeat(2000), FOLDED)).toMatch(/word$/)
  })
})
