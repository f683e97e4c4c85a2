// What the plan's screen says. Another language is another file like this.

import type { Action, Held, How, PlanMode, SkipCause } from '../lib/wire'
import { count, listed } from '../lib/words'

/** The buttons of a plan. */
export const ACTION: Record<Action, string> = {
  approve: 'Approve',
  change: 'Change…',
  reject: 'Reject',
  pause: 'Pause',
  pause_after: 'Pause after this step',
  stop_step: 'Stop this step now',
  resume: 'Resume',
  skip: 'Skip step',
  override: 'Mark as done',
  cancel: 'Cancel',
}

export const CARD = {
  plan: 'Plan',
  progress: 'Progress',
  cancelPlan: 'Cancel plan',
  retry: 'Retry',
  keepPaused: 'Keep paused',
  more: 'More for this plan',
  needsYou: 'Needs you',
  loading: 'Loading…',
  showAll: 'Show all',
  showLess: 'Show less',
  pausesAfter: 'Pauses after this step.',
  dontPause: 'Don’t pause',
  retryingIn: (left: string) => `Retrying in ${left}.`,
  showAs: 'Show the steps as',
  list: 'List',
  graph: 'Graph',
  show: 'Show the whole plan (f)',
  fold: 'Fold the plan (f)',
  doneOf: (done: number, all: number) => `${done} of ${all}`,
  revision: (n: number) => `revision ${n}`,
  chosenByCouncil: (label: string) => `chosen by council, ${label}`,
  plannedBy: (model: string) => `planned by ${model}`,
  changedBy: (who: string) => `changed by ${who}`,
  approvedBy: (who: string, revision: number) => `approved by ${who}, revision ${revision}`,
  changedSince: (n: number) => `, ${count(n, 'manual change')} since`,
  budget: (left: number) => `${count(left, 'step')} left before the agent checks in`,
}

/** Before a plan is approved. */
export const APPROVAL = {
  readsOnly: 'The agent only reads.',
  allows: (parts: string) => `Approving lets the agent ${parts}.`,
  change: 'change',
  run: 'run',
  reach: 'reach',
  use: 'use',
  delegate: 'hand work to sidekicks in',
  changeAnything: 'change anything in the workspace in',
  filesMatching: (n: number) => `files matching ${count(n, 'pattern')}`,
  asWritten: (n: number) => `${count(n, 'command')} exactly as written`,
  withMore: (n: number) => `${count(n, 'command')} with any arguments`,
  anyFolder: (n: number) => `${count(n, 'command')} in any folder`,
  hostsMatching: (n: number) => `hosts matching ${count(n, 'pattern')}`,
  otherTools: (n: number) => count(n, 'other tool'),
  commandsWrite: 'An approved command may write anywhere in the workspace.',
  runsWith: 'Runs with',
  defaultModel: 'the default model',
  cleanContext: 'Start with a clean context',
  estimate: (tokens: string, price: string | null) => (price === null ? `Estimate: ${tokens} (no price data)` : `Estimate: ${tokens}, ${price}`),
  estimating: 'Estimating…',
  noEstimate: 'No estimate',
  whyNot: 'Why not? The agent reads this',
  rejectPlan: 'Reject the plan',
  back: 'Back',
}

/** What happens to a call that the plan doesn't name. */
export const BEYOND: Record<PlanMode, string> = {
  strict: 'Anything else stops and asks again.',
  soft: 'Anything else gets a warning.',
  off: 'Permission rules apply to anything else.',
}

