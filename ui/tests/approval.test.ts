import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { fixture } from '../dev/fixtures'
import { AGENT, contentOf, PERSON, step } from '../dev/make'
import type { PlanView } from '../src/lib/wire'
import { button, card, ESTIMATE, planCard, settle } from './card'

beforeEach(() => {
  localStorage.clear()
  vi.useFakeTimers()
})
afterEach(() => vi.useRealTimers())

const bar = () => screen.getByRole('group', { name: 'Needs you' })
const soon = () => vi.advanceTimersByTimeAsync(1)

describe('the bar', () => {
  test('says what approving allows, and that a command may write anywhere', () => {
    card('bare')
    expect(bar().textContent).toContain('Approving lets the agent run 1 command and 1 check, and change anything in the workspace in 1 step.')
    expect(bar().textContent).toContain('An approved command may write anywhere in the workspace.')
  })

  test('says so when it only reads', () => {
    const { props } = card('approval', { allows: { files: 0, patterns: 0, commands: 0, with_more: 0, any_folder: 0, as_written: 0, checks: 0, hosts: 0, host_patterns: 0, tools: 0, free: 0 } })
    expect(props.plan.steps.length).toBeGreaterThan(0)
    expect(bar().textContent).toContain('The agent only reads.')
    expect(bar().textContent).not.toContain('An approved command')
  })

  test('says which model planned, and which will execute', async () => {
    card('approval')
    await soon()
    expect(screen.getByText(/planned by claude-opus/)).toBeTruthy()
    const runs = screen.getByLabelText('Runs with') as HTMLSelectElement
    expect(runs.selectedOptions[0]?.textContent).toBe('claude-sonnet')
  })

  test('estimates what it takes, again for another model, and says what that rests on', async () => {
    const { act } = card('approval', {}, {}, { models: ['anthropic/claude-sonnet', 'ollama/qwen3:8b'] })
    act['estimate']!.mockImplementation(async (model) => (model === null ? ESTIMATE : { ...ESTIMATE, model, cost: null }))
    await soon()
    const takes = screen.getByText(/Estimate: 42.2k tokens, \$0.18/)
    expect(takes.title).toBe('Steps like those before.')
    expect(takes.textContent).toContain('Steps like those before.')
    await fireEvent.change(screen.getByLabelText('Runs with'), { target: { value: 'ollama/qwen3:8b' } })
    await soon()
    expect(act['estimate']!.mock.calls.map(([model]) => model)).toEqual([null, 'ollama/qwen3:8b'])
    expect(screen.getByText(/Estimate: 42.2k tokens \(no price data\)/)).toBeTruthy()
    // The one that is chosen does not change the name of the usual one.
    expect((screen.getByLabelText('Runs with') as HTMLSelectElement).options[0]?.textContent).toBe('claude-sonnet')
    await settle()
    await fireEvent.click(screen.getByLabelText(/Start with a clean context/))
    await fireEvent.click(button('Approve'))
    expect(act['approve']).toHaveBeenCalledExactlyOnceWith(expect.anything(), 'ollama/qwen3:8b', true)
  })

  test('an estimate that comes late is not that of another model', async () => {
    const { act } = card('approval', {}, {}, { models: ['a/slow', 'a/fast'] })
    await soon()
    let late: (value: object) => void = () => undefined
    act['estimate']!.mockImplementation(async (model) => (model === 'a/slow' ? new Promise((done) => (late = done)) : { ...ESTIMATE, model, input_tokens: 1000, output_tokens: 0 }))
    const choose = (value: string) => fireEvent.change(screen.getByLabelText('Runs with'), { target: { value } })
    await choose('a/slow')
    expect(screen.getByText(/Estimating/)).toBeTruthy()
    await choose('a/fast')
    await soon()
    late({ ...ESTIMATE, model: 'a/slow' })
    await soon()
    expect(screen.getByText(/Estimate: 1k tokens/)).toBeTruthy()
  })

  test('can be answered without an estimate', async () => {
    const { act, props, rerender } = card('approval')
    act['estimate']!.mockRejectedValue({ code: 'X', message: 'no' })
    await rerender({ plan: { ...props.plan, revision: 2, hash: 'other' } })
    await settle()
    expect(screen.getByText('No estimate')).toBeTruthy()
    await fireEvent.click(button('Approve'))
    expect(act['approve']).toHaveBeenCalledOnce()
  })

  test('Enter approves nowhere but on Approve', async () => {
    const { act, container } = card('bare', {}, {}, { models: ['a/b'] })
    await settle()
    const all = [...container.querySelectorAll<HTMLElement>('button, select, input, [tabindex]')]
    expect(all.length).toBeGreaterThan(8)
    for (const one of [document.body, ...all]) {
      if (one !== document.body && one === button('Approve')) continue
      if (one !== document.body) one.focus()
      await fireEvent.keyDown(one, { key: 'Enter' })
      await fireEvent.keyUp(one, { key: 'Enter' })
    }
    expect(act['approve']).not.toHaveBeenCalled()
    // A button of the page's own kind: Enter on it is a click, and nothing else listens.
    expect(button('Approve').tagName).toBe('BUTTON')
    await fireEvent.click(button('Approve'))
    expect(act['approve']).toHaveBeenCalledOnce()
  })

  test('m and esc are for the card only while nothing is being typed', async () => {
    const { act } = card('approval')
    await fireEvent.keyDown(screen.getByLabelText('Runs with'), { key: 'm' })
    expect(screen.queryByRole('form', { name: 'Change the plan' })).toBeNull()
    await fireEvent.keyDown(document.body, { key: 'Escape' })
    const why = screen.getByLabelText(/Why not/)
    await fireEvent.keyDown(why, { key: 'm' })
    expect(screen.queryByRole('form', { name: 'Change the plan' })).toBeNull()
    await fireEvent.keyDown(why, { key: 'Escape' })
    await fireEvent.keyDown(planCard(), { key: 'm' })
    expect(screen.getByRole('form', { name: 'Change the plan' })).toBeTruthy()
    expect(act['reject']).not.toHaveBeenCalled()
  })
})

