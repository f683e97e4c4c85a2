import { fireEvent, screen, within } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { plan, step } from '../dev/make'
import type { Action, StepView } from '../src/lib/wire'
import { carry } from '../src/plan/carry'
import { edits, newRow, rowsOf, type Row } from '../src/plan/edits'
import { button, card, planCard } from './card'

const ABC = [step(1, 'a'), step(2, 'b'), step(3, 'c')]
const before = rowsOf(ABC)
const [a, b, c] = before as [Row, Row, Row]
const texts = (rows: Row[]) => rows.map((row) => row.text)
const over = (mine: Row[], now: StepView[]) => carry(before, mine, plan({ revision: 2, steps: now }))

describe('what was typed, on a newer revision', () => {
  test('stands where it was typed, and the rest is what the new one says', () => {
    const { rows, left } = over([{ ...a, text: 'mine' }, b, { ...c, comment: 'why?' }], [ABC[0]!, step(2, 'theirs'), step(3, 'c', 'pending', { target: 'x.rs' })])
    expect(rows).toMatchObject([{ text: 'mine', meanwhile: '' }, { text: 'theirs' }, { text: 'c', target: 'x.rs', comment: 'why?' }])
    expect(left).toEqual([])
  })

  test('stands beside what the new one says of the same', () => {
    const { rows } = over([{ ...a, text: 'mine' }, b, c], [step(1, 'theirs', 'pending', { tool: 'shell' }), ABC[1]!, ABC[2]!])
    expect(rows[0]).toMatchObject({ text: 'mine', tool: 'shell', meanwhile: 'theirs · shell' })
    // Still after one more revision, which left it alone.
    const again = carry(rowsOf([step(1, 'theirs', 'pending', { tool: 'shell' })]), rows, plan({ revision: 3, steps: [step(1, 'theirs', 'pending', { tool: 'shell' })] }))
    expect(again.rows[0]).toMatchObject({ text: 'mine', meanwhile: 'theirs · shell' })
  })

  test('about a step that is gone or has begun is handed back', () => {
    const { rows, left } = over([{ ...a, text: 'mine' }, { ...b, comment: 'how?' }, c], [step(1, 'a', 'in_progress')])
    expect(rows).toMatchObject([{ text: 'a', fixed: true }])
    expect(left).toMatchObject([{ text: 'mine' }, { text: 'b', comment: 'how?' }])
  })

  test('new steps of both stand behind what they stood behind', () => {
    const added = { ...newRow(1, []), text: 'mine' }
    const { rows } = over([a, added, b, c], [ABC[0]!, ABC[1]!, step(4, 'theirs'), ABC[2]!])
    expect(texts(rows)).toEqual(['a', 'mine', 'b', 'theirs', 'c'])
    // Its id may be another's by now.
    expect(rows[1]).toMatchObject({ id: 'new-2-1', added: true })
    expect(edits(rowsOf([ABC[0]!, ABC[1]!, step(4, 'theirs'), ABC[2]!]), rows)).toMatchObject([{ op: 'add', after: 's1', new: { text: 'mine' } }])
  })

  test('a move is kept, unless the new one moved them, too', () => {
    const added = { ...newRow(1, []), text: 'mine' }
    expect(texts(over([c, a, added, b], ABC).rows)).toEqual(['c', 'a', 'mine', 'b'])
    expect(texts(over([c, a, added, b], [ABC[1]!, ABC[0]!, ABC[2]!]).rows)).toEqual(['b', 'a', 'mine', 'c'])
    // One that has begun stays where it is, and the others go round it.
    expect(texts(over([c, a, b], [step(1, 'a', 'in_progress'), ABC[1]!, ABC[2]!]).rows)).toEqual(['a', 'c', 'b'])
    expect(texts(over([added, a, b, c], [step(1, 'a', 'done'), step(2, 'b', 'in_progress'), ABC[2]!]).rows)).toEqual(['a', 'b', 'mine', 'c'])
    expect(texts(over([added, a, c], [ABC[0]!, step(2, 'b', 'in_progress'), ABC[2]!]).rows)).toEqual(['mine', 'a', 'b', 'c'])
  })

  test('what was removed stays so, unless it says something that was not read', () => {
    expect(texts(over([a, c], ABC).rows)).toEqual(['a', 'c'])
    expect(texts(over([a, c], [ABC[0]!, step(2, 'theirs'), ABC[2]!]).rows)).toEqual(['a', 'theirs', 'c'])
  })

  test('nothing typed is the new one as it is', () => {
    const now = [step(4, 'd'), step(2, 'bb'), step(1, 'a', 'done')]
    expect(over(before, now)).toEqual({ rows: rowsOf(now), left: [] })
  })
})

