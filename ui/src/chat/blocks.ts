// Markdown in blocks. Text that only grew is parsed again from its last block
// on: what is finished stays as it is, so that a long answer streams at the
// cost of its last paragraph.

import DOMPurify from 'dompurify'
import { Lexer, Marked, type Token } from 'marked'
import { visible } from '../lib/visible'
import { pieces } from './pieces'

export type Block =
  | { type: 'html'; html: string }
  | { type: 'paragraph'; pieces: string[] }
  | { type: 'code'; text: string; lang: string }

const HTTPS = /^https:\/\//i

// HTML is no part of it: what looks like a tag, such as `Vec<String>`, is words. A picture is
// its description, because nothing is loaded from anywhere. Where something that is no link leads is said.
const marked = new Marked({
  gfm: true,
  breaks: false,
  tokenizer: { html: () => undefined, tag: () => undefined },
  renderer: {
    image: ({ text, href }) => escaped(text || href),
    link({ href, text, tokens }) {
      if (HTTPS.test(href)) return false
      const words = this.parser.parseInline(tokens)
      return href.replace(/^(http:\/\/|mailto:)/i, '') === text || href === text ? words : `${words} (${escaped(href)})`
    },
  },
})

const ALLOWED = {
  ALLOWED_TAGS:
    'p br strong em del code pre ul ol li blockquote h1 h2 h3 h4 h5 h6 hr table thead tbody tr th td a input sup sub'.split(' '),
  ALLOWED_ATTR: ['href', 'align', 'start', 'type', 'checked', 'disabled'],
  // Links lead to https alone; anything else stays as words.
  ALLOWED_URI_REGEXP: HTTPS,
  // These hold no address, and would be dropped for not being one.
  ADD_URI_SAFE_ATTR: ['align', 'start', 'type'],
}

/** A line of a paragraph that is this long stays one, whatever words are added: its beginning says what it is. */
const SETTLED = 200
/** Texts that were shown: scrolling back to one does not parse it again. */
const KEPT = 400
const kept = new Map<string, Block[]>()

export class Blocks {
  list: Block[] = []
  /** How many blocks were parsed so far: what the cache saves. */
  parsed = 0
  #text = ''
  /** Where the last block begins, in the text. */
  #tail = 0
  /** The last paragraph in pieces, while words can be added to it as they come. */
  #open: string[] | null = null

  /** Keeps the blocks for whoever shows the same text next. */
  keep(): void {
    kept.delete(this.#text)
    kept.set(this.#text, this.list)
    const oldest = kept.keys().next()
    if (kept.size > KEPT && !oldest.done) kept.delete(oldest.value)
  }

  /** Takes the whole text so far and answers its blocks. */
  set(text: string): Block[] {
    if (this.#grow(text)) return this.list
    this.#open = null
    const clean = visible(text.replace(/\r\n?/g, '\n'))
    if (clean === this.#text) return this.list
    if (!clean.startsWith(this.#text)) {
      this.list = []
      this.#tail = 0
    }
    this.#text = clean
    const known = kept.get(clean)
    if (known) {
      this.list = known
      // Should it still grow, it is parsed from its beginning.
      this.#tail = 0
      return known
    }
    const keep = this.#tail === 0 ? [] : this.list.slice(0, -1)
    const fresh: Block[] = []
    let at = this.#tail
    // Blocks alone: what is inside a paragraph is looked at piece by piece.
    for (const token of new Lexer(marked.defaults).blockTokens(clean.slice(this.#tail))) {
      if (token.type !== 'space') {
        this.parsed++
        this.#tail = at
        fresh.push(this.#block(token))
      }
      at += token.raw.length
    }
    this.list = [...keep, ...fresh]
    const last = clean.slice(this.#tail)
    const line = last.slice(last.lastIndexOf('\n') + 1)
    if (line.length > SETTLED && this.list.at(-1)?.type === 'paragraph' && !/^\s/.test(last)) this.#open = pieces(last)
    return this.list
  }

  /** Adds words to a long last paragraph, whose kind no word can change; whether that was all. */
  #grow(text: string): boolean {
    const more = text.slice(this.#text.length)
    if (!this.#open || !text.startsWith(this.#text) || /[\r\n]/.test(more) || visible(more) !== more) return false
    const fresh = pieces(this.#open.at(-1) + more)
    const shown = this.list.at(-1)
    if (shown?.type !== 'paragraph') return false
    this.#text = text
    this.#open = [...this.#open.slice(0, -1), ...fresh]
    const grown = [...shown.pieces.slice(0, -1), ...fresh.map((raw, i, all) => inline(raw, i < all.length - 1))]
    this.list = [...this.list.slice(0, -1), { type: 'paragraph', pieces: grown }]
    return true
  }

  #block(token: Token): Block {
    if (token.type === 'code') return { type: 'code', text: token['text'], lang: token['lang'] ?? '' }
    if (token.type !== 'paragraph') return { type: 'html', html: turned(safe(marked.parse(token.raw, { async: false }))) }
    // The last one may still grow.
    return { type: 'paragraph', pieces: pieces(token['text']).map((raw, i, all) => inline(raw, i < all.length - 1)) }
  }
}

/** Pieces that are whole, as elements: the answer that was streamed is the one that stays. */
const wholes = new Map<string, string>()

function inline(raw: string, whole: boolean): string {
  const known = wholes.get(raw)
  if (known !== undefined) return known
  const html = safe(marked.parseInline(raw, { async: false }))
  if (!whole) return html
  const oldest = wholes.keys().next()
  if (wholes.size >= KEPT && !oldest.done) wholes.delete(oldest.value)
  wholes.set(raw, html)
  return html
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** A list, a table or a heading goes from right to left where its words do. A table may scroll, so the keyboard must reach it. */
function turned(html: string): string {
  return html.replace(/^<(ul|ol|table|blockquote|h\d)\b/, '<$1 dir="auto"').replace(/^<table\b/, '<table tabindex="0"')
}

function safe(html: string): string {
  const clean = DOMPurify.sanitize(html, ALLOWED)
  // A link without an address would look like one that works.
  return clean.replace(/<a>(.*?)<\/a>/gs, '$1')
}