describe('the hand switch', () => {
  const hand = (number: number) => screen.queryByRole('switch', { name: `Step ${number} can edit the workspace` })

  test('stands where a step only reads, and where a person allowed more', async () => {
    const { act } = card('bare')
    expect(hand(1)?.getAttribute('aria-checked')).toBe('false')
    expect(hand(1)?.closest('[data-step]')?.textContent).toContain('Read-only')
    expect(hand(2)?.getAttribute('aria-checked')).toBe('true')
    expect(hand(3)).toBeNull()
    await fireEvent.click(hand(1)!)
    expect(act['letChange']).toHaveBeenLastCalledWith('s1', true, 1)
    await fireEvent.click(hand(2)!)
    expect(act['letChange']).toHaveBeenLastCalledWith('s2', false, 1)
    // Enter and the space bar are clicks on what is a button.
    expect(hand(1)?.tagName).toBe('BUTTON')
    // Both positions say what they mean.
    expect([hand(1), hand(2)].map((one) => one?.textContent)).toEqual(['WorkspaceRead-only', 'WorkspaceCan edit'])
  })

  test('shows what is so, not what was pressed', async () => {
    const { act, props, rerender } = card('bare')
    act['letChange']!.mockResolvedValue(false)
    await fireEvent.click(hand(1)!)
    expect(hand(1)?.getAttribute('aria-checked')).toBe('false')
    hand(1)?.focus()
    const before = hand(1)
    await rerender({ plan: { ...props.plan, revision: 2, steps: props.plan.steps.map((one) => (one.id === 's1' ? { ...one, may_change: true, grants: 'may change the workspace' } : one)) } })
    expect(hand(1)?.getAttribute('aria-checked')).toBe('true')
    // The same switch, so the focus stays on it.
    expect(document.activeElement).toBe(before)
  })

  test('makes a revision, which has to be read before it is approved', async () => {
    const { act, props, rerender } = card('bare')
    await settle()
    await rerender({ plan: { ...props.plan, revision: 2 } })
    await fireEvent.click(button('Approve'))
    expect(act['approve']).not.toHaveBeenCalled()
  })

  const running: Partial<PlanView> = { state: 'running', actions: ['pause', 'cancel'], approval: { plan: 'plan', revision: 1, hash: 'hash1', by: PERSON, at: 0, scope: [], fresh_context: false } }

  test('is there after approval until the step has ended', () => {
    const steps = fixture('bare').view.plan!.steps
    card('bare', { ...running, steps: [{ ...steps[0]!, status: 'in_progress' }, steps[1]!, { ...step(3, 'x', 'done'), may_change: true }] })
    expect(hand(1)?.getAttribute('aria-checked')).toBe('false')
    expect(hand(2)?.getAttribute('aria-checked')).toBe('true')
    expect(hand(3)).toBeNull()
  })

  test('says nothing where the plan holds nothing up, and does nothing where it is only read', () => {
    card('bare', running, { mode: 'off' })
    expect([hand(1), hand(2)?.getAttribute('aria-checked')]).toEqual([null, 'true'])
  })

  test('is words alone in the history', () => {
    const { container } = card('bare', {}, {}, { act: null })
    expect(screen.queryAllByRole('switch')).toEqual([])
    expect(container.querySelector('[data-step=s1]')?.textContent).toContain('read-only')
    expect(container.querySelector('[data-step=s2]')?.textContent).toContain('can edit')
  })
})

