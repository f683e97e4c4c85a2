// What is known of the agents' models, and the checks that find out more.

import { SvelteMap, SvelteSet } from 'svelte/reactivity'
import type { Backend } from '../lib/backend'
import { message } from '../lib/notices.svelte'
import type { CheckedModel, ModelProfile } from '../lib/wire'
import { sentence } from '../lib/words'

/** How a check went: what it took, or why there is no result. */
export type Checked = { took: CheckedModel } | { problem: string }

export class Profiles {
  list = $state.raw<ModelProfile[]>([])
  /** Why there is no list. */
  problem = $state('')
  /** The models that are checked now. */
  busy = new SvelteSet<string>()
  checked = new SvelteMap<string, Checked>()
  #backend: Backend

  constructor(backend: Backend) {
    this.#backend = backend
  }

  load = async (): Promise<void> => {
    try {
      this.list = await this.#backend.modelProfiles()
      this.problem = ''
    } catch (problem) {
      this.problem = sentence(message(problem))
    }
  }

  check = async (model: string): Promise<void> => {
    if (this.busy.has(model)) return
    this.busy.add(model)
    this.checked.delete(model)
    try {
      const took = await this.#backend.checkProfile(model)
      this.checked.set(model, took.ok ? { took } : { problem: took.words.join(' ') })
      await this.load()
    } catch (problem) {
      this.checked.set(model, { problem: sentence(message(problem)) })
    }
    this.busy.delete(model)
  }
}
