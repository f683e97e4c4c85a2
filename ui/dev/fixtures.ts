// Made-up rooms in the states of the mocks, and the hard ones beside them.

import type { Overview, RoomSummary } from '../src/lib/backend'
import type { AskView, PlanView, RoomView, StepId, StepView, Stored } from '../src/lib/wire'
import { ended } from '../src/plan/status'
import { COUNCILS, councilRoom, glance, type CouncilState } from './councils'
import { crowded, cutOff, turned, wordy } from './hard'
import { goal, inSidekick, research, sidekicksIn, wide } from './sidekicks'
import { AGENT, ask, contentOf, Log, NOTHING, NOW, PERSON, plan, room, RUNNING, step, usage } from './make'

export interface Fixture {
  view: RoomView
  events: Stored[]
  firstRun?: boolean
  blobs?: Record<string, string>
}

export const STATES = [
  'empty', 'first-run', 'first-run-locked', 'running', 'approval', 'revised', 'checkin', 'drift', 'stuck', 'unchecked', 'pausing', 'question', 'long', 'done', 'failed', 'hostile', 'huge', 'gone', 'few', 'many', 'busy', 'locked', 'stream', 'over', 'away', 'long-answer', 'bare', 'soft', 'reported', 'elsewhere',
  'graph', 'sidekicks', 'conflict', 'permission', 'goal', 'wide', 'sidekick', 'sidekick-over', 'lonely', 'turned', 'cut-off', 'crowded', 'wordy', ...COUNCILS,
] as const
export type State = (typeof STATES)[number]

export function fixture(state: State): Fixture {
  switch (state) {
    case 'empty':
      return { view: room({ title: 'New room', workspace: '/home/you/code/gateway' }), events: new Log().created('New room', '').events }
    case 'first-run':
    case 'first-run-locked':
      return { ...fixture('empty'), firstRun: true }
    case 'running':
    case 'locked':
    case 'stream':
      return running()
    case 'gone':
      return over('done')
    case 'huge':
      return huge()
    case 'approval':
      return approval(1)
    case 'revised':
      return approval(2)
    case 'checkin':
      return checkin()
    case 'drift':
      return drift()
    case 'stuck':
      return stuck()
    case 'unchecked':
      return stuck({ verify: 'cargo test scopes', check_failed: 'cargo test scopes ended with exit code 101: 2 of 14 tests failed' })
    case 'pausing':
      return pausing()
    case 'question':
      return question()
    case 'long':
      return long()
    case 'done':
      return over('done')
    case 'failed':
      return over('failed')
    case 'hostile':
      return hostile()
    case 'few':
      return many(10)
    case 'many':
      return many(1000)
    case 'busy':
      return busy()
    case 'over':
      return talkedOn()
    case 'away':
      return { ...over('done'), view: { ...over('done').view, archived: true } }
    case 'long-answer':
      return longAnswer()
    case 'bare':
      return bare()
    case 'soft':
      return soft()
    case 'reported':
      return reported()
    case 'elsewhere':
      return running()
    case 'graph':
    case 'sidekicks':
      return research()
    case 'conflict':
      return conflict()
    case 'permission':
      return permission()
    case 'goal':
      return goal()
    case 'wide':
      return wide()
    case 'sidekick':
      return inSidekick(false)
    case 'sidekick-over':
      return inSidekick(true)
    case 'lonely':
      return over('done')
    case 'turned':
      return turned()
    case 'cut-off':
      return cutOff(running())
    case 'crowded':
      return crowded()
    case 'wordy':
      return wordy(crowded())
    default:
      return councilRoom(state satisfies CouncilState)
  }
}

const ROUTES = Array.from({ length: 214 }, (_, i) => `  "/auth/route-${i}": ["read"],`).join('\n')