describe('comments on single steps', () => {
  const comment = async (number: number, text: string) => {
    await fireEvent.click(button(`Comment on step ${number}`))
    await tick()
    const field = screen.getByLabelText(`Comment on step ${number}`, { selector: 'input' })
    expect(document.activeElement).toBe(field)
    await fireEvent.input(field, { target: { value: text } })
    return field
  }

  test('are one round, for the revision that was shown', async () => {
    const { act } = card('approval')
    await fireEvent.keyDown(planCard(), { key: 'm' })
    await comment(2, 'not this file')
    await comment(4, 'lint as well')
    await fireEvent.click(button(/^Send comments/))
    expect(act['comment']).toHaveBeenCalledExactlyOnceWith(1, [{ step: 's2', text: 'not this file' }, { step: 's4', text: 'lint as well' }])
    expect(act['edit']).not.toHaveBeenCalled()
    expect(act['say']).not.toHaveBeenCalled()
    await soon()
    expect(screen.queryByRole('form', { name: 'Change the plan' })).toBeNull()
  })

  test('that did not get there are not lost', async () => {
    const { act } = card('approval')
    act['comment']!.mockResolvedValue(false)
    await fireEvent.keyDown(planCard(), { key: 'm' })
    const field = (await comment(2, 'not this file')) as HTMLInputElement
    await fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true })
    await soon()
    expect(field.isConnected && field.value).toBe('not this file')
    act['comment']!.mockResolvedValue(true)
    await fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true })
    await soon()
    expect(screen.queryByRole('form', { name: 'Change the plan' })).toBeNull()
  })

  test('come after what was changed by hand, which is not saved twice', async () => {
    const { act } = card('approval')
    act['comment']!.mockResolvedValue(false)
    await fireEvent.keyDown(planCard(), { key: 'm' })
    await fireEvent.input(screen.getByLabelText('Step 1'), { target: { value: 'Add it' } })
    await fireEvent.keyDown(screen.getByLabelText('Step 1'), { key: 'Enter' })
    await fireEvent.input(screen.getByLabelText('Step 2'), { target: { value: 'Between' } })
    await comment(2, 'how?')
    await fireEvent.click(button(/^Save as revision 2 and send comments/))
    await soon()
    expect(act['edit']).toHaveBeenCalledOnce()
    expect(act['comment']).toHaveBeenCalledExactlyOnceWith(2, [{ step: 'new-1-1', text: 'how?' }])
    act['comment']!.mockResolvedValue(true)
    await fireEvent.click(button(/^Send comments/))
    await soon()
    expect(act['edit']).toHaveBeenCalledOnce()
    expect(act['comment']).toHaveBeenLastCalledWith(2, [{ step: 'new-1-1', text: 'how?' }])
  })

  test('are for a plan that waits', async () => {
    card('checkin')
    await fireEvent.keyDown(planCard(), { key: 'm' })
    expect(screen.queryByRole('button', { name: /Comment on step/ })).toBeNull()
  })
})

