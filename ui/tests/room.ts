// The whole window with a room open. Each test begins with nothing stored but which room that is.

import { render, screen } from '@testing-library/svelte'
import { beforeEach } from 'vitest'
import { fakeBackend } from '../dev/fake'
import type { State } from '../dev/fixtures'
import App from '../src/App.svelte'
import type { Backend, Link } from '../src/lib/backend'

beforeEach(() => {
  localStorage.clear()
  localStorage.setItem('plancard.room', '"room"')
})

/** Opens it; `follow` is a link that comes from outside. */
export function open(state: State, change: Partial<Backend> = {}) {
  let follow: (link: Link) => void = () => undefined
  const onLink: Backend['onLink'] = async (callback) => {
    follow = callback
    return () => undefined
  }
  const backend = { ...fakeBackend(state), onLink, ...change }
  return { backend, follow: (link: Link) => follow(link), ...render(App, { backend }) }
}

export const composer = async () => (await screen.findByLabelText(/Message the room|Type what to change/)) as HTMLTextAreaElement

export const NO_ROOMS: Backend['overview'] = async (onChange) => {
  setTimeout(() => onChange({ rooms: [], asks: [] }))
  return () => undefined
}