function running(): Fixture {
  const view = plan({
    goal: 'Audit the auth module: every route, its scopes, and any inconsistencies',
    state: 'running', budget_left: 5, actions: RUNNING,
    usage: usage(18_400, 0.06), ran_ms: 48_000, running_since: NOW - 24_000,
    steps: [
      step(1, 'List every route in the auth module', 'done', { took_ms: 9000, result: '27 routes across 4 files; two are registered twice.', changed: ['routes.json'], usage: usage(4100, 0.01) }),
      step(2, 'Read the scope check of each route', 'done', { took_ms: 31_000, result: 'Every route checks a scope.' }),
      step(3, 'Compare scopes with the policy file', 'in_progress', { attempts: 2, started_at: NOW - 24_000 }),
      step(4, 'Run the scope tests', 'pending', { tool: 'shell' }),
      step(5, 'Check the legacy v1 routes', 'skipped', { skip_cause: 'chosen', result: 'You said to skip them.' }),
      step(6, 'Write the audit report', 'pending', { tool: 'write_file', target: 'docs/auth-audit.md' }),
    ],
  })
  const log = new Log()
    .created('Auth audit', '/home/you/code/gateway')
    .said('Audit the auth module: list every route, what scopes it requires, and any inconsistencies. Skip the legacy v1 routes.')
    .planned(view)
    .push({ type: 'step_started', step: 's1' })
    .push({ type: 'step_done', step: 's1', result: '' })
    .push({ type: 'step_started', step: 's3' })
    .replied('', [
      { tool: 'read_file', args: { path: 'src/auth/policy.toml' }, ms: 4, result: '[scopes]\nadmin = ["read", "write"]\n' },
      {
        tool: 'parse_toml', args: { path: 'src/auth/policy.toml' }, outcome: 'failed', result: 'line 41: duplicate key',
        nudge: 'Plan harness: this is step 3/6, attempt 2/3. If the error suggests fallbacks, try the one that fits the user’s intent.',
      },
    ])
    .replied('The policy file defines `admin:write` twice, so the parser stops. I’ll read it line by line instead and report the duplicate as a finding.')
  return {
    view: room({ title: 'Auth audit', workspace: '/home/you/code/gateway', plan: view, busy: true }),
    events: withFileChange(log.events, 's1', 'routes.json'),
    blobs: { 'routes.json@before': '{\n}\n', 'routes.json@after': `{\n${ROUTES}\n}\n` },
  }
}

function approval(revision: number): Fixture {
  const steps = [
    step(1, 'Add a RetryConfig struct', 'pending', { tool: 'edit_file', target: 'pkg/config/types.go', expected_outcome: 'RetryConfig embedded in ToolsetConfig.' }),
    step(2, 'Read RetryConfig for each toolset', 'pending', { tool: 'edit_file', target: 'pkg/runtime/dispatcher.go', expected_outcome: 'Each toolset has its own policy.' }),
    step(3, 'Update the schema', 'pending', { tool: 'edit_file', target: 'agent-schema.json', expected_outcome: 'The new keys are described.' }),
    step(4, 'Build, test and lint', 'pending', { tool: 'shell', target: 'task build && task test', expected_outcome: 'All green.' }),
  ]
  const view = plan({
    goal: 'Implement configurable retry policy', origin: 'submitted', state: 'awaiting_approval', revision,
    actions: ['approve', 'change', 'reject', 'cancel'], hash: `hash${revision}`,
    rationale: 'follows the existing sessions config pattern; existing files keep their meaning, the default is no retry.',
    planned_by: 'anthropic/claude-opus', allows: { ...NOTHING, files: 3, commands: 1 },
    steps,
  })
  const log = new Log()
    .created('Payments module', '/home/you/code/agent')
    .said('Add a configurable retry policy for tool calls.')
    .replied('', [
      { tool: 'search', args: { query: '“ToolsetConfig”' }, result: '23 matches', ms: 23 },
      { tool: 'read_file', args: { path: 'pkg/runtime/dispatcher.go' }, ms: 6 },
      { tool: 'edit_file', args: { path: 'pkg/config/types.go' }, outcome: 'blocked', result: 'no approved plan' },
    ])
    .replied('I looked around without changing anything. Here is the plan.')
    .planned(view, 38_000)
  if (revision > 1) {
    const before = [
      { ...steps[0]!, text: 'Add a retry struct to the config', tool: 'write_file', target: 'pkg/config/retry.go' },
      steps[3]!,
      { id: 'docs', text: 'Write a page about retries' },
      { ...steps[1]!, expected_outcome: null },
    ]
    const content = { ...contentOf(view, before), rationale: 'a file of its own is the least to read.' }
    log.events[log.events.length - 1] = { ...log.events.at(-1)!, event: { ...log.events.at(-1)!.event, content } as never }
    log.push({ type: 'sent_back', reason: 'No page, but do update the schema.', rejected: false, by: PERSON })
    log.push({ type: 'plan_revised', revision: 2, hash: view.hash, content: contentOf(view), by: AGENT, model: view.planned_by }, 12_000)
  }
  const waits = ask({ id: 'approve', kind: 'approval', step_id: null, text: 'Implement configurable retry policy', answers: ['approve', 'reject'] })
  return { view: room({ title: 'Payments module', workspace: '/home/you/code/agent', plan_mode: 'strict', plan: view, asks: [waits] }), events: log.events }
}

