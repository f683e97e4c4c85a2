// Agents in the settings: their rules, and the tools those speak of.

import { fireEvent, screen, within } from '@testing-library/svelte'
import { describe, expect, test } from 'vitest'
import { rulesOf, speaksOf } from '../src/settings/rules'
import { change, page } from './settings'

describe('agents', () => {
  test('one line is one rule, and no line is none', async () => {
    const { saveSetting } = await page('Agents')
    await change('Never allow', 'fetch\n\n shell(rm *) ')
    expect(saveSetting).toHaveBeenLastCalledWith('agents.default.permissions.deny', ['fetch', 'shell(rm *)'])
    await change('Never allow', ' ')
    expect(saveSetting).toHaveBeenLastCalledWith('agents.default.permissions.deny', null)
  })

  test('are added, and removed after asking once', async () => {
    const { saveSetting } = await page('Agents')
    await fireEvent.input(screen.getByLabelText('Name of the agent'), { target: { value: 'reviewer' } })
    await fireEvent.input(screen.getByLabelText('Model of the agent'), { target: { value: 'ollama/qwen3:8b' } })
    await fireEvent.click(screen.getByRole('button', { name: 'Add' }))
    expect(saveSetting).toHaveBeenLastCalledWith('agents.reviewer', { model: 'ollama/qwen3:8b' })
    await fireEvent.click(await screen.findByRole('button', { name: 'Remove reviewer' }))
    await fireEvent.click(screen.getByRole('button', { name: 'Remove' }))
    expect(saveSetting).toHaveBeenLastCalledWith('agents.reviewer', null)
    // The person's file sets a part of the other one.
    expect(screen.queryByRole('button', { name: /Remove default/ })).toBeNull()
  })
})

describe('what the agent can use', () => {
  test('tools with what they do, and the rules that speak of them', async () => {
    await page('Tools')
    const tools = within(await screen.findByRole('list', { name: 'Tools' }))
    const shell = (await tools.findByText('shell')).closest('li')!
    expect(shell.textContent).toMatch(/Runs a command in the sandbox.*Touches a command, and the hosts it names/s)
    for (const rule of ['default, never: shell(git push *)', 'default, allowed: shell(git log *)', 'default, any host: shell(npm install*)']) expect(shell.textContent).toContain(rule)
    expect(shell.textContent).not.toContain('fetch')
    expect(tools.getByText('fetch', { selector: '.name' }).closest('li')!.textContent).toMatch(/Asks first.*never: fetch.*Uses the network/s)
  })

  test('rules of each agent in words, with their examples', async () => {
    await page('Tools')
    const never = await screen.findByRole('list', { name: 'Never allow, default' })
    expect(never.textContent).toMatch(/The command git push …, with any words after it, in any folder.*Matches git push origin main.*Doesn’t match git pull.*Every call of fetch/s)
    await fireEvent.click(screen.getByRole('button', { name: 'Edit in Agents' }))
    expect((screen.getByLabelText('Never allow') as HTMLTextAreaElement).value).toBe('shell(git push *)\nfetch')
  })

  test('hosts near this computer and commands that reach any host are saved', async () => {
    const { saveSetting } = await page('Tools')
    await change(/Local hosts the agent can reach/, 'printer.lan\nlocalhost:3000')
    expect(saveSetting).toHaveBeenLastCalledWith('network.private_hosts', ['printer.lan', 'localhost:3000'])
    await change(/Folders that commands can read/, '~/maps')
    expect(saveSetting).toHaveBeenLastCalledWith('sandbox.read', ['~/maps'])
    await change(/Patterns of secrets/, 'ACME-[0-9]+')
    expect(saveSetting).toHaveBeenLastCalledWith('redact', ['ACME-[0-9]+'])
    await fireEvent.click(screen.getByRole('tab', { name: 'Agents' }))
    await change('Commands with full network access', '')
    expect(saveSetting).toHaveBeenLastCalledWith('agents.default.permissions.open', null)
  })

  test('why it can’t be shown', async () => {
    await page('Tools', { catalogue: () => Promise.reject({ code: 'X', message: 'the app is stopping' }) })
    expect(await screen.findByText('The app is stopping.')).toBeTruthy()
  })
})

test.each([
  ['*', 'fetch', true],
  ['*_file', 'read_file', true],
  ['*_file', 'read_files', false],
  ['files.*', 'files.read', true],
  ['files.*', 'filesxread', false],
])('a rule for %s and the tool %s', (pattern, tool, speaks) => {
  expect(speaksOf(rulesOf([`${pattern}(x)`])[0]!, tool)).toBe(speaks)
})
