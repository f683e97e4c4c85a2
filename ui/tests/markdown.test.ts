import { describe, expect, test } from 'vitest'
import { Blocks } from '../src/chat/blocks'

const html = (text: string) => new Blocks().set(text).map((block) => (block.type === 'html' ? block.html : block.text)).join('')

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
    expect(html(text)).not.toMatch(/<script|onerror|onclick|<iframe|javascript:|data:|<img|<svg|<style|<form/i)
  })

  test('only https links stay links', () => {
    expect(html('[a](https://example.org) [b](http://example.org)')).toContain('<a href="https://example.org">a</a> b')
  })

  test('code keeps its language and is never read as HTML', () => {
    expect(new Blocks().set('```html\n<b>x</b>\n```')).toEqual([{ type: 'code', text: '<b>x</b>', lang: 'html' }])
  })
})

describe('streaming', () => {
  const text = Array.from({ length: 60 }, (_, i) => `Paragraph ${i} with **words**.\n\n- a\n- b\n\n\`\`\`rust\nfn f${i}() {}\n\`\`\`\n\n`).join('')

  test('any cut gives in the end what the whole gives', () => {
    const blocks = new Blocks()
    for (let end = 0; end < text.length; end += 7) blocks.set(text.slice(0, end))
    expect(blocks.set(text)).toEqual(new Blocks().set(text))
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
