import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import axe from 'axe-core'
import { describe, expect, test, vi } from 'vitest'
import { council, councilRoom, COUNCILS, eight, five, member, three, vote } from '../dev/councils'
import { Fold } from '../src/chat/fold'
import { councilOf } from '../src/council/facts'
import { councilCard, theCard } from './council'

const button = (name: RegExp | string) => screen.getByRole('button', { name })
const dialog = () => within(screen.getByRole('dialog'))

describe('what a person may do', () => {
  test('is what the view lists, and nothing else', () => {
    councilCard(three({ actions: ['pause', 'cancel'] }))
    expect(screen.queryByRole('button', { name: /Answer now|Pick winner|Your vote|Resume|Vote for/ })).toBeNull()
    expect(button('Pause')).toBeTruthy()
  })

  test('answer now, pause and retry go to the room', async () => {
    const { act } = councilCard(five())
    await fireEvent.click(button(/Answer now/))
    await fireEvent.click(button('Pause'))
    await fireEvent.click(button('Retry agent4'))
    expect(act.answerNow).toHaveBeenCalledOnce()
    expect(act.pause).toHaveBeenCalledOnce()
    expect(act.retryMember).toHaveBeenCalledExactlyOnceWith('agent4')
  })

  test('a member is not retried once the council is over', () => {
    councilCard(council([member(1, [], { state: 'failed' }), member(2, [])], { state: 'failed', actions: [] }))
    expect(screen.queryByRole('button', { name: /Retry/ })).toBeNull()
  })

  test('a vote is chosen, with a reason, and can be changed', async () => {
    const { act, rerender, props } = councilCard(three())
    await fireEvent.click(button('Vote for agent3.1'))
    expect((dialog().getByRole('radio', { name: /agent3\.1/ }) as HTMLInputElement).checked).toBe(true)
    await fireEvent.input(dialog().getByLabelText('Reason'), { target: { value: ' It builds ' } })
    await fireEvent.click(dialog().getByRole('button', { name: 'Vote' }))
    expect(act.voteCouncil).toHaveBeenCalledExactlyOnceWith('agent3', 'It builds')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await rerender({ ...props, council: three({ person_vote: vote(3, 'It builds') }) })
    await fireEvent.click(button(/Change your vote/))
    expect((dialog().getByLabelText('Reason') as HTMLInputElement).value).toBe('It builds')
    expect(dialog().getByText('Your earlier vote is replaced.')).toBeTruthy()
  })

  test('a pick says what it overrides, and is not made by opening it', async () => {
    const { act } = councilCard(three())
    await fireEvent.click(button(/Pick winner/))
    expect(dialog().getByRole('button', { name: 'Pick winner' })).toHaveProperty('disabled', true)
    await fireEvent.click(dialog().getByRole('radio', { name: /agent1\.1/ }))
    expect(dialog().getByText('The council ends here. Your pick overrides 2 votes. agent2 leads with 1 vote.')).toBeTruthy()
    expect(act.pickWinner).not.toHaveBeenCalled()
    await fireEvent.click(dialog().getByRole('button', { name: 'Pick agent1' }))
    expect(act.pickWinner).toHaveBeenCalledExactlyOnceWith('agent1')
  })

  test('what was refused stays open', async () => {
    const { act } = councilCard(three())
    act.pickWinner!.mockResolvedValue(false)
    await fireEvent.click(button(/Pick winner/))
    await fireEvent.click(dialog().getByRole('radio', { name: /agent1\.1/ }))
    await fireEvent.click(dialog().getByRole('button', { name: 'Pick agent1' }))
    expect(screen.getByRole('dialog')).toBeTruthy()
  })

  test('cancelling is asked about once', async () => {
    const { act } = councilCard(three())
    await fireEvent.click(button('Cancel council'))
    expect(dialog().getByText(/nothing is executed/)).toBeTruthy()
    await fireEvent.click(dialog().getByRole('button', { name: 'Cancel council' }))
    expect(act.cancel).toHaveBeenCalledExactlyOnceWith('')
  })

  test('a paused one says why, and resumes when that could have been read', async () => {
    vi.useFakeTimers()
    const { act } = councilCard(three({ state: 'paused', pause_reason: 'cap', pause_detail: 'The council used $3.00 of $3.00.', deadline: null, actions: ['resume', 'cancel'] }))
    expect(screen.getByText('The council used $3.00 of $3.00.')).toBeTruthy()
    await fireEvent.click(button(/Resume/))
    expect(act.resume).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(701)
    await fireEvent.click(button(/Resume/))
    expect(act.resume).toHaveBeenCalledOnce()
    vi.useRealTimers()
  })

  test('one that failed can be started again with its task', async () => {
    const { props } = councilCard(council([member(1, [])], { state: 'failed', end_reason: 'Nobody answered.', actions: [] }))
    await fireEvent.click(button(/Start again/))
    expect(props.onagain).toHaveBeenCalledExactlyOnceWith('Create a project structure with src/, tests/ and docs/')
    expect(screen.getByText('Nobody answered.')).toBeTruthy()
  })
})

