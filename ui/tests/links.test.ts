// Links in what an agent says: https alone, and the address is read before it is opened.

import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte'
import { beforeEach, expect, test, vi } from 'vitest'
import { fakeBackend } from '../dev/fake'
import { fixture } from '../dev/fixtures'
import { Log } from '../dev/make'
import App from '../src/App.svelte'
import LinkDialog from '../src/chat/LinkDialog.svelte'

vi.mock('virtua/svelte', async () => ({ VList: (await import('./AllRows.svelte')).default }))

beforeEach(() => {
  localStorage.clear()
  localStorage.setItem('plancard.room', '"room"')
})

function said(text: string) {
  const { view } = fixture('done')
  const openExternal = vi.fn(async () => undefined)
  const events = new Log().created('Room', '/home/you').said('Where?').replied(text).events
  const openRoom: ReturnType<typeof fakeBackend>['openRoom'] = async (_room, _after, on) => {
    setTimeout(() => {
      on.view({ ...view, plan: null })
      on.events(events)
    })
    return () => undefined
  }
  return { openExternal, ...render(App, { backend: { ...fakeBackend('done'), openRoom, openExternal } }) }
}

test('a link shows its address, and opens only when that was said', async () => {
  const { openExternal } = said('See [your bank](https://example.org/login?next=1).')
  await fireEvent.click(await screen.findByRole('link', { name: 'your bank' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Open this page in your browser?' }))
  expect(dialog.getByText('https://example.org/login?next=1')).toBeTruthy()
  expect(openExternal).not.toHaveBeenCalled()
  await fireEvent.click(dialog.getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(openExternal).not.toHaveBeenCalled()
  await fireEvent.click(screen.getByRole('link', { name: 'your bank' }))
  await fireEvent.click(await screen.findByRole('button', { name: 'Open' }))
  expect(openExternal).toHaveBeenCalledExactlyOnceWith('https://example.org/login?next=1')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('only https is a link', async () => {
  said('[web](https://example.org) [plain](http://example.org) [file](file:///etc/passwd) [run](javascript:alert(1)) [app](plancard://room/x)')
  await screen.findByRole('link', { name: 'web' })
  expect(screen.getAllByRole('link').map((one) => one.textContent)).toEqual(['web'])
  expect(screen.getByText(/plain/).textContent).toContain('run')
})

test('an address can’t hide what it is', () => {
  render(LinkDialog, { url: 'https://example.org/\u202Egpj.exe', onopen: vi.fn(), onclose: vi.fn() })
  expect(screen.getByText('https://example.org/⟨U+202E⟩gpj.exe')).toBeTruthy()
})
