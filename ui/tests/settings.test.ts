// The settings screen: one setting, one more of a kind, searching, and leaving it.

import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, test, vi } from 'vitest'
import { fakeBackend } from '../dev/fake'
import type { Json } from '../src/lib/backend'
import { secondsOf, timeWords, agentGroup, API, GOALS, LIMITS, matching, WINDOW } from '../src/settings/fields'
import { change, page } from './settings'

test('what is wrong with the files is asked for when the screen is opened, not what was wrong once', async () => {
  const fake = fakeBackend('running')
  const bad = { level: 'error' as const, path: 'caps', message: 'caps is no map', file: 'plancard.yaml', line: 2 }
  const problems = [bad]
  await page('Limits', { settings: async () => ({ ...(await fake.settings()), problems: problems.splice(0) }) })
  await waitFor(() => expect(screen.queryByText(/caps is no map/)).toBeNull())
})

describe('one setting', () => {
  test('is saved where it belongs, in the unit of the file', async () => {
    const { saveSetting } = await page('Limits')
    await change('Max cost per plan', '2.5')
    expect(saveSetting).toHaveBeenLastCalledWith('caps.cost_micros', 2_500_000)
    await change('Max cost per plan', '')
    expect(saveSetting).toHaveBeenLastCalledWith('caps.cost_micros', null)
  })

  test('that was refused keeps what was typed, and says why beside it', async () => {
    await page('Limits')
    await change('Max steps per plan', 'many')
    expect(await screen.findByText(/whole number from 1 to 200/)).toBeTruthy()
    await fireEvent.click(screen.getByRole('tab', { name: 'Agents' }))
    await fireEvent.click(screen.getByRole('tab', { name: 'Limits' }))
    expect((screen.getByLabelText('Max steps per plan') as HTMLInputElement).value).toBe('many')
    await change('Max steps per plan', '30')
    await waitFor(() => expect(screen.queryByText(/whole number/)).toBeNull())
  })

  test('that is stored in another unit is refused in the one that is shown', async () => {
    const { saveSetting } = await page('Limits')
    for (const typed of ['0', '-1', '2,50', 'much', '0.0000001', '2000000']) {
      await change('Max cost per plan', typed)
      expect(screen.getByText(/number of dollars above 0, such as 2.50, up to 1000000. Leave it empty for no limit/), typed).toBeTruthy()
      expect((screen.getByLabelText('Max cost per plan') as HTMLInputElement).value).toBe(typed)
    }
    expect(saveSetting).not.toHaveBeenCalled()
    expect(screen.queryByText(/micro/)).toBeNull()
    await change('Max cost per plan', '0.01')
    expect(saveSetting).toHaveBeenLastCalledWith('caps.cost_micros', 10_000)
    await waitFor(() => expect(screen.queryByText(/number of dollars/)).toBeNull())
  })

  test('that is not whole goes as it was typed, to be refused', async () => {
    const { saveSetting } = await page('Limits')
    await change('Max steps per plan', '2.5')
    expect(saveSetting).toHaveBeenLastCalledWith('caps.steps', 2.5)
  })

  test('that the person’s own file sets is shown and not changed', async () => {
    await page('Limits')
    const field = screen.getByLabelText('Attempts per step') as HTMLInputElement
    expect(field.disabled).toBe(true)
    expect(screen.getByText('Set in your plancard.yaml')).toBeTruthy()
  })

  test('shows its unit and what it usually is', async () => {
    await page('Goals and councils')
    expect(screen.getByText('(default 5 min)')).toBeTruthy()
    expect((screen.getByLabelText('Max run time per goal') as HTMLInputElement).value).toBe('5 min')
  })

  test('an empty shortcut is none, not the usual one', async () => {
    const { saveSetting } = await page('Window')
    await change('Shortcut that pauses everything', '')
    expect(saveSetting).toHaveBeenLastCalledWith('ui.pause_shortcut', '')
  })
})

