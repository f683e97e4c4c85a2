/** What a colour stands for. `wait` asks for a person and means nothing else. */
export type Tone = 'plain' | 'go' | 'good' | 'bad' | 'wait'

/** The colour itself. */
export function colour(tone: Tone): string {
  switch (tone) {
    case 'plain':
      return 'var(--ink-3)'
    case 'go':
      return 'var(--accent)'
    case 'good':
      return 'var(--good)'
    case 'bad':
      return 'var(--bad)'
    case 'wait':
      return 'var(--wait)'
  }
}
