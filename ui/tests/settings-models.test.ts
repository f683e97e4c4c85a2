// Providers in the settings: keys, checks, protocols, programs, and short names of models.

import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, test, vi } from 'vitest'
import type { Tested } from '../src/lib/wire'
import { change, page } from './settings'

describe('keys', () => {
  test('a locked keyring is said, with a way to try again and the other way', async () => {
    const locked = async () => ({ keyring: 'locked' as const, providers: { openai: 'session' as const } })
    const openKeyring = vi.fn(locked)
    await page('Models', { keyState: locked, openKeyring }, 'locked')
    // Nobody is asked to unlock it before they want to.
    expect(openKeyring).not.toHaveBeenCalled()
    expect(screen.getByText('Your keyring is locked.')).toBeTruthy()
    expect(screen.getByText('key_env')).toBeTruthy()
    expect(screen.getByText('Key kept until you quit')).toBeTruthy()
    openKeyring.mockResolvedValue({ keyring: 'ready', providers: {} } as never)
    await fireEvent.click(screen.getByRole('button', { name: 'Unlock' }))
    await waitFor(() => expect(screen.queryByText('Your keyring is locked.')).toBeNull())
  })

  test('a key that could not be kept stays in its field', async () => {
    const setKey = vi.fn().mockRejectedValue({ code: 'X', message: 'The keyring said no.' })
    await page('Models', { setKey })
    const field = screen.getByLabelText('Key for OpenAI') as HTMLInputElement
    await fireEvent.input(field, { target: { value: 'sk-1' } })
    await fireEvent.input(screen.getByLabelText('Model to test at OpenAI'), { target: { value: 'gpt-x' } })
    await fireEvent.click(within(screen.getByRole('group', { name: 'OpenAI' })).getByRole('button', { name: 'Test and save' }))
    expect(await screen.findByText('The keyring said no.')).toBeTruthy()
    expect(field.value).toBe('sk-1')
  })

  test('one that is kept is said to be, and can be replaced or forgotten', async () => {
    const { backend } = await page('Models')
    const setKey = vi.spyOn(backend, 'setKey')
    const openai = within(screen.getByRole('group', { name: 'OpenAI' }))
    await fireEvent.input(openai.getByLabelText('Key for OpenAI'), { target: { value: 'sk-1' } })
    await fireEvent.input(openai.getByLabelText('Model to test at OpenAI'), { target: { value: 'gpt-x' } })
    await fireEvent.click(openai.getByRole('button', { name: 'Test and save' }))
    expect(await openai.findByText('Key stored in the keyring')).toBeTruthy()
    expect(await openai.findByText('openai/gpt-x answers.')).toBeTruthy()
    expect(openai.queryByLabelText('Key for OpenAI')).toBeNull()
    await fireEvent.click(openai.getByRole('button', { name: 'Replace: Key for OpenAI' }))
    await fireEvent.input(openai.getByLabelText('Key for OpenAI'), { target: { value: 'sk-2' } })
    await fireEvent.click(openai.getByRole('button', { name: 'Test and save' }))
    await waitFor(() => expect(setKey).toHaveBeenLastCalledWith('openai', 'sk-2'))
    await fireEvent.click(await openai.findByRole('button', { name: 'Forget: Key for OpenAI' }))
    expect(setKey).toHaveBeenLastCalledWith('openai', '')
    expect(await openai.findByLabelText('Key for OpenAI')).toBeTruthy()
  })

  test('one that is refused leaves the old one where it is, and is kept only on demand', async () => {
    const refused: Tested = { model: 'openai/gpt-x', ok: false, code: 'MODEL_INVALID_KEY', message: 'openai does not accept this key. The key was not kept: the one you had stays.' }
    const { backend, settings } = await page('Models', { testModel: async () => refused })
    const setKey = vi.spyOn(backend, 'setKey')
    await settings.setKey('openai', 'sk-1')
    setKey.mockClear()
    const openai = within(screen.getByRole('group', { name: 'OpenAI' }))
    const give = async (key: string) => {
      await fireEvent.click(await openai.findByRole('button', { name: 'Replace: Key for OpenAI' }))
      await fireEvent.input(openai.getByLabelText('Key for OpenAI'), { target: { value: key } })
      await fireEvent.input(openai.getByLabelText('Model to test at OpenAI'), { target: { value: 'gpt-x' } })
      await fireEvent.click(openai.getByRole('button', { name: 'Test and save' }))
      expect(await openai.findByText(/^openai does not accept this key/)).toBeTruthy()
    }
    await give('sk-2')
    expect(setKey).not.toHaveBeenCalled()
    // The old one was not what was refused.
    await fireEvent.click(openai.getByRole('button', { name: 'Keep the old key' }))
    expect(openai.getByText('Key stored in the keyring')).toBeTruthy()
    expect(openai.queryByRole('button', { name: 'Save anyway' })).toBeNull()
    await give('sk-3')
    await fireEvent.click(openai.getByRole('button', { name: 'Save anyway' }))
    expect(await openai.findByText('Key stored in the keyring, rejected by the provider')).toBeTruthy()
    expect(setKey).toHaveBeenCalledExactlyOnceWith('openai', 'sk-3')
    expect(openai.queryByLabelText('Key for OpenAI')).toBeNull()
  })

  test('one that could not be tried is kept without a mark, until a check has passed', async () => {
    const asked = { model: 'openai/gpt-x' }
    const unreachable: Tested = { ...asked, ok: false, code: 'MODEL_UNREACHABLE', message: 'The host of https://api.openai.com can’t be found.' }
    const testModel = vi.fn(async () => unreachable)
    await page('Models', { testModel })
    const group = screen.getByRole('group', { name: 'OpenAI' })
    const openai = within(group)
    await fireEvent.input(openai.getByLabelText('Key for OpenAI'), { target: { value: 'sk-1' } })
    await fireEvent.input(openai.getByLabelText('Model to test at OpenAI'), { target: { value: 'gpt-x' } })
    await fireEvent.click(openai.getByRole('button', { name: 'Test and save' }))
    expect(await openai.findByText('Key stored in the keyring, couldn’t be tested')).toBeTruthy()
    expect(group.querySelector('.words svg')).toBeNull()
    testModel.mockResolvedValue({ ...asked, ok: false, code: 'MODEL_INVALID_KEY', message: 'Not accepted.' })
    await fireEvent.click(openai.getByRole('button', { name: 'Test again' }))
    expect(await openai.findByText('Key stored in the keyring, rejected by the provider')).toBeTruthy()
    expect(group.querySelector('.words svg')).toBeNull()
    testModel.mockResolvedValue({ ...asked, ok: true, message: 'It answers.' })
    await fireEvent.click(openai.getByRole('button', { name: 'Test again' }))
    expect(await openai.findByText('Key stored in the keyring')).toBeTruthy()
    expect(group.querySelector('.words svg')).toBeTruthy()
  })

  test('a check names the model it asks, and asks for one where none is known', async () => {
    const { backend } = await page('Models')
    const testModel = vi.spyOn(backend, 'testModel')
    expect(within(screen.getByRole('group', { name: 'Anthropic' })).getByText('Test uses claude-sonnet')).toBeTruthy()
    const openai = within(screen.getByRole('group', { name: 'OpenAI' }))
    await fireEvent.click(openai.getByRole('button', { name: 'Test' }))
    expect(openai.getByText('Enter a model of OpenAI to test.')).toBeTruthy()
    expect(document.activeElement).toBe(openai.getByLabelText('Model to test at OpenAI'))
    // A key alone is kept, and said to be unchecked.
    await fireEvent.input(openai.getByLabelText('Key for OpenAI'), { target: { value: 'sk-1' } })
    await fireEvent.click(openai.getByRole('button', { name: 'Save' }))
    expect(await openai.findByText(/Key stored, not tested/)).toBeTruthy()
    expect(openai.getByText('Key stored in the keyring, not tested yet')).toBeTruthy()
    expect(testModel).not.toHaveBeenCalled()
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
    await choose('Protocol family', type)
    await fill('Name of the provider', 'mine')
    await fill('Program with arguments', command)
    await add()
    expect(saveSetting).toHaveBeenLastCalledWith('providers.mine', provider)
  })

  test('one that has no usual program needs a command', async () => {
    const { saveSetting } = await page('Models')
    await choose('Protocol family', 'acp')
    await fill('Name of the provider', 'mine')
    await add()
    expect(saveSetting).not.toHaveBeenCalled()
  })

  test('says what lacks, needs no key, and has hosts, folders and variables of its own', async () => {
    const { saveSetting } = await page('Models')
    const program = within(screen.getByRole('group', { name: 'Claude Code' }))
    expect(program.getByText(/^claude_code is not installed: there is no program claude-code-acp/)).toBeTruthy()
    expect(program.getByText('External agent, used as claude_code/default')).toBeTruthy()
    expect(program.queryByLabelText('Key for claude_code')).toBeNull()
    await fireEvent.click(program.getByRole('button', { name: 'Edit Claude Code' }))
    expect(program.queryByLabelText('Address')).toBeNull()
    await change('Program', '/opt/claude\n--acp')
    expect(saveSetting).toHaveBeenLastCalledWith('providers.claude_code.command', ['/opt/claude', '--acp'])
    await change('Hosts the program can reach', 'api.anthropic.com\nclaude.ai')
    expect(saveSetting).toHaveBeenLastCalledWith('providers.claude_code.hosts', ['api.anthropic.com', 'claude.ai'])
    await change('Folders the program can read', '~/.claude')
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
    await fireEvent.click(screen.getByRole('button', { name: 'Edit OpenAI' }))
    await change('Protocol', 'chat')
    expect(saveSetting).toHaveBeenLastCalledWith('providers.openai.api', 'chat')
    await change('Protocol', '')
    expect(saveSetting).toHaveBeenLastCalledWith('providers.openai.api', null)
    // What it speaks is one of those offered.
    const speaks = within(screen.getByRole('group', { name: 'OpenAI' })).getByLabelText('Protocol family') as HTMLSelectElement
    expect(speaks.selectedOptions[0]?.textContent).toBe('OpenAI')
  })

  test('is no question elsewhere', async () => {
    await page('Models')
    await fireEvent.click(screen.getByRole('button', { name: 'Edit Anthropic' }))
    expect(screen.queryByLabelText('Protocol')).toBeNull()
    const speaks = within(screen.getByRole('group', { name: 'Anthropic' })).getByLabelText('Protocol family') as HTMLSelectElement
    expect(speaks.selectedOptions[0]?.textContent).toBe('Anthropic')
  })
})