function checkin(): Fixture {
  const took = [2, 1, 7, 6, 8, 7, 6, 9]
  const names = [
    'Read the new naming convention', 'List the 41 notes', 'Rename notes 1 to 5', 'Rename notes 6 to 10', 'Rename notes 11 to 15', 'Rename notes 16 to 20',
    'Rename notes 21 to 25', 'Rename notes 26 to 30', 'Rename notes 31 to 35', 'Rename notes 36 to 41', 'Fix links between notes', 'Check that every link resolves',
  ]
  const view = plan({
    goal: 'Move the 2026-03 report notes to the new naming convention', state: 'paused', pause_reason: 'auto_budget', budget_left: 0,
    actions: ['resume', 'change', 'skip', 'cancel'], usage: usage(22_000, 0.05), ran_ms: 46_000,
    steps: names.map((text, i) => step(i + 1, text, i < 8 ? 'done' : 'pending', i < 8 ? { took_ms: took[i]! * 1000, result: 'Done.' } : {})),
  })
  const log = new Log()
    .created('2026-03 report names', '/home/you/notes')
    .said('Migrate the 2026-03 reports notes to the new naming convention. There are about 40 of them.')
    .planned(view)
    .push({ type: 'step_started', step: 's8' })
    .replied('Notes 26 to 30 are renamed. Two links in `2026-03-28 retro.md` still point to the old names; step 11 fixes them.')
  const index = 'notes/index.md'
  return {
    view: room({ title: '2026-03 report names', workspace: '/home/you/notes', plan: view }),
    events: withFileChange(log.events, 's8', index),
    blobs: {
      [`${index}@before`]: Array.from({ length: 30 }, (_, i) => `- [Report ${i + 1}](report-${i + 1}.md)\n`).join(''),
      [`${index}@after`]: Array.from({ length: 30 }, (_, i) => `- [Report ${i + 1}](2026-03-${i + 1} report.md)\n`).join(''),
    },
  }
}

function drift(): Fixture {
  const view = plan({
    goal: 'Implement configurable retry policy', state: 'paused', pause_reason: 'drift', revision: 2,
    actions: ['cancel'], usage: usage(0, 0.11), ran_ms: 123_000,
    approval: { plan: 'plan', revision: 2, hash: 'hash', by: PERSON, at: NOW, scope: [], fresh_context: false },
    steps: [
      step(1, 'Add a RetryConfig struct', 'done', { tool: 'edit_file', target: 'pkg/config/types.go', took_ms: 18_000, result: 'RetryConfig embedded in ToolsetConfig; checked: builds.' }),
      step(2, 'Read RetryConfig for each toolset', 'in_progress', { tool: 'edit_file', target: 'pkg/runtime/dispatcher.go', took_ms: 41_000, waiting: true }),
      step(3, 'Update the schema', 'pending', { target: 'agent-schema.json' }),
      step(4, 'Build, test and lint', 'pending', { target: 'task build && task test' }),
    ],
  })
  const log = new Log()
    .created('Payments module', '/home/you/code/agent')
    .planned(view)
    .push({ type: 'step_started', step: 's1' })
    .push({ type: 'step_done', step: 's1', result: '' })
    .push({ type: 'step_started', step: 's2' })
    .replied('', [{ tool: 'edit_file', args: { path: 'pkg/runtime/dispatcher.go' }, ms: 9 }])
    .replied('The dispatcher calls the hook runner before the tool, so the retry has to wrap both.', [
      { tool: 'edit_file', args: { path: 'pkg/runtime/hooks.go', old: 'func (h *Hooks) Run(ctx context.Context) error {\n\treturn h.next(ctx)\n}\n', new: 'func (h *Hooks) Run(ctx context.Context) error {\n\treturn retry.Do(ctx, h.retry, h.next)\n}\n' }, outcome: null },
    ])
  const waits = ask({
    text: 'edit_file pkg/runtime/hooks.go is not in what step 2 was approved for. May it?', answers: ['once', 'add', 'refuse', 'refuse_stop'],
    detail: [{ name: 'tool', value: 'edit_file' }, { name: 'target', value: 'pkg/runtime/hooks.go' }, { name: 'grant', value: 'edit_file(pkg/runtime/hooks.go)' }],
  })
  log.push({ type: 'ask_raised', ask: { ...waits, call_id: log.lastCall() } })
  const file = 'pkg/config/types.go'
  return {
    view: room({ title: 'Payments module', workspace: '/home/you/code/agent', plan_mode: 'strict', plan: view, asks: [waits] }),
    events: withFileChange(log.events, 's1', file),
    blobs: {
      [`${file}@before`]: 'type ToolsetConfig struct {\n    Model  string       `json:"model,omitempty"`\n}\n',
      [`${file}@after`]: 'type ToolsetConfig struct {\n    Retry  *RetryConfig `json:"retry,omitempty"`\n    Model  string       `json:"model,omitempty"`\n}\n',
    },
  }
}

