// Made-up councils: two, three, five and eight members, in each of their states.

import type { CouncilMemberView, CouncilRules, CouncilView, Event, RoomView } from '../src/lib/wire'
import { AGENT, CAPS, Log, NOTHING, NOW, PERSON, plan, room, step, usage } from './make'
import { holding } from '../src/council/facts'
import type { Fixture } from './fixtures'

export const COUNCILS = [
  'council-begun', 'council-two', 'council-three', 'council-five', 'council-eight', 'council-paused', 'council-capped', 'council-failed', 'council-restarted', 'council-decided', 'council-reuse', 'council-executing', 'council-judged', 'member',
] as const
export type CouncilState = (typeof COUNCILS)[number]

export const RULES: CouncilRules = {
  defer_voting_until_all_answered: true, max_new_answers_per_agent: 2, max_new_answers_global: null, answer_novelty_requirement: 'lenient', fairness_lead_cap_answers: 2,
  max_midstream_injections_per_round: 2, voting_sensitivity: 'lenient', orchestrator_timeout_seconds: 1800, initial_round_timeout_seconds: null, subsequent_round_timeout_seconds: null,
  round_timeout_grace_seconds: 120, final_answer_strategy: 'winner_present', max_orchestration_restarts: 1, evidence: 'none', tokens: null, cost_micros: null,
}

const WHO = [
  ['claude', 'anthropic/claude-opus'], ['codex', 'openai/gpt-5'], ['gemini', 'gemini/gemini-3-pro'], ['grok', 'xai/grok-4'], ['qwen', 'ollama/qwen3:32b'],
  ['sonnet', 'anthropic/claude-sonnet'], ['llama', 'ollama/llama3.3:70b'], ['claude-2', 'anthropic/claude-opus'],
] as const

interface Said {
  title: string
  steps: string[]
  content?: string
}

export function member(number: number, answers: Said[], more: Partial<CouncilMemberView> = {}): CouncilMemberView {
  const [agent, model] = WHO[(number - 1) % WHO.length]!
  return {
    id: `agent${number}`, agent, model, room_id: `member-${number}`, state: answers.length > 0 ? 'answered' : 'working', usage: usage(9_000 + number * 800, 0.08 + number * 0.03),
    answers: answers.map((said, i) => ({
      label: `agent${number}.${i + 1}`, title: said.title, content: said.content ?? `${said.title}.\n\n${said.steps.join('. ')}.`, at: NOW - 400_000 + i * 200_000 + number * 5_000,
      steps: said.steps.map((text, at) => ({ id: `s${at + 1}`, text, tool: /^(Create|Add|Write)/.test(text) ? 'write_file' : /(run|test|build)/i.test(text) ? 'shell' : null, target: null, expected_outcome: null })),
    })), ...more,
  }
}

export const vote = (choice: number, reason: string, nth = 1) => ({ for: `agent${choice}`, label: `agent${choice}.${nth}`, reason })

export function council(members: CouncilMemberView[], more: Partial<CouncilView> = {}): CouncilView {
  const votes = [...members.flatMap((one) => one.vote ?? []), ...(more.person_vote ? [more.person_vote] : [])]
  return {
    id: 'council', task: 'Create a project structure with src/, tests/ and docs/', state: 'voting', attempt: 1, attempts: 2, round: 1, started_at: NOW - 372_000, ran_ms: 0,
    running_since: NOW - 372_000, deadline: NOW + 1_428_000, members,
    tally: members.filter((one) => one.answers.length > 0).map((one) => ({ member: one.id, votes: votes.filter((vote) => vote.for === one.id).length })),
    dropped_votes: 0, dropped: [], rules: { ...RULES, cost_micros: 2_000_000 }, usage: usage(42_000, 0.38), shared_models: [], earlier: [], actions: ['answer_now', 'pick', 'vote', 'pause', 'cancel'], ...more,
  }
}