describe('one more', () => {
  test.each([
    ['Agents', 'agent', 'default'],
    ['MCP servers', 'server', 'files'],
    ['Models', 'provider', 'openai'],
  ])('on %s is not one that is there, nor one with a dot', async (tab, what, taken) => {
    const { saveSetting } = await page(tab)
    const name = screen.getByLabelText(`Name of the ${what}`)
    const form = name.closest('form')!
    for (const field of form.querySelectorAll('input')) await fireEvent.input(field, { target: { value: 'x/y' } })
    await fireEvent.input(name, { target: { value: taken } })
    await fireEvent.submit(form)
    expect(screen.getByText(new RegExp(`There is already an? ${what} named ${taken}`))).toBeTruthy()
    await fireEvent.input(name, { target: { value: 'a.b' } })
    await fireEvent.submit(form)
    expect(screen.getByText('Names can’t contain a dot.')).toBeTruthy()
    expect(saveSetting).not.toHaveBeenCalled()
  })

  test('is added once, however often it is sent', async () => {
    const saveSetting = vi.fn(() => new Promise<never>(() => undefined))
    await page('Agents', { saveSetting })
    await fireEvent.input(screen.getByLabelText('Name of the agent'), { target: { value: 'reviewer' } })
    await fireEvent.input(screen.getByLabelText('Model of the agent'), { target: { value: 'ollama/qwen3:8b' } })
    const form = screen.getByLabelText('Name of the agent').closest('form')!
    await fireEvent.submit(form)
    await fireEvent.submit(form)
    expect(saveSetting).toHaveBeenCalledOnce()
  })

  test('removing is left with Escape, and the screen stays', async () => {
    const { onclose } = await page('MCP servers')
    await fireEvent.click(screen.getByRole('button', { name: 'Remove files' }))
    const keep = await screen.findByRole('button', { name: 'Cancel' })
    await waitFor(() => expect(document.activeElement).toBe(keep))
    await fireEvent.keyDown(keep, { key: 'Escape' })
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Remove files' })))
    expect(onclose).not.toHaveBeenCalled()
  })
})

test('diagnostics are copied, and that is said', async () => {
  const writeText = vi.fn(async () => undefined)
  vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } })
  const { notices } = await page('About')
  await fireEvent.click(screen.getByRole('button', { name: 'Copy diagnostics' }))
  await waitFor(() => expect(notices.list[0]?.text).toMatch(/Diagnostics copied/))
  expect(writeText).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('Plancard'))
  vi.unstubAllGlobals()
})

test('searching finds single settings on any tab, and the tabs that are no list', async () => {
  await page('Models')
  await fireEvent.input(screen.getByLabelText('Search settings'), { target: { value: 'shortcut' } })
  expect(screen.getByLabelText('Shortcut that pauses everything')).toBeTruthy()
  await fireEvent.input(screen.getByLabelText('Search settings'), { target: { value: 'diagnostics' } })
  await fireEvent.click(within(screen.getByRole('tabpanel')).getByRole('button', { name: 'About' }))
  expect(screen.getByRole('button', { name: 'Copy diagnostics' })).toBeTruthy()
})

test('Escape leaves the screen from a field in which nothing was typed', async () => {
  const { onclose } = await page('Limits')
  screen.getByLabelText('Max steps per plan').focus()
  await fireEvent.keyDown(document.activeElement!, { key: 'Escape' })
  expect(onclose).toHaveBeenCalledOnce()
})

test('Escape leaves a field in which something was typed first, then the screen', async () => {
  const { onclose } = await page('Limits')
  const field = screen.getByLabelText('Max steps per plan')
  field.focus()
  await fireEvent.input(field, { target: { value: '7' } })
  await fireEvent.keyDown(document.activeElement!, { key: 'Escape' })
  expect(onclose).not.toHaveBeenCalled()
  await fireEvent.keyDown(document.body, { key: 'Escape' })
  expect(onclose).toHaveBeenCalledOnce()
})

test('esc stands on Back as a key where it leads back', async () => {
  await page('Limits')
  const off = () => within(screen.getByRole('button', { name: 'Back' })).getByText('esc').classList.contains('off')
  const [field, search] = [screen.getByLabelText('Max steps per plan'), screen.getByLabelText('Search settings')]
  expect(off()).toBe(false)
  field.focus()
  await fireEvent.input(field, { target: { value: '7' } })
  await waitFor(() => expect(off()).toBe(true))
  search.focus()
  await waitFor(() => expect(off()).toBe(false))
  await fireEvent.input(search, { target: { value: 'shortcut' } })
  expect(off()).toBe(true)
})