/** A question and its answers. */
export const ASK = {
  refuse: 'Refuse',
  refuseAndContinue: 'Refuse and continue',
  refuseAndStop: 'Refuse and stop',
  insteadOf: 'Tell the agent what to do instead',
  moreWaiting: (n: number) => `${count(n, 'more question')} after this.`,
  ownWords: 'Or answer in your own words',
  yourAnswer: 'Your answer',
  answer: 'Answer',
  decline: 'Decline',
  beyond: (does: string) => ({ before: `The agent wants to ${does} `, after: ', which isn’t in this step.' }),
  nothingChanged: 'Nothing is changed yet.',
  notRepeated: 'The call isn’t repeated automatically.',
  nothingOverwritten: 'Nothing is overwritten until you choose.',
  alwaysKeeps: '“Always allow” adds the rule',
  forParent: 'for the parent room and its sidekicks.',
  forRoom: 'for this room and its sidekicks.',
  addAllows: '“Add to the plan” allows',
  inStep: 'in this step.',
  keepFolder: 'Keep the folder’s',
  take: (name: string) => `Take ${name}’s`,
  takeSidekick: 'Take the sidekick’s',
  keepBoth: 'Keep both',
  allowOnce: 'Allow once',
  addToPlan: 'Add to the plan',
  alwaysAllow: 'Always allow',
  letCheck: 'Let the agent check',
  ran: 'It ran',
  didNotRun: 'It didn’t run',
  /** What a tool does to the one file that it is given. */
  does: new Map([
    ['write_file', 'write'],
    ['edit_file', 'edit'],
    ['delete_file', 'delete'],
    ['create_directory', 'make the folder'],
  ]),
  /** Parts of a question. */
  parts: new Map([
    ['target', 'the target'],
    ['arguments', 'the request'],
    ['description', 'the description'],
    ['question', 'the question'],
    ['field', 'the field'],
  ]),
  lost: (what: string) => `Part of ${what} is gone, so you can only refuse.`,
  loading: (what: string) => `Loading ${what}…`,
  allOf: (what: string) => `All of ${what}`,
  showOf: (open: boolean, what: string, size: string) => `${open ? 'Show less' : 'Show all'} of ${what}, ${size}`,
  inFolder: 'In the folder now',
  from: (name: string) => `From ${name}`,
  theSidekick: 'the sidekick',
  original: 'Original',
  originalVersion: 'Original version',
}

/** What a call that asks would do. */
export const PROPOSAL = {
  change: (path: string) => `Proposed change of ${path}`,
  everywhere: 'in every place',
  whole: 'whole file',
  command: 'Command',
  folder: 'Folder:',
  request: 'Request',
  method: 'Method',
  host: 'Host',
  address: 'Address',
  body: 'Body',
  call: 'Call',
}

/** Why a plan stands still. */
export const PAUSE = {
  gaveUp: 'The agent gave up on the next revision.',
  steps: (n: number) => `${count(n, 'step')} done without you.`,
  review: 'Review, then resume.',
  byYou: 'You paused the plan.',
  failed: (step: number, times: number) => `Step ${step} failed ${count(times, 'time')} in a row.`,
  noProgress: (step: number) => `The agent kept answering without working on step ${step}.`,
  stuck: 'The agent is stuck.',
  lastError: 'Last error:',
  checkSays: 'The check says:',
  skipsCheck: 'Mark as done skips the check.',
  needsChanges: 'The plan needs changes.',
  limit: 'A limit was reached.',
  beyond: 'The agent wants to do something outside the plan.',
  nothingChanged: 'Nothing was changed.',
  quota: 'The provider’s quota is used up.',
  resumesIn: (left: string) => `Continues automatically in ${left}.`,
  noAnswer: 'The model didn’t answer.',
  fixInSettings: 'Fix this in Settings, then retry.',
  closed: 'The app was closed while this ran.',
  keptWork: 'Finished steps are kept, and nothing runs twice.',
  manual: 'A step finished, and this plan waits after each one.',
  paused: 'The plan is paused.',
  /** What each button would do, after its name. */
  resumes: 'continues where the plan stopped',
  retries: 'retries the step',
  edits: 'edits the plan',
  skips: 'moves on without it',
  letsContinue: 'lets the agent continue',
  editsSteps: 'edits the steps',
  allowsMore: 'allows as much again',
  triesLater: 'tries again when there is more',
  startsNext: 'starts the next step',
  button: { resume: 'Resume', change: 'Change', skip: 'Skip step' } as Partial<Record<Action, string>>,
}

/** States of plans and steps. */
export const STATE = {
  sentBack: 'Sent back, waiting for you',
  splitting: 'Planning the steps',
  joining: 'Combining the results',
  held: { slot: 'Queued', quota: 'Waiting for quota', answer: 'Waiting for your answer' } satisfies Record<Held, string>,
  waitsForYou: 'waiting for you',
  inProgress: 'in progress',
  stuck: 'stuck',
  done: 'done',
  failed: 'failed',
  skipped: 'skipped',
  blocked: 'blocked',
  queued: 'queued',
  pending: 'pending',
}

export function skipped(cause: SkipCause | null | undefined, began: boolean): string {
  switch (cause) {
    case 'need':
      return 'a required step failed'
    case 'plan_ended':
      return began ? 'interrupted' : 'not reached'
    case 'given_up':
      return 'given up by the agent'
    default:
      return 'skipped by you'
  }
}