const FOLDERS: Said = { title: 'Plain folders with a README in each', steps: ['Create src/, tests/ and docs/', 'Write a README that says what goes where', 'Add .gitkeep so Git keeps the folders'] }
const PACKAGE: Said = { title: 'Installable package with one smoke test', steps: ['Create src/atlas/ and pyproject.toml', 'Add tests/test_import.py', 'Write docs/index.md and README.md', 'Install it in a clean environment, run pytest'] }
const SITE: Said = { title: 'Package, tests and a docs site that builds', steps: ['Create src/atlas/ and tests/ with a smoke test', 'Set up MkDocs in docs/', 'Add .github/workflows/ci.yml', 'Build the docs, run pytest'] }

export const three = (more: Partial<CouncilView> = {}) =>
  council(
    [
      member(1, [FOLDERS], { state: 'voted', vote: vote(2, 'Same folders as mine, and the tests pass from a clean checkout.') }),
      member(2, [PACKAGE]),
      member(3, [SITE], { state: 'voted', vote: vote(3, 'A docs folder nobody builds goes stale.') }),
    ],
    more,
  )

export const five = (more: Partial<CouncilView> = {}) =>
  council(
    [
      member(1, [{ title: 'Write to both, then switch reads', steps: ['Add a sessions table', 'Write to both stores', 'Switch reads behind a flag', 'Remove Redis'] }], { cleared: vote(1, 'Easy to go back at any point.') }),
      member(2, [{ title: 'Copy everything at once', steps: ['Add a sessions table', 'Copy all keys at night', 'Switch'] }, { title: 'Copy on read, no backfill', steps: ['Add a sessions table', 'On a miss, copy from Redis', 'Let old keys expire in 14 days'] }]),
      member(3, [{ title: 'Backfill first, one cut-over', steps: ['Export every key', 'Import with a script', 'Switch in one release'] }], { cleared: vote(1, 'It can be undone. Mine can’t.') }),
      member(4, [], { state: 'failed', problem: 'xAI rejected the request: rate limit, after 3 tries.' }),
      member(5, []),
    ],
    {
      task: 'Move sessions from Redis to Postgres without logging anyone out', state: 'answering', round: 2, attempts: 1, deadline: NOW + 1_025_000, usage: usage(96_000, 1.24),
      rules: { ...RULES, defer_voting_until_all_answered: false, cost_micros: 3_000_000, max_orchestration_restarts: 0 }, dropped_votes: 1, dropped: [{ member: 'agent3', for: 'agent1', reason: 'As before', why: 'A new answer came before the vote.', at: NOW - 60_000 }], ...more,
    },
  )

export const eight = (more: Partial<CouncilView> = {}) =>
  council(
    WHO.map((_, i) => member(i + 1, [[FOLDERS, PACKAGE, SITE][i % 3]!], i < 5 ? { state: 'voted', vote: vote([2, 2, 3, 2, 8][i]!, ['Its tests pass from a clean checkout, and nothing else does.', 'Mine installs.', 'Docs that build are worth a file more.', 'Small, and tested.', 'The only one that names the folders as asked.'][i]!) } : {})),
    { shared_models: ['anthropic/claude-opus'], usage: usage(310_000, 2.71), rules: RULES, person_vote: vote(2, 'It can be installed'), ...more },
  )

