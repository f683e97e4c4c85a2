import { describe, expect, test } from 'vitest'
import { Blocks, type Block } from '../src/chat/blocks'
import markdownSource from '../src/chat/Markdown.svelte?raw'
import { beginning, ending, PART } from '../src/chat/parts'
import { pieces } from '../src/chat/pieces'

const words = (block: Block) => (block.type === 'html' ? block.html : block.type === 'code' ? block.text : `<p>${block.pieces.join('')}</p>`)
const html = (text: string) => new Blocks().set(text).map(words).join('')

describe('what a model writes', () => {
  test.each([
    ['<script>alert(1)</script>'],
    ['<img src=x onerror=alert(1)>'],
    ['<iframe src="https://example.org"></iframe>'],
    ['[x](javascript:alert(1))'],
    ['[x](data:text/html,hi)'],
    ['<a href="https://a.example" onclick="alert(1)">x</a>'],
    ['<svg><style>*{}</style></svg>'],
    ['<form action="https://a.example"><input name=q></form>'],
  ])('%s can do nothing', (text) => {
    const place = document.createElement('div')
    place.innerHTML = html(text)
    expect([...place.querySelectorAll('*')].map((one) => one.localName).filter((name) => !['p', 'a'].includes(name))).toEqual([])
    expect([...place.querySelectorAll('a')].every((link) => link.href.startsWith('https://') && link.attributes.length === 1)).toBe(true)
  })

  test.each([
    ['A `Vec` is Vec<String>, not <b>bold</b>.', 'A Vec is Vec<String>, not <b>bold</b>.'],
    ['<div>\nwords', '<div> words'],
    ['![a cat <3](https://example.org/cat.png)', 'a cat <3'],
    ['![](https://example.org/cat.png)', 'https://example.org/cat.png'],
    ['turned \u202Eround', 'turned ⟨U+202E⟩round'],
  ])('%s loses nothing', (text, shown) => {
    const place = document.createElement('div')
    place.innerHTML = html(text)
    expect(place.textContent.replaceAll('\n', ' ')).toBe(shown)
  })

  test('only https links stay links', () => {
    expect(html('[a](https://example.org) [b](http://example.org)')).toContain('<a href="https://example.org">a</a> b (http://example.org)')
  })

  test('tasks are boxes that nobody can tick', () => {
    const place = document.createElement('div')
    place.innerHTML = html('- [ ] a\n- [x] b')
    expect([...place.querySelectorAll('input')].map(({ type, checked, disabled }) => ({ type, checked, disabled }))).toEqual([
      { type: 'checkbox', checked: false, disabled: true },
      { type: 'checkbox', checked: true, disabled: true },
    ])
  })

  test('a list keeps its first number and a table its sides', () => {
    expect(html('4. a\n5. b')).toMatch(/<ol[^>]* start="4">/)
    expect(html('a | b\n--: | :-:\n1 | 2')).toMatch(/<td align="right">1<\/td>\s*<td align="center">2<\/td>/)
  })

  test('code keeps its language and is never read as HTML', () => {
    expect(new Blocks().set('```html\n<b>x</b>\n```')).toEqual([{ type: 'code', text: '<b>x</b>', lang: 'html' }])
  })
})