function stuck(more: Partial<StepView> = {}): Fixture {
  const base = running()
  const now = base.view.plan!
  const steps = now.steps.map((one) => (one.id === 's3' ? { ...one, attempts: 3, took_ms: 95_000, started_at: null, ...more } : one))
  const view = { ...now, state: 'paused', pause_reason: 'attempts' as const, pause_detail: 'step 3 failed 3 times', steps, running_since: null, actions: ['resume', 'change', 'skip', 'cancel'] as never }
  return { ...base, view: { ...base.view, plan: view } }
}

function pausing(): Fixture {
  const base = running()
  return { ...base, view: { ...base.view, plan: { ...base.view.plan!, pauses_after: true } } }
}

function question(): Fixture {
  const base = running()
  const waits = ask({ id: 'q', kind: 'question', step_id: 's3', text: 'Should the duplicate key count as a finding, or should I fix it?', detail: [{ name: 'option', value: 'Count it as a finding' }, { name: 'option', value: 'Fix it' }] })
  return { ...base, view: { ...base.view, plan: waitingAt(base.view.plan!, 's3'), asks: [waits] } }
}

/** The plan while a step of it waits for a person. */
function waitingAt(plan: PlanView, step: StepId): PlanView {
  return { ...plan, steps: plan.steps.map((one) => (one.id === step ? { ...one, waiting: true } : one)) }
}

/** Two sidekicks changed the same lines. */
function conflict(): Fixture {
  const base = research()
  const path = 'notes/vector databases/comparison-of-pricing.md'
  const row = (name: string, price: string, ms: number) => `| ${name.padEnd(10)} | ${price.padEnd(36)} | ${ms} ms median at 1M rows, measured on one core |`
  const head = ['# Comparison', '', '| database | price | latency |', '| --- | --- | --- |']
  const version = (...rows: string[]) => [...head, ...rows, '', '… 24 lines the same'].join('\n')
  const waits = ask({
    id: 'both', kind: 'conflict', room_id: 'k2', codename: 'brave-penguin', step_id: 's2', answers: ['mine', 'theirs', 'both'],
    text: `brave-penguin changed ${path}, and so did someone else meanwhile, in the same place.`,
    detail: [
      { name: 'path', value: path },
      { name: 'base', value: version(row('pgvector', 'not known', 0)) },
      { name: 'mine', value: version(row('pgvector', 'no licence cost', 11), row('pgvector 0.8', 'no licence cost', 9)) },
      { name: 'theirs', value: version(row('pgvector', 'no licence cost', 12), row('Qdrant', 'from $25 a month hosted', 4), row('Qdrant own', 'nothing but the machine', 5)) },
      { name: 'does_mine', value: 'It stays as it is in the folder.' },
      { name: 'does_theirs', value: "It becomes brave-penguin's version." },
      { name: 'does_both', value: `It stays, and brave-penguin's version is put beside it as ${path}.from-brave-penguin.` },
    ],
  })
  return { ...base, view: { ...base.view, asks: [waits] } }
}

function permission(): Fixture {
  const base = running()
  const waits = ask({
    id: 'p1', kind: 'permission', step_id: 's3', answers: ['allow', 'always', 'refuse', 'refuse_stop'],
    text: 'It wants to run cargo fetch --locked and asks for the network: packages.example, files.packages.example.',
    detail: [{ name: 'tool', value: 'shell' }, { name: 'target', value: 'cargo fetch --locked' }, { name: 'rule', value: 'shell(cargo fetch --locked) with packages.example, files.packages.example' }],
  })
  return { ...base, view: { ...base.view, plan: waitingAt(base.view.plan!, 's3'), asks: [waits] } }
}

