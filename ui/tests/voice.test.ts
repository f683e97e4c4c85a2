// Every string on screen, looked at for words that nobody says.

import { describe, expect, test } from 'vitest'

const files = import.meta.glob<string>('../src/**/*.{ts,svelte}', { query: '?raw', import: 'default', eager: true })

/** What the voice of the window does not say. */
const NOT = [
  'shall',
  'whoever',
  'anew',
  'thereby',
  'what came of it',
  'under way',
  'for want of',
  
  'put right',
  'say so',
  'in no mode',
  'agents that are programs',
  'programs that are agents',
  'usually \\d',
  'goes on',

  'does not get on',
  'the rules alone',
  'is warned about',
  'if you like',
  'it works in',
  'please',
  'sorry',
  'simply',
]
const BAD = new RegExp(`\\b(${NOT.join('|')})`, 'i')

/** Those of others, whose words come with their own change. */
const OTHERS = /\/(plan|graph|sidekicks|council|kit)\//

/** The words of a file: string literals with a blank in them, and text and labels of its markup. */
function strings(path: string, source: string): string[] {
  const code = source.replace(/<style>[\s\S]*<\/style>/, '').replace(/<!--[\s\S]*?-->/g, '').replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '')
  const literals = [...code.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)].map((one) => one[1] ?? one[2] ?? one[3] ?? '')
  const markup = path.endsWith('.svelte') ? [...(code.split('</script>')[1] ?? '').matchAll(/>([^<>{}]+)</g)].map((one) => one[1] ?? '') : []
  return [...literals, ...markup].map((one) => one.trim()).filter((one) => /[a-z]/i.test(one))
}

describe('the voice', () => {
  test.each(Object.entries(files).filter(([path]) => !OTHERS.test(path)))('%s', (path, source) => {
    expect(strings(path, source).filter((one) => BAD.test(one))).toEqual([])
  })

  test('finds what it looks for', () => {
    expect(strings('a.svelte', `<script>let a = 'It is under way'</script><p>Shall we go?</p>`).filter((one) => BAD.test(one))).toHaveLength(2)
  })
})