test('Escape in the search empties it first, then leaves the screen', async () => {
  const { onclose } = await page('Limits')
  const search = screen.getByLabelText('Search settings') as HTMLInputElement
  search.focus()
  await fireEvent.input(search, { target: { value: 'shortcut' } })
  await fireEvent.keyDown(search, { key: 'Escape' })
  expect(search.value).toBe('')
  expect(onclose).not.toHaveBeenCalled()
  await fireEvent.keyDown(search, { key: 'Escape' })
  expect(onclose).toHaveBeenCalledOnce()
})

test('every limit and every setting of the file has its place', async () => {
  const { settings } = await page('Limits')
  const paths = [agentGroup('default', ''), ...LIMITS, ...GOALS, ...WINDOW, ...API].flatMap((group) => group.fields.map((field) => field.path))
  const caps = ['caps', 'limits'].flatMap((section) => Object.keys(settings.value(section) as Record<string, Json>).map((name) => `${section}.${name}`))
  expect(caps.filter((path) => !paths.includes(path))).toEqual([])
  expect(new Set(paths).size).toBe(paths.length)
  expect(matching(LIMITS, 'stalled')).toMatchObject([{ title: 'Sidekicks', fields: [{ path: 'caps.stalled_seconds' }] }])
})

describe('what the token of the API may do', () => {
  const name = /Let the token approve plans/

  test('is given and taken with a switch that leaves its other rights alone', async () => {
    const { saveSetting } = await page('Local API')
    const box = () => screen.getByLabelText(name) as HTMLInputElement
    expect(box().checked).toBe(false)
    await fireEvent.click(box())
    expect(saveSetting).toHaveBeenLastCalledWith('api.rights', ['read', 'supervise', 'run', 'approve'])
    await waitFor(() => expect(box().checked).toBe(true))
    await fireEvent.click(box())
    expect(saveSetting).toHaveBeenLastCalledWith('api.rights', ['read', 'supervise', 'run'])
  })

  test('is shown as it is when it could not be saved', async () => {
    await page('Local API', { saveSetting: vi.fn().mockRejectedValue({ code: 'SETTINGS_FILE', message: 'the disk is full' }) })
    const box = screen.getByLabelText(name) as HTMLInputElement
    await fireEvent.click(box)
    expect(await screen.findByText(/the disk is full/)).toBeTruthy()
    expect(box.checked).toBe(false)
  })
})

test('what councils are held to is saved by the names of the configuration', async () => {
  const { saveSetting } = await page('Goals and councils')
  expect(screen.queryByText(/no effect/)).toBeNull()
  await change('Answers per member', '3')
  expect(saveSetting).toHaveBeenLastCalledWith('orchestrator.max_new_answers_per_agent', 3)
  await change('Cost before a check-in', '2.5')
  expect(saveSetting).toHaveBeenLastCalledWith('orchestrator.cost_micros', 2_500_000)
  await fireEvent.change(screen.getByLabelText('Final answer'), { target: { value: 'synthesize' } })
  expect(saveSetting).toHaveBeenLastCalledWith('orchestrator.final_answer_strategy', 'synthesize')
})

describe('times', () => {
  test('are shown and typed in words', () => {
    expect([45, 300, 5400, 100].map(timeWords)).toEqual(['45 s', '5 min', '1.5 h', '100 s'])
    expect(['45', '5 min', '1.5h', '90 s', 'late'].map(secondsOf)).toEqual([45, 300, 5400, 90, null])
  })

  test('are saved in the unit of the file', async () => {
    const { saveSetting } = await page('Limits')
    await change('Command timeout', '3 min')
    expect(saveSetting).toHaveBeenLastCalledWith('caps.shell_seconds', 180)
  })
})

test('what few people change stands behind a fold', async () => {
  await page('Limits')
  expect(screen.getByLabelText('Turns without progress').closest('details')).toBeTruthy()
  expect(screen.getByLabelText('Max steps per plan').closest('details')).toBeNull()
})