function long(): Fixture {
  const steps: StepView[] = Array.from({ length: 20 }, (_, i) =>
    step(i + 1, i === 11 ? 'Move the shared error types into their own module, and change every place that names them so that nothing outside the crate has to know where they came from' : `Convert module ${i + 1} of the parser to the new error type`,
      i < 11 ? 'done' : i === 11 ? 'in_progress' : 'pending',
      i < 11 ? { took_ms: 8000 + i * 700, result: 'Converted.', tool: 'edit_file', target: `src/parser/module_${i + 1}/with/a/deep/path/errors.rs` } : i === 11 ? { started_at: NOW - 12_000, tool: 'edit_file', target: 'src/errors.rs' } : { tool: 'edit_file', target: `src/parser/module_${i + 1}/with/a/deep/path/errors.rs` }),
  )
  const view = plan({
    goal: 'Convert the whole parser to the new error type, module by module, keeping every test green after each one, and write down what callers have to change so that the release notes can say it; where a caller is outside this repository, say so as well, with the name of the file, and leave a note for whoever looks after it; and do not touch the generated parts, which have a script of their own',
    state: 'running', budget_left: 3, actions: RUNNING, usage: usage(412_000, 2.31), ran_ms: 760_000, running_since: NOW - 12_000, steps,
  })
  const log = new Log().created('Parser errors', '/home/you/code/a-rather-long-folder-name/with/parts').said('Convert the parser.').planned(view).push({ type: 'step_started', step: 's12' })
    .replied('Module 11 is converted. The next one is larger:\n\n- `Error` moves\n- `Kind` stays\n\n```rust\npub enum Kind {\n    Syntax,\n    Eof,\n}\n```\n')
  return { view: room({ title: 'Convert the parser to the new error type everywhere', workspace: '/home/you/code/a-rather-long-folder-name/with/parts', plan: view, busy: true }), events: log.events }
}

function over(state: 'done' | 'failed'): Fixture {
  const base = checkin()
  const now = base.view.plan!
  const steps = now.steps.map((one, i) => (state === 'failed' && i === 10 ? { ...one, status: 'failed', result: 'Two links lead nowhere.', took_ms: 3000 } : state === 'failed' && i === 11 ? { ...one, status: 'skipped', skip_cause: 'need' as const, blocked: true } : { ...one, status: 'done', result: 'Done.', took_ms: one.took_ms || 4000 }))
  const view = { ...now, state, pause_reason: null, steps, actions: [], end_reason: state === 'failed' ? 'Step 11 failed.' : null, ended_at: NOW }
  return { ...base, view: { ...base.view, plan: view } }
}

/** A plan is over, and the person went on talking. */
function talkedOn(): Fixture {
  const base = over('done')
  const said = new Log().said('And which of them are still named in the wiki?').replied('Three of them are: **2026-03-02**, **2026-03-11** and **2026-03-28**.').events
  const events = [...base.events, ...said.map((one, i) => ({ ...one, seq: base.events.length + i + 1, at: NOW + 1000 * (i + 1) }))]
  return { ...base, events: events.map((one) => (one.event.type === 'replied' ? { ...one, event: { ...one.event, seen: one.seq - 1 } } : one)) }
}

/** An answer so long that only its beginning is here. */
function longAnswer(): Fixture {
  const text = Array.from({ length: 700 }, (_, i) => `${i + 1}. Route \`/auth/route-${i}\` checks **scope ${i % 7}** and is tested in \`tests/auth_${i}.rs\`.`).join('\n')
  const log = new Log().created('Gateway', '/home/you/code/gateway').said('List every route.').replied({ blob: 'long', bytes: text.length, head: text.slice(0, 24_576) })
  return { view: room({ title: 'Gateway', workspace: '/home/you/code/gateway' }), events: log.events, blobs: { long: text } }
}

function hostile(): Fixture {
  const base = approval(1)
  const now = base.view.plan!
  const steps = now.steps.map((one, i) => (i === 1 ? { ...one, text: 'Read the notes\u202Egnp.exe and \u200Bkeep quiet <img src=x onerror=alert(1)>', target: 'notes/\u2066secret\u2069.md' } : i === 2 ? { ...one, verify: 'cargo test --workspace' } : i === 3 ? step(4, 'Think about it') : one))
  const log = base.events.concat({ seq: 900, at: NOW, event: { type: 'replied', model: 'x/y', text: 'A [link](javascript:alert(1)), <script>alert(1)</script><img src="https://example.org/x.png">, [a page](https://example.org/path) and `code`.', usage: usage(), seen: 1 } })
  return { ...base, events: log, view: { ...base.view, plan: { ...now, steps } } }
}