describe('a plan that changed while it was being edited', () => {
  beforeEach(() => {
    localStorage.clear()
    vi.useFakeTimers()
  })
  afterEach(() => vi.useRealTimers())

  const form = () => screen.getByRole('form', { name: 'Change the plan' })
  const field = (name: string) => screen.getByLabelText(name) as HTMLInputElement
  const soon = () => vi.advanceTimersByTimeAsync(1)

  async function changed(now: StepView[] = [ABC[0]!, step(2, 'theirs')]) {
    const made = card('approval', { steps: ABC })
    await fireEvent.keyDown(planCard(), { key: 'm' })
    await fireEvent.input(field('Step 1'), { target: { value: 'mine' } })
    await made.rerender({ plan: { ...made.props.plan, revision: 2, hash: 'other', steps: now } })
    return made
  }

  test('says so, sends nothing for it, and takes what was typed to the new one', async () => {
    const { act } = await changed()
    expect(within(form()).getByRole('status').textContent).toMatch(/The plan is at revision 2 now/)
    expect(screen.queryByRole('button', { name: /^Save as revision/ })).toBeNull()
    expect([field('Step 1').value, field('Step 2').value]).toEqual(['mine', 'b'])
    await fireEvent.click(button(/^Edit revision 2/))
    await tick()
    expect(act['edit']).not.toHaveBeenCalled()
    expect([field('Step 1').value, field('Step 2').value]).toEqual(['mine', 'theirs'])
    expect(document.activeElement).toBe(field('Step 1'))
    expect(within(form()).getByRole('status').textContent).toBe('Your changes are on revision 2 now')
    await fireEvent.click(button(/^Save as revision 3/))
    expect(act['edit']).toHaveBeenCalledExactlyOnceWith(2, [expect.objectContaining({ op: 'set', step: 's1', text: 'mine' })])
    await soon()
    expect(screen.queryByRole('form', { name: 'Change the plan' })).toBeNull()
  })

  test('the key that saves takes the new one first, and leaves the focus where it was', async () => {
    const { act } = await changed()
    field('Tool of step 2').focus()
    await fireEvent.keyDown(field('Tool of step 2'), { key: 'Enter', ctrlKey: true })
    await tick()
    expect(act['edit']).not.toHaveBeenCalled()
    expect(document.activeElement).toBe(field('Tool of step 2'))
    await fireEvent.keyDown(field('Tool of step 2'), { key: 'Enter', ctrlKey: true })
    expect(act['edit']).toHaveBeenCalledExactlyOnceWith(2, expect.anything())
  })

  test('after a save that was refused nothing typed is lost', async () => {
    const { act, props, rerender } = card('approval', { steps: ABC })
    act['edit']!.mockResolvedValue(false)
    await fireEvent.keyDown(planCard(), { key: 'm' })
    await fireEvent.input(field('Step 1'), { target: { value: 'mine' } })
    await fireEvent.click(button(/^Save as revision 2/))
    await soon()
    await rerender({ plan: { ...props.plan, revision: 2, hash: 'other', steps: [step(1, 'theirs'), ABC[1]!] } })
    await fireEvent.click(button(/^Edit revision 2/))
    expect(field('Step 1').value).toBe('mine')
    expect(form().textContent).toContain('New version: theirs')
    expect(button(/^Save as revision 3/)).toBeTruthy()
  })

  test('what has no step any more stays to be read, and is not dropped by one key', async () => {
    const onlyB = [ABC[1]!]
    await changed(onlyB)
    await fireEvent.click(button(/^Edit revision 2/))
    await tick()
    expect(form().textContent).toMatch(/Your edits to steps that were removed or have started:\s*mine/)
    await fireEvent.keyDown(field('Step 1'), { key: 'Escape' })
    expect(form().textContent).toContain('Press Esc again to discard your changes')
    await fireEvent.keyDown(field('Step 1'), { key: 'Escape' })
    expect(screen.queryByRole('form', { name: 'Change the plan' })).toBeNull()
  })

  describe('because a step began', () => {
    const began = (n: number) => ABC.map((one, i) => (i < n ? { ...one, status: i === n - 1 ? 'in_progress' : 'done' } : one) as StepView)

    async function editing() {
      const made = card('running', { revision: 1, steps: began(1), actions: ['pause', 'change', 'cancel'] })
      await fireEvent.keyDown(planCard(), { key: 'm' })
      return made
    }

    test('what was done to other steps is saved, and nothing is asked of the person', async () => {
      const { act, props, rerender } = await editing()
      await fireEvent.input(field('Step 3'), { target: { value: 'mine' } })
      await rerender({ plan: { ...props.plan, steps: began(2) } })
      expect(within(form()).getByRole('status').textContent).toBe('Step 2 has started and can’t be changed. You can save the rest.')
      await fireEvent.click(button(/^Save as revision 2/))
      expect(act['edit']).toHaveBeenCalledExactlyOnceWith(1, [expect.objectContaining({ op: 'set', step: 's3', text: 'mine' })])
      await soon()
      expect(screen.queryByRole('form', { name: 'Change the plan' })).toBeNull()
    })

    test('what was typed about it is told, kept and left out of what is saved', async () => {
      const { act, props, rerender } = await editing()
      await fireEvent.input(field('Step 2'), { target: { value: 'too late' } })
      await fireEvent.input(field('Step 3'), { target: { value: 'mine' } })
      // The save came too late.
      act['edit']!.mockResolvedValueOnce(false)
      await fireEvent.click(button(/^Save as revision 2/))
      await rerender({ plan: { ...props.plan, steps: began(2) } })
      await soon()
      expect(field('Step 2').value).toBe('too late')
      expect(form().textContent).toMatch(/Your edits to steps that were removed or have started:\s*too late/)
      expect(within(form()).getByText('This step has started and can’t be changed.')).toBeTruthy()
      act['edit']!.mockClear()
      await fireEvent.click(button(/^Save as revision 2/))
      expect(act['edit']).toHaveBeenCalledExactlyOnceWith(1, [expect.objectContaining({ op: 'set', step: 's3', text: 'mine' })])
      await soon()
      await rerender({ plan: { ...props.plan, revision: 2, steps: [...began(2).slice(0, 2), step(3, 'mine')] } })
      expect(within(form()).getByRole('status').textContent).toBe('Saved as revision 2, without your edits to a step that has started.')
      expect(form().textContent).toContain('too late')
      await fireEvent.click(button(/^Close/))
      expect(screen.queryByRole('form', { name: 'Change the plan' })).toBeNull()
    })

    test('it is neither removed nor moved any more, and what was moved round it is', async () => {
      const { act, props, rerender } = await editing()
      await fireEvent.click(button('Remove step 2'))
      await fireEvent.keyDown(field('Step 2'), { key: 'Enter' })
      await tick()
      await fireEvent.input(field('Step 3'), { target: { value: 'added' } })
      await fireEvent.click(button('Move step 3 up'))
      await rerender({ plan: { ...props.plan, steps: began(2) } })
      await fireEvent.click(button(/^Save as revision 2/))
      expect(act['edit']).toHaveBeenCalledExactlyOnceWith(1, [{ op: 'add', after: 's2', new: expect.objectContaining({ text: 'added' }) }])
    })

    test('there is nothing to save when that was all', async () => {
      const { act, props, rerender } = await editing()
      await fireEvent.input(field('Step 2'), { target: { value: 'too late' } })
      await rerender({ plan: { ...props.plan, steps: began(2) } })
      expect(within(form()).getByRole('status').textContent).toBe('Step 2 has started and can’t be changed.')
      expect((button(/^Save as revision 2/) as HTMLButtonElement).disabled).toBe(true)
      await fireEvent.keyDown(field('Step 3'), { key: 'Escape' })
      expect(form().textContent).toContain('Press Esc again to discard your changes')
      expect(act['edit']).not.toHaveBeenCalled()
    })
  })

  describe('and stands still', () => {
    const now = [step(1, 'a', 'done'), step(2, 'b', 'in_progress'), step(3, 'c')]
    const stopped = { state: 'paused', pause_reason: 'attempts' as const, revision: 1, steps: now, actions: ['resume', 'change', 'skip', 'cancel'] as Action[] }

    test('lets the step in progress be worded anew, where it is', async () => {
      const { act } = card('stuck', stopped)
      await fireEvent.keyDown(planCard(), { key: 'm' })
      expect(document.activeElement).toBe(field('Step 2'))
      expect(screen.queryByLabelText('Step 1')).toBeNull()
      expect(['Move step 2 up', 'Move step 2 down', 'Remove step 2'].map((name) => screen.queryByRole('button', { name }))).toEqual([null, null, null])
      expect((button('Move step 3 up') as HTMLButtonElement).disabled).toBe(true)
      expect(within(form()).getByText('in progress')).toBeTruthy()
      await fireEvent.keyDown(field('Step 2'), { key: 'Delete', altKey: true })
      await fireEvent.input(field('Step 2'), { target: { value: 'mine' } })
      await fireEvent.input(field('File or command of step 2'), { target: { value: 'src/a.rs' } })
      await fireEvent.click(button(/^Save as revision 2/))
      expect(act['edit']).toHaveBeenCalledExactlyOnceWith(1, [expect.objectContaining({ op: 'set', step: 's2', text: 'mine', tool: null, target: 'src/a.rs' })])
    })

    test('and not once it goes on', async () => {
      const { act, props, rerender } = card('stuck', stopped)
      await fireEvent.keyDown(planCard(), { key: 'm' })
      await fireEvent.input(field('Step 2'), { target: { value: 'too late' } })
      await fireEvent.input(field('Step 3'), { target: { value: 'mine' } })
      await rerender({ plan: { ...props.plan, state: 'running', pause_reason: null } })
      expect(within(form()).getByRole('status').textContent).toBe('Step 2 has resumed and can’t be changed. You can save the rest.')
      await fireEvent.click(button(/^Save as revision 2/))
      expect(act['edit']).toHaveBeenCalledExactlyOnceWith(1, [expect.objectContaining({ op: 'set', step: 's3', text: 'mine' })])
    })

    test('also when it is paused while it is being edited', async () => {
      const { props, rerender } = card('stuck', { ...stopped, state: 'running', pause_reason: null })
      await fireEvent.keyDown(planCard(), { key: 'm' })
      expect(screen.queryByLabelText('Step 2')).toBeNull()
      await fireEvent.input(field('Step 3'), { target: { value: 'mine' } })
      await rerender({ plan: { ...props.plan, state: 'paused', pause_reason: 'supervisor' } })
      expect([field('Step 2').value, field('Step 3').value]).toEqual(['b', 'mine'])
      expect(document.activeElement).toBe(field('Step 3'))
    })
  })

  test('one’s own save is no change behind one’s back', async () => {
    const { act, props, rerender } = card('approval', { steps: ABC })
    let arrive: (done: boolean) => void = () => undefined
    act['edit']!.mockReturnValue(new Promise((done) => (arrive = done)))
    await fireEvent.keyDown(planCard(), { key: 'm' })
    await fireEvent.input(field('Step 1'), { target: { value: 'mine' } })
    await fireEvent.click(button(/^Save as revision 2/))
    await rerender({ plan: { ...props.plan, revision: 2, hash: 'other', steps: [step(1, 'mine'), ...ABC.slice(1)] } })
    expect(form().textContent).not.toContain('The plan is at')
    arrive(true)
    await soon()
    expect(screen.queryByRole('form', { name: 'Change the plan' })).toBeNull()
  })
})
