// Choosing a model at the first start.

import type { Backend, LocalServer } from '../lib/backend'
import { message } from '../lib/notices.svelte'
import type { Settings } from '../lib/settings.svelte'
import type { Tested } from '../lib/wire'
import { sentence } from '../lib/words'
import { TEXT } from './words'

/** `known` is the model that is named already: it answers, so there is no rehearsal. */
export type Choice = 'known' | 'local' | 'anthropic' | 'other' | 'rehearsal'

export class ModelSetup {
  servers = $state.raw<LocalServer[]>([])
  looked = $state(false)
  choice = $state<Choice>('rehearsal')
  provider = $state('openai')
  key = $state('')
  /** The environment variable that holds the key, where the keyring can't. */
  keyEnv = $state('')
  address = $state('')
  model = $state('')
  /** How the last check went, and what has to be filled in first. */
  result = $state.raw<{ ok?: boolean; code?: string; message: string; kept?: boolean; lacks?: 'model' | 'key' } | null>(null)
  /** The model that was named before anything was chosen here. */
  readonly named: Settings['answering']
  #backend: Backend
  #settings: Settings

  constructor(backend: Backend, settings: Settings) {
    this.#backend = backend
    this.#settings = settings
    this.named = settings.answering
    if (this.named) this.choice = 'known'
  }

  /** The one on this computer that was chosen, or the first. */
  get server(): LocalServer | undefined {
    return this.#server ?? this.servers[0]
  }
  #server = $state.raw<LocalServer | null>(null)

  /** The model that is used when none is named; another address has models of its own. */
  get usual(): string {
    const own = this.choice === 'local' || (this.choice === 'other' && this.address.trim() !== '')
    return own ? '' : this.#settings.usualModel(this.provider)
  }

  /** Whether the person's own file says who answers: what is chosen here would not hold. */
  get fixed(): boolean {
    return this.#settings.fixed('agents.default.model')
  }

  /** Finds servers on this computer; one that is there is the first choice, unless a model is named already. */
  async look(): Promise<void> {
    this.servers = await this.#backend.localServers().catch(() => [])
    this.looked = true
    // Whoever has chosen meanwhile keeps their choice.
    if (this.server && !this.#chosen && !this.fixed && this.choice !== 'known') this.#take('local')
  }
  #chosen = false

  choose(choice: Choice, server: LocalServer | null = null): void {
    this.#chosen = true
    this.#server = server
    this.#take(choice)
  }

  #take(choice: Choice): void {
    this.choice = choice
    this.result = null
    this.key = ''
    this.model = choice === 'local' ? (this.server?.models[0] ?? '') : ''
    if (choice === 'anthropic') this.provider = 'anthropic'
    if (choice === 'other') this.provider = 'openai'
  }

  /** Keeps the choice, after one real call that worked. */
  async use(): Promise<boolean> {
    if (this.choice === 'known') return true
    if (this.choice === 'rehearsal') return this.#back()
    const provider = this.choice === 'local' ? (this.server?.provider ?? '') : this.provider
    const model = this.model.trim() || this.usual
    if (model === '' && this.key.trim() === '' && this.#missingKey(provider)) {
      this.result = { message: TEXT.setup.needsBoth, lacks: 'key' }
      return false
    }
    if (model === '') {
      const why = this.choice === 'local' ? TEXT.setup.noModels(this.server?.name ?? TEXT.setup.server) : TEXT.setup.needsModel
      this.result = { message: why, lacks: 'model' }
      return false
    }
    // Where a variable is named, the key comes from there.
    const key = this.keyEnv.trim() ? '' : this.key.trim()
    const typed = key !== '' || this.keyEnv.trim() !== ''
    const had = this.#keeps(provider)
    try {
      const elsewhere = await this.#saveAddress(`providers.${provider}.base_url`)
      if (this.keyEnv.trim()) await this.#save(`providers.${provider}.key_env`, this.keyEnv.trim())
      // Another address or variable may have another key, or none.
      if (elsewhere || this.keyEnv.trim()) await this.#settings.loadKeys()
      // A key goes to the address it was kept for and to no other; whoever goes on once more means it.
      if (had && !typed && !this.#keeps(provider)) {
        this.result = { message: TEXT.setup.otherAddress, lacks: 'key' }
        return false
      }
      const missing = this.#missingKey(provider)
      if (missing && !key) {
        this.result = { message: missing, lacks: 'key' }
        return false
      }
      const tested = key ? await this.#settings.tryKey(provider, model, key) : await this.#backend.testModel(provider, model)
      this.result = this.#here(tested)
      // One that is kept is said to be in the field's place, and must be nowhere else.
      if (this.result.kept !== false) this.key = ''
      if (this.result.ok) {
        await this.#save('agents.default.model', `${provider}/${model}`)
        this.#kept = true
      }
      return this.result.ok === true
    } catch (problem) {
      this.result = { ok: false, message: sentence(message(problem)) }
      return false
    }
  }

  /** Back to the rehearsal: a model that was chosen here answers no longer. */
  async #back(): Promise<boolean> {
    if (!this.#kept) return true
    try {
      await this.#save('agents.default.model', null)
      this.#kept = false
      return true
    } catch (problem) {
      this.result = { ok: false, message: sentence(message(problem)) }
      return false
    }
  }
  /** Whether a model was chosen here and is in the settings. */
  #kept = false

  /** What was wrong with a field is not, once it is edited. */
  edited(): void {
    this.result = null
  }

  /** A key that is refused is mended here: there are no settings to go to yet. */
  #here(result: Tested & { kept?: boolean }): Tested & { kept?: boolean; lacks?: 'key' } {
    if (result.kept === false) return { ...result, lacks: 'key' }
    if (result.code !== 'MODEL_INVALID_KEY' || this.choice === 'local') return result
    return { ...result, message: result.message.replace(/: check it in the settings[^.]*(?=\.?$)/, ''), lacks: 'key' }
  }

  /** Keeps the address, or takes back one that was given here before; whether it did either. */
  async #saveAddress(path: string): Promise<boolean> {
    const address = this.choice === 'other' ? this.address.trim() : ''
    if (!address && !this.#addressed.delete(path)) return false
    await this.#save(path, address || null)
    if (address) this.#addressed.add(path)
    return true
  }
  #addressed = new Set<string>()

  /** Why a call could only fail: the provider itself wants a key. One at another address, or on this computer, may not. */
  #missingKey(provider: string): string {
    if (this.choice === 'local' || this.address.trim() || this.#settings.keys?.providers[provider] !== 'none') return ''
    const variable = this.keyEnv.trim()
    return variable ? TEXT.setup.unset(variable) : TEXT.setup.needsKey
  }

  #keeps(provider: string): boolean {
    const place = this.#settings.keys?.providers[provider]
    return place === 'keyring' || place === 'session'
  }

  async forgetKey(): Promise<void> {
    try {
      await this.#settings.setKey(this.provider, '')
      this.result = null
    } catch (problem) {
      this.result = { ok: false, message: sentence(message(problem)) }
    }
  }

  async #save(path: string, value: string | null): Promise<void> {
    if (!(await this.#settings.save(path, value))) throw this.#settings.refused.get(path)
  }
}