/** A step: its row and what is behind it. */
export const STEP = {
  steps: 'Steps',
  step: (n: number) => `Step ${n}`,
  completed: (open: boolean, n: number) => `${open ? 'Hide' : 'Show'} ${count(n, 'completed step')}`,
  earlier: (open: boolean, n: number) => `${open ? 'Hide' : 'Show'} ${count(n, 'earlier step')}`,
  later: (open: boolean, n: number) => `${open ? 'Hide' : 'Show'} ${count(n, 'later step')}`,
  goal: 'Goal',
  why: 'Why',
  canEdit: 'can edit',
  readOnly: 'read-only',
  switchName: (n: number) => `Step ${n} can edit the workspace`,
  switchLabel: 'Workspace',
  switchStates: { on: 'Can edit', off: 'Read-only' },
  after: (steps: string) => `after ${steps}`,
  alsoAllowed: 'also allowed:',
  warning: 'Warning:',
  runsWith: 'runs with',
  stepRunsWith: (model: string) => `This step runs with ${model}`,
  queued: 'queued',
  sidekick: 'sidekick',
  openSidekickOf: (n: number) => `Open the sidekick of step ${n}`,
  attempt: (n: number, most: number) => `attempt ${n} of ${most}`,
  details: (open: boolean, n: number) => `${open ? 'Hide' : 'Show'} details of step ${n}`,
  detailsOf: (n: number) => `Details of step ${n}`,
  close: 'Close the details',
  expect: 'Expect:',
  check: 'Check:',
  checkedWith: 'Checked with:',
  checkFailed: 'The check failed:',
  reported: 'The agent reported:',
  planned: 'Planned:',
  filesOf: (n: number) => `Changed files of step ${n}`,
  callsOf: (n: number) => `Tool calls of step ${n}`,
  openSidekick: 'Open the sidekick',
  retry: 'Retry this step',
  skip: 'Skip this step',
  markDone: 'Mark as done',
  changesIn: (path: string) => `Changes in ${path}`,
  fileGone: 'The earlier version is no longer stored.',
  exitCode: (code: string) => `Exit code ${code}`,
  lastLines: (n: number) => `Last ${count(n, 'line')}`,
}

/** While the steps are changed by hand. */
export const EDIT = {
  change: 'Change the plan',
  keys: 'Alt ↑ ↓ to move, Enter to add below, Shift Enter for a line, Alt Delete to remove',
  ended: 'The plan has ended and can’t be changed.',
  stays: (steps: number[], resumed: boolean) =>
    steps.length === 1 ? `Step ${steps[0]} has ${resumed ? 'resumed' : 'started'} and can’t be changed.` : `Steps ${listed(steps.map(String))} have started and can’t be changed.`,
  rest: 'You can save the rest.',
  stepStays: (resumed: boolean) => `This step has ${resumed ? 'resumed' : 'started'} and can’t be changed.`,
  newer: (revision: number) => `The plan is at revision ${revision} now.`,
  carried: 'Your changes are kept.',
  moved: (from: number, to: number, all: number) => `Step ${from} is step ${to} of ${all} now`,
  added: (n: number, all: number) => `Added step ${n} of ${all}`,
  removed: (n: number, left: number) => `Removed step ${n}, ${left} left`,
  onRevision: (n: number) => `Your changes are on revision ${n} now`,
  savedWithout: (revision: number, several: boolean) => `Saved as revision ${revision}, without your edits to ${several ? 'steps that have' : 'a step that has'} started.`,
  again: 'Press Esc again to discard your changes',
  editNew: (revision: number) => `Edit revision ${revision}`,
  send: 'Send comments',
  save: (revision: number, comments: boolean) => `Save as revision ${revision}${comments ? ' and send comments' : ''}`,
  discard: 'Discard changes',
  close: 'Close',
  add: 'Add a step',
  finished: (n: number) => `${count(n, 'step')} finished`,
  text: (n: number) => `Step ${n}`,
  textHint: 'What to do',
  tool: (n: number) => `Tool of step ${n}`,
  toolHint: 'tool',
  target: (n: number) => `File or command of step ${n}`,
  targetHint: 'file or command',
  expected: (n: number) => `Expected outcome of step ${n}`,
  expectedHint: 'expected outcome',
  check: (n: number) => `Check of step ${n}`,
  checkHint: 'command that checks it',
  comment: (n: number) => `Comment on step ${n}`,
  commentHint: 'Comment for the agent on this step',
  more: (n: number) => `Expected outcome and check of step ${n}`,
  removeHidden: 'Remove them',
  newVersion: 'New version:',
  up: (n: number) => `Move step ${n} up`,
  down: (n: number) => `Move step ${n} down`,
  remove: (n: number) => `Remove step ${n}`,
  leftOver: 'Your edits to steps that were removed or have started:',
  yourComment: 'Your comment:',
  unsaved: 'You have unsaved changes to this plan.',
  unsavedThen: (revision: number) => `Approving runs revision ${revision} without them.`,
  approveWithout: 'Approve without them',
}

