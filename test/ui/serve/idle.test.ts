/** When nobody needs the process any more (SEAT-18). */
import { expect, test } from 'vitest'
import { Idle } from '../../../src/ui/serve/idle.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { openSeat } from './support.ts'

test('it is idle so long after the last that was under way, and not while anything is (SEAT-18)', () => {
  const clock = new FakeClock()
  let ended = 0
  const idle = new Idle(clock, 1_000, () => (ended += 1))

  clock.advance(999)
  const [one, other] = [idle.begin(), idle.begin()]
  clock.advance(5_000)
  one()
  one()
  clock.advance(5_000)
  expect(ended).toBe(0)
  other()
  clock.advance(999)
  expect(ended).toBe(0)
  clock.advance(1)
  expect(ended).toBe(1)
})

test('one that was stopped ends nothing, and one that nobody ever asked ends too (SEAT-18)', () => {
  const clock = new FakeClock()
  let ended = 0
  new Idle(clock, 1_000, () => (ended += 1)).stop()
  clock.advance(5_000)
  expect(ended).toBe(0)

  expect(new Idle(clock, 1_000, () => (ended += 1))).toBeDefined()
  clock.advance(1_000)
  expect(ended).toBe(1)
})

test('a request puts the end off, and the process says why it is to end (SEAT-18)', async () => {
  const clock = new FakeClock()
  await using seat = await openSeat({ clock, idleMs: 10_000 })

  clock.advance(9_999)
  await seat.ask('/')
  clock.advance(9_999)
  expect(seat.process.ending.aborted).toBe(false)
  await seat.ask('/')
  clock.advance(10_000)

  expect(seat.process.ending.reason).toBe('idle')
})