describe('what nobody touched', () => {
  const steps = [step(1, 'Ends in a space '), step(2, 'First line\nSecond line'), { ...step(3, 'Run it'), target: 'echo a\necho b' }]

  test('is no change, whatever its spaces and line breaks', async () => {
    const { act } = card('approval', { steps })
    await fireEvent.keyDown(planCard(), { key: 'm' })
    expect((button(/^Save as revision 2/) as HTMLButtonElement).disabled).toBe(true)
    await fireEvent.input(screen.getByLabelText('Tool of step 3'), { target: { value: 'shell' } })
    await fireEvent.click(button(/^Save as revision 2/))
    expect(act['edit']).toHaveBeenCalledExactlyOnceWith(1, [expect.objectContaining({ op: 'set', step: 's3', text: null, tool: 'shell', target: null })])
  })

  test('keeps its line breaks when words beside them are changed', async () => {
    const { act } = card('approval', { steps })
    await fireEvent.keyDown(planCard(), { key: 'm' })
    const text = screen.getByLabelText('Step 2') as HTMLTextAreaElement
    await fireEvent.input(text, { target: { value: `${text.value} too` } })
    const target = screen.getByLabelText('File or command of step 3') as HTMLTextAreaElement
    await fireEvent.input(target, { target: { value: `${target.value} c` } })
    // A break of one's own comes with Shift.
    await fireEvent.keyDown(text, { key: 'Enter', shiftKey: true })
    await fireEvent.click(button(/^Save as revision 2/))
    expect(act['edit']).toHaveBeenCalledExactlyOnceWith(1, [
      expect.objectContaining({ step: 's2', text: 'First line\nSecond line too', target: null }),
      expect.objectContaining({ step: 's3', text: null, target: 'echo a\necho b c' }),
    ])
  })
})