describe('keys', () => {
  test('of the card choose, and only where it has the focus', async () => {
    const { act } = councilCard(three())
    await fireEvent.keyDown(document.body, { key: 'a' })
    expect(act.answerNow).not.toHaveBeenCalled()
    theCard().focus()
    await fireEvent.keyDown(theCard(), { key: 'a' })
    expect(act.answerNow).toHaveBeenCalledOnce()
    await fireEvent.keyDown(theCard(), { key: 'w' })
    expect(screen.getByRole('dialog')).toBeTruthy()
  })

  test('that are not offered do nothing', async () => {
    const { act } = councilCard(three({ actions: ['cancel'] }))
    theCard().focus()
    for (const key of ['a', 'w', 'v']) await fireEvent.keyDown(theCard(), { key })
    expect(act.answerNow).not.toHaveBeenCalled()
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  test('left and right go from member to member, and stop at the ends', async () => {
    councilCard(three())
    const columns = screen.getAllByRole('listitem').filter((one) => one.dataset.member)
    expect(columns.map((one) => one.tabIndex)).toEqual([0, -1, -1])
    columns[0]!.focus()
    await fireEvent.keyDown(columns[0]!, { key: 'ArrowRight' })
    expect(document.activeElement).toBe(columns[1])
    await fireEvent.keyDown(columns[1]!, { key: 'End' })
    expect(document.activeElement).toBe(columns[2])
    await fireEvent.keyDown(columns[2]!, { key: 'ArrowRight' })
    expect(document.activeElement).toBe(columns[2])
    expect(columns.map((one) => one.tabIndex)).toEqual([-1, -1, 0])
  })

  test('left and right go through the answers that are read', async () => {
    councilCard(five())
    await fireEvent.click(button('Read agent2.2'))
    expect(screen.getByRole('dialog', { name: 'Copy on read, no backfill' })).toBeTruthy()
    await fireEvent.keyDown(window, { key: 'ArrowLeft' })
    expect(screen.getByRole('dialog', { name: 'Copy everything at once' })).toBeTruthy()
  })
})

describe('answers', () => {
  test('two of them are compared, whichever are chosen', async () => {
    councilCard(five())
    await fireEvent.click(button('Compare with agent2.1'))
    expect((dialog().getByLabelText('First answer') as HTMLSelectElement).value).toBe('agent2.1')
    expect(dialog().getByText('4 lines differ')).toBeTruthy()
    await fireEvent.change(dialog().getByLabelText('First answer'), { target: { value: 'agent2.2' } })
    expect(dialog().getByText('No difference')).toBeTruthy()
  })

  test('a long one is loaded when it is read', async () => {
    const long = member(1, [{ title: 'Long', steps: [] }])
    long.answers[0] = { ...long.answers[0]!, content: { head: 'The beginning', blob: 'hash', bytes: 40_000 } }
    const { act } = councilCard(council([long, member(2, [])]))
    await fireEvent.click(button('Read agent1.1'))
    expect(await screen.findByText('All of it')).toBeTruthy()
    expect(act.blob).toHaveBeenCalledWith('hash')
  })

  test('a member’s conversation can be opened', async () => {
    const { props } = councilCard(three())
    await fireEvent.click(button('Open the conversation of agent2'))
    expect(props.onopen).toHaveBeenCalledExactlyOnceWith('member-2')
  })

  test('only the newest can be voted for or picked', async () => {
    councilCard(five())
    await fireEvent.click(button('agent2.1'))
    expect(dialog().queryByRole('button', { name: /Vote for this|Pick/ })).toBeNull()
  })
})

describe('votes', () => {
  test('are a table with a row for each voter and a column for each answer', () => {
    councilCard(three())
    const table = within(screen.getByRole('table', { name: /^Votes/ }))
    expect(table.getAllByRole('columnheader').map((one) => one.ariaLabel ?? one.textContent)).toEqual(['Votes, 2 of 3', 'agent1.1', 'agent2.1', 'agent3.1', 'Reason'])
    const row = within(table.getByRole('row', { name: /^agent3 gemini/ }))
    expect(row.getAllByRole('cell').map((one) => one.textContent?.trim())).toEqual(['', '', 'voted for this', 'Disagrees A docs folder nobody builds goes stale.'])
    expect(screen.getByText('agent3 prefers agent3.1 to agent2.1')).toBeTruthy()
  })

  test('of many members have short headings that are read in full', () => {
    councilCard(eight())
    expect(screen.getByRole('columnheader', { name: 'agent8.1' }).textContent).toBe('8.1')
  })

  test('that were cleared or dropped are shown', () => {
    councilCard(five())
    expect(screen.getAllByText('vote cleared').length).toBe(2)
    expect(screen.getByText('1 dropped vote')).toBeTruthy()
    expect(screen.getByText(/agent2\.2 is new, so 2 votes were cleared\./)).toBeTruthy()
  })

  test('are not asked for before anyone answered', () => {
    councilCard(council([member(1, []), member(2, [])], { state: 'answering' }))
    expect(screen.queryByRole('table')).toBeNull()
  })
})

test('what it says of itself changes with its state', async () => {
  const { rerender, props } = councilCard(three())
  expect(screen.getByText('Council: voting. 3 of 3 members answered, 2 of 3 votes.').getAttribute('role')).toBe('status')
  await rerender({ ...props, council: three({ state: 'paused', pause_reason: 'supervisor', actions: ['resume'] }) })
  expect(screen.getByText(/^Council paused: by you\./).getAttribute('role')).toBe('status')
})

test('an earlier attempt says who voted, what came of it, why it was followed, and what the next was told', () => {
  councilCard(councilOf(councilRoom('council-restarted').view)!)
  expect(screen.getByText('Attempt 1: agent1 (claude) won with 2 votes')).toBeTruthy()
  expect(screen.getByText(/nothing can be imported/)).toBeTruthy()
  expect(screen.getByText(/Make it an installable package/)).toBeTruthy()
  const attempts = within(screen.getByRole('region', { name: 'Earlier attempts' }))
  expect(attempts.getByText(/^You for/).textContent).toBe('You for agent1.1: Plain is enough.')
  expect(attempts.getByText(/^agent1 \(claude\) for/)).toBeTruthy()
  expect(attempts.getByText(/created three folders/)).toBeTruthy()
})

test('a shared model is pointed out', () => {
  councilCard(eight())
  expect(screen.getByText(/Several members use claude-opus\./)).toBeTruthy()
})

test('can be folded to one line', async () => {
  councilCard(three())
  await fireEvent.click(button(/Fold the council/))
  expect(screen.queryByRole('table')).toBeNull()
  expect(screen.getByText('Council: voting')).toBeTruthy()
})

test.each(COUNCILS.filter((state) => councilOf(councilRoom(state).view)))('%s has nothing that keeps someone out', async (state) => {
  const { view, events } = councilRoom(state)
  const shown = councilOf(view)!
  const fold = new Fold()
  fold.push(events)
  const { container } = councilCard(shown, fold.council.of(shown.id, shown.round))
  const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false }, region: { enabled: false } } })
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`).join('\n')).toBe('')
})
