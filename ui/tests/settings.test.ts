import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { fakeBackend } from '../dev/fake'
import type { State } from '../dev/fixtures'
import type { Backend, Json } from '../src/lib/backend'
import { Notices } from '../src/lib/notices.svelte'
import { Settings } from '../src/lib/settings.svelte'
import { ThemeChoice } from '../src/lib/theme.svelte'
import type { McpServerView } from '../src/lib/wire'
import { agentGroup, API, GOALS, LIMITS, matching, WINDOW } from '../src/settings/fields'
import { rulesOf, speaksOf } from '../src/settings/rules'
import SettingsPage from '../src/settings/SettingsPage.svelte'

beforeEach(() => localStorage.clear())

async function page(tab: string, change: Partial<Backend> = {}, state: State = 'running') {
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
const change = (label: string | RegExp, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })

describe('one setting', () => {
  test('is saved where it belongs, in the unit of the file', async () => {
    const { saveSetting } = await page('Limits')
    await change('Most a plan may cost', '2.5')
    expect(saveSetting).toHaveBeenLastCalledWith('caps.cost_micros', 2_500_000)
    await change('Most a plan may cost', '')
    expect(saveSetting).toHaveBeenLastCalledWith('caps.cost_micros', null)
  })

  test('that was refused keeps what was typed, and says why beside it', async () => {
    await page('Limits')
    await change('Most steps in a plan', 'many')
    expect(await screen.findByText(/whole number from 1 to 200/)).toBeTruthy()
    await fireEvent.click(screen.getByRole('tab', { name: 'Agents' }))
    await fireEvent.click(screen.getByRole('tab', { name: 'Limits' }))
    expect((screen.getByLabelText('Most steps in a plan') as HTMLInputElement).value).toBe('many')
    await change('Most steps in a plan', '30')
    await waitFor(() => expect(screen.queryByText(/whole number/)).toBeNull())
  })

  test('that is stored in another unit is refused in the one that is shown', async () => {
    const { saveSetting } = await page('Limits')
    for (const typed of ['0', '-1', '2,50', 'much', '0.0000001', '2000000']) {
      await change('Most a plan may cost', typed)
      expect(screen.getByText(/number of dollars above 0, such as 2.50, and at most 1000000; leave it empty for no limit/), typed).toBeTruthy()
      expect((screen.getByLabelText('Most a plan may cost') as HTMLInputElement).value).toBe(typed)
    }
    expect(saveSetting).not.toHaveBeenCalled()
    expect(screen.queryByText(/micro/)).toBeNull()
    await change('Most a plan may cost', '0.01')
    expect(saveSetting).toHaveBeenLastCalledWith('caps.cost_micros', 10_000)
    await waitFor(() => expect(screen.queryByText(/number of dollars/)).toBeNull())
  })

  test('that is not whole goes as it was typed, to be refused', async () => {
    const { saveSetting } = await page('Limits')
    await change('Most steps in a plan', '2.5')
    expect(saveSetting).toHaveBeenLastCalledWith('caps.steps', 2.5)
  })

  test('that the person’s own file sets is shown and not changed', async () => {
    await page('Limits')
    const field = screen.getByLabelText('Failed attempts before a step stops') as HTMLInputElement
    expect(field.disabled).toBe(true)
    expect(screen.getByText('Set in your plancard.yaml')).toBeTruthy()
  })

  test('shows its unit and what it usually is', async () => {
    await page('Goals and councils')
    expect(screen.getByText('seconds, usually 300')).toBeTruthy()
    expect((screen.getByLabelText('Longest a goal may take') as HTMLInputElement).value).toBe('300')
  })

  test('an empty shortcut is none, not the usual one', async () => {
    const { saveSetting } = await page('Window')
    await change('Shortcut that pauses everything', '')
    expect(saveSetting).toHaveBeenLastCalledWith('ui.pause_shortcut', '')
  })
})