describe('changing steps with the keyboard', () => {
  const fields = () => [...screen.getByRole('form', { name: 'Change the plan' }).querySelectorAll<HTMLTextAreaElement>('.text textarea')].map((one) => one.value)
  const heard = () => within(screen.getByRole('form', { name: 'Change the plan' })).getByRole('status').textContent

  test('adds, moves and removes, and says so', async () => {
    card('approval')
    await fireEvent.keyDown(planCard(), { key: 'm' })
    const target = screen.getByLabelText('File or command of step 1')
    target.focus()
    await fireEvent.keyDown(target, { key: 'ArrowDown', altKey: true })
    await tick()
    expect(fields().slice(0, 2)).toEqual(['Read RetryConfig for each toolset', 'Add a RetryConfig struct'])
    expect(heard()).toBe('Step 1 is step 2 of 4 now')
    expect(document.activeElement).toBe(target)
    await fireEvent.keyDown(target, { key: 'Enter' })
    await tick()
    expect(heard()).toBe('Added step 3 of 5')
    expect(document.activeElement).toBe(screen.getByLabelText('Step 3'))
    await fireEvent.keyDown(document.activeElement!, { key: 'Delete', altKey: true })
    await tick()
    expect(heard()).toBe('Removed step 3, 4 left')
    expect(document.activeElement).toBe(screen.getByLabelText('Step 3'))
    expect(fields()).toHaveLength(4)
    // In a comment Enter is not about the steps.
    await fireEvent.click(button('Comment on step 1'))
    await tick()
    await fireEvent.keyDown(screen.getByLabelText('Comment on step 1', { selector: 'input' }), { key: 'Enter' })
    expect(fields()).toHaveLength(4)
  })

  test('goes to what is left when the last one is removed', async () => {
    const { act } = card('approval', { steps: [step(1, 'only')] })
    await fireEvent.keyDown(planCard(), { key: 'm' })
    await fireEvent.keyDown(screen.getByLabelText('Step 1'), { key: 'Delete', altKey: true })
    await tick()
    expect(document.activeElement).toBe(button('Add a step'))
    expect(act['edit']).not.toHaveBeenCalled()
  })

  test('a tool and a target that are emptied are taken away', async () => {
    const { act } = card('approval')
    await fireEvent.keyDown(planCard(), { key: 'm' })
    await fireEvent.input(screen.getByLabelText('Tool of step 1'), { target: { value: '' } })
    await fireEvent.input(screen.getByLabelText('File or command of step 1'), { target: { value: '' } })
    await fireEvent.click(button(/^Save as revision 2/))
    expect(act['edit']).toHaveBeenCalledExactlyOnceWith(1, [expect.objectContaining({ op: 'set', step: 's1', text: null, tool: '', target: '' })])
  })

  test('hidden characters in a field are named on its row, and taken out on demand', async () => {
    const { act } = card('approval', { steps: [step(1, 'a\u202Eb', 'pending', { target: 'c\u200Bd' }), step(2, 'c')] })
    await fireEvent.keyDown(planCard(), { key: 'm' })
    expect(screen.getAllByText(/Hidden characters/)).toHaveLength(1)
    const row = screen.getByLabelText('Step 1').closest('li')!
    expect(row.textContent).toContain('Hidden characters: ⟨U+202E⟩, ⟨U+200B⟩')
    await fireEvent.click(within(row).getByRole('button', { name: 'Remove them' }))
    await tick()
    expect(screen.queryByText(/Hidden characters/)).toBeNull()
    expect(document.activeElement).toBe(screen.getByLabelText('Step 1'))
    await fireEvent.click(button(/^Save as revision 2/))
    expect(act['edit']).toHaveBeenCalledExactlyOnceWith(1, [expect.objectContaining({ op: 'set', step: 's1', text: 'ab', target: 'cd' })])
  })

  test('many that have ended are one line, which can be opened', async () => {
    const { props, rerender } = card('checkin')
    await fireEvent.keyDown(planCard(), { key: 'm' })
    const rows = () => [...screen.getByRole('form', { name: 'Change the plan' }).querySelectorAll('li')].map((row) => row.querySelector('textarea')?.value ?? row.textContent?.trim())
    expect(rows().slice(0, 2)).toEqual(['8 steps finished', 'Rename notes 31 to 35'])
    expect(document.activeElement).toBe(screen.getByLabelText('Step 9'))
    await fireEvent.click(button('8 steps finished'))
    expect(button('8 steps finished').getAttribute('aria-expanded')).toBe('true')
    expect(rows()).toHaveLength(13)
    await fireEvent.click(button('8 steps finished'))
    expect(rows()).toHaveLength(5)
    // A few of them stay as they are.
    await fireEvent.keyDown(document.activeElement!, { key: 'Escape' })
    await rerender({ plan: { ...props.plan, steps: [step(1, 'a', 'done'), step(2, 'b', 'failed'), step(3, 'c')] } })
    await fireEvent.keyDown(planCard(), { key: 'm' })
    expect(screen.queryByRole('button', { name: /finished/ })).toBeNull()
  })

  test('what has ended stays where it is in the graph, and can’t be typed into', async () => {
    const { act } = card('checkin', { mode: 'graph', steps: [step(1, 'a', 'done'), step(2, 'b'), step(3, 'c', 'done'), step(4, 'd')] })
    await fireEvent.keyDown(planCard(), { key: 'm' })
    const rows = screen.getByRole('form', { name: 'Change the plan' }).querySelectorAll('li')
    expect([...rows].map((row) => row.querySelector('textarea')?.value ?? row.querySelector('span:nth-child(2)')?.textContent)).toEqual(['a', 'b', 'c', 'd'])
    expect(screen.queryByLabelText('Step 3')).toBeNull()
    await fireEvent.keyDown(screen.getByLabelText('Step 2'), { key: 'ArrowUp', altKey: true })
    await fireEvent.keyDown(screen.getByLabelText('Step 2'), { key: 'ArrowDown', altKey: true })
    await fireEvent.click(button(/^Save as revision/))
    expect(act['edit']).toHaveBeenCalledExactlyOnceWith(expect.anything(), [{ op: 'move', step: 's2', after: 's3' }])
  })
})