describe('short names of models', () => {
  const short = (name: string) => within(screen.getByRole('group', { name }))

  test('say what they stand for and what is known of it', async () => {
    await page('Models')
    expect(short('home').getByText('ollama/llama3.3:70b')).toBeTruthy()
    expect(short('home').getByText('32000 token context, no image input, $0.10 in, $0.40 out')).toBeTruthy()
    expect(screen.queryByText(/object Object/)).toBeNull()
  })

  test('are added, and get facts as one entry', async () => {
    const { saveSetting } = await page('Models')
    await fireEvent.input(screen.getByLabelText('Name of the alias'), { target: { value: 'tiny' } })
    await fireEvent.input(screen.getByLabelText('Model'), { target: { value: 'ollama/phi' } })
    await fireEvent.click(within(screen.getByLabelText('Name of the alias').closest('form')!).getByRole('button', { name: 'Add' }))
    expect(saveSetting).toHaveBeenLastCalledWith('models.tiny', 'ollama/phi')
    await fireEvent.click(await screen.findByRole('button', { name: 'Edit tiny' }))
    const fill = (label: string, value: string) => fireEvent.input(short('tiny').getByLabelText(label), { target: { value } })
    await fill('Context window (tokens)', '32000')
    await fireEvent.change(short('tiny').getByLabelText('Image input'), { target: { value: 'false' } })
    await fill('Input', '0.1')
    await fill('Output', 'cheap')
    await fireEvent.click(short('tiny').getByRole('button', { name: 'Save' }))
    // What is no number goes as it was typed, to be refused in the words of the file.
    expect(saveSetting).toHaveBeenLastCalledWith('models.tiny', { model: 'ollama/phi', context_window: 32_000, vision: false, prices: { input: 0.1, output: 'cheap' } })
  })

  test('say what the model can do, and keep that when something else is changed', async () => {
    const { saveSetting, settings } = await page('Models')
    await settings.save('models.tiny', { model: 'ollama/phi', tools: 'text', simple: true, thinks: false })
    expect(await short('tiny').findByText('tool calls as text, simple schemas')).toBeTruthy()
    await fireEvent.click(short('tiny').getByRole('button', { name: 'Edit tiny' }))
    await fireEvent.change(short('tiny').getByLabelText('Parallel tool calls'), { target: { value: 'false' } })
    await fireEvent.change(short('tiny').getByLabelText('Simple schemas'), { target: { value: '' } })
    await fireEvent.click(short('tiny').getByRole('button', { name: 'Save' }))
    expect(saveSetting).toHaveBeenLastCalledWith('models.tiny', { model: 'ollama/phi', tools: 'text', parallel: false, thinks: false })
  })

  test('that are refused say why, and keep what was typed', async () => {
    const saveSetting = vi.fn().mockRejectedValue({ code: 'BAD', message: 'models.small.prices needs both input and output' })
    await page('Models', { saveSetting })
    await fireEvent.click(screen.getByRole('button', { name: 'Edit small' }))
    const read = short('small').getByLabelText('Input') as HTMLInputElement
    await fireEvent.input(read, { target: { value: '0.1' } })
    await fireEvent.click(short('small').getByRole('button', { name: 'Save' }))
    expect(await short('small').findByText(/needs both input and output/)).toBeTruthy()
    expect(read.value).toBe('0.1')
    await fireEvent.click(short('small').getByRole('button', { name: 'Cancel' }))
    await waitFor(() => expect(document.activeElement).toBe(short('small').getByRole('button', { name: 'Edit small' })))
  })

  test('without facts are a name alone', async () => {
    const { saveSetting } = await page('Models')
    await fireEvent.click(screen.getByRole('button', { name: 'Edit home' }))
    for (const label of ['Context window (tokens)', 'Input', 'Output', 'Cache read', 'Cache write']) await fireEvent.input(short('home').getByLabelText(label), { target: { value: '' } })
    await fireEvent.change(short('home').getByLabelText('Image input'), { target: { value: '' } })
    await fireEvent.click(short('home').getByRole('button', { name: 'Save' }))
    expect(saveSetting).toHaveBeenLastCalledWith('models.home', 'ollama/llama3.3:70b')
  })
})
