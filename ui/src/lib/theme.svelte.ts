// Light, dark, or as the desktop has it.

import { MediaQuery } from 'svelte/reactivity'
import { recall, remember } from './store'

export type Theme = 'system' | 'light' | 'dark'

export class ThemeChoice {
  /** Remembered here too, so that the first paint has the right colours. */
  choice = $state<Theme>(recall<Theme>('theme', 'system'))
  #dark = new MediaQuery('(prefers-color-scheme: dark)')

  get shown(): 'light' | 'dark' {
    if (this.choice !== 'system') return this.choice
    return this.#dark.current ? 'dark' : 'light'
  }

  choose(theme: Theme): void {
    this.choice = theme
    remember('theme', theme)
  }
}
