import { describe, expect, test } from 'vitest'
import { atEndAfter, Hand } from '../src/chat/end'

describe('the end of the chat', () => {
  test('is left by a hand that goes up, however little', () => {
    expect(atEndAfter(true, { offset: 990, before: 1000, gap: 10, byHand: true })).toBe(false)
  })

  test('is not left by what moves the list itself', () => {
    // Rows above turned out smaller than thought; a card grew; older rows came in front.
    expect(atEndAfter(true, { offset: 600, before: 1000, gap: 400, byHand: false })).toBe(true)
    expect(atEndAfter(true, { offset: 1000, before: 1000, gap: 400, byHand: false })).toBe(true)
    expect(atEndAfter(true, { offset: 5000, before: 1000, gap: 400, byHand: false })).toBe(true)
  })

  test('is not left by a hand that goes down while text grows', () => {
    expect(atEndAfter(true, { offset: 1010, before: 1000, gap: 300, byHand: true })).toBe(true)
  })

  test('is reached again near it, and not before', () => {
    expect(atEndAfter(false, { offset: 900, before: 800, gap: 300, byHand: true })).toBe(false)
    expect(atEndAfter(false, { offset: 1000, before: 900, gap: 40, byHand: true })).toBe(true)
    expect(atEndAfter(false, { offset: 900, before: 900, gap: 300, byHand: false })).toBe(false)
  })
})

describe('the hand', () => {
  test.each<[string, (hand: Hand) => void, boolean]>([
    ['the wheel up', (hand) => hand.wheel({ deltaY: -1 }), true],
    ['the wheel down', (hand) => hand.wheel({ deltaY: 1 }), false],
    ['Page Up', (hand) => hand.key({ key: 'PageUp', shiftKey: false }), true],
    ['Shift Space', (hand) => hand.key({ key: ' ', shiftKey: true }), true],
    ['a letter', (hand) => hand.key({ key: 'a', shiftKey: false }), false],
    ['nothing let go', (hand) => hand.release(), false],
  ])('%s', (_, does, moves) => {
    const hand = new Hand(() => 0)
    does(hand)
    expect(hand.moves).toBe(moves)
  })

  test('moves as long as it holds the bar, and a moment after', () => {
    let now = 0
    const hand = new Hand(() => now)
    hand.press()
    now = 60_000
    expect(hand.moves).toBe(true)
    hand.release()
    expect(hand.moves).toBe(true)
    now += 1000
    expect(hand.moves).toBe(false)
  })
})
