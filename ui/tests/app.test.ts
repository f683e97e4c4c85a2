import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import axe from 'axe-core'
import { describe, expect, test, vi } from 'vitest'
import { fakeBackend } from '../dev/fake'
import type { State } from '../dev/fixtures'
import appSource from '../src/App.svelte?raw'
import noticesSource from '../src/kit/Notices.svelte?raw'
import type { Backend, Link } from '../src/lib/backend'
import footSource from '../src/rooms/RoomFoot.svelte?raw'
import { composer, open } from './room'

/** Links that waited for the window. */
const brings = (...links: Link[]): Partial<Backend> => ({
  onLink: async (callback) => {
    links.forEach(callback)
    return () => undefined
  },
})

async function send(text: string): Promise<HTMLTextAreaElement> {
  const box = await composer()
  await fireEvent.input(box, { target: { value: text } })
  await fireEvent.keyDown(box, { key: 'Enter' })
  return box
}

describe('the window', () => {
  test('opens on the room with its plan, and says that it is ready', async () => {
    const uiReady = vi.fn(async () => undefined)
    open('running', { uiReady })
    expect(await screen.findByRole('heading', { name: /Audit the auth module/ })).toBeTruthy()
    await waitFor(() => expect(uiReady).toHaveBeenCalledOnce())
  })

  test('is as high as its window: what is only read aloud stands in it', async () => {
    const { container } = open('running')
    const window = await waitFor(() => container.querySelector('.window') ?? Promise.reject(new Error('not there yet')))
    for (const unseen of container.querySelectorAll(':scope > .sr, :scope > div > .sr:not(.window .sr)')) {
      expect(unseen.compareDocumentPosition(window) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy()
    }
    expect(container.querySelector(':scope > .sr')).toBeTruthy()
  })

  test('a message is sent, and comes back when it was refused', async () => {
    const say = vi.fn().mockRejectedValue({ code: 'X', message: 'The app is stopping.' })
    open('running', { say })
    const box = await send('go on')
    expect(say).toHaveBeenCalledExactlyOnceWith('room', 'go on')
    await waitFor(() => expect(box.value).toBe('go on'))
    expect(screen.getByText('The app is stopping.')).toBeTruthy()
  })

  test('a command is done, not sent', async () => {
    const say = vi.fn()
    const pause = vi.fn(async () => undefined)
    open('running', { say, pause })
    await send('/pause')
    expect(pause).toHaveBeenCalledExactlyOnceWith('room')
    await send('/council ship it')
    expect(((await screen.findByLabelText('Task')) as HTMLTextAreaElement).value).toBe('ship it')
    expect(say).not.toHaveBeenCalled()
  })

  test('approving sends the revision and hash that are painted', async () => {
    const approve = vi.fn(async () => undefined)
    open('approval', { approve })
    const button = await screen.findByRole('button', { name: 'Approve' })
    await waitFor(() => expect(button.getAttribute('aria-disabled')).toBe('false'), { timeout: 2000 })
    await fireEvent.click(button)
    expect(approve).toHaveBeenCalledExactlyOnceWith('room', 1, 'hash1', null, false)
  })

  test('sending never moves the focus to the card', async () => {
    open('approval')
    const box = await composer()
    box.focus()
    await send('use another file')
    expect(document.activeElement).toBe(box)
  })

  test('the inbox holds what waits anywhere', async () => {
    const answer = vi.fn(async () => undefined)
    open('running', { answer })
    await fireEvent.click(await screen.findByRole('button', { name: /Inbox, 1 waiting/ }))
    const box = within(await screen.findByRole('dialog'))
    const allow = box.getByRole('button', { name: 'Allow once' })
    await waitFor(() => expect(allow.getAttribute('aria-disabled')).toBe('false'), { timeout: 2000 })
    await fireEvent.click(allow)
    expect(answer).toHaveBeenCalledExactlyOnceWith('p', 'allow', undefined)
  })

  test('the inbox lists a plan that stopped by itself, and opens its card', async () => {
    const { container } = open('stuck')
    await fireEvent.click(await screen.findByRole('button', { name: 'Inbox, 2 waiting for you' }))
    const box = within(await screen.findByRole('dialog'))
    await fireEvent.click(box.getByRole('button', { name: /Auth audit Stuck on a step, 3 of 6 steps done\. today/ }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(container.querySelector('.rail [aria-current=page] .you')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Resume' })).toBeTruthy()
  })

  test('a link writes into the composer and sends nothing', async () => {
    const say = vi.fn()
    const { follow } = open('running', { say })
    const box = await composer()
    follow({ type: 'new', goal: '/cancel everything' })
    await waitFor(() => expect(box.value).toBe('/cancel everything'))
    expect(screen.getByText(/From a link\./)).toBeTruthy()
    expect(say).not.toHaveBeenCalled()
  })

  test('of several links that waited none is lost', async () => {
    open('running', brings({ type: 'new', goal: 'One' }, { type: 'unknown', message: 'There is no plan with this name.' }, { type: 'new', goal: 'Two' }))
    expect(await screen.findByText('There is no plan with this name.')).toBeTruthy()
    const box = await composer()
    await waitFor(() => expect(box.value).toBe('One\n\nTwo'))
  })

  test('a link that leads nowhere is said in words', async () => {
    open('running', brings({ type: 'unknown', message: 'There is no plan with this name.' }))
    expect(await screen.findByText('There is no plan with this name.')).toBeTruthy()
  })
})

describe('notices', () => {
  test('an error in the configuration is told with its file and line, and leads to the settings', async () => {
    const [problem] = (await fakeBackend('running').settings()).problems
    const settings: Backend['settings'] = async () => ({ ...(await fakeBackend('running').settings()), problems: [{ ...problem!, level: 'error', message: 'caps.steps has to be a number' }] })
    open('running', { settings })
    expect(await screen.findByText(/^The configuration has an error in ~\/\.config\/plancard\/plancard\.yaml, line 4: caps\.steps has to be a number\./)).toBeTruthy()
    await fireEvent.click(screen.getByText('Open settings'))
    expect(await screen.findByRole('tab', { name: 'Models' })).toBeTruthy()
    expect(screen.queryByText(/^The configuration has an error/)).toBeNull()
  })

  const link = brings({ type: 'unknown', message: 'This link leads nowhere.' })
  const notice = () => screen.findByText('This link leads nowhere.')

  test('are reached with F6 and closed with Escape, and the focus goes back', async () => {
    open('running', link)
    await notice()
    const box = await composer()
    box.focus()
    await fireEvent.keyDown(box, { key: 'F6' })
    expect(document.activeElement?.textContent).toContain('This link leads nowhere.')
    await fireEvent.keyDown(document.activeElement!, { key: 'Escape' })
    await waitFor(() => expect(screen.queryByText('This link leads nowhere.')).toBeNull())
    await waitFor(() => expect(document.activeElement).toBe(box))
  })

  test('can be closed in front of a dialog, which stays', async () => {
    open('running', link)
    await notice()
    await fireEvent.keyDown(await composer(), { key: 'n', ctrlKey: true })
    const dialog = await screen.findByRole('dialog', { name: 'New room' })
    // Outside of it nothing can be pressed.
    await waitFor(() => expect(within(dialog).getByText('This link leads nowhere.')).toBeTruthy())
    const dismiss = within(dialog).getByLabelText('Dismiss')
    dismiss.focus()
    expect(await fireEvent.keyDown(dismiss, { key: 'Escape' })).toBe(false)
    await waitFor(() => expect(screen.queryByText('This link leads nowhere.')).toBeNull())
    expect(screen.getByRole('dialog', { name: 'New room' })).toBeTruthy()
  })

  test('stand over the rail, left of where the card and the composer begin', () => {
    // There is no layout in this page, so the numbers are read where they are written.
    const number = (source: string, pattern: RegExp) => Number(pattern.exec(source)?.[1])
    const [left, width] = [number(noticesSource, /inset: auto auto \d+px (\d+)/), number(noticesSource, /[^-]width: (\d+)px/)]
    const rail = number(appSource, /grid-template-columns: (\d+)px/)
    const margin = number(footSource, /\.foot \{\s+margin: 0 (\d+)px/)
    expect(left + width).toBeLessThanOrEqual(rail + margin)
  })

  test('outlive the dialog they were in', async () => {
    open('running', link)
    await notice()
    await fireEvent.keyDown(await composer(), { key: 'n', ctrlKey: true })
    const dialog = await screen.findByRole('dialog', { name: 'New room' })
    await waitFor(() => expect(within(dialog).getByText('This link leads nowhere.')).toBeTruthy())
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(await notice()).toBeTruthy()
  })
})

test('in the inbox, Escape in the words of a no goes back to the question', async () => {
  open('running')
  await fireEvent.click(await screen.findByRole('button', { name: /Inbox, 1 waiting/ }))
  const box = within(await screen.findByRole('dialog'))
  await fireEvent.click(box.getByRole('button', { name: 'Refuse' }))
  // Prevented, or it would close the dialog.
  expect(await fireEvent.keyDown(box.getByLabelText('Tell the agent what to do instead'), { key: 'Escape' })).toBe(false)
  expect(box.getByRole('button', { name: 'Refuse' })).toBeTruthy()
})

test('leaving the settings goes back to what was being written', async () => {
  open('running')
  const box = await composer()
  box.focus()
  await fireEvent.keyDown(box, { key: ',', ctrlKey: true })
  await waitFor(() => expect(document.activeElement?.getAttribute('role')).toBe('tab'))
  await fireEvent.keyDown(document.activeElement!, { key: 'Escape' })
  await waitFor(async () => expect(document.activeElement).toBe(await composer()))
})

describe('the first start', () => {
  test('trying it is one click, and needs no key', async () => {
    const say = vi.fn(async () => undefined)
    const createRoom = vi.fn(fakeBackend('empty').createRoom)
    open('first-run', { say, createRoom })
    await fireEvent.click(await screen.findByRole('button', { name: 'Try it without a model' }))
    await waitFor(() => expect(say).toHaveBeenCalledOnce())
    expect(createRoom).toHaveBeenCalledExactlyOnceWith({ title: 'Rehearsal' })
  })

  test('each screen stands in the middle, and no choice moves what is above it', async () => {
    let high = 400
    const real = Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'offsetHeight')!
    Object.defineProperty(HTMLElement.prototype, 'offsetHeight', { configurable: true, get: () => high })
    const { container } = open('first-run')
    const stands = () => container.querySelector<HTMLElement>('.guide')?.style.getPropertyValue('--high')
    await waitFor(() => expect(stands()).toBe('400px'))
    high = 500
    await fireEvent.click(await screen.findByRole('button', { name: 'Continue' }))
    const other = await screen.findByLabelText(/OpenAI/)
    expect(stands()).toBe('500px')
    high = 600
    await fireEvent.click(other)
    await screen.findByLabelText('Address')
    expect(stands()).toBe('500px')
    Object.defineProperty(HTMLElement.prototype, 'offsetHeight', real)
  })

  describe('with a model that is named already', () => {
    const named = async (model: string, by_person: string[] = []): Promise<Partial<Backend>> => {
      const view = await fakeBackend('first-run').settings()
      return { settings: async () => ({ ...view, by_person, agent: { name: 'default', model } }) }
    }

    test('trying it says who answers, and is no rehearsal', async () => {
      const say = vi.fn(async () => undefined)
      const createRoom = vi.fn(fakeBackend('empty').createRoom)
      open('first-run', { say, createRoom, ...(await named('home/small', ['agents.default.model'])) })
      expect(await screen.findByText('plancard.yaml sets home/small, which answers')).toBeTruthy()
      expect(screen.queryByText(/without a model|no key/)).toBeNull()
      await fireEvent.click(screen.getByRole('button', { name: 'Try it in a sample folder' }))
      await waitFor(() => expect(say).toHaveBeenCalledOnce())
      expect(createRoom).toHaveBeenCalledExactlyOnceWith({ title: undefined })
    })

    test('that one is chosen, whatever runs on this computer, and the rehearsal can’t be', async () => {
      const { backend } = open('first-run', await named('home/small'))
      const spies = [vi.spyOn(backend, 'testModel'), vi.spyOn(backend, 'saveSetting')]
      expect(await screen.findByText('Settings use home/small, which answers')).toBeTruthy()
      await goOn()
      await screen.findByLabelText(/Ollama on this computer/)
      expect((screen.getByRole('radio', { checked: true }) as HTMLInputElement).labels?.[0]?.textContent).toContain('home/small')
      expect((screen.getByLabelText(/Rehearsal.*home\/small is set up/) as HTMLInputElement).disabled).toBe(true)
      await goOn()
      await screen.findByRole('heading', { name: 'Where should the agent work?' })
      expect(spies.map((spy) => spy.mock.calls.length)).toEqual([0, 0])
      expect(screen.queryByText(/the rehearsal works in/)).toBeNull()
    })

    test.each([
      ['home/small', /home\/small/],
      ['rehearsal/tour', /Rehearsal/],
    ])('nothing but %s can be chosen where your own file names it', async (model, name) => {
      open('first-run', await named(model, ['agents.default.model']))
      await goOn()
      await screen.findByLabelText(/Ollama on this computer.*Set in your plancard.yaml/)
      const free = screen.getAllByRole('radio').filter((one) => !(one as HTMLInputElement).disabled) as HTMLInputElement[]
      expect(free.map((one) => [one.checked, name.test(one.labels?.[0]?.textContent ?? '')])).toEqual([[true, true]])
    })
  })

  const goOn = async () => fireEvent.click(await screen.findByRole('button', { name: 'Continue' }))
  const fill = (label: string, value: string) => fireEvent.input(screen.getByLabelText(label), { target: { value } })
  const choose = async (name: RegExp, state: State = 'first-run', change: Partial<Backend> = {}) => {
    const { backend } = open(state, change)
    const spies = { setKey: vi.spyOn(backend, 'setKey'), testModel: vi.spyOn(backend, 'testModel'), saveSetting: vi.spyOn(backend, 'saveSetting') }
    await goOn()
    await fireEvent.click(await screen.findByLabelText(name))
    return spies
  }

  test('a refused key is not kept: it stops there, with the reason, and another is pasted in its place', async () => {
    const { setKey } = await choose(/Anthropic/)
    await fill('Key', 'wrong')
    await fill('Model', 'claude-sonnet')
    await goOn()
    expect(await screen.findByText('Anthropic says that this key is not valid.')).toBeTruthy()
    expect(setKey).not.toHaveBeenCalled()
    expect(screen.getByRole('heading', { name: 'Who should do the work?' })).toBeTruthy()
    expect(screen.queryByText(/The key is kept/)).toBeNull()
    const field = screen.getByLabelText('Key') as HTMLInputElement
    await waitFor(() => expect(document.activeElement).toBe(field))
    expect([field.selectionStart, field.selectionEnd]).toEqual([0, 'wrong'.length])
  })

  test('one that was kept and is refused now has the focus, and nothing is said of settings that are not there yet', async () => {
    const fake = fakeBackend('first-run')
    const keyState: Backend['keyState'] = async () => ({ ...(await fake.keyState()), providers: { anthropic: 'keyring' } })
    await choose(/Anthropic/, 'first-run', {
      keyState,
      testModel: async (provider, model) => ({ model: `${provider}/${model}`, ok: false, code: 'MODEL_INVALID_KEY', message: 'Anthropic does not accept the key, or needs one: check it in the settings.' }),
    })
    await fill('Model', 'claude-sonnet')
    await goOn()
    expect(await screen.findByText('Anthropic does not accept the key, or needs one.')).toBeTruthy()
    expect(screen.getByText('Key stored in the keyring, rejected by the provider')).toBeTruthy()
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Replace: Key' })))
  })

  test('going on twice asks once', async () => {
    let answer = (): void => undefined
    const testModel = vi.fn(async (provider: string, model: string) => {
      await new Promise<void>((done) => (answer = done))
      return { model: `${provider}/${model}`, ok: true, message: 'It answers.' }
    })
    await choose(/OpenAI/, 'first-run', { testModel })
    await fill('Key', 'sk-1')
    await fill('Model', 'gpt-x')
    const form = screen.getByLabelText('Key').closest('form')!
    await fireEvent.submit(form)
    await fireEvent.submit(form)
    answer()
    await screen.findByRole('heading', { name: 'Where should the agent work?' })
    expect(testModel).toHaveBeenCalledOnce()
  })

  test('a key that was kept for another address is not left out without a word', async () => {
    const fake = fakeBackend('first-run')
    let at = ''
    const kept = new Map<string, string>()
    const keyState: Backend['keyState'] = async () => ({ ...(await fake.keyState()), providers: { openai: kept.has(at) ? 'keyring' : 'none' } })
    const { testModel } = await choose(/OpenAI/, 'first-run', {
      keyState,
      setKey: async (_, key) => (kept.set(at, key), keyState()),
      saveSetting: async (path, value) => ((at = path.endsWith('base_url') ? String(value) : at), fake.saveSetting(path, value)),
      testModel: async (provider, model) => ({ model: `${provider}/${model}`, ok: at.includes('two'), message: 'Nobody answers there.' }),
    })
    await fill('Model', 'gpt-x')
    await fill('Address', 'http://one.example/v1')
    await fill('Key', 'sk-1')
    await goOn()
    expect(await screen.findByText('Nobody answers there.')).toBeTruthy()
    await fill('Address', 'http://two.example/v1')
    await goOn()
    expect(await screen.findByText('The key belongs to the other address. Paste it again for this one, or continue without a key.')).toBeTruthy()
    expect(document.activeElement).toBe(screen.getByLabelText('Key'))
    expect(testModel).toHaveBeenCalledTimes(1)
    // Whoever goes on means it.
    await goOn()
    await screen.findByRole('heading', { name: 'Where should the agent work?' })
    expect([testModel.mock.calls.length, [...kept.keys()]]).toEqual([2, ['http://one.example/v1']])
  })

  test('an address that is taken back is not used after all', async () => {
    const { saveSetting } = await choose(/OpenAI/, 'first-run', { testModel: async (provider, model) => ({ model: `${provider}/${model}`, ok: false, code: 'MODEL_UNREACHABLE', message: 'Nobody answers there.' }) })
    await fill('Address', 'http://one.example/v1')
    await fill('Model', 'gpt-x')
    await goOn()
    expect(await screen.findByText('Nobody answers there.')).toBeTruthy()
    expect(saveSetting).toHaveBeenLastCalledWith('providers.openai.base_url', 'http://one.example/v1')
    await fill('Address', '')
    await goOn()
    await waitFor(() => expect(saveSetting).toHaveBeenLastCalledWith('providers.openai.base_url', null))
  })

  test('where keys can’t be kept, that is what it says', async () => {
    await choose(/Anthropic/, 'first-run-locked', { testModel: async (provider, model) => ({ model: `${provider}/${model}`, ok: false, code: 'MODEL_UNREACHABLE', message: 'Nobody answers there.' }) })
    await fill('Key', 'sk-1')
    await fill('Model', 'claude-sonnet')
    await goOn()
    expect(await screen.findByText('Key kept until you quit, couldn’t be tested')).toBeTruthy()
  })

  test('a model has to be named where none is known, before anything is tried', async () => {
    const { setKey, testModel, saveSetting } = await choose(/OpenAI/)
    expect(screen.queryByPlaceholderText(/if you like/)).toBeNull()
    expect(screen.getByText(/^Required: the model name/)).toBeTruthy()
    await fill('Key', 'sk-1')
    await goOn()
    expect(await screen.findByText(/Enter a model/)).toBeTruthy()
    expect(document.activeElement).toBe(screen.getByLabelText('Model'))
    expect([setKey, testModel, saveSetting].map((spy) => spy.mock.calls.length)).toEqual([0, 0, 0])
    // What was typed is still there.
    expect((screen.getByLabelText('Key') as HTMLInputElement).value).toBe('sk-1')
    await fill('Model', 'gpt-x')
    await goOn()
    expect(await screen.findByRole('heading', { name: 'Where should the agent work?' })).toBeTruthy()
    expect(testModel).toHaveBeenCalledExactlyOnceWith('openai', 'gpt-x')
    expect(saveSetting).toHaveBeenLastCalledWith('agents.default.model', 'openai/gpt-x')
  })

  test('one that is known is named and used, unless the address is another', async () => {
    const fake = fakeBackend('first-run')
    const { testModel } = await choose(/OpenAI/, 'first-run', { settings: async () => ({ ...(await fake.settings()), models: ['openai/gpt-y'] }) })
    expect(screen.getByText('Default: gpt-y')).toBeTruthy()
    await fill('Address', 'http://127.0.0.1:8080/v1')
    expect(screen.getByText(/^Required: the model name/)).toBeTruthy()
    await fill('Address', '')
    await fill('Key', 'sk-1')
    await goOn()
    await screen.findByRole('heading', { name: 'Where should the agent work?' })
    expect(testModel).toHaveBeenCalledExactlyOnceWith('openai', 'gpt-y')
  })

  test('without a key nobody is called, and the key is asked for', async () => {
    const { setKey, testModel } = await choose(/Anthropic/)
    await goOn()
    expect(await screen.findByText('Paste a key and enter a model.')).toBeTruthy()
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Key')))
    await fill('Model', 'claude-sonnet')
    await goOn()
    expect(await screen.findByText('Key missing. Paste the one from your provider.')).toBeTruthy()
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Key')))
    expect([setKey.mock.calls.length, testModel.mock.calls.length]).toEqual([0, 0])
    // What went wrong stands with the buttons, which stay in view.
    expect(screen.getByRole('alert').closest('.foot')).toBe(screen.getByRole('button', { name: 'Continue' }).closest('.foot'))
  })

  test('a variable that is not set is no key', async () => {
    const { testModel } = await choose(/Anthropic/, 'first-run-locked')
    await fill('Environment variable with the key', 'MY_KEY')
    await fill('Model', 'claude-sonnet')
    await goOn()
    expect(await screen.findByText('MY_KEY is not set in the environment. Set it or paste a key.')).toBeTruthy()
    expect(testModel).not.toHaveBeenCalled()
  })

  test('at an address of its own a model may need no key', async () => {
    const { testModel } = await choose(/OpenAI/)
    await fill('Address', 'http://127.0.0.1:8080/v1')
    await fill('Model', 'small')
    await goOn()
    await waitFor(() => expect(testModel).toHaveBeenCalledExactlyOnceWith('openai', 'small'))
  })

  test('of several servers on this computer any can be chosen', async () => {
    const servers = [
      { provider: 'ollama', name: 'Ollama', address: 'http://127.0.0.1:11434', models: ['qwen3:8b'] },
      { provider: 'lmstudio', name: 'LM Studio', address: 'http://127.0.0.1:1234', models: ['gpt-oss', 'phi'] },
    ]
    const { testModel, saveSetting } = await choose(/LM Studio on this computer/, 'first-run', { localServers: async () => servers })
    expect((screen.getByLabelText(/Ollama on this computer/) as HTMLInputElement).checked).toBe(false)
    await fireEvent.change(screen.getByLabelText('Model'), { target: { value: 'phi' } })
    await goOn()
    await screen.findByRole('heading', { name: 'Where should the agent work?' })
    expect(testModel).toHaveBeenCalledExactlyOnceWith('lmstudio', 'phi')
    expect(saveSetting).toHaveBeenLastCalledWith('agents.default.model', 'lmstudio/phi')
  })

  test('going back to the rehearsal takes the model out again', async () => {
    const { saveSetting } = await choose(/LM Studio on this computer/, 'first-run', { localServers: async () => [{ provider: 'lmstudio', name: 'LM Studio', address: 'http://127.0.0.1:1234', models: ['phi'] }] })
    await goOn()
    await screen.findByRole('heading', { name: 'Where should the agent work?' })
    await fireEvent.click(screen.getByRole('button', { name: 'Back' }))
    await fireEvent.click(await screen.findByLabelText(/Rehearsal/))
    await goOn()
    await screen.findByRole('heading', { name: 'Where should the agent work?' })
    expect(saveSetting).toHaveBeenLastCalledWith('agents.default.model', null)
  })

  test('a folder that another room works in is said', async () => {
    await choose(/Rehearsal/)
    await goOn()
    await screen.findByRole('heading', { name: 'Where should the agent work?' })
    await fill('Folder', '~/code/gateway/')
    expect(await screen.findByText(/uses this folder too/)).toBeTruthy()
    await fill('Folder', '~/code/other')
    expect(screen.queryByText(/uses this folder too/)).toBeNull()
  })

  test('a folder may begin with ~, and one that is none is said so', async () => {
    const createRoom = vi.fn(fakeBackend('empty').createRoom)
    await choose(/Rehearsal/, 'first-run', { createRoom })
    await goOn()
    await screen.findByRole('heading', { name: 'Where should the agent work?' })
    await fill('Folder', 'code')
    await fireEvent.click(screen.getByRole('button', { name: 'Start' }))
    expect(await screen.findByText(/Enter the full path/)).toBeTruthy()
    await fill('Folder', '')
    expect(screen.queryByText(/Enter the full path/)).toBeNull()
    await fill('Folder', '~/code/')
    await fireEvent.click(screen.getByRole('button', { name: 'Start' }))
    await waitFor(() => expect(createRoom).toHaveBeenCalledExactlyOnceWith({ workspace: '/home/you/code' }))
  })
})

describe('nobody is kept out', () => {
  test.each<State>(['empty', 'running', 'approval', 'bare', 'soft', 'reported', 'checkin', 'drift', 'long', 'graph', 'sidekicks', 'wide', 'sidekick', 'sidekick-over', 'first-run'])('%s', async (state) => {
    const { container } = open(state)
    await screen.findByRole('main')
    // What is loaded when it is first shown is there, too.
    if (state === 'first-run') await screen.findByRole('heading', { name: 'An agent that shows its plan first' })
    else if (state === 'empty') await screen.findByLabelText('Message the room')
    else await screen.findByRole('group', { name: 'Messages' })
    // Colours are checked in a browser: this page has none.
    const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } })
    expect(violations.filter((one) => one.impact === 'serious' || one.impact === 'critical')).toEqual([])
  })
})