/** A plan to approve that says everything at length. */
function huge(): Fixture {
  const base = approval(1)
  const now = base.view.plan!
  const word = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'.repeat(3)
  const goal = `${'Go through every module, one after the other, and say what it does, whom it calls and who calls it. '.repeat(25)}${word} That is all.`
  const steps = Array.from({ length: 20 }, (_, i) => step(i + 1, i === 3 ? word : `Read and describe module ${i + 1}, then say in one line what it is for`, 'pending', { tool: 'write_file', target: `docs/modules/${i === 5 ? word : `module-${i + 1}`}.md` }))
  return { ...base, view: { ...base.view, title: word, workspace: `/home/you/code/${word}`, plan: { ...now, goal, rationale: `${word} ${now.rationale}`, steps } } }
}

/** A plan to approve whose steps name nothing. */
function bare(): Fixture {
  const base = approval(1)
  const now = base.view.plan!
  const steps = [
    step(1, 'Look at how retries are done today'),
    step(2, 'Write down what is missing', 'pending', { may_change: true, grants: 'may change the workspace' }),
    step(3, 'Try it', 'pending', { tool: 'shell', target: 'task test', verify: 'task lint' }),
  ]
  return { ...base, view: { ...base.view, plan: { ...now, rationale: null, steps, allows: { ...NOTHING, commands: 1, checks: 1, free: 1 } } } }
}

/** Soft mode: what the plan does not name is done, and warned about. */
function soft(): Fixture {
  const base = running()
  const now = base.view.plan!
  const steps = now.steps.map((one) =>
    one.id === 's3' ? { ...one, tool: 'read_file', target: 'src/auth/policy.toml', warnings: ['edit_file src/auth/policy.toml is not what this step names', 'shell cargo fmt is not in the plan'], added: ['edit_file(src/auth/scopes.rs)', 'shell(cargo test)'] } : one,
  )
  return { ...base, view: { ...base.view, plan_mode: 'soft', plan: { ...now, steps } } }
}

/** A plan that is over, with what was planned and what was done. */
function reported(): Fixture {
  const base = drift()
  const now = base.view.plan!
  const steps = now.steps.map((one) => ({ ...one, status: 'done', result: 'Done.', took_ms: one.took_ms || 4000, waiting: false, tool: one.tool ?? (one.id === 's4' ? 'shell' : 'edit_file') }))
  const view: PlanView = {
    ...now, state: 'done', pause_reason: null, actions: [], ended_at: NOW, steps,
    report: {
      lines: steps.map((one) => ({
        step: one.id, number: one.number, planned: `${one.tool} ${one.target}`, touched: one.id !== 's3',
        beyond: one.id === 's2' ? [{ tool: 'edit_file', touches: ['pkg/runtime/hooks.go'], how: 'added' as const }, { tool: 'shell', touches: ['go vet ./...'], how: 'once' as const }] : [],
      })),
    },
  }
  return { ...base, view: { ...base.view, asks: [], plan: view } }
}

/** A plan that waits in another room. */
export const ELSEWHERE: Fixture = (() => {
  const base = approval(2)
  const there = (one: Stored): Stored => JSON.parse(JSON.stringify(one).replaceAll('"plan":"plan"', '"plan":"plan-notes"')) as Stored
  return { ...base, events: base.events.map(there), view: { ...base.view, id: 'notes', plan: { ...base.view.plan!, id: 'plan-notes', room_id: 'notes' } } }
})()

export const ELSEWHERE_ASK: AskView = ask({ id: 'there', kind: 'approval', room_id: 'notes', plan_id: 'plan-notes', step_id: null, text: 'May this plan run? Implement configurable retry policy', answers: ['approve', 'reject'] })

/** The agent answers, without a plan. */
function busy(): Fixture {
  const log = new Log().created('Gateway', '/home/you/code/gateway').said('What does the auth module do?').replied('Let me look.', [{ tool: 'read_file', args: { path: 'src/auth/mod.rs' }, outcome: null }])
  return { view: room({ title: 'Gateway', workspace: '/home/you/code/gateway', busy: true }), events: log.said('And the tests?').events }
}

