// Shows the window on made-up rooms: ?state=running&theme=dark&click=.exp&page=settings

import './freeze'
import './remember'
import '@fontsource-variable/inter'
import '@fontsource-variable/jetbrains-mono'
import { mount } from 'svelte'
import App from '../src/App.svelte'
import '../src/styles/base.css'
import '../src/styles/tokens.css'
import { fakeBackend, stateFrom } from './fake'
import { measure, measured } from './measure'

const asked = new URLSearchParams(location.search)

const state = stateFrom(location.search)
mount(App, {
  target: document.getElementById('app')!,
  props: { backend: asked.has('measure') ? measured(state) : fakeBackend(state), firstScreen: Number(asked.get('screen') ?? 1) },
})

// What a person would have clicked on before the picture is taken, one after the other.
asked.getAll('click').forEach((selector, i) => {
  setTimeout(() => clickOn(selector), 400 + i * 150)
})

/** What is loaded when it is first shown may not be there yet. */
function clickOn(selector: string, tries = 8): void {
  const found = document.querySelector<HTMLElement>(selector)
  if (found) found.click()
  else if (tries > 0) setTimeout(() => clickOn(selector, tries - 1), 100)
}

const typed = asked.get('type')
if (typed)
  setTimeout(() => {
    const field = document.querySelector<HTMLInputElement>(typed)
    if (!field) return
    field.value = asked.get('text') ?? ''
    field.dispatchEvent(new Event('input', { bubbles: true }))
  }, 900)

if (asked.has('measure')) void measure(asked.get('measure') ?? '', state)

// ?axe=1 looks for what keeps people out, and leaves what it found in the page.
if (asked.has('axe'))
  setTimeout(async () => {
    const { default: axe } = await import('axe-core')
    const { violations } = await axe.run(document)
    const found = violations.map((one) => `${one.impact} ${one.id}: ${one.nodes.map((node) => node.html.slice(0, 140)).join(' | ')}`)
    const out = document.createElement('pre')
    out.id = 'axe'
    out.textContent = found.join('\n') || 'clean'
    document.body.append(out)
  }, 1500)
