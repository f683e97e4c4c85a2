// What the small parts look like, as far as it can be read from them.

import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, test } from 'vitest'
import buttonSource from '../src/kit/Button.svelte?raw'
import ringSource from '../src/kit/Ring.svelte?raw'
import Menu from '../src/kit/Menu.svelte'
import { tip } from '../src/kit/tip'
import markSource from '../src/plan/Mark.svelte?raw'

test('a button is as wide with a key of one letter as without it', () => {
  const pixels = (pattern: RegExp) => Number(pattern.exec(buttonSource)?.[1])
  const without = 2 * pixels(/\.single \{\s*padding-inline: (\d+)px/)
  const beside = 2 * pixels(/\.keyed \{\s*padding-inline: (\d+)px/)
  const key = pixels(/\.keyed kbd \{[^}]*width: (\d+)px/) + pixels(/\.keyed kbd \{[^}]*margin: 0 0 0 (\d+)px/)
  expect(without).toBeGreaterThan(0)
  expect(beside + key).toBe(without)
})

test('lines that are drawn keep their part of the drawing with large text', () => {
  for (const source of [ringSource, markSource]) expect(source).toMatch(/stroke-width: [\d.]+%;/)
})

test('what opens a menu has no name over it, before it opens and after', async () => {
  render(Menu, { name: 'More for this room', items: [{ label: 'Rename', run: () => undefined }] })
  const opens = screen.getByRole('button', { name: 'More for this room' })
  expect(opens.title).toBe('')
  await fireEvent.click(opens)
  expect(opens.title).toBe('')
  expect(opens.getAttribute('aria-label')).toBe('More for this room')
})

test('what is shown on hovering does not cross the window', () => {
  expect(tip('short')).toBe('short')
  expect(tip('x'.repeat(120))).toHaveLength(120)
  expect(tip('x'.repeat(300))).toBe(`${'x'.repeat(119)}…`)
})
