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

/** Code as elements with classes, all of its own characters escaped; empty where its language is not known. */
export function coloured(text: string, lang: string): string {
  const language = lang.trim().split(/[\s,{]/)[0]?.toLowerCase() ?? ''
  if (text.length > MOST || !hljs.getLanguage(language)) return ''
  return hljs.highlight(text, { language, ignoreIllegals: true }).value
}