/** What differs from the revision read last. */
export const NEWS = {
  since: (revision: number, summary: string) => `Since revision ${revision}, ${summary}.`,
  removed: (n: number) => `${count(n, 'step')} removed`,
  was: (name: string) => `${name} was`,
  none: (name: string) => `${name}: none before`,
  new: 'new',
  addedByYou: 'added by you',
  changed: 'changed',
  changedByYou: 'changed by you',
  changedYours: 'changed, though you wrote it',
  moved: (byYou: boolean, number: number) => `moved${byYou ? ' by you' : ''}, was ${number}`,
  gone: 'Removed',
  goneByYou: 'Removed by you',
  goneYours: 'Removed, though you wrote it',
  steps: (n: number, first: boolean, how: 'added' | 'changed' | 'removed' | 'moved') => `${first ? count(n, 'step') : n} ${n === 1 ? 'was' : 'were'} ${how}`,
  parts: (names: string[]) => `the ${listed(names.map((name) => (name === NEWS.part.why ? 'reason' : name.toLowerCase())))} changed`,
  contains: (file: string, text: string) => `${file} contains “${text}”`,
  exists: (file: string) => `${file} exists`,
  /** What a plan and its steps have. */
  part: { goal: 'Goal', title: 'Title', why: 'Why', mode: 'Mode', advance: 'Advance', venue: 'Venue', text: 'Text', tool: 'Tool', target: 'Target', expect: 'Expect', check: 'Checked with', model: 'Runs with', agent: 'Agent', after: 'After' },
}

/** The end of a plan, compared with what was planned. */
export const REPORT = {
  asPlanned: (kept: number, all: number) => `As planned: ${kept} of ${count(all, 'step')}.`,
  unplanned: (n: number) => (n === 0 ? 'No unplanned changes.' : `${count(n, 'unplanned change')}.`),
  unfinished: (steps: number[], files: number) =>
    `${steps.length === 1 ? `Step ${steps[0]}` : `Steps ${listed(steps.map(String))}`} didn’t finish and changed ${count(files, 'file')}.`,
  compare: (open: boolean) => (open ? 'Hide the comparison' : 'Compare plan and result'),
  table: 'Plan and result',
  heads: ['Step', 'Planned', 'Touched', 'Unplanned'],
  yes: 'yes',
  no: 'no',
  changedNothing: 'changed nothing',
  notFinished: ', not finished:',
  nothing: 'nothing',
  amended: (by: string, at: string, was: string, now: string) => `by ${by}, ${at}: ${was} → ${now}`,
  how: { planned: 'planned', once: 'allowed once', added: 'added to the plan', warned: 'with a warning', unplanned: 'unplanned' } satisfies Record<How, string>,
}

/** What lies over a room for a plan. */
export const DIALOG = {
  cancelTitle: (what: 'plan' | 'council') => `Cancel this ${what}?`,
  cancelText: {
    plan: 'Running work stops, and the remaining steps are skipped. Files stay as they are.',
    council: 'The members stop now. Their answers and votes stay readable, and nothing is executed.',
  },
  reason: 'Reason (optional)',
  reasonName: 'Reason',
  keep: (what: 'plan' | 'council') => `Keep ${what}`,
  cancel: (what: 'plan' | 'council') => `Cancel ${what}`,
  asJson: 'Plan as JSON',
  asMarkdown: 'Plan as Markdown',
  asText: 'The plan as text',
  copied: 'Copied',
  cantCopy: 'The clipboard isn’t available. Select the text instead.',
  savedAs: (path: string) => `Saved as ${path}`,
  close: 'Close',
  save: 'Save…',
  copy: 'Copy',
  plan: 'Plan',
  plans: 'Plans of this room',
  noStep: (n: number) => `This plan has no step ${n}.`,
  search: 'Search plans',
  searchHint: 'Search goals and steps',
  nothingFound: 'Nothing found',
  noPlans: 'No plans yet',
  allPlans: 'All plans',
  exportMarkdown: 'Export as Markdown',
  exportJson: 'Export as JSON',
}
