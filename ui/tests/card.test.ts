import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { fixture, type State } from '../dev/fixtures'
import { step } from '../dev/make'
import goalSource from '../src/plan/Goal.svelte?raw'
import { button, card, planCard, settle } from './card'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

describe('approving', () => {
  test('promises to stop at anything else only where that is so', async () => {
    const { props, rerender } = card('approval')
    expect(screen.getByText(/Anything else stops and asks again/)).toBeTruthy()
    for (const [mode, words] of [['soft', /gets a warning/], ['off', /Permission rules apply/]] as const) {
      await rerender({ ...props, info: { ...props.info, mode } })
      expect(screen.queryByText(/stops and asks again/)).toBeNull()
      expect(screen.getByText(words)).toBeTruthy()
    }
  })

  test('is inert for 700 ms after a revision appears', async () => {
    const { act, props, rerender } = card('approval')
    await vi.advanceTimersByTimeAsync(690)
    await fireEvent.click(button('Approve'))
    expect(act['approve']).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(20)
    await rerender({ plan: { ...props.plan, revision: 2, hash: 'other' } })
    await fireEvent.click(button('Approve'))
    expect(act['approve']).not.toHaveBeenCalled()
    await settle()
    await fireEvent.click(button('Approve'))
    expect(act['approve']).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ revision: 2, hash: 'other' }), null, false)
  })

  test('Enter elsewhere approves nothing', async () => {
    const { act } = card('approval')
    await settle()
    await fireEvent.keyDown(document.body, { key: 'Enter' })
    await fireEvent.keyDown(screen.getByRole('group', { name: 'Steps' }), { key: 'Enter' })
    expect(act['approve']).not.toHaveBeenCalled()
  })

  test('Escape asks why before it rejects', async () => {
    const { act } = card('approval')
    await fireEvent.keyDown(document.body, { key: 'Escape' })
    expect(act['reject']).not.toHaveBeenCalled()
    await fireEvent.input(screen.getByLabelText(/Why not/), { target: { value: 'too much' } })
    await fireEvent.click(button('Reject the plan'))
    expect(act['reject']).toHaveBeenCalledExactlyOnceWith('too much')
  })

  test('m changes the plan, and saving sends the edits for what was shown', async () => {
    const { act } = card('approval')
    await fireEvent.keyDown(planCard(), { key: 'm' })
    const first = screen.getByLabelText('Step 1')
    await fireEvent.input(first, { target: { value: 'Add it' } })
    await fireEvent.keyDown(first, { key: 'ArrowDown', altKey: true })
    await fireEvent.keyDown(screen.getByLabelText('Step 2'), { key: 'Enter', ctrlKey: true })
    expect(act['edit']).toHaveBeenCalledExactlyOnceWith(1, [
      expect.objectContaining({ op: 'set', step: 's1', text: 'Add it' }),
      { op: 'move', step: 's2', after: null },
    ])
  })

  test('twice in a row is once', async () => {
    const { act } = card('approval')
    await settle()
    act['approve']!.mockReturnValue(new Promise(() => undefined))
    await fireEvent.click(button('Approve'))
    await fireEvent.click(button('Approve'))
    expect(act['approve']).toHaveBeenCalledOnce()
  })

  test('a reason that did not get there is not lost', async () => {
    const { act } = card('approval')
    act['reject']!.mockResolvedValue(false)
    await fireEvent.keyDown(document.body, { key: 'Escape' })
    await fireEvent.input(screen.getByLabelText(/Why not/), { target: { value: 'too much' } })
    await fireEvent.click(button('Reject the plan'))
    expect((screen.getByLabelText(/Why not/) as HTMLInputElement).value).toBe('too much')
  })

  test('Escape in the words of a no goes one step back, from its buttons as well', async () => {
    card('approval')
    for (const leave of [() => screen.getByLabelText(/Why not/), () => button('Reject the plan')]) {
      await fireEvent.keyDown(document.body, { key: 'Escape' })
      const shut = vi.fn()
      window.addEventListener('keydown', shut)
      // Prevented: what it stands in, such as a dialog, stays open.
      expect(await fireEvent.keyDown(leave(), { key: 'Escape' })).toBe(false)
      window.removeEventListener('keydown', shut)
      expect(shut).not.toHaveBeenCalled()
      expect(screen.queryByLabelText(/Why not/)).toBeNull()
      expect(document.activeElement).toBe(screen.getByRole('group', { name: 'Needs you' }))
      ;(document.activeElement as HTMLElement).blur()
    }
  })

  test('one Escape does not drop what was changed', async () => {
    card('approval')
    await fireEvent.keyDown(planCard(), { key: 'm' })
    const first = screen.getByLabelText('Step 1')
    await fireEvent.input(first, { target: { value: 'Add it' } })
    await fireEvent.keyDown(first, { key: 'Escape' })
    expect((screen.getByLabelText('Step 1') as HTMLInputElement).value).toBe('Add it')
    await fireEvent.keyDown(first, { key: 'Escape' })
    expect(screen.queryByLabelText('Step 1')).toBeNull()
  })

  test('keys typed into a field are not keys of the card', async () => {
    card('approval')
    const field = document.body.appendChild(document.createElement('textarea'))
    await fireEvent.keyDown(field, { key: 'm' })
    expect(screen.queryByLabelText('Step 1')).toBeNull()
    field.remove()
  })
})

