import { describe, expect, test } from 'vitest'
import { literal, visible } from '../src/lib/visible'

describe('what is taken to the letter', () => {
  test('shows what breaks a line or looks like a space', () => {
    expect(literal('ls # \nrm -rf src')).toBe('ls # ⟨U+000A⟩rm -rf src')
    for (const odd of ['\t', '\u00A0', '\u2003', '\u2028', '\u2029', '\u202F', '\u2800', '\u3000', '\u{1D173}']) {
      expect(literal(`a${odd}b`)).toMatch(/^a⟨U\+[0-9A-F]+⟩b$/)
    }
    expect(literal('rm \u202Etxt.a')).toBe('rm ⟨U+202E⟩txt.a')
    expect(literal('cargo test -p x')).toBe('cargo test -p x')
  })

  test('prose keeps its spaces and lines', () => {
    expect(visible('Qui\u00A0?\nPersonne')).toBe('Qui\u00A0?\nPersonne')
  })
})
