// The settings screen on its own, at one of its tabs, with nothing stored before.

import { fireEvent, render, screen } from '@testing-library/svelte'
import { beforeEach, vi } from 'vitest'
import { fakeBackend } from '../dev/fake'
import type { State } from '../dev/fixtures'
import type { Backend } from '../src/lib/backend'
import { Notices } from '../src/lib/notices.svelte'
import { Settings } from '../src/lib/settings.svelte'
import { ThemeChoice } from '../src/lib/theme.svelte'
import SettingsPage from '../src/settings/SettingsPage.svelte'

beforeEach(() => localStorage.clear())

export async function page(tab: string, change: Partial<Backend> = {}, state: State = 'running') {
  const fake = fakeBackend(state)
  const saveSetting = vi.fn(fake.saveSetting)
  const backend = { ...fake, saveSetting, ...change }
  const settings = new Settings(backend)
  await settings.load()
  await settings.loadRest()
  const notices = new Notices()
  const onclose = vi.fn()
  render(SettingsPage, { settings, theme: new ThemeChoice(), backend, notices, onclose })
  await fireEvent.click(screen.getByRole('tab', { name: tab }))
  return { backend, settings, saveSetting, notices, onclose }
}

export const change = (label: string | RegExp, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })
