// What the panel and the room of sidekicks say.

import type { WaitsFor } from '../lib/wire'

export const SIDEKICKS = {
  title: (used: number, places: number) => `Sidekicks · ${used} of ${places} running`,
  none: 'Sidekicks',
  panel: 'Sidekicks',
  /** Around the command that starts one. */
  empty: { before: 'None in this room. Type', command: '/sidekick', after: 'and a task to start one. Sidekicks work in the background; watch, steer and stop them here.' },
  finished: (n: number, open: boolean) => `${open ? 'Hide' : 'Show'} ${n} finished`,
  step: (n: number) => `step ${n}`,
  sidekick: 'Sidekick',
  open: 'Open',
  continue: 'Continue',
  steer: 'Steer',
  stop: 'Stop',
  cancel: 'Cancel',
  /** A button and whom it is about. */
  named: (does: string, name: string) => `${does} ${name}`,
  continueHint: 'Next instructions (optional)',
  steerHint: 'The sidekick reads this at its next turn',
  /** What is said when nothing was typed. */
  goOn: 'Continue.',
  send: 'Send',
  started: 'A sidekick has the task. It is listed under this room and in the inspector.',
}

export const STANDING = {
  queued: 'queued',
  running: 'running',
  noProgress: (time: string) => `no progress for ${time}`,
  stalled: 'without progress',
  done: 'done',
  stopped: 'stopped',
  failed: 'failed',
  waits: {
    person: 'waiting for you',
    sidekicks: 'waiting for its sidekicks',
    provider: 'waiting for its provider',
    place: 'waiting for a slot',
    plan: 'waiting for the plan',
  } satisfies Record<WaitsFor, string>,
  attempt: (n: number) => `attempt ${n}`,
  now: 'now',
  ago: (time: string) => `${time} ago`,
  lastProgress: (when: string) => `last progress ${when}`,
}

/** Answers to `/sidekick`. */
export const COMMAND = {
  none: 'No sidekicks in this room. Type /sidekick and a task to start one.',
  counts: (n: number, counts: string) => `${n} sidekicks: ${counts}.`,
  ended: (name: string) => `${name} has already ended.`,
  unknown: (name: string) => `No sidekick here is called “${name}”.`,
  running: (names: string) => `Running: ${names}.`,
  noneRunning: 'None is running.',
}