const events = (shown: CouncilView): Log => {
  const log = new Log().created('Project structure', '/home/you/code/atlas').said(String(shown.task))
  const push = (event: Event) => log.push(event, 9_000)
  const frame = { origin: 'council', caps: CAPS, lanes: 1, on_partial: 'fail', venue_room: 'room' } as const
  push({ type: 'council_started', council: shown.id, task: shown.task, members: shown.members.map((one) => ({ agent: one.agent, model: one.model, room: one.room_id })), rules: shown.rules, frame, plan: 'plan', ask: 'ask', by: PERSON })
  const number = (id: string) => Number(id.replace('agent', ''))
  for (const nth of [0, 1])
    for (const one of shown.members) {
      const answer = one.answers[nth]
      if (answer) push({ type: 'council_answered', member: number(one.id), label: answer.label, content: answer.content, plan: { goal: answer.title, title: answer.title, mode: 'sequential', advance: 'auto', venue: 'main', workspace: '', steps: [] } })
      const cast = nth === 0 ? (one.cleared ?? null) : null
      if (cast) push({ type: 'council_voted', member: number(one.id), vote: { for: number(cast.for), label: cast.label, reason: cast.reason } })
      if (nth === 0 && one.problem) push({ type: 'council_member_failed', member: number(one.id), reason: one.problem })
    }
  for (const one of shown.members) if (one.vote) push({ type: 'council_voted', member: number(one.id), vote: { for: number(one.vote.for), label: one.vote.label, reason: one.vote.reason } })
  if (shown.winner) push({ type: 'council_decided', winner: number(shown.winner), by: shown.decided_by ?? 'votes' })
  if (shown.state === 'failed') push({ type: 'council_ended', state: 'failed', reason: shown.end_reason ?? '' })
  return log
}

function fixtureOf(shown: CouncilView, more: Partial<RoomView> = {}): Fixture {
  const view = room({ title: shown.members.length === 5 ? 'Session store' : 'Project structure', workspace: '/home/you/code/atlas', plan_mode: 'strict', busy: true, ...more, council: shown } as Parameters<typeof room>[0])
  return { view, events: events(shown).events }
}

const WON: Partial<CouncilView> = { winner: 'agent2', decided_by: 'votes', deadline: null, running_since: null, ran_ms: 401_000 }

function chosen(state: 'awaiting_approval' | 'running' | 'done', more: Partial<CouncilView> = {}): Fixture {
  const steps = PACKAGE.steps.map((text, i) => step(i + 1, text, state === 'done' ? 'completed' : state === 'running' && i === 0 ? 'in_progress' : 'pending', { tool: i === 3 ? 'shell' : 'write_file', target: ['src/atlas/, pyproject.toml', 'tests/test_import.py', 'docs/index.md, README.md', 'uv venv && uv pip install . && pytest'][i] }))
  const view = plan({ goal: 'Create a project structure', title: PACKAGE.title, origin: 'council', state, steps, actions: state === 'done' ? [] : state === 'running' ? ['pause', 'cancel'] : ['approve', 'change', 'reject', 'cancel'], planned_by: 'openai/gpt-5', allows: { ...NOTHING, files: 6, commands: 3 }, created_at: NOW })
  const base = three({ ...WON, state: state === 'awaiting_approval' ? 'decided' : 'executing', plan_id: 'plan', actions: ['cancel'], ...more })
  const members = base.members.map((one) => (one.id === 'agent2' ? { ...one, state: 'voted' as const, vote: vote(2, 'agent3.1 adds a CI file nobody asked for.') } : one))
  const shown = council(members, { ...base, members, tally: [{ member: 'agent1', votes: 0 }, { member: 'agent2', votes: 2 }, { member: 'agent3', votes: 1 }] })
  const made = fixtureOf(shown, { plan: view, busy: state === 'running' })
  made.events.push({ seq: made.events.length + 1, at: NOW, event: { type: 'plan_written', plan: 'plan', hash: view.hash, by: AGENT, content: { goal: view.goal, title: view.title, mode: 'sequential', advance: 'auto', venue: 'main', workspace: '', steps: [] }, frame: { origin: 'council', caps: CAPS, lanes: 1, on_partial: 'fail', venue_room: 'room' } } })
  return made
}