describe('what a step was warned about and given', () => {
  test('stands on the step', () => {
    const { container } = card('soft')
    const words = container.querySelector('[data-step=s3]')?.textContent
    expect(words).toContain('Warning: edit_file src/auth/policy.toml is not what this step names')
    expect(words).toContain('also allowed: edit_file(src/auth/scopes.rs); shell(cargo test), in any folder, with these words only')
    expect(container.querySelector('[data-step=s4] .warning')).toBeNull()
  })
})

describe('a plan that was sent back and given up', () => {
  test('says on an amber bar that it waits for a word', () => {
    const left = 'stopped after 9 turns with nothing but failed calls; say something to go on'
    const { container, rerender, props } = card('revised', { id: 'left', state: 'draft', sent_back: true, left, actions: ['cancel'] })
    expect(screen.getByText('The agent gave up on the next revision.').parentElement?.textContent).toContain('say something to go on')
    expect(screen.getByText('Sent back, waiting for you')).toBeTruthy()
    expect(container.querySelector('section')?.style.getPropertyValue('--c')).toContain('wait')
    return rerender({ plan: { ...props.plan, left: null } }).then(() => expect(screen.queryByText(/gave up/)).toBeNull())
  })
})

describe('a new revision', () => {
  const now = fixture('revised').view.plan!
  const at = (revision: number, content: object = {}) => ({ plan: 'x', revision, content: { ...contentOf(now), ...content }, by: AGENT, at: 0, reason: null, took: 0 })
  const revisions = [at(1, { goal: 'the first goal' }), at(2, { goal: 'the second goal' }), at(3)]

  test('is shown against the last one that was seen, not the one before', async () => {
    const id = 'skips'
    const { props, rerender } = card('revised', { id, revision: 1, goal: 'the first goal' }, { revisions })
    await settle()
    // Too short to be read.
    await rerender({ plan: { ...props.plan, revision: 2, goal: 'the second goal' } })
    await vi.advanceTimersByTimeAsync(200)
    await rerender({ plan: { ...props.plan, revision: 3, goal: now.goal } })
    expect(screen.getByText(/Since revision 1, the goal changed\./).textContent).toContain('Goal was the first goal')
    // And stays so while it is being read.
    await settle()
    expect(screen.getByText(/Since revision 1/)).toBeTruthy()
    await rerender({ plan: { ...props.plan, revision: 4, goal: now.goal } })
    await settle()
    expect(screen.queryByText(/Since revision/)).toBeNull()
  })

  describe('after the person changed it by hand', () => {
    const steps = (...texts: string[]) => texts.map((text, i) => ({ id: `s${i + 1}`, text }))
    const views = (...texts: string[]) => texts.map((text, i) => step(i + 1, text))
    const row = (container: HTMLElement, id: string) => container.querySelector(`[data-step=${id}]`)?.textContent?.replace(/\s+/g, ' ')

    test('what they did is marked as their own, and what comes after is compared with it', async () => {
      const revisions = [at(1, { steps: steps('a', 'b') }), { ...at(2, { steps: steps('a, mine', 'b') }), by: PERSON }, at(3, { steps: steps('a, mine', 'b, theirs', 'c') })]
      const { props, rerender, container } = card('revised', { id: 'own', revision: 1, steps: views('a', 'b') }, { revisions: revisions.slice(0, 1) })
      await settle()
      // Saved and sent back with comments: it is on screen while the agent writes.
      const sent = { ...props.plan, revision: 2, steps: views('a, mine', 'b'), state: 'draft', sent_back: true }
      await rerender({ plan: sent, info: { ...props.info, revisions: revisions.slice(0, 2) } })
      await settle()
      expect(row(container, 's1')).toContain('changed by you')
      await rerender({ plan: { ...props.plan, revision: 3, steps: views('a, mine', 'b, theirs', 'c') }, info: { ...props.info, revisions } })
      await settle()
      expect(screen.getByText(/Since revision 2/)).toBeTruthy()
      expect(row(container, 's1')).not.toContain('changed')
      expect(row(container, 's2')).toMatch(/changed Text was b /)
      expect(row(container, 's3')).toContain('new')
    })

    test('what the agent wrote over or took out is said to have been theirs', async () => {
      const mine = { ...at(2, { steps: steps('a, mine', 'b', 'added') }), by: PERSON }
      const revisions = [at(1, { steps: steps('a', 'b') }), mine, at(3, { steps: steps('a, otherwise', 'b') })]
      const { props, rerender, container } = card('revised', { id: 'over', revision: 1, steps: views('a', 'b') }, { revisions })
      await settle()
      await rerender({ plan: { ...props.plan, revision: 3, steps: views('a, otherwise', 'b') } })
      expect(screen.getByText(/Since revision 2, 1 step was changed and 1 was removed\./).textContent).toContain('Removed, though you wrote it: added')
      expect(row(container, 's1')).toMatch(/changed, though you wrote it Text was a, mine /)
      expect(row(container, 's2')).not.toContain('changed')
    })

    test('a step that is new and that they changed is said to be both', async () => {
      const mine = { ...at(3, { steps: steps('a', 'b, mine') }), by: PERSON }
      const revisions = [at(1, { steps: steps('a') }), at(2, { steps: steps('a', 'b') }), mine]
      const { props, rerender, container } = card('revised', { id: 'both', revision: 1, steps: views('a') }, { revisions })
      await settle()
      await rerender({ plan: { ...props.plan, revision: 3, steps: views('a', 'b, mine') } })
      expect(row(container, 's2')).toMatch(/new.*changed by you/)
    })

    test.each([['before', 200], ['after', 701]])('the hand switch does not take a difference away %s it was read', async (_, ms) => {
      const id = `hand-${ms}`
      const revisions = [at(1, { goal: 'the first goal' }), at(2), { ...at(3), by: PERSON }]
      const { props, rerender } = card('revised', { id, revision: 1, goal: 'the first goal' }, { revisions })
      await settle()
      await rerender({ plan: { ...props.plan, revision: 2, goal: now.goal } })
      await vi.advanceTimersByTimeAsync(ms)
      await rerender({ plan: { ...props.plan, revision: 3, goal: now.goal } })
      await settle()
      expect(screen.getByText(/Since revision 1, the goal changed\./)).toBeTruthy()
    })
  })

  test('is not compared with what nobody saw', async () => {
    card('revised', { id: 'unseen' }, { revisions })
    await settle()
    expect(screen.queryByText(/Since revision/)).toBeNull()
  })

  test('what was seen is known after a restart, and looked for further back', async () => {
    const first = card('revised', { id: 'kept', revision: 1 }, { revisions })
    await settle()
    first.unmount()
    vi.resetModules()
    const again = await import('../src/plan/painted.svelte')
    expect([again.seenBefore('kept', 1), again.seenBefore('kept', 2), again.seenBefore('other', 2)]).toEqual([null, 1, null])
    const reach = vi.fn(async () => undefined)
    card('revised', { id: 'kept', revision: 2 }, { revisions: [], reach })
    await tick()
    expect(reach).toHaveBeenCalledOnce()
  })

  test('what is not on screen is not seen', async () => {
    const { props, rerender } = card('revised', { id: 'away', revision: 1, goal: 'the first goal' }, { revisions }, { folded: true })
    await settle()
    await rerender({ plan: { ...props.plan, revision: 2, goal: 'the second goal' }, folded: false })
    await settle()
    expect(screen.queryByText(/Since revision/)).toBeNull()
  })

  test('says of every step what it was, and what was moved and removed', async () => {
    const { events } = fixture('revised')
    const content = events.flatMap(({ event }) => (event.type === 'plan_written' ? [event.content] : []))[0]!
    const { container, props, rerender } = card('revised', { id: 'whole', revision: 1 }, { revisions: [{ ...at(1), content }] })
    await settle()
    await rerender({ plan: { ...props.plan, revision: 2 } })
    const of = (id: string) => container.querySelector(`[data-step=${id}]`)?.textContent?.replace(/\s+/g, ' ')
    expect(of('s1')).toContain('Text was Add a retry struct to the config')
    expect(of('s1')).toContain('Tool was write_file')
    expect(of('s1')).toContain('Target was pkg/config/retry.go')
    expect(of('s2')).toContain('Expect: none before')
    expect(of('s3')).toContain('new')
    expect(of('s4')).toMatch(/moved, was 2|Build, test and lint/)
    expect(`${of('s2')} ${of('s4')}`).toMatch(/moved, was [24]/)
    const said = screen.getByText(/Since revision 1/).textContent?.replace(/\s+/g, ' ')
    expect(said).toContain('the reason changed, 1 step was added, 2 were changed, 1 was removed and 1 was moved.')
    expect(said).toContain('Why was a file of its own is the least to read.')
    expect(said).toContain('Removed: Write a page about retries')
  })
})