describe('agents', () => {
  test('one line is one rule, and no line is none', async () => {
    const { saveSetting } = await page('Agents')
    await change('Calls it never makes', 'fetch\n\n shell(rm *) ')
    expect(saveSetting).toHaveBeenLastCalledWith('agents.default.permissions.deny', ['fetch', 'shell(rm *)'])
    await change('Calls it never makes', ' ')
    expect(saveSetting).toHaveBeenLastCalledWith('agents.default.permissions.deny', null)
  })

  test('are added, and removed after asking once', async () => {
    const { saveSetting } = await page('Agents')
    await fireEvent.input(screen.getByLabelText('Name of the agent'), { target: { value: 'reviewer' } })
    await fireEvent.input(screen.getByLabelText('Model of the agent'), { target: { value: 'ollama/qwen3:8b' } })
    await fireEvent.click(screen.getByRole('button', { name: 'Add' }))
    expect(saveSetting).toHaveBeenLastCalledWith('agents.reviewer', { model: 'ollama/qwen3:8b' })
    await fireEvent.click(await screen.findByRole('button', { name: 'Remove reviewer' }))
    await fireEvent.click(screen.getByRole('button', { name: 'Yes, remove it' }))
    expect(saveSetting).toHaveBeenLastCalledWith('agents.reviewer', null)
    // The person's file sets a part of the other one.
    expect(screen.queryByRole('button', { name: /Remove default/ })).toBeNull()
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
    expect(screen.getByText(new RegExp(`There is an? ${what} called ${taken} already`))).toBeTruthy()
    await fireEvent.input(name, { target: { value: 'a.b' } })
    await fireEvent.submit(form)
    expect(screen.getByText('A name here can’t have a dot.')).toBeTruthy()
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
    const keep = await screen.findByRole('button', { name: 'Keep it' })
    await waitFor(() => expect(document.activeElement).toBe(keep))
    await fireEvent.keyDown(keep, { key: 'Escape' })
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Remove files' })))
    expect(onclose).not.toHaveBeenCalled()
  })
})

describe('servers', () => {
  test('a program with arguments or an address', async () => {
    const { saveSetting } = await page('MCP servers')
    const add = async (name: string, start: string) => {
      await fireEvent.input(screen.getByLabelText('Name of the server'), { target: { value: name } })
      await fireEvent.input(screen.getByLabelText(/Program with its arguments/), { target: { value: start } })
      await fireEvent.click(screen.getAllByRole('button', { name: 'Add' }).at(-1)!)
    }
    await add('notes', 'npx -y notes-server')
    expect(saveSetting).toHaveBeenLastCalledWith('mcp_servers.notes', { command: 'npx', args: ['-y', 'notes-server'] })
    await add('far', 'https://mcp.example.org/')
    expect(saveSetting).toHaveBeenLastCalledWith('mcp_servers.far', { url: 'https://mcp.example.org/' })
  })

  test('what is in the environment is set by name and never shown', async () => {
    const { saveSetting } = await page('MCP servers')
    const env = within(screen.getByRole('group', { name: 'Environment' }))
    expect(env.getByText('FILES_ROOT')).toBeTruthy()
    await fireEvent.input(env.getByLabelText('Environment: name'), { target: { value: 'TOKEN' } })
    await fireEvent.input(env.getByLabelText('Environment: value'), { target: { value: 'secret' } })
    await fireEvent.click(env.getByRole('button', { name: 'Add' }))
    expect(saveSetting).toHaveBeenLastCalledWith('mcp_servers.files.env.TOKEN', 'secret')
  })
})