describe('a long paragraph', () => {
  const text = Array.from({ length: 900 }, (_, i) => (i % 7 === 0 ? `**word ${i}**` : i % 11 === 0 ? `[link](https://example.org/${i})` : `word${i}`)).join(' ')

  test('its pieces are all of it, and those of its beginning', () => {
    expect(pieces(text).join('')).toBe(text)
    expect(pieces(text).length).toBeGreaterThan(5)
    const early = pieces(text.slice(0, 6000))
    expect(pieces(text).slice(0, early.length - 1)).toEqual(early.slice(0, -1))
  })

  test('looks the same in pieces', () => {
    const place = document.createElement('div')
    place.innerHTML = html(text)
    expect(place.querySelectorAll('strong')).toHaveLength(text.match(/\*\*word/g)!.length)
    expect(place.querySelectorAll('a')).toHaveLength(text.match(/\[link/g)!.length)
    expect(place.textContent).not.toMatch(/[*[]/)
  })

  test('a mark that never ends stays as it was written', () => {
    const odd = `a * b ${'word '.repeat(600)}`.trim()
    expect(html(odd)).toContain('a * b word')
  })
})

describe('a very long text', () => {
  const text = Array.from({ length: 4000 }, (_, i) => `Paragraph ${i} of many words that nobody reads at once.`).join('\n\n')

  test('begins and ends with whole paragraphs', () => {
    expect(beginning(text, PART).length).toBeLessThanOrEqual(PART)
    expect(beginning(text, PART)).toMatch(/once\.$/)
    expect(ending(text)).toMatch(/^Paragraph \d+ of/)
    expect(ending(text).length).toBeLessThan(2 * PART)
    expect(beginning('short', PART) + ending('short')).toBe('shortshort')
  })

  test('keeps its beginning while it grows, so that finished blocks stay', () => {
    const starts = new Set<string>()
    for (let length = 3 * PART; length < 3 * PART + PART / 2; length += 997) starts.add(ending(text.slice(0, length)).slice(0, 20))
    expect(starts.size).toBe(1)
  })
})

describe('streaming', () => {
  const text = Array.from({ length: 60 }, (_, i) => `Paragraph ${i} with **words**.\n\n- a\n- b\n\n\`\`\`rust\nfn f${i}() {}\n\`\`\`\n\n`).join('')

  test('any cut gives in the end what the whole gives', () => {
    const blocks = new Blocks()
    for (let end = 0; end < text.length; end += 7) blocks.set(text.slice(0, end))
    expect(blocks.set(text)).toEqual(new Blocks().set(text))
  })

  const line = 'Some words of **a long line** with `code`, a [link](https://example.org/a_b) and 👩‍👧. '.repeat(16)
  test.each([
    ['one long line', line],
    ['a heading below', `${line}\n===\n\nAfter.`],
    ['a table below', `${line}\na | b\n--- | ---\n1 | 2\n`],
    ['lines', `${line}\n${line}\n- ${line}\n1. ${line}\n\n> ${line}`],
    ['what hides', `${line}\u202Eturned ${line}`],
    ['indented', `    ${line}\n\n   ${line}`],
    ['a mark that never ends', `${line} **open ${line}`],
  ])('a long line grows word by word into what the whole gives: %s', (_, text) => {
    for (const by of [13, 90]) {
      const blocks = new Blocks()
      for (let end = 0; end < text.length; end += by) blocks.set(text.slice(0, end))
      expect(blocks.set(text)).toEqual(new Blocks().set(text))
    }
  })

  test('words that are added to a long line parse no block again', () => {
    const blocks = new Blocks()
    blocks.set(line)
    const parsed = blocks.parsed
    for (let more = ''; more.length < 900; more += 'word ') blocks.set(line + more)
    expect(blocks.parsed).toBe(parsed)
  })

  test('finished blocks are not parsed again', () => {
    const blocks = new Blocks()
    const first = blocks.set('One.\n\nTwo.\n\nThr')
    const kept = first.slice(0, 2)
    const parsed = blocks.parsed
    const next = blocks.set('One.\n\nTwo.\n\nThree.')
    expect(next.slice(0, 2).every((block, i) => block === kept[i])).toBe(true)
    expect(blocks.parsed).toBe(parsed + 1)
  })

  test('what was shown before is not parsed again', () => {
    const first = new Blocks()
    const list = first.set('Shown **once**.')
    first.keep()
    const again = new Blocks()
    expect(again.set('Shown **once**.')).toBe(list)
    expect(again.parsed).toBe(0)
    expect(again.set('Shown **once**. And more.')).toHaveLength(1)
  })

  test('another text starts afresh', () => {
    const blocks = new Blocks()
    blocks.set('One.\n\nTwo.')
    expect(blocks.set('Other.')).toHaveLength(1)
  })
})

test('what is no link says where it would lead, once', () => {
  expect(html('[**pay** here](http://evil.example/pay?a=1&b=<c>)')).toBe('<p><strong>pay</strong> here (http://evil.example/pay?a=1&amp;b=&lt;c&gt;)</p>')
  expect(html('[pay](http://evil.example/pay)')).toBe('<p>pay (http://evil.example/pay)</p>')
  expect(html('[the file](src/a.rs)')).toBe('<p>the file (src/a.rs)</p>')
  expect(html('http://a.example and www.a.example and me@a.example and [src/a.rs](src/a.rs)')).toBe('<p>http://a.example and www.a.example and me@a.example and src/a.rs</p>')
})

test('the words in a table stay whole', () => {
  expect(markdownSource).toMatch(/:is\(th, td\)\) \{[^}]*overflow-wrap: normal/)
})

test('numbers of two and three digits stay within the column of the words', () => {
  const room = (rows: number) => Number(new RegExp(`ol:has\\(> :nth-child\\(${rows}\\)\\)\\) \\{\\s*padding-inline-start: (\\d+)px`).exec(markdownSource)?.[1])
  expect(room(10)).toBeGreaterThanOrEqual(30)
  expect(room(100)).toBeGreaterThan(room(10))
})