describe('keys on the buttons', () => {
  const shown = () => screen.getByRole('group', { name: 'Needs you' }).querySelectorAll('kbd')
  const live = () => [...shown()].filter((key) => !key.classList.contains('off')).map((key) => key.textContent)
  const moved = async (to: HTMLElement) => {
    to.focus()
    await tick()
    await tick()
  }

  test('are live only where they do something', async () => {
    card('approval')
    const field = document.body.appendChild(document.createElement('textarea'))
    await moved(field)
    expect(live()).toEqual([])
    await moved(screen.getByRole('group', { name: 'Steps' }))
    expect(live()).toEqual(['m', 'esc'])
    await moved(button('Approve'))
    expect(live()).toEqual(['↵', 'm', 'esc'])
    field.remove()
  })

  test('of a question, too; Enter is shown only while it would answer', async () => {
    card('drift')
    const field = document.body.appendChild(document.createElement('textarea'))
    await moved(field)
    expect(live()).toEqual([])
    // Neither is a letter, which begins a message elsewhere.
    expect([...shown()].map((key) => key.textContent)).toEqual(['esc'])
    await moved(button('Allow once'))
    expect(live()).toEqual(['↵', 'a', 'esc'])
    field.remove()
  })

  test('of a pause', async () => {
    card('checkin')
    await moved(screen.getByRole('group', { name: 'Needs you' }))
    expect(live()).toEqual(['m'])
    await moved(button('Resume'))
    expect(live()).toEqual(['↵', 'm'])
  })
})

