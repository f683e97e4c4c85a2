// Choosing a model at the first start.

import type { Backend, LocalServer } from '../lib/backend'
import { message } from '../lib/notices.svelte'
import type { Settings } from '../lib/settings.svelte'

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
  /** How the last check went. */
  result = $state.raw<{ ok: boolean; message: string } | null>(null)
  #backend: Backend
  #settings: Settings

  constructor(backend: Backend, settings: Settings) {
    this.#backend = backend
    this.#settings = settings
  }

  get server(): LocalServer | undefined {
    return this.servers[0]
  }

  /** Finds servers on this computer; one that is there is the first choice. */
  async look(): Promise<void> {
    this.servers = await this.#backend.localServers().catch(() => [])
    this.looked = true
    if (this.server) this.choose('local')
  }

  choose(choice: Choice): void {
    this.choice = choice
    this.result = null
    this.model = choice === 'local' ? (this.server?.models[0] ?? '') : ''
    if (choice === 'anthropic') this.provider = 'anthropic'
    if (choice === 'other') this.provider = 'openai'
  }

  /** Keeps the choice, after one real call that worked. */
  async use(): Promise<boolean> {
    if (this.choice === 'rehearsal') return true
    const provider = this.choice === 'local' ? (this.server?.provider ?? '') : this.provider
    try {
      if (this.choice === 'other' && this.address.trim()) {
        await this.#backend.saveSetting(`providers.${provider}.base_url`, this.address.trim())
      }
      if (this.keyEnv.trim()) await this.#backend.saveSetting(`providers.${provider}.key_env`, this.keyEnv.trim())
      if (this.key.trim()) await this.#settings.setKey(provider, this.key.trim())
      // It is in the keyring now, and nowhere else.
      this.key = ''
      this.result = await this.#backend.testModel(provider, this.model.trim() || undefined)
      if (!this.result.ok) return false
      if (this.model.trim()) return await this.#save(`${provider}/${this.model.trim()}`)
      const known = this.#settings.view?.models.find((name) => name.startsWith(`${provider}/`))
      if (known) return await this.#save(known)
      this.result = { ok: false, message: 'Say which model it should use.' }
      return false
    } catch (problem) {
      this.result = { ok: false, message: message(problem) }
      return false
    }
  }

  async #save(model: string): Promise<boolean> {
    const path = 'agents.default.model'
    if (await this.#settings.save(path, model)) return true
    this.result = { ok: false, message: this.#settings.refused.get(path)?.message ?? '' }
    return false
  }
}
