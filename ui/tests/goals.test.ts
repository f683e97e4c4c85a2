import { fireEvent, render, screen, waitFor } from '@testing-library/svelte'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { fakeBackend } from '../dev/fake'
import { AGENT, contentOf, Log, plan, step } from '../dev/make'
import App from '../src/App.svelte'
import { Fold } from '../src/chat/fold'
import { nodeFacts } from '../src/graph/facts'
import { runningAs } from '../src/plan/status'

const split = plan({ goal: 'g', origin: 'goal', mode: 'graph', steps: [step(1, 'one', 'done', { agent: 'reviewer', sidekick: 'k1' }), step(2, 'two', 'failed')] })
const fresh = { ...split, revision: 0, steps: [] }

describe('/goal', () => {
  beforeEach(() => {
    localStorage.clear()
    localStorage.setItem('plancard.room', '"room"')
  })

  async function send(change = {}) {
    const backend = { ...fakeBackend('empty'), ...change }
    render(App, { backend })
    const box = (await screen.findByLabelText(/Message the room/)) as HTMLTextAreaElement
    await fireEvent.input(box, { target: { value: '/goal Audit the payments module' } })
    await fireEvent.keyDown(box, { key: 'Enter' })
    return { backend, box }
  }

  test('hands it over and opens its room', async () => {
    const setGoal = vi.fn(async () => 'notes')
    const inFront = vi.fn(async () => undefined)
    await send({ setGoal, inFront })
    await waitFor(() => expect(setGoal).toHaveBeenCalledExactlyOnceWith('room', 'Audit the payments module'))
    await waitFor(() => expect(inFront).toHaveBeenLastCalledWith('notes'))
  })

  test('that is refused says why, and stays as it was typed', async () => {
    const problem = { code: 'GOALS_OFF', message: 'goals are turned off' }
    const { box } = await send({ setGoal: () => Promise.reject(problem) })
    expect(await screen.findByText(/Goals are turned off/)).toBeTruthy()
    await waitFor(() => expect(box.value).toBe('/goal Audit the payments module'))
  })
})

describe('the card of a goal', () => {
  test.each([
    ['Planning the steps', { phase: 'splitting' as const, steps: [] }],
    ['Combining the results', { phase: 'joining' as const }],
    ['Queued', { phase: 'working' as const, held: 'slot' as const }],
    ['Waiting for your answer', { phase: 'working' as const, held: 'answer' as const }],
    ['Waiting for quota', { phase: 'working' as const, held: 'quota' as const }],
    [null, { phase: 'working' as const }],
    [null, { phase: 'splitting' as const, state: 'paused' }],
  ])('says %s', (words, more) => expect(runningAs({ ...split, ...more })).toBe(words))

  test('a node says which agent does it', () => {
    expect(nodeFacts(split.steps[0]!, split, [])).toMatch(/, by reviewer$/)
  })
})

describe('the chat of a goal', () => {
  test('says what became of it, and which steps failed', () => {
    const log = new Log().said('g').planned(fresh)
    log.push({ type: 'split_refused', reason: 'step b needs z' })
    log.push({ type: 'plan_revised', revision: 1, hash: 'hash', content: contentOf(split), by: AGENT })
    log.push({ type: 'plan_held', held: 'slot' }).push({ type: 'synthesis_began' })
    log.replied('All in all.').push({ type: 'plan_done', failed_steps: ['s2'] })
    const fold = new Fold()
    fold.push(log.events)
    expect(fold.items).toMatchObject([
      { kind: 'me' },
      { kind: 'note', text: 'The steps were rejected: step b needs z' },
      { kind: 'note', text: 'All steps are done. Combining the results.' },
      { kind: 'agent' },
      { kind: 'note', text: 'Plan done, but step 2 failed' },
    ])
    // What had no steps is nothing to compare with.
    expect(fold.revisions).toMatchObject([{ revision: 1 }])
  })
})