describe('how servers stand', () => {
  test('each has its state, what is wrong, and its tools with who says what they do', async () => {
    await page('MCP servers')
    expect(await screen.findByText('Running')).toBeTruthy()
    expect(screen.getByText('Does not start')).toBeTruthy()
    expect(screen.getByText(/connection refused\./)).toBeTruthy()
    expect(screen.getByText('1 tool changed')).toBeTruthy()
    await fireEvent.click(screen.getByText('3 tools'))
    const said = (tool: string) => screen.getByText(tool).closest('li')!.textContent
    expect(said('files.read_text')).toMatch(/Only looks.*The server’s own word, which you trust; allowed\./s)
    expect(said('files.write_text')).toMatch(/May change anything.*Changed.*It is not the one you allowed; asked about\./s)
    expect(said('files.stat')).toMatch(/Changes files here.*Your own word/s)
  })

  test('what one wrote is read when it is asked for', async () => {
    const mcpSaid = vi.fn(async () => 'listening on stdio\n')
    await page('MCP servers', { mcpSaid })
    const [files] = await screen.findAllByText('What it wrote')
    expect(mcpSaid).not.toHaveBeenCalled()
    const details = files!.closest('details')!
    details.open = true
    await fireEvent(details, new Event('toggle'))
    expect((await screen.findByRole('region', { name: 'What files wrote' })).textContent).toBe('listening on stdio')
    expect(mcpSaid).toHaveBeenCalledExactlyOnceWith('files')
  })

  test('one that wants a login sends you to its page, and says why where it can’t', async () => {
    const far: McpServerView = {
      name: 'weather', reached_by: 'https://mcp.example.org/', trusted: false, state: 'failed', problem: 'the server `weather` wants a login',
      needs_login: true, logged_in: false, processes: 0, tools: [],
    }
    const mcpLogin = vi.fn<(server: string) => Promise<void>>().mockRejectedValueOnce({ code: 'MCP_LOGIN_FAILED', message: 'it does not say where' })
    await page('MCP servers', { mcpServers: async () => [far], mcpLogin })
    await fireEvent.click(await screen.findByRole('button', { name: 'Log in…' }))
    expect(await screen.findByText('It does not say where.')).toBeTruthy()
    mcpLogin.mockResolvedValueOnce()
    await fireEvent.click(screen.getByRole('button', { name: 'Log in…' }))
    expect(await screen.findByText(/It comes back here by itself/)).toBeTruthy()
    expect(mcpLogin).toHaveBeenCalledTimes(2)
  })

  test('a login can be forgotten', async () => {
    const far: McpServerView = {
      name: 'weather', reached_by: 'https://mcp.example.org/', trusted: false, state: 'running', problem: null,
      needs_login: false, logged_in: true, processes: 1, tools: [],
    }
    const mcpLogout = vi.fn(async () => {})
    await page('MCP servers', { mcpServers: async () => [far], mcpLogout })
    await fireEvent.click(await screen.findByRole('button', { name: 'Log out' }))
    expect(mcpLogout).toHaveBeenCalledExactlyOnceWith('weather')
  })

  test('without one, it is said what a server is', async () => {
    const { settings } = await page('MCP servers')
    await settings.save('mcp_servers.files', null)
    await settings.save('mcp_servers.weather', null)
    expect(await screen.findByText(/No servers yet\. A server is a program or an address/)).toBeTruthy()
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
    expect(tools.getByText('fetch', { selector: '.name' }).closest('li')!.textContent).toMatch(/asked about.*never: fetch.*Leaves this computer/s)
  })

  test('rules of each agent in words, with their examples', async () => {
    await page('Tools')
    const never = await screen.findByRole('list', { name: 'Never, default' })
    expect(never.textContent).toMatch(/Commands like git push \*.*Such as git push origin main.*Not git pull.*Every call of fetch/s)
    await fireEvent.click(screen.getByRole('button', { name: 'Change them under Agents' }))
    expect((screen.getByLabelText('Calls it never makes') as HTMLTextAreaElement).value).toBe('shell(git push *)\nfetch')
  })

  test('hosts near this computer and commands that reach any host are saved', async () => {
    const { saveSetting } = await page('Tools')
    await change(/Hosts near this computer/, 'printer.lan\nlocalhost:3000')
    expect(saveSetting).toHaveBeenLastCalledWith('network.private_hosts', ['printer.lan', 'localhost:3000'])
    await change(/Folders that commands may read/, '~/maps')
    expect(saveSetting).toHaveBeenLastCalledWith('sandbox.read', ['~/maps'])
    await change(/Patterns of secrets/, 'ACME-[0-9]+')
    expect(saveSetting).toHaveBeenLastCalledWith('redact', ['ACME-[0-9]+'])
    await fireEvent.click(screen.getByRole('tab', { name: 'Agents' }))
    await change('Commands that may reach any host', '')
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

describe('keys', () => {
  test('a locked keyring is said, with a way to try again and the other way', async () => {
    const keyState = vi.fn(async () => ({ keyring: 'locked' as const, providers: { openai: 'session' as const } }))
    await page('Models', { keyState }, 'locked')
    expect(screen.getByText('Your keyring is locked.')).toBeTruthy()
    expect(screen.getByText('key_env')).toBeTruthy()
    expect(screen.getByText('The key is kept until you quit')).toBeTruthy()
    keyState.mockResolvedValue({ keyring: 'ready', providers: {} } as never)
    await fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
    await waitFor(() => expect(screen.queryByText('Your keyring is locked.')).toBeNull())
  })

  test('a key that could not be kept stays in its field', async () => {
    const setKey = vi.fn().mockRejectedValue({ code: 'X', message: 'The keyring said no.' })
    await page('Models', { setKey })
    const field = screen.getByLabelText('Key for openai') as HTMLInputElement
    await fireEvent.input(field, { target: { value: 'sk-1' } })
    await fireEvent.input(screen.getByLabelText('Model to try at openai'), { target: { value: 'gpt-x' } })
    await fireEvent.click(within(screen.getByRole('group', { name: 'openai' })).getByRole('button', { name: 'Save and check' }))
    expect(await screen.findByText('The keyring said no.')).toBeTruthy()
    expect(field.value).toBe('sk-1')
  })

  test('one that is kept is said to be, and can be replaced or forgotten', async () => {
    const { backend } = await page('Models')
    const setKey = vi.spyOn(backend, 'setKey')
    const openai = within(screen.getByRole('group', { name: 'openai' }))
    await fireEvent.input(openai.getByLabelText('Key for openai'), { target: { value: 'sk-1' } })
    await fireEvent.input(openai.getByLabelText('Model to try at openai'), { target: { value: 'gpt-x' } })
    await fireEvent.click(openai.getByRole('button', { name: 'Save and check' }))
    expect(await openai.findByText('The key is kept in the keyring')).toBeTruthy()
    expect(await openai.findByText('It answered in 0.4 s.')).toBeTruthy()
    expect(openai.queryByLabelText('Key for openai')).toBeNull()
    await fireEvent.click(openai.getByRole('button', { name: 'Replace: Key for openai' }))
    await fireEvent.input(openai.getByLabelText('Key for openai'), { target: { value: 'sk-2' } })
    await fireEvent.click(openai.getByRole('button', { name: 'Save and check' }))
    await waitFor(() => expect(setKey).toHaveBeenLastCalledWith('openai', 'sk-2'))
    await fireEvent.click(await openai.findByRole('button', { name: 'Forget: Key for openai' }))
    expect(setKey).toHaveBeenLastCalledWith('openai', '')
    expect(await openai.findByLabelText('Key for openai')).toBeTruthy()
  })

  test('one that could not be tried is kept without a mark, until a check has passed', async () => {
    const testModel = vi.fn(async () => ({ ok: false, message: 'The host of https://api.openai.com can’t be found.' }))
    await page('Models', { testModel })
    const group = screen.getByRole('group', { name: 'openai' })
    const openai = within(group)
    await fireEvent.input(openai.getByLabelText('Key for openai'), { target: { value: 'sk-1' } })
    await fireEvent.input(openai.getByLabelText('Model to try at openai'), { target: { value: 'gpt-x' } })
    await fireEvent.click(openai.getByRole('button', { name: 'Save and check' }))
    expect(await openai.findByText('The key is kept in the keyring, but no check has passed yet')).toBeTruthy()
    expect(group.querySelector('.words svg')).toBeNull()
    testModel.mockResolvedValue({ ok: true, message: 'It answers.' })
    await fireEvent.click(openai.getByRole('button', { name: 'Check again' }))
    expect(await openai.findByText('The key is kept in the keyring')).toBeTruthy()
    expect(group.querySelector('.words svg')).toBeTruthy()
  })

  test('a check names the model it asks, and asks for one where none is known', async () => {
    const { backend } = await page('Models')
    const testModel = vi.spyOn(backend, 'testModel')
    expect(within(screen.getByRole('group', { name: 'anthropic' })).getByText('A check asks claude-sonnet')).toBeTruthy()
    const openai = within(screen.getByRole('group', { name: 'openai' }))
    await fireEvent.click(openai.getByRole('button', { name: 'Check' }))
    expect(openai.getByText('Say which model of openai to try.')).toBeTruthy()
    expect(document.activeElement).toBe(openai.getByLabelText('Model to try at openai'))
    // A key alone is kept, and said to be unchecked.
    await fireEvent.input(openai.getByLabelText('Key for openai'), { target: { value: 'sk-1' } })
    await fireEvent.click(openai.getByRole('button', { name: 'Save' }))
    expect(await openai.findByText(/It is not checked yet/)).toBeTruthy()
    expect(openai.getByText('The key is kept in the keyring, but no check has passed yet')).toBeTruthy()
    expect(testModel).not.toHaveBeenCalled()
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

test('Escape leaves a field first, then the screen', async () => {
  const { onclose } = await page('Limits')
  screen.getByLabelText('Most steps in a plan').focus()
  await fireEvent.keyDown(document.activeElement!, { key: 'Escape' })
  expect(onclose).not.toHaveBeenCalled()
  await fireEvent.keyDown(document.body, { key: 'Escape' })
  expect(onclose).toHaveBeenCalledOnce()
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
  const caps = Object.keys(settings.value('caps') as Record<string, Json>).map((name) => `caps.${name}`)
  expect(caps.filter((path) => !paths.includes(path))).toEqual([])
  expect(new Set(paths).size).toBe(paths.length)
  expect(matching(LIMITS, 'stalled')).toMatchObject([{ title: 'Sidekicks', fields: [{ path: 'caps.stalled_seconds' }] }])
})

describe('what the token of the API may do', () => {
  const name = /May approve plans/

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

describe('agents that are programs', () => {
  const choose = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })
  const fill = (label: string, value: string) => fireEvent.input(screen.getByLabelText(label), { target: { value } })
  const add = () => fireEvent.click(within(screen.getByLabelText('Name of the provider').closest('form')!).getByRole('button', { name: 'Add' }))

  test.each([
    ['codex', '', { type: 'codex' }],
    ['gemini_cli', '/opt/gemini --acp', { type: 'gemini_cli', command: ['/opt/gemini', '--acp'] }],
    ['acp', 'my-agent --acp', { type: 'acp', command: ['my-agent', '--acp'] }],
  ])('%s %s is added', async (type, command, provider) => {
    const { saveSetting } = await page('Models')
    await choose('Speaks like', type)
    await fill('Name of the provider', 'mine')
    await fill('Program with its arguments', command)
    await add()
    expect(saveSetting).toHaveBeenLastCalledWith('providers.mine', provider)
  })

  test('one that has no usual program needs a command', async () => {
    const { saveSetting } = await page('Models')
    await choose('Speaks like', 'acp')
    await fill('Name of the provider', 'mine')
    await add()
    expect(saveSetting).not.toHaveBeenCalled()
  })

  test('says what lacks, needs no key, and has hosts, folders and variables of its own', async () => {
    const { saveSetting } = await page('Models')
    const program = within(screen.getByRole('group', { name: 'claude_code' }))
    expect(program.getByText(/^claude_code is not installed: there is no program claude-code-acp/)).toBeTruthy()
    expect(program.getByText('A program: agents use it as claude_code/default')).toBeTruthy()
    expect(program.queryByLabelText('Key for claude_code')).toBeNull()
    await fireEvent.click(program.getByRole('button', { name: 'Edit claude_code' }))
    expect(program.queryByLabelText('Address')).toBeNull()
    await change('Program', '/opt/claude\n--acp')
    expect(saveSetting).toHaveBeenLastCalledWith('providers.claude_code.command', ['/opt/claude', '--acp'])
    await change('Hosts it may reach', 'api.anthropic.com\nclaude.ai')
    expect(saveSetting).toHaveBeenLastCalledWith('providers.claude_code.hosts', ['api.anthropic.com', 'claude.ai'])
    await change('Folders it may read', '~/.claude')
    expect(saveSetting).toHaveBeenLastCalledWith('providers.claude_code.read', ['~/.claude'])
    // A value can be set, and is not shown.
    expect(program.getByText('ANTHROPIC_API_KEY')).toBeTruthy()
    const value = program.getByLabelText('Environment: value') as HTMLInputElement
    expect(value.type).toBe('password')
    await fireEvent.input(program.getByLabelText('Environment: name'), { target: { value: 'TOKEN' } })
    await fireEvent.input(value, { target: { value: 'x' } })
    await fireEvent.click(program.getByRole('button', { name: 'Add' }))
    expect(saveSetting).toHaveBeenLastCalledWith('providers.claude_code.env.TOKEN', 'x')
  })
})

describe('the protocol of a provider', () => {
  test('can be chosen where there is a choice, and left as usual', async () => {
    const { saveSetting } = await page('Models')
    await fireEvent.click(screen.getByRole('button', { name: 'Edit openai' }))
    await change('Protocol', 'chat')
    expect(saveSetting).toHaveBeenLastCalledWith('providers.openai.api', 'chat')
    await change('Protocol', '')
    expect(saveSetting).toHaveBeenLastCalledWith('providers.openai.api', null)
    // What it speaks is one of those offered.
    const speaks = within(screen.getByRole('group', { name: 'openai' })).getByLabelText('Speaks like') as HTMLSelectElement
    expect(speaks.selectedOptions[0]?.textContent).toBe('OpenAI')
  })

  test('is no question elsewhere', async () => {
    await page('Models')
    await fireEvent.click(screen.getByRole('button', { name: 'Edit anthropic' }))
    expect(screen.queryByLabelText('Protocol')).toBeNull()
    const speaks = within(screen.getByRole('group', { name: 'anthropic' })).getByLabelText('Speaks like') as HTMLSelectElement
    expect(speaks.selectedOptions[0]?.textContent).toBe('Anthropic')
  })
})

describe('short names of models', () => {
  const short = (name: string) => within(screen.getByRole('group', { name }))

  test('say what they stand for and what is known of it', async () => {
    await page('Models')
    expect(short('home').getByText('ollama/llama3.3:70b')).toBeTruthy()
    expect(short('home').getByText('window of 32000 tokens; takes no pictures; $0.10 read, $0.40 written')).toBeTruthy()
    expect(screen.queryByText(/object Object/)).toBeNull()
  })

  test('are added, and get facts as one entry', async () => {
    const { saveSetting } = await page('Models')
    await fireEvent.input(screen.getByLabelText('Name of the short name'), { target: { value: 'tiny' } })
    await fireEvent.input(screen.getByLabelText('Model it stands for'), { target: { value: 'ollama/phi' } })
    await fireEvent.click(within(screen.getByLabelText('Name of the short name').closest('form')!).getByRole('button', { name: 'Add' }))
    expect(saveSetting).toHaveBeenLastCalledWith('models.tiny', 'ollama/phi')
    await fireEvent.click(await screen.findByRole('button', { name: 'Edit tiny' }))
    const fill = (label: string, value: string) => fireEvent.input(short('tiny').getByLabelText(label), { target: { value } })
    await fill('Window, in tokens', '32000')
    await fireEvent.change(short('tiny').getByLabelText('Takes pictures'), { target: { value: 'false' } })
    await fill('Read', '0.1')
    await fill('Written', 'cheap')
    await fireEvent.click(short('tiny').getByRole('button', { name: 'Save' }))
    // What is no number goes as it was typed, to be refused in the words of the file.
    expect(saveSetting).toHaveBeenLastCalledWith('models.tiny', { model: 'ollama/phi', context_window: 32_000, vision: false, prices: { input: 0.1, output: 'cheap' } })
  })

  test('that are refused say why, and keep what was typed', async () => {
    const saveSetting = vi.fn().mockRejectedValue({ code: 'BAD', message: 'models.small.prices needs both input and output' })
    await page('Models', { saveSetting })
    await fireEvent.click(screen.getByRole('button', { name: 'Edit small' }))
    const read = short('small').getByLabelText('Read') as HTMLInputElement
    await fireEvent.input(read, { target: { value: '0.1' } })
    await fireEvent.click(short('small').getByRole('button', { name: 'Save' }))
    expect(await short('small').findByText(/needs both input and output/)).toBeTruthy()
    expect(read.value).toBe('0.1')
    await fireEvent.click(short('small').getByRole('button', { name: 'Leave it' }))
    await waitFor(() => expect(document.activeElement).toBe(short('small').getByRole('button', { name: 'Edit small' })))
  })

  test('without facts are a name alone', async () => {
    const { saveSetting } = await page('Models')
    await fireEvent.click(screen.getByRole('button', { name: 'Edit home' }))
    for (const label of ['Window, in tokens', 'Read', 'Written', 'From a cache', 'Into a cache']) await fireEvent.input(short('home').getByLabelText(label), { target: { value: '' } })
    await fireEvent.change(short('home').getByLabelText('Takes pictures'), { target: { value: '' } })
    await fireEvent.click(short('home').getByRole('button', { name: 'Save' }))
    expect(saveSetting).toHaveBeenLastCalledWith('models.home', 'ollama/llama3.3:70b')
  })
})

describe('an MCP server', () => {
  test('has folders it may read, one process for all rooms, and what its tools do', async () => {
    const { saveSetting } = await page('MCP servers')
    await change('Folders it may read', '/opt/files')
    expect(saveSetting).toHaveBeenLastCalledWith('mcp_servers.files.read', ['/opt/files'])
    await fireEvent.click(screen.getByLabelText('One process for all rooms'))
    expect(saveSetting).toHaveBeenLastCalledWith('mcp_servers.files.share', true)
    const effects = within(screen.getAllByRole('group', { name: 'What its tools do' })[0]!)
    expect(effects.getByText('stat').parentElement?.textContent).toContain('Changes files here')
    await fireEvent.input(effects.getByLabelText('What its tools do: name'), { target: { value: 'read_text' } })
    await fireEvent.change(effects.getByLabelText('What its tools do: value'), { target: { value: 'read' } })
    await fireEvent.click(effects.getByRole('button', { name: 'Add' }))
    expect(saveSetting).toHaveBeenLastCalledWith('mcp_servers.files.effects.read_text', 'read')
  })
})

test('councils say that they have no effect yet', async () => {
  await page('Goals and councils')
  expect(screen.getByText(/There are no councils in this version yet: what is set here is kept, and has no effect\./)).toBeTruthy()
})
