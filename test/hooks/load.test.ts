/** How much of the daemon's time hooks take for reading payloads (OP-11). */
import { expect, test } from 'vitest'
import { Load, OCTETS_PER_SECOND } from '../../src/hooks/load.ts'
import { FakeClock } from '../support/fake-clock.ts'

const MEBIBYTE = 1_048_576

test('a second of payloads is read at once, and not an octet more (OP-11)', () => {
  const load = new Load(new FakeClock())

  const taken = Array.from({ length: OCTETS_PER_SECOND / MEBIBYTE }, () => load.take(MEBIBYTE))

  expect(taken.every(Boolean)).toBe(true)
  expect([load.take(1), load.take(0)]).toEqual([false, true])
})

test('what was read comes back with time, as much as the time was long (OP-11)', () => {
  const clock = new FakeClock()
  const load = new Load(clock)
  load.take(OCTETS_PER_SECOND)

  clock.advance(250)
  const quarter = OCTETS_PER_SECOND / 4

  expect([load.take(quarter + 1), load.take(quarter), load.take(1)]).toEqual([false, true, false])
})

test('what is turned away costs nothing: something smaller goes through (OP-11)', () => {
  const load = new Load(new FakeClock())
  load.take(OCTETS_PER_SECOND - 1_000)

  expect([load.take(MEBIBYTE), load.take(1_000)]).toEqual([false, true])
})

test('a long rest saves up no more than a second of reading (OP-11)', () => {
  const clock = new FakeClock()
  const load = new Load(clock)
  clock.advance(3_600_000)

  expect([load.take(OCTETS_PER_SECOND), load.take(1)]).toEqual([true, false])
})

test('a wall clock that is set brings nothing back (OP-11)', () => {
  const clock = new FakeClock()
  const load = new Load(clock)
  load.take(OCTETS_PER_SECOND)

  clock.stepWall(3_600_000)

  expect(load.take(1)).toBe(false)
})