describe('planned against done', () => {
  test('is one line that opens to a row for each step', async () => {
    card('reported')
    expect(screen.getByText(/As planned: 2 of 4 steps\. 2 unplanned changes\./)).toBeTruthy()
    expect(screen.queryByRole('table')).toBeNull()
    await fireEvent.click(button('Compare plan and result'))
    const rows = [...screen.getByRole('table').querySelectorAll('tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent?.trim()))
    expect(rows).toHaveLength(4)
    expect(rows[1]!.slice(0, 3)).toEqual(['2', 'edit_file pkg/runtime/dispatcher.go', 'yes'])
    expect(rows[1]![3]).toMatch(/^edit_file pkg\/runtime\/hooks\.go added to the plan *shell go vet \.\/\.\.\. allowed once$/)
    expect(rows[2]!.slice(2)).toEqual(['no', 'nothing'])
    await fireEvent.click(button('Hide the comparison'))
    expect(screen.queryByRole('table')).toBeNull()
  })

  test('says what the person allowed by hand after they approved it', async () => {
    const { report } = fixture('reported').view.plan!
    const amended = [{ step: 's2', was: 'read only', now: 'may change the workspace', by: PERSON, at: Date.now() }]
    const lines = report!.lines.map((line) => (line.step === 's2' ? { ...line, amended } : line))
    card('reported', { report: { lines }, approval: { plan: 'plan', revision: 1, hash: 'hash', by: PERSON, at: 0, scope: [], amended, fresh_context: false } })
    expect(screen.getByText(/approved by you, revision \d+, 1 manual change since/)).toBeTruthy()
    await fireEvent.click(button('Compare plan and result'))
    expect(screen.getByText(/^by you, today .*: read only → may change the workspace$/)).toBeTruthy()
  })

  test('names the files of a step that was cut off', async () => {
    const { steps } = fixture('reported').view.plan!
    const cut = { status: 'skipped', skip_cause: 'plan_ended' as const, took_ms: 4000, changed: ['agent-schema.json', 'docs/schema.md'] }
    card('reported', { state: 'cancelled', steps: steps.map((one) => (one.id === 's3' ? { ...one, ...cut } : one)) })
    expect(screen.getByText(/Step 3 didn’t finish and changed 2 files\./)).toBeTruthy()
    await fireEvent.click(button('Compare plan and result'))
    const touched = screen.getByRole('table').querySelector('tbody tr:nth-child(3) td:nth-of-type(2)')!
    expect(touched.textContent?.replace(/\s+/g, ' ').trim()).toBe('no, not finished: agent-schema.jsondocs/schema.md')
  })

  test.each([[null], [undefined], [{ lines: [] }]])('says nothing where there is nothing: %j', (report) => {
    card('reported', { report })
    expect(screen.queryByText(/As planned/)).toBeNull()
  })

  test('is there for a plan of the past, which is only read', async () => {
    card('reported', {}, {}, { act: null })
    await waitFor(() => expect(screen.getByText(/As planned/)).toBeTruthy())
  })
})

test('the editor says how to make a line break in a step', async () => {
  card('approval')
  await fireEvent.keyDown(planCard(), { key: 'm' })
  expect(screen.getByRole('form', { name: 'Change the plan' }).textContent).toMatch(/Enter to add below, Shift Enter for a line/)
})
