// What models can do, in the settings: words, the check, and the planner that would help.

import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, test, vi } from 'vitest'
import type { CheckedModel, ModelProfile, ProfileFields } from '../src/lib/wire'
import { page } from './settings'

const FIELDS: ProfileFields = { tools: 'native', simple: true, parallel: false, schema: false, forced_tool: false, thinks: false }
const SMALL: ModelProfile = { model: 'ollama/tiny', address: 'http://127.0.0.1:11434/v1', agents: ['helper'], plans_for: [], source: 'default', words: ['Not checked yet: treated as able.'], profile: FIELDS }
const CHECKED: CheckedModel = { model: 'ollama/tiny', ok: true, words: ['Plans with the simple form.'], profile: FIELDS, requests: 6, input_tokens: 1000, output_tokens: 40 }

const row = async (model = 'ollama/tiny') => within(await screen.findByRole('group', { name: model }))
const button = 'Test ollama/tiny'

describe('what a model can do', () => {
  test('is said in words, with who uses it and how that is known', async () => {
    await page('Models')
    const sonnet = await row('anthropic/claude-sonnet')
    expect(sonnet.getByText('Plans reliably.')).toBeTruthy()
    expect(sonnet.getByText('Used by default')).toBeTruthy()
    expect(sonnet.getByText('Known model')).toBeTruthy()
    expect((await row('anthropic/claude-opus')).getByText('Plans for default')).toBeTruthy()
  })

  test('is nothing to check for an external agent', async () => {
    await page('Models')
    const agent = await row('claude_code/default')
    expect(agent.getByText(/^External agent:/)).toBeTruthy()
    expect(agent.queryByRole('button')).toBeNull()
  })

  test('is found out by a check, which says what it took', async () => {
    let end: (checked: CheckedModel) => void = () => undefined
    const checkProfile = vi.fn(() => new Promise<CheckedModel>((resolve) => (end = resolve)))
    const modelProfiles = vi.fn(async () => [SMALL])
    await page('Models', { checkProfile, modelProfiles })
    const tiny = await row()
    await fireEvent.click(tiny.getByRole('button', { name: button }))
    expect(checkProfile).toHaveBeenCalledExactlyOnceWith('ollama/tiny')
    const busy = tiny.getByRole('button', { name: button }) as HTMLButtonElement
    expect([busy.disabled, busy.textContent?.trim()]).toEqual([true, 'Testing…'])
    modelProfiles.mockResolvedValue([{ ...SMALL, source: 'probe', checked_at: Date.now(), words: CHECKED.words }])
    end(CHECKED)
    expect(await tiny.findByText('Plans with the simple form.')).toBeTruthy()
    expect(tiny.getByText('The test took 6 requests and 1040 tokens.')).toBeTruthy()
    expect(tiny.getByText(/^Tested today/)).toBeTruthy()
    await waitFor(() => expect(tiny.getByRole('button', { name: button }).textContent?.trim()).toBe('Test again'))
  })

  test('stays as it was where a check fails, and why is said', async () => {
    const why = 'Couldn’t check ollama/tiny: nothing answers at http://127.0.0.1:11434/v1: is the server running?'
    const checkProfile = vi.fn(async (): Promise<CheckedModel> => ({ ...CHECKED, ok: false, code: 'MODEL_UNREACHABLE', words: [why], requests: 1 }))
    await page('Models', { checkProfile, modelProfiles: async () => [SMALL] })
    const tiny = await row()
    await fireEvent.click(tiny.getByRole('button', { name: button }))
    expect(await tiny.findByText(why)).toBeTruthy()
    expect(tiny.getByText('Not checked yet: treated as able.')).toBeTruthy()
    checkProfile.mockRejectedValue({ code: 'BAD_MODEL', message: 'there is no such model' })
    await fireEvent.click(tiny.getByRole('button', { name: button }))
    expect(await tiny.findByText('There is no such model.')).toBeTruthy()
    expect((tiny.getByRole('button', { name: button }) as HTMLButtonElement).disabled).toBe(false)
  })

  test('that it can’t be listed is said', async () => {
    await page('Models', { modelProfiles: () => Promise.reject({ code: 'X', message: 'the engine is stopping' }) })
    expect(await screen.findByText('The engine is stopping.')).toBeTruthy()
  })
})

describe('a planner that would help', () => {
  const weak: ModelProfile = { ...SMALL, plan_model: 'anthropic/claude-opus', words: ['Plans with the simple form.', 'Use suggested planner to anthropic/claude-opus: it plans, and this model does the steps.'] }
  const set = 'Use anthropic/claude-opus as planning model of helper'

  test('is set for the agents without one', async () => {
    const { saveSetting } = await page('Models', { modelProfiles: async () => [weak] })
    await fireEvent.click((await row()).getByRole('button', { name: set }))
    expect(saveSetting).toHaveBeenCalledExactlyOnceWith('agents.helper.plan_model', 'anthropic/claude-opus')
    await waitFor(() => expect(screen.queryByRole('button', { name: set })).toBeNull())
  })

  test('is only named where the agent has one, or the person’s own file says which', async () => {
    await page('Models', { modelProfiles: async () => [{ ...weak, agents: ['default'] }] })
    const tiny = await row()
    expect(tiny.getByText(/^Use suggested planner to/)).toBeTruthy()
    expect(tiny.queryByRole('button', { name: /^Use suggested planner/ })).toBeNull()
  })

  test('that can’t be set says why', async () => {
    const saveSetting = () => Promise.reject({ code: 'BAD_VALUE', message: 'no provider is known for it' })
    await page('Models', { saveSetting, modelProfiles: async () => [weak] })
    await fireEvent.click((await row()).getByRole('button', { name: set }))
    expect(await (await row()).findByText(/o provider is known for it/)).toBeTruthy()
  })
})
