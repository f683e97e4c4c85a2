import { fireEvent, render, screen, waitFor } from '@testing-library/svelte'
import { describe, expect, test, vi } from 'vitest'
import { fixture } from '../dev/fixtures'
import Composer from '../src/chat/Composer.svelte'
import type { AskView } from '../src/lib/wire'
import { hint, waits } from '../src/rooms/composing'
import { card } from './card'

function composer(text = '', history: string[] = [], files: (prefix: string) => Promise<string[]> = async () => ['src/main.rs', 'src/lib.rs']) {
  const onsend = vi.fn()
  render(Composer, { text, placeholder: 'Message the room', hint: '', history, files, onsend })
  const box = screen.getByRole('textbox') as HTMLTextAreaElement
  const type = async (value: string) => {
    box.value = value
    box.setSelectionRange(value.length, value.length)
    await fireEvent.input(box)
  }
  return { onsend, box, type }
}

test('Enter sends, Shift Enter does not', async () => {
  const { onsend, box, type } = composer()
  await type('hello')
  await fireEvent.keyDown(box, { key: 'Enter', shiftKey: true })
  expect(onsend).not.toHaveBeenCalled()
  await fireEvent.keyDown(box, { key: 'Enter' })
  expect(onsend).toHaveBeenCalledExactlyOnceWith('hello')
})

test('Enter while a word is being composed sends nothing', async () => {
  const { onsend, box, type } = composer()
  await type('にほ')
  await fireEvent.keyDown(box, { key: 'Enter', isComposing: true })
  expect(onsend).not.toHaveBeenCalled()
})

test('a command is chosen with the arrows, then sent', async () => {
  const { onsend, box, type } = composer()
  await type('/pa')
  expect(screen.getAllByRole('option')).toHaveLength(2)
  await fireEvent.keyDown(box, { key: 'Enter' })
  expect(box.value).toBe('/pause')
  expect(onsend).not.toHaveBeenCalled()
  await fireEvent.keyDown(box, { key: 'Enter' })
  expect(onsend).toHaveBeenCalledExactlyOnceWith('/pause')
})

test('@ offers files', async () => {
  const { box, type } = composer()
  await type('see @ma')
  await screen.findAllByRole('option')
  await fireEvent.keyDown(box, { key: 'Tab' })
  expect(box.value).toBe('see @src/main.rs ')
})

test('up brings back what was sent, down what was being typed', async () => {
  const { box } = composer('', ['first', 'second'])
  await fireEvent.keyDown(box, { key: 'ArrowUp' })
  expect(box.value).toBe('second')
  await fireEvent.keyDown(box, { key: 'ArrowUp' })
  expect(box.value).toBe('first')
  await fireEvent.keyDown(box, { key: 'ArrowDown' })
  await fireEvent.keyDown(box, { key: 'ArrowDown' })
  expect(box.value).toBe('')
})

test('hidden characters are named, and taken out on demand', async () => {
  const { onsend, box, type } = composer()
  await type('see notes')
  expect(screen.queryByText(/Hidden characters/)).toBeNull()
  await type('see \u202Enotes\u202E and\u200B more')
  expect(screen.getByText('Hidden characters: ⟨U+202E⟩ ×2, ⟨U+200B⟩')).toBeTruthy()
  await fireEvent.click(screen.getByRole('button', { name: 'Remove them' }))
  expect(box.value).toBe('see notes and more')
  expect(screen.queryByText(/Hidden characters/)).toBeNull()
  await waitFor(() => expect(document.activeElement).toBe(box))
  expect(onsend).not.toHaveBeenCalled()
})

test('@ says why there are no files, and Enter still sends', async () => {
  const { onsend, box, type } = composer('', [], () => Promise.reject({ code: 'BAD_WORKSPACE', message: 'the folder ~/x is gone' }))
  await type('see @ma')
  expect(await screen.findByText('The folder ~/x is gone.')).toBeTruthy()
  await fireEvent.keyDown(box, { key: 'Escape' })
  expect(screen.queryByText('The folder ~/x is gone.')).toBeNull()
  await type('see @mai')
  await screen.findByText('The folder ~/x is gone.')
  await fireEvent.keyDown(box, { key: 'Enter' })
  expect(onsend).toHaveBeenCalledExactlyOnceWith('see @mai')
  await type('see nothing')
  expect(screen.queryByText('The folder ~/x is gone.')).toBeNull()
})

test('@ says when no file matches', async () => {
  const { type } = composer('', [], async () => [])
  await type('see @ma')
  expect(await screen.findByText('No matching files.')).toBeTruthy()
})