export function councilRoom(state: CouncilState): Fixture {
  switch (state) {
    case 'council-begun':
      return fixtureOf(council([member(1, []), member(2, [], { waits_until: NOW + 42_000 }), member(3, [])], { state: 'answering', usage: usage(2_100, 0.01), actions: ['pause', 'cancel'], deadline: NOW + 1_790_000 }))
    case 'council-two':
      return fixtureOf(council([member(1, [FOLDERS], { state: 'voted', vote: vote(2, 'It can be installed.') }), member(2, [PACKAGE])], { attempts: 1 }))
    case 'council-three':
      return fixtureOf(three())
    case 'council-five':
      return fixtureOf(five())
    case 'council-eight':
      return fixtureOf(eight())
    case 'council-paused':
      return fixtureOf(three({ state: 'paused', pause_reason: 'interrupted', deadline: null, running_since: null, ran_ms: 372_000, actions: ['answer_now', 'pick', 'vote', 'resume', 'cancel'] }), { busy: false })
    case 'council-capped':
      return fixtureOf(five({ state: 'paused', pause_reason: 'cap', pause_detail: 'The council used $3.00 of $3.00.', deadline: null, running_since: null, ran_ms: 800_000, actions: ['answer_now', 'pick', 'vote', 'resume', 'cancel'] }), { busy: false })
    case 'council-failed':
      return fixtureOf(council([member(1, [], { state: 'failed', problem: 'The model didn’t answer.' }), member(2, [], { state: 'failed', problem: 'OpenAI rejected the key (401).' })], { state: 'failed', end_reason: 'Every member is out, and nobody answered.', deadline: null, running_since: null, ran_ms: 31_000, usage: usage(2_000, 0.01), actions: [], attempts: 1 }), { busy: false })
    case 'council-restarted':
      return fixtureOf(
        three({
          attempt: 2, earlier: [{ attempt: 1, members: three().members, winner: 'agent1', decided_by: 'votes', plan_id: 'plan-1', round: 1, tally: [{ member: 'agent1', votes: 2 }, { member: 'agent2', votes: 1 }], person_vote: vote(1, 'Plain is enough.'), dropped: [], result: '1. Create src/, tests/ and docs/: created three folders', reason: 'The folders exist, but nothing can be imported from src/.', instructions: 'Make it an installable package, and prove it with a test that imports it.' }],
        }),
      )
    case 'council-decided':
      return chosen('awaiting_approval')
    case 'council-executing':
      return chosen('running')
    case 'council-judged':
      return chosen('done', { state: 'paused', pause_reason: 'provider', pause_detail: 'OpenAI rejected the key (401).', actions: ['resume', 'cancel'] })
    case 'council-reuse':
      return fixtureOf(three({ ...WON, state: 'done', actions: [], rules: { ...RULES, final_answer_strategy: 'winner_reuse' } }), { busy: false })
    case 'member': {
      const view = room({ title: 'agent2', workspace: '/home/you/code/atlas', plan_mode: 'strict', busy: true, kind: 'member', parent: 'auth', council_id: 'council', number: 2 } as Parameters<typeof room>[0])
      const log = new Log().created('agent2', '/home/you/code/atlas')
      log.push({ type: 'member_told', turn: 1, text: 'Create a project structure with src/, tests/ and docs/\n\nLook around first, then call new_answer.', may_look: true, words: 0 })
      log.replied('The folder is empty apart from a README.', [{ tool: 'read_file', args: { path: 'README.md' } }, { tool: 'new_answer', args: { content: PACKAGE.title } }])
      return { view, events: log.events }
    }
  }
}

/** What the list of rooms tells of a room's council. */
export function glance(view: RoomView): object {
  if (view.kind !== 'chat' || !view.council) return {}
  const { id, task, state, pause_reason, members, actions } = view.council
  const talks = !!holding(view)
  return { council: { id, task: String(task), state, pause_reason, planned: !talks && !!view.council.plan_id, talks, actions, members: members.length, answered: members.filter((one) => one.answers.length > 0).length, voted: members.filter((one) => one.vote).length } }
}