describe('a long goal', () => {
  /** As if the heading had more lines than are shown. */
  function cut(lines: number) {
    const height = vi.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockImplementation(function (this: HTMLElement) {
      return this.tagName === 'H2' ? lines * 20 : 0
    })
    const shown = vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockImplementation(function (this: HTMLElement) {
      return this.tagName === 'H2' ? 60 : 0
    })
    return () => [height, shown].forEach((spy) => spy.mockRestore())
  }

  test('is cut while it runs, and shown on demand', async () => {
    const restore = cut(9)
    card('long')
    const goal = screen.getByRole('heading')
    expect(goal.classList.contains('all')).toBe(false)
    await fireEvent.click(await screen.findByRole('button', { name: 'Show all' }))
    expect(goal.classList.contains('all')).toBe(true)
    expect(button('Show less').getAttribute('aria-expanded')).toBe('true')
    await fireEvent.click(button('Show less'))
    expect(goal.classList.contains('all')).toBe(false)
    restore()
  })

  test('that is not cut has nothing to show', async () => {
    const restore = cut(3)
    card('long')
    await tick()
    expect(screen.queryByRole('button', { name: 'Show all' })).toBeNull()
    restore()
  })

  test('is never cut while it waits for approval, and the keyboard scrolls it', async () => {
    const restore = cut(40)
    card('huge')
    const goal = screen.getByRole('heading')
    expect(goal.classList.contains('all')).toBe(true)
    await waitFor(() => expect(goal.tabIndex).toBe(0))
    expect(goal.textContent).toMatch(/That is all\.$/)
    expect(screen.queryByRole('button', { name: 'Show all' })).toBeNull()
    restore()
  })

  test('leaves the steps to be approved their room in a low window', () => {
    card('huge')
    expect(screen.getByRole('heading').classList.contains('whole')).toBe(true)
    expect(goalSource).toMatch(/@media \(min-height: 541px\) \{\s*\.whole \{\s*max-height: max\(4\.2em, min\(20vh, 100vh - 540px\)\);/)
  })
})

describe('the card', () => {
  test.each<[State, string[]]>([
    ['running', ['Pause', 'Cancel']],
    ['checkin', ['Resume', 'Change…', 'Skip step', 'Cancel plan']],
    ['approval', ['Cancel', 'Approve', 'Change…', 'Reject']],
    ['done', []],
  ])('offers exactly what can be done: %s', (state, names) => {
    card(state)
    const shown = screen.getAllByRole('button').map((one) => one.textContent?.replace(/(↵|esc|m)$/, '').trim())
    expect(shown.filter((name) => name && !/^Show \d/.test(name))).toEqual(names)
  })

  test('what has no room beside the goal is in a menu', async () => {
    const { act } = card('running')
    await fireEvent.click(button('More for this plan'))
    await fireEvent.click(screen.getByRole('menuitem', { name: 'Skip step' }))
    expect(act['skip']).toHaveBeenCalledExactlyOnceWith('s3')
  })

  test('a plan that waits can be cancelled where any other can', async () => {
    const { act } = card('approval')
    expect(screen.queryByRole('button', { name: 'More for this plan' })).toBeNull()
    await fireEvent.click(button('Cancel plan'))
    await fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Cancel plan' }))
    expect(act['cancel']).toHaveBeenCalledOnce()
    expect(act['reject']).not.toHaveBeenCalled()
  })

  test('a step that ended keeps its tool and target', () => {
    const { container } = card('drift')
    expect(container.querySelector('[data-step=s1]')?.textContent).toContain('edit_file pkg/config/types.go')
    expect(container.querySelector('[data-step=s2]')?.textContent).toContain('edit_file pkg/runtime/dispatcher.go')
  })

  test('a step that was left out keeps them, too', async () => {
    const { container, props, rerender } = card('drift')
    const [first, ...others] = props.plan.steps
    await rerender({ plan: { ...props.plan, steps: [{ ...first!, status: 'skipped', skip_cause: 'chosen' }, ...others] } })
    const words = container.querySelector('[data-step=s1]')?.textContent
    expect(words).toContain('edit_file pkg/config/types.go')
    expect(words).toContain('skipped')
  })

  test('the second click of a double click does nothing more', async () => {
    const { act } = card('checkin')
    for (const detail of [1, 2]) {
      await fireEvent.pointerDown(button('Skip step'))
      await fireEvent.click(button('Skip step'), { detail })
    }
    expect(act['skip']).toHaveBeenCalledOnce()
  })

  test('after a step is skipped, Enter does not skip the next one', async () => {
    card('checkin')
    button('Skip step').focus()
    await fireEvent.click(button('Skip step'))
    expect(document.activeElement).toBe(planCard())
  })

  test('when what changes it is closed, the card has the focus', async () => {
    card('checkin')
    await fireEvent.keyDown(planCard(), { key: 'm' })
    await fireEvent.keyDown(document.activeElement!, { key: 'Escape' })
    await waitFor(() => expect(document.activeElement).toBe(planCard()))
  })

  test('a check-in is resumed', async () => {
    const { act } = card('checkin')
    expect(screen.getByText('8 steps done without you.')).toBeTruthy()
    await settle()
    await fireEvent.click(button('Resume'))
    expect(act['resume']).toHaveBeenCalledOnce()
  })

  test('pauses after the step, or stops it now, from the menu beside Pause', async () => {
    const { act, props, rerender } = card('running')
    const choose = async (name: string) => {
      await fireEvent.click(button('More for this plan'))
      await tick()
      expect(screen.getByRole('menu').contains(document.activeElement)).toBe(true)
      await fireEvent.click(screen.getByRole('menuitem', { name }))
    }
    await choose('Pause after this step')
    expect(act['pauseAfterStep']).toHaveBeenCalledExactlyOnceWith(true)
    await choose('Stop this step now')
    expect(act['stopStep']).toHaveBeenCalledOnce()
    expect(screen.queryByText(/Pauses after this step/)).toBeNull()
    await rerender({ plan: { ...props.plan, pauses_after: true } })
    expect(screen.getByText(/Pauses after this step\./)).toBeTruthy()
    await fireEvent.click(button('More for this plan'))
    expect(screen.queryByRole('menuitem', { name: 'Pause after this step' })).toBeNull()
    await fireEvent.click(button('Don’t pause'))
    expect(act['pauseAfterStep']).toHaveBeenLastCalledWith(false)
  })

  test('a step whose check failed is taken as done by hand, in its details and on the bar', async () => {
    const { act, props, rerender } = card('unchecked')
    const bar = within(screen.getByRole('group', { name: 'Needs you' }))
    expect(bar.getByText(/The check says: cargo test scopes ended with exit code 101/)).toBeTruthy()
    const take = bar.getByRole('button', { name: 'Mark as done' })
    await fireEvent.click(take)
    expect(act['overrideCheck']).not.toHaveBeenCalled()
    await settle()
    await fireEvent.click(take)
    expect(act['overrideCheck']).toHaveBeenCalledExactlyOnceWith('s3')
    await fireEvent.click(button('Show details of step 3'))
    const details = within(screen.getByRole('group', { name: 'Details of step 3' }))
    expect(details.getByText(/^cargo test scopes ended/).closest('p')?.textContent).toMatch(/^The check failed: cargo/)
    await fireEvent.click(details.getByRole('button', { name: 'Mark as done' }))
    expect(act['overrideCheck']).toHaveBeenCalledTimes(2)
    // Only as long as the engine says that it may.
    await rerender({ plan: { ...props.plan, steps: props.plan.steps.map((step) => ({ ...step, check_failed: undefined })) } })
    expect(screen.queryByRole('button', { name: 'Mark as done' })).toBeNull()
  })

  test('cancelling is asked about once', async () => {
    const { act } = card('running')
    await fireEvent.click(button('Cancel plan'))
    expect(act['cancel']).not.toHaveBeenCalled()
    await fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Cancel plan' }))
    expect(act['cancel']).toHaveBeenCalledOnce()
  })

  test('a call outside the plan is allowed, added or refused', async () => {
    const { act } = card('drift')
    const bar = screen.getByRole('group', { name: 'Needs you' })
    bar.focus()
    await fireEvent.keyDown(bar, { key: 'a' })
    expect(act['answer']).not.toHaveBeenCalled()
    await settle()
    await fireEvent.keyDown(bar, { key: 'a' })
    expect(act['answer']).toHaveBeenLastCalledWith(expect.anything(), 'add', undefined)
    await fireEvent.keyDown(document.body, { key: 'Escape' })
    await fireEvent.click(button('Refuse and stop'))
    expect(act['answer']).toHaveBeenLastCalledWith(expect.anything(), 'refuse_stop', undefined)
  })

  test('what is refused is still said while it is', async () => {
    card('permission')
    const bar = screen.getByRole('group', { name: 'Needs you' })
    await fireEvent.click(button('Refuse'))
    expect(within(bar).getByLabelText('Tell the agent what to do instead')).toBeTruthy()
    expect(bar.textContent).toMatch(/It wants to run cargo fetch --locked and asks for the network/)
  })

  test('a question is read as it was written: in lines, as Markdown, and nothing of it is HTML', async () => {
    vi.useRealTimers()
    const [asked] = fixture('question').view.asks
    const onlink = vi.fn()
    card('question', {}, {}, { asks: [{ ...asked!, text: 'It **matters** <b>a lot</b>.\nSee [this](https://example.org/a).' }], onlink })
    const strong = await screen.findByText('matters')
    expect(strong.tagName).toBe('STRONG')
    const paragraph = strong.closest('p')!
    expect(paragraph.textContent).toBe('It matters <b>a lot</b>.\nSee this.')
    await fireEvent.click(screen.getByRole('link', { name: 'this' }))
    expect(onlink).toHaveBeenCalledExactlyOnceWith('https://example.org/a')
  })

  test('a letter says yes to a call outside the plan only with the focus on the question', async () => {
    const { act, container } = card('drift')
    await settle()
    const bar = screen.getByRole('group', { name: 'Needs you' })
    const all = [...container.querySelectorAll<HTMLElement>('button, input, select, [tabindex]')].filter((one) => !bar.contains(one))
    expect(all.length).toBeGreaterThan(3)
    for (const one of [document.body, ...all]) {
      one.focus()
      await fireEvent.keyDown(one, { key: 'a' })
    }
    expect(act['answer']).not.toHaveBeenCalled()
    button('Allow once').focus()
    await fireEvent.keyDown(button('Allow once'), { key: 'a' })
    expect(act['answer']).toHaveBeenCalledExactlyOnceWith(expect.anything(), 'add', undefined)
  })

  test('a step that runs with a model of its own says so on its row', () => {
    const steps = [step(1, 'a', 'pending', { model: 'ollama/qwen3:8b' }), step(2, 'b', 'pending', { model: 'anthropic/claude-sonnet' }), step(3, 'c')]
    const { container } = card('running', { steps }, { model: 'anthropic/claude-sonnet' })
    const tags = steps.map(({ id }) => container.querySelector(`[data-step=${id}] .model`)?.textContent ?? '')
    expect(tags).toEqual(['runs with qwen3:8b', '', ''])
  })

  test('a pause with words says them, and not that the app was closed', () => {
    card('checkin', { pause_reason: 'interrupted', pause_detail: '/home/you/app is not there. Put the folder back and resume.' })
    expect(screen.getByText('/home/you/app is not there.').closest('.words')?.textContent).toContain('/home/you/app is not there. Put the folder back and resume.')
    expect(screen.queryByText(/closed/)).toBeNull()
  })

  test('a step opens to what came of it', async () => {
    card('running')
    expect(screen.queryByText(/27 routes/)).toBeNull()
    await fireEvent.click(button('Show details of step 1'))
    expect(screen.getByText(/27 routes/)).toBeTruthy()
  })

  test('hidden characters are shown, and nothing in a step is HTML', () => {
    const { container } = card('hostile')
    expect(container.textContent).toContain('notes⟨U+202E⟩gnp.exe')
    expect(container.querySelector('img')).toBeNull()
  })

  test('of a step with many words its row shows the beginning, and all of it when it is opened', async () => {
    const words = 'many words indeed '.repeat(40).trim()
    const steps = [step(1, words, 'in_progress'), step(2, words), step(3, 'few words')]
    card('running', { steps })
    const cut = () => screen.getAllByText(words).map((text) => !!text.closest('.clipped'))
    expect(cut()).toEqual([true, true])
    expect(screen.getByText('few words').closest('.clipped')).toBeNull()
    // The second has nothing else behind it, and the third nothing at all.
    await fireEvent.click(button('Show details of step 2'))
    expect(cut()).toEqual([true, false])
    expect(button('Hide details of step 2').getAttribute('aria-expanded')).toBe('true')
    expect(screen.queryByRole('button', { name: 'Show details of step 3' })).toBeNull()
  })

  test('nothing of what is to be approved is cut', () => {
    const words = 'many words indeed '.repeat(40).trim()
    card('approval', { steps: [step(1, words), step(2, words)] })
    expect(screen.getAllByText(words).map((text) => text.closest('.clipped'))).toEqual([null, null])
  })

  test('a long plan folds what is finished', async () => {
    card('long')
    expect(screen.queryByText('Convert module 3 of the parser to the new error type')).toBeNull()
    await fireEvent.click(button(/9 completed steps/))
    expect(screen.getByText('Convert module 3 of the parser to the new error type')).toBeTruthy()
  })
})
