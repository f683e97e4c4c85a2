// What running a plan will take, asked again whenever the plan or the chosen model is another.

import type { Estimate } from '../lib/wire'

export class Estimating {
  /** The answer to what is asked now; null until it is there. */
  now = $state.raw<Estimate | null>(null)
  /** Why there is none. */
  failed = $state(false)
  /** The model that executes when none is chosen. */
  usual = $state('')

  /** Call it while a component is set up; `asked` reads whatever the answer depends on. */
  constructor(ask: () => (model: string | null) => Promise<Estimate>, asked: () => { plan: string; model: string | null }) {
    // Only another plan or model is another question.
    const question = $derived(JSON.stringify(asked()))
    $effect(() => {
      const { model } = JSON.parse(question) as { model: string | null }
      let current = true
      this.now = null
      this.failed = false
      ask()(model).then(
        (answer) => {
          if (model === null) this.usual = answer.model
          if (current) this.now = answer
        },
        () => {
          if (current) this.failed = true
        },
      )
      return () => (current = false)
    })
  }
}
