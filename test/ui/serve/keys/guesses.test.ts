/** Whoever tries keys waits, a few at a time, and is told of (SEAT-17). */
import { expect, test } from 'vitest'
import { Guesses } from '../../../../src/ui/serve/keys/guesses.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

test('four wait a second each, and a fifth is sent away at once (SEAT-17)', async () => {
  const clock = new FakeClock()
  const guesses = new Guesses(clock, () => {})
  let late = 0
  const waiting = Array.from({ length: 4 }, () =>
    guesses.wrong().then((isAnswered) => (late += Number(isAnswered))),
  )

  expect(await guesses.wrong()).toBe(false)
  clock.advance(999)
  expect(await guesses.wrong()).toBe(false)
  expect(late).toBe(0)
  clock.advance(1)
  await Promise.all(waiting)

  expect(late).toBe(4)
  const again = guesses.wrong()
  clock.advance(1_000)
  expect(await again).toBe(true)
})

test('ten within a minute are told once, and ten more once more; nine are not (SEAT-17)', () => {
  const clock = new FakeClock()
  let told = 0
  const guesses = new Guesses(clock, () => (told += 1))
  const guess = (count: number): void => {
    for (let made = 0; made < count; made += 1) void guesses.wrong()
  }

  guess(9)
  clock.advance(60_000)
  guess(9)
  expect(told).toBe(0)
  guess(1)
  expect(told).toBe(1)
  guess(9)
  expect(told).toBe(1)
  guess(1)
  expect(told).toBe(2)
})
