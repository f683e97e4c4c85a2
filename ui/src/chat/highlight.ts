// Colours for code: a few languages, loaded when the first code is shown.

import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import go from 'highlight.js/lib/languages/go'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'

const languages = { bash, c, css, diff, go, ini, java, json, python, rust, sql, typescript, xml, yaml }
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language)
hljs.registerAliases(['js', 'javascript', 'jsx', 'tsx', 'svelte'], { languageName: 'typescript' })
hljs.registerAliases(['shell', 'console'], { languageName: 'bash' })

/** Beyond this, code is shown as it is. */
const MOST = 40_000

/** A part of code that has one colour. */
export interface Token {
  kind: string
  text: string
}

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#x27;': "'" }

/** Code in parts with their kinds; none where its language is not known. */
export function coloured(text: string, lang: string): Token[] {
  const language = lang.trim().split(/[\s,{]/)[0]?.toLowerCase() ?? ''
  if (text.length > MOST || !hljs.getLanguage(language)) return []
  return tokens(hljs.highlight(text, { language, ignoreIllegals: true }).value)
}

/** The parts in what the library writes: spans with a class, one in the other, and escaped text. */
function tokens(marked: string): Token[] {
  const kinds: string[] = []
  const found: Token[] = []
  for (const part of marked.split(/(<span class="[^"]*">|<\/span>)/)) {
    if (part === '</span>') kinds.pop()
    else if (part.startsWith('<span ')) kinds.push(part.slice('<span class="'.length, -2))
    else if (part) found.push({ kind: kinds.at(-1) ?? '', text: part.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => ENTITIES[entity] ?? entity) })
  }
  return found
}
