import { describe, expect, test } from 'vitest'
import { HELP, matching, parse } from '../src/chat/commands'
import { fileWord, withFile } from '../src/chat/mention'

describe('slash commands', () => {
  test.each([
    ['/plan', { name: 'plan', mode: 'strict' }],
    ['/plan off', { name: 'plan', mode: 'off' }],
    ['/plan status', { name: 'status' }],
    ['  /pause ', { name: 'pause' }],
    ['/PLAN status', { name: 'status' }],
    ['/Plan Off', { name: 'plan', mode: 'off' }],
    ['/Stop STEP', { name: 'stop-step' }],
    ['/Export JSON', { name: 'export', format: 'json' }],
    ['/Sidekick Cancel brave-penguin', { name: 'stop-sidekick', codename: 'brave-penguin' }],
    ['/RENAME Auth Audit', { name: 'rename', title: 'Auth Audit' }],
    ['/cancel it took too long', { name: 'cancel', reason: 'it took too long' }],
    ['/export json', { name: 'export', format: 'json' }],
    ['/goal ship it', { name: 'goal', goal: 'ship it' }],
    ['/sidekick find out who calls it', { name: 'sidekick', task: 'find out who calls it' }],
    ['/sidekick status', { name: 'sidekicks' }],
    ['/sidekick status of the tests', { name: 'sidekick', task: 'status of the tests' }],
    ['/sidekick cancel brave-penguin', { name: 'stop-sidekick', codename: 'brave-penguin' }],
    ['/sidekick cancellations: count them', { name: 'sidekick', task: 'cancellations: count them' }],
  ])('%s', (text, command) => expect(parse(text)).toEqual(command))

  test.each(['hello', '/etc/hosts is wrong', 'see /plan', '/ plan', '/Users/me'])('%s is a message', (text) => {
    expect(parse(text)).toBeNull()
  })

  test('an unknown one is said to be unknown, not sent', () => {
    expect(parse('/plann')).toMatchObject({ name: 'wrong' })
    expect(parse('/plan maybe')).toMatchObject({ name: 'wrong' })
    expect(parse('/sidekick')).toMatchObject({ name: 'wrong', message: expect.stringMatching(/Add the task/) })
    expect(parse('/goal')).toMatchObject({ name: 'wrong', message: expect.stringMatching(/Add the goal/) })
    expect(parse('/sidekick cancel')).toMatchObject({ name: 'wrong', message: expect.stringMatching(/Add the name/) })
  })

  test('a council is offered, and its task may be said later', () => {
    expect(matching('/cou').map(({ usage }) => usage)).toEqual(['/council'])
    expect(parse('/council which one?')).toEqual({ name: 'council', task: 'which one?' })
    expect(parse('/council')).toEqual({ name: 'council', task: '' })
  })

  test('every command in the help is known', () => {
    for (const { usage } of HELP) expect(parse(`${usage} x`.replace(/^(\/plan \w+|\/sidekick status|\/(?!rename|cancel|sidekick|goal)\w+) x$/, '$1'))?.name, usage).not.toBe('wrong')
  })

  test('typing narrows them down', () => {
    expect(matching('/pl').map((help) => help.usage)).toEqual(['/plan', '/plan soft', '/plan off', '/plan status'])
    expect(matching('/PL').map((help) => help.usage)).toEqual(['/plan', '/plan soft', '/plan off', '/plan status'])
    expect(matching('hello')).toEqual([])
  })
})

describe('@files', () => {
  test('the word at the caret is the one that counts', () => {
    expect(fileWord('look at @src/m', 14)).toBe('src/m')
    expect(fileWord('mail me@example.org', 19)).toBeNull()
    expect(fileWord('@a done', 7)).toBeNull()
  })

  test('choosing makes it whole and goes on behind it', () => {
    expect(withFile('look at @sr now', 11, 'src/main.rs')).toEqual({ text: 'look at @src/main.rs now', caret: 20 })
  })
})
