import { screen, waitFor } from '@testing-library/svelte'
import { describe, expect, test, vi } from 'vitest'
import { Blocks } from '../src/chat/blocks'
import markdownSource from '../src/chat/Markdown.svelte?raw'
import rowSource from '../src/plan/StepRow.svelte?raw'
import { open } from './room'

vi.mock('virtua/svelte', async () => ({ VList: (await import('./AllRows.svelte')).default }))

describe('words from right to left', () => {
  async function shown() {
    const { container } = open('turned')
    await waitFor(() => expect([...container.querySelectorAll('.bar .md, .chat .md')].length).toBe(2))
    const dirs = (selector: string) => [...new Set([...container.querySelectorAll(selector)].map((one) => one.getAttribute('dir')))]
    return { container, dirs }
  }

  test.each([
    ['the goal', '.plan h2'],
    ['a step', '.plan .step .d'],
    ['what is asked', '.bar .md > p'],
    ['what a person said', '.me .words'],
    ['a paragraph of an answer', '.md > p'],
    ['a list, a quote and a table', '.md > :is(ul, ol, blockquote, table)'],
    ['the name of the room', '.top h1'],
    ['a name in the rail', 'nav button b'],
    ['the message box', '[data-region=composer]'],
  ])('%s is laid out by its own', async (_, selector) => {
    const { dirs } = await shown()
    expect(dirs(selector)).toEqual(['auto'])
  })

  test('do not take along what stands beside them', async () => {
    const { container } = await shown()
    const row = container.querySelector('[data-step=s2]')!
    for (const beside of ['.n', '.meta']) expect(row.querySelector(beside)!.closest('[dir]')?.contains(row) ?? true).toBe(true)
    // An answer among them is a word of its own in its button.
    expect(screen.getByRole('button', { name: 'نعم، احذفه!' }).firstElementChild?.localName).toBe('bdi')
    // A list would align its rows by its own direction.
    expect(rowSource).toMatch(/\.d \{[^}]*text-align: start;/)
  })

  test('code among them stays as it is', () => {
    expect(markdownSource).toMatch(/code\) \{\s*direction: ltr;\s*unicode-bidi: isolate;/)
  })

  test('nothing a model writes sets a direction', () => {
    const place = document.createElement('div')
    place.innerHTML = new Blocks().set('- <b dir="rtl">a</b>').map((block) => (block.type === 'html' ? block.html : '')).join('')
    expect([...place.querySelectorAll('[dir]')].map((one) => `${one.localName} ${one.getAttribute('dir')}`)).toEqual(['ul auto'])
  })
})

test('a table that scrolls keeps its last line above the scroll bar, and the keyboard reaches it', () => {
  expect(markdownSource).toMatch(/table\) \{[^}]*overflow: scroll hidden;/)
  const [table] = new Blocks().set('a | b\n--- | ---\n1 | 2')
  expect(table?.type === 'html' && table.html).toMatch(/^<table[^>]* tabindex="0"/)
})
