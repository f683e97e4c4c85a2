// Choosing a model at the first start.

import type { Backend, LocalServer } from '../lib/backend'
import { message } from '../lib/notices.svelte'
import type { Settings } from '../lib/settings.svelte'
import { sentence } from '../lib/words'

export type Choice = 'local' | 'anthropic' | 'other' | 'rehearsal'

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
  /** How the last check went, and whether it is the name of the model that lacks. */
  result = $state.raw<{ ok: boolean; message: string; lacks?: 'model' } | null>(null)
  #backend: Backend
  #settings: Settings

  constructor(backend: Backend, settings: Settings) {
    this.#backend = backend
    this.#settings = settings
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

  /** Finds servers on this computer; one that is there is the first choice. */
  async look(): Promise<void> {
    this.servers = await this.#backend.localServers().catch(() => [])
    this.looked = true
    // Whoever has chosen meanwhile keeps their choice.
    if (this.server && !this.#chosen) this.#take('local')
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
    if (this.choice === 'rehearsal') return true
    const provider = this.choice === 'local' ? (this.server?.provider ?? '') : this.provider
    const model = this.model.trim() || this.usual
    if (model === '') {
      const why = this.choice === 'local' ? `${this.server?.name ?? 'The server'} has no model yet: get one there first.` : 'Say which model it should use: the provider lists their names.'
      this.result = { ok: false, message: why, lacks: 'model' }
      return false
    }
    try {
      if (this.choice === 'other' && this.address.trim()) await this.#save(`providers.${provider}.base_url`, this.address.trim())
      if (this.keyEnv.trim()) await this.#save(`providers.${provider}.key_env`, this.keyEnv.trim())
      if (this.key.trim()) await this.#settings.setKey(provider, this.key.trim())
      // It is kept now, which is said in the field's place, and must be nowhere else.
      this.key = ''
      // Another address or variable may have another key, or none.
      if (this.address.trim() || this.keyEnv.trim()) await this.#settings.loadKeys()
      this.result = await this.#backend.testModel(provider, model)
      if (this.result.ok) await this.#save('agents.default.model', `${provider}/${model}`)
      return this.result.ok
    } catch (problem) {
      this.result = { ok: false, message: sentence(message(problem)) }
      return false
    }
  }

  async forgetKey(): Promise<void> {
    try {
      await this.#settings.setKey(this.provider, '')
      this.result = null
    } catch (problem) {
      this.result = { ok: false, message: sentence(message(problem)) }
    }
  }

  async #save(path: string, value: string): Promise<void> {
    if (!(await this.#settings.save(path, value))) throw this.#settings.refused.get(path)
  }
}