/** So many questions, each with its answer. */
function many(questions: number): Fixture {
  const base = running()
  const log = new Log().created('Auth audit', '')
  for (let i = 1; i <= questions; i++) {
    log.said(`Question ${i}: what does route ${i} check, and why?`)
    log.replied(`Route ${i} checks **scope ${i % 7}**.\n\n1. It reads \`policy.toml\`.\n2. It compares the scope.\n\n${'It says so in the handler. '.repeat(i % 6)}`, i % 3 === 0 ? [{ tool: 'read_file', args: { path: `src/route_${i}.rs` } }] : [])
  }
  return { ...base, events: log.events }
}

/** Puts a call that changed a file into a step. */
function withFileChange(events: Stored[], stepId: string, path: string): Stored[] {
  const at = events.findIndex(({ event }) => event.type === 'step_started' && event.step === stepId) + 1
  const log = new Log().replied('', [{ tool: 'write_file', args: { path }, ms: 12, result: `wrote ${path}`, changed: [path] }])
  const put = log.events.map((one) => JSON.parse(JSON.stringify(one).replaceAll('"c1"', '"w1"')) as Stored)
  return [...events.slice(0, at), ...put, ...events.slice(at)].map((one, i) => ({ ...one, seq: i + 1 }))
}

/** The rail of the mocks, with the open room in its state. */
export function overview(state: State, open: Fixture): Overview {
  const summary = (id: string, title: string, stateOf: string, ended: number, steps: number, more: Partial<RoomSummary> = {}): RoomSummary => ({
    id, title, workspace: '/home/you/code/gateway', kind: 'chat', plan_mode: 'strict', archived: false, busy: stateOf === 'running', asks: 0, active_plan: null, created_at: NOW, updated_at: NOW,
    plan: { id: `plan-${id}`, goal: title, state: stateOf, ended, steps, actions: [] }, ...more,
  })
  const view = open.view
  const mine: RoomSummary = {
    id: 'room', title: view.title, workspace: view.workspace, kind: view.kind, parent: view.kind === 'sidekick' ? view.parent : null, codename: view.kind === 'sidekick' ? view.codename : null, sidekick: view.sidekick, plan_mode: view.plan_mode, archived: view.archived, busy: view.busy, asks: view.asks.length, active_plan: view.plan?.id ?? null, created_at: NOW, updated_at: NOW,
    ...glance(view),
    plan: view.plan && { id: view.plan.id, goal: view.plan.goal, state: view.plan.state, pause_reason: view.plan.pause_reason, ended: ended(view.plan), steps: view.plan.steps.length, actions: view.plan.actions },
  }
  const others = [
    summary('auth', 'Auth audit', 'running', 45, 100),
    summary('vector', 'Vector database research', 'running', 60, 100),
    summary('v1', 'pgvector', 'done', 1, 1, { kind: 'sidekick', parent: 'vector', codename: 'pgvector' }),
    summary('v2', 'Qdrant', 'running', 55, 100, { kind: 'sidekick', parent: 'vector', codename: 'Qdrant' }),
    summary('v3', 'LanceDB', 'running', 30, 100, { kind: 'sidekick', parent: 'vector', codename: 'LanceDB' }),
    summary('notes', '2026-03 report names', 'done', 1, 1),
    summary('pay', 'Payments module', 'failed', 70, 100),
    summary('old', 'Old experiments', 'done', 1, 1, { archived: true }),
  ].filter((one) => one.title !== view.title && !(view.title === 'Vector database research' && one.parent === 'vector'))
  const first = ['checkin', 'done', 'failed', 'over', 'away'].includes(state) ? 5 : view.title === 'Payments module' ? 6 : 0
  const rooms = [...others.slice(0, first), mine, ...others.slice(first)]
  return { rooms: [...rooms, ...sidekicksIn(state, view)], asks: view.asks }
}

export const OTHER_ASKS: AskView[] = [
  ask({ id: 'p', kind: 'permission', room_id: 'vector', text: 'It wants to fetch qdrant.tech/pricing.', detail: [{ name: 'tool', value: 'fetch' }, { name: 'target', value: 'qdrant.tech' }, { name: 'rule', value: 'fetch(qdrant.tech)' }, { name: 'arguments', value: 'https://qdrant.tech/pricing' }], answers: ['allow', 'always', 'refuse', 'refuse_stop'] }),
]
