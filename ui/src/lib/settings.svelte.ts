// The configuration in use, and how a change to it went.

import { SvelteMap } from 'svelte/reactivity'
import type { Backend, Json, KeyState, SettingsView } from './backend'
import { setHome } from './home.svelte'
import { message } from './notices.svelte'
import type { PlanMode, SandboxView, Tested } from './wire'
import { sentence } from './words'
import { TEXT } from './text'

export class Settings {
  #view = $state.raw<SettingsView | null>(null)
  keys = $state.raw<KeyState | null>(null)
  /** Whether commands can be confined; null until it is known. */
  sandbox = $state.raw<SandboxView | null>(null)
  /** What was refused, by path: the reason, and what had been typed. */
  refused = new SvelteMap<string, { message: string; typed?: string }>()
  #backend: Backend

  constructor(backend: Backend) {
    this.#backend = backend
  }

  get view(): SettingsView | null {
    return this.#view
  }

  set view(view: SettingsView | null) {
    this.#view = view
    if (view) setHome(view.home)
  }

  async load(): Promise<void> {
    this.view = await this.#backend.settings()
  }

  /** What takes a moment to find out, and what no first screen needs. */
  async loadRest(): Promise<void> {
    await Promise.all([this.loadKeys(), this.#backend.sandbox().then((found) => (this.sandbox = found))])
  }

  /** Looks again where keys are, without asking anybody. */
  async loadKeys(): Promise<void> {
    this.keys = await this.#backend.keyState()
  }

  /** Has a locked keyring unlocked. */
  async openKeyring(): Promise<void> {
    this.keys = await this.#backend.openKeyring()
  }

  /** The value at a path such as `caps.steps`. */
  value(path: string): Json {
    let at: Json = this.view?.values ?? null
    for (const name of path.split('.')) {
      if (at === null || typeof at !== 'object' || Array.isArray(at)) return null
      at = at[name] ?? null
    }
    return at
  }

  number(path: string, otherwise: number): number {
    const value = this.value(path)
    return typeof value === 'number' ? value : otherwise
  }

  /** The names in a section, such as those of the agents. */
  names(path: string): string[] {
    const section = this.value(path)
    return section && typeof section === 'object' && !Array.isArray(section) ? Object.keys(section) : []
  }

  /** The models of an agent: the one that plans, and the one that executes; empty where it is not known. */
  modelsOf(agent: string): { plans: string; executes: string } {
    const usual = this.view?.agent.name === agent ? this.view.agent : null
    const at = (key: string) => {
      const value = this.value(`agents.${agent}.${key}`)
      return typeof value === 'string' ? value : ''
    }
    const executes = usual?.model ?? at('model')
    return { plans: (usual?.plan_model ?? at('plan_model')) || executes, executes }
  }

  /** The model that answers in a new room, and who says so; null while that is the rehearsal. */
  get answering(): { model: string; by: string } | null {
    const agent = this.view?.agent
    if (!agent || agent.model.startsWith('rehearsal/')) return null
    return { model: agent.model, by: this.fixed(`agents.${agent.name}.model`) ? TEXT.shared.file : TEXT.shared.settings }
  }

  /** The plan mode of a new room, unless another is chosen for it. */
  get planMode(): PlanMode {
    const mode = this.value(`agents.${this.view?.agent.name ?? ''}.plan_mode`)
    return mode === 'soft' || mode === 'strict' ? mode : 'off'
  }

  /** A model of this provider that is used or known, without its provider's name; empty when there is none. */
  usualModel(provider: string): string {
    const { agent, models = [] } = this.view ?? {}
    const all = [agent?.model, agent?.plan_model, ...models]
    return all.find((one) => one?.startsWith(`${provider}/`))?.slice(provider.length + 1) ?? ''
  }

  /** Why commands can't be confined, and what that means; empty when they can. */
  unconfined(): string {
    if (!this.sandbox || this.sandbox.ok) return ''
    return `${sentence(this.sandbox.message || TEXT.shared.noSandbox)} ${TEXT.shared.noShell}`
  }

  /** Whether the person's own file sets it. */
  fixed(path: string): boolean {
    return this.view?.by_person.includes(path) ?? false
  }

  /** Whether the person's own file sets it or a part of it. */
  fixedBelow(path: string): boolean {
    return this.view?.by_person.some((one) => one === path || one.startsWith(`${path}.`)) ?? false
  }

  async save(path: string, value: Json, typed?: string): Promise<boolean> {
    try {
      this.view = await this.#backend.saveSetting(path, value)
      this.refused.delete(path)
      return true
    } catch (problem) {
      this.refuse(path, message(problem), typed)
      return false
    }
  }

  /** What was typed can't be saved, and this is why. */
  refuse(path: string, message: string, typed?: string): void {
    this.refused.set(path, { message, typed })
  }

  async setKey(provider: string, key: string): Promise<void> {
    this.keys = await this.#backend.setKey(provider, key)
  }

  /** Tries a key, and keeps it unless it is refused; how it went. */
  async tryKey(provider: string, model: string, key: string): Promise<Tested & { kept: boolean }> {
    const { tested, kept, keys } = await this.#backend.tryKey(provider, model, key)
    this.keys = keys
    return { ...tested, kept }
  }
}