describe('while the agent waits for an answer', () => {
  const { view } = fixture('question')

  test('a message is said to be read after that', () => {
    expect(hint(view)).toBe('Enter to send (read after you answer)')
    expect(waits(view)).toBe('The agent reads this after you answer its question')
  })

  test('what others asked, or what keeps nobody from reading, is no reason to wait', () => {
    const [own] = view.asks as [AskView]
    for (const other of [{ room_id: 'sidekick' }, { kind: 'permission' as const }, { detail: [{ name: 'option', value: 'Try again' }, { name: 'problem', value: 'no space' }] }]) {
      const room = { ...view, asks: [{ ...own, ...other }] }
      expect([hint(room), waits(room)]).not.toContainEqual(expect.stringContaining('after'))
    }
    const paused = { ...view, plan: { ...view.plan!, state: 'paused' } }
    expect([hint(paused), waits(paused)]).toEqual(['Enter to send (read after you resume)', 'The agent reads this after you resume'])
  })

  test('its own field is not among the words that scroll', () => {
    const { container } = card('question')
    expect(container.querySelector('.words')?.textContent).toMatch(/duplicate key/)
    expect(screen.getByLabelText('Your answer').closest('.words')).toBeNull()
  })
})

describe('typing where nothing has the focus', () => {
  test.each([
    ['a letter', { key: 'm' }],
    ['a slash', { key: '/' }],
    ['a paste', { key: 'v', ctrlKey: true }],
  ])('%s begins a message', async (_, key) => {
    const { box } = composer()
    expect(document.activeElement).toBe(document.body)
    await fireEvent.keyDown(document.body, key)
    expect(document.activeElement).toBe(box)
  })

  test.each([
    ['a space, which scrolls', { key: ' ' }],
    ['a key of the window', { key: 'k', ctrlKey: true }],
    ['an arrow', { key: 'ArrowDown' }],
  ])('%s does not', async (_, key) => {
    composer()
    await fireEvent.keyDown(document.body, key)
    expect(document.activeElement).toBe(document.body)
  })

  test.each([
    ['Backspace', { key: 'Backspace' }],
    ['Ctrl A', { key: 'a', ctrlKey: true }],
    ['an arrow', { key: 'ArrowLeft' }],
  ])('%s goes to a draft that is there', async (_, key) => {
    const { box } = composer('half a thought')
    await fireEvent.keyDown(document.body, key)
    expect(document.activeElement).toBe(box)
  })

  test('on a button an arrow stays, and Backspace goes to the draft', async () => {
    const { box } = composer('half a thought')
    const button = document.body.appendChild(document.createElement('button'))
    button.focus()
    for (const key of [{ key: 'ArrowUp' }, { key: 'a', ctrlKey: true }]) await fireEvent.keyDown(button, key)
    expect(document.activeElement).toBe(button)
    await fireEvent.keyDown(button, { key: 'Backspace' })
    expect(document.activeElement).toBe(box)
    button.remove()
  })

  test('where nothing wants letters they begin one, too', async () => {
    const { box } = composer()
    const button = document.body.appendChild(document.createElement('button'))
    button.focus()
    for (const key of [' ', 'Enter']) await fireEvent.keyDown(button, { key })
    expect(document.activeElement).toBe(button)
    await fireEvent.keyDown(button, { key: 'm' })
    expect(document.activeElement).toBe(box)
    button.remove()
  })

  test.each(['<section data-region="card">', '<div data-region="asks">', '<div data-region="notices">', '<div role="menu">', '<div data-keys>'])(
    'in %s they stay there',
    async (around) => {
      composer()
      const part = document.body.appendChild(document.createElement('div'))
      part.innerHTML = `${around}<button></button>`
      const button = part.querySelector('button')!
      button.focus()
      await fireEvent.keyDown(button, { key: 'm' })
      expect(document.activeElement).toBe(button)
      part.remove()
    },
  )
})

test('a click beside the words in the box leads into it', async () => {
  const { box } = composer()
  await fireEvent.click(screen.getByText('/ for commands'))
  expect(document.activeElement).toBe(box)
})

test('a draft that is there before the window has its width is measured again', async () => {
  let resized = () => undefined as void
  vi.stubGlobal('ResizeObserver', class {
    constructor(tell: () => void) {
      resized = tell
    }
    observe() {}
    disconnect() {}
  })
  let high = 400
  const measure = vi.spyOn(HTMLTextAreaElement.prototype, 'scrollHeight', 'get').mockImplementation(() => high)
  try {
    const { box } = composer('two words')
    expect(box.style.height).toBe('200px')
    high = 20
    resized()
    expect(box.style.height).toBe('20px')
  } finally {
    measure.mockRestore()
    vi.unstubAllGlobals()
  }
})
