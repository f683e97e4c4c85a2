// MCP servers in the settings: added, set up, and how they stand.

import { fireEvent, screen, within } from '@testing-library/svelte'
import { describe, expect, test, vi } from 'vitest'
import type { McpServerView } from '../src/lib/wire'
import { change, page } from './settings'

describe('servers', () => {
  test('a program with arguments or an address', async () => {
    const { saveSetting } = await page('MCP servers')
    const add = async (name: string, start: string) => {
      await fireEvent.input(screen.getByLabelText('Name of the server'), { target: { value: name } })
      await fireEvent.input(screen.getByLabelText(/Program with arguments/), { target: { value: start } })
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
    expect(screen.getByText('Can’t start')).toBeTruthy()
    expect(screen.getByText(/connection refused\./)).toBeTruthy()
    expect(screen.getByText('1 tool changed')).toBeTruthy()
    await fireEvent.click(screen.getByText('3 tools'))
    const said = (tool: string) => screen.getByText(tool).closest('li')!.textContent
    expect(said('files.read_text')).toMatch(/Read-only.*The server says so, and you trust it\. Allowed\./s)
    expect(said('files.write_text')).toMatch(/Can change anything.*Changed.*Not the version you allowed\. Asks first\./s)
    expect(said('files.stat')).toMatch(/Edits files in the workspace.*Set in your configuration/s)
  })

  test('what one wrote is read when it is asked for', async () => {
    const mcpSaid = vi.fn(async () => 'listening on stdio\n')
    await page('MCP servers', { mcpSaid })
    const [files] = await screen.findAllByText('Error output')
    expect(mcpSaid).not.toHaveBeenCalled()
    const details = files!.closest('details')!
    details.open = true
    await fireEvent(details, new Event('toggle'))
    expect((await screen.findByRole('region', { name: 'Error output of files' })).textContent).toBe('listening on stdio')
    expect(mcpSaid).toHaveBeenCalledExactlyOnceWith('files')
  })

  test('what was installed for a server is named, with its lockfile', async () => {
    await page('MCP servers')
    const line = (await screen.findByText(/^Installed files-server 2\.1\.0/)).textContent!.replace(/\s+/g, ' ')
    expect(line).toContain('14 packages in total. Lockfile /home/you/')
    expect(line).toContain('hash 9f86d081884c7d65…')
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
    expect(await screen.findByText(/Plancard continues by itself/)).toBeTruthy()
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

describe('an MCP server', () => {
  test('has folders it may read, one process for all rooms, and what its tools do', async () => {
    const { saveSetting } = await page('MCP servers')
    await change('Folders the server can read', '/opt/files')
    expect(saveSetting).toHaveBeenLastCalledWith('mcp_servers.files.read', ['/opt/files'])
    await fireEvent.click(screen.getByLabelText('One process for all rooms'))
    expect(saveSetting).toHaveBeenLastCalledWith('mcp_servers.files.share', true)
    const effects = within(screen.getAllByRole('group', { name: 'Tool effects' })[0]!)
    expect(effects.getByText('stat').parentElement?.textContent).toContain('Edits files in the workspace')
    await fireEvent.input(effects.getByLabelText('Tool effects: name'), { target: { value: 'read_text' } })
    await fireEvent.change(effects.getByLabelText('Tool effects: value'), { target: { value: 'read' } })
    await fireEvent.click(effects.getByRole('button', { name: 'Add' }))
    expect(saveSetting).toHaveBeenLastCalledWith('mcp_servers.files.effects.read_text', 'read')
  })
})
