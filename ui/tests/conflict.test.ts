import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte'
import { expect, test, vi } from 'vitest'
import { ask, Log } from '../dev/make'
import { Fold } from '../src/chat/fold'
import AskBar from '../src/plan/AskBar.svelte'

const QUESTION = ask({
  kind: 'conflict',
  codename: 'calm-otter',
  text: 'calm-otter changed src/a.rs, and so did someone else meanwhile, in the same place.',
  answers: ['mine', 'theirs', 'both'],
  detail: [
    { name: 'path', value: 'src/a.rs' },
    { name: 'base', value: 'one\ntwo\nthree' },
    { name: 'mine', value: 'one\nfirst\nthree' },
    { name: 'theirs', value: 'one\nsecond\u202E\nthree' },
    { name: 'does_mine', value: 'It stays as it is in the folder.' },
    { name: 'does_theirs', value: "It becomes calm-otter's version." },
    { name: 'does_both', value: 'It stays, and the other is put beside it as src/a.rs.from-calm-otter.' },
    { name: 'mine_version', value: '644 aa' },
  ],
})

function open() {
  const onanswer = vi.fn(async () => true)
  render(AskBar, { ask: QUESTION, onanswer })
  return onanswer
}

test('both versions stand side by side, with what is different marked', () => {
  open()
  const mine = screen.getByRole('region', { name: 'In the folder now: src/a.rs' })
  const theirs = screen.getByRole('region', { name: 'From calm-otter: src/a.rs' })
  const shown = (side: HTMLElement) => [...side.children].map((line) => line.textContent)
  expect(shown(mine)).toEqual(['one', 'first', 'three'])
  // What would turn the text around is shown by name.
  expect(shown(theirs)).toEqual(['one', 'second⟨U+202E⟩', 'three'])
  const marked = (side: HTMLElement) => [...side.querySelectorAll('.differs')].map((line) => line.textContent)
  expect([marked(mine), marked(theirs)]).toEqual([['first'], ['second⟨U+202E⟩']])
  // They scroll, so the keyboard reaches them.
  expect([mine.tabIndex, theirs.tabIndex]).toEqual([0, 0])
  expect(within(screen.getByRole('group', { name: 'Needs you' })).getByText('Original version')).toBeTruthy()
  expect(screen.queryByText(/644 aa/)).toBeNull()
})

test('what each answer does is said, and the path is set apart', () => {
  open()
  expect(screen.getByText('src/a.rs').className).toContain('mono')
  for (const words of [/It stays as it is in the folder/, /It becomes calm-otter's version/, /put beside it as src\/a\.rs\.from-calm-otter/])
    expect(screen.getByText(words)).toBeTruthy()
  expect(screen.getByText(/Nothing is overwritten until you choose/)).toBeTruthy()
})

test.each([
  ['Keep the folder’s', 'mine'],
  ['Take calm-otter’s', 'theirs'],
  ['Keep both', 'both'],
])('%s answers %s, once', async (label, value) => {
  const onanswer = open()
  const button = screen.getByRole('button', { name: label })
  await waitFor(() => expect(button.getAttribute('aria-disabled')).toBe('false'), { timeout: 3000 })
  await fireEvent.click(button)
  expect(onanswer).toHaveBeenCalledExactlyOnceWith(value, undefined)
})

test('nothing is said to be “mine” or “theirs”: the folder and the sidekick are named', () => {
  const { container } = render(AskBar, { ask: QUESTION, onanswer: vi.fn(async () => true) })
  expect(container.textContent).not.toMatch(/\b(mine|theirs)\b/i)
  // What each answer does is said under the words of its button.
  const does = [...container.querySelectorAll('li b')].map((one) => one.textContent)
  expect(does).toEqual(['Keep the folder’s:', 'Take calm-otter’s:', 'Keep both:'])
})

test('the chat says when a copy was made, merged or dropped, and why a step waits', () => {
  const fold = new Fold()
  const log = new Log()
    .push({ type: 'copy_made', folder: '/data/copies/x/work' })
    .push({ type: 'merge_began', paths: ['a'] })
    .push({ type: 'merged', changed: ['a', 'b', 'c', 'd', 'e', 'f'].map((path) => ({ path, kind: 'created' as const })) })
    .push({ type: 'copy_dropped', problem: 'the disk is full' })
  fold.push(log.events)
  const notes = fold.items.map((item) => (item.kind === 'note' ? item.text : item.kind))
  expect(notes).toEqual([
    'Others are working here, so the agent works in a copy of the folder',
    'Merged from the copy: a, b, c, d, e and 1 more',
    'The changes could not be merged: the disk is full',
  ])
})
