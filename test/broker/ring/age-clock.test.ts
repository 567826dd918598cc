/**
 * Age is measured by running time too (HD-16).
 */
import { expect, test } from 'vitest'
import { AgeClock, BELIEVED_AFTER_MS } from '../../../src/broker/ring/age-clock.ts'
import { FakeClock } from '../../support/fake-clock.ts'

const DAY_MS = 86_400_000

test('while wall and running time agree, nothing is ahead (HD-16)', () => {
  const clock = new FakeClock()
  const age = new AgeClock(clock)

  clock.advance(10 * DAY_MS)

  expect(age.aheadMs()).toBe(0)
})

test('a step ahead is not believed before it has stayed for an hour of running (HD-16)', () => {
  const clock = new FakeClock()
  const age = new AgeClock(clock)

  clock.stepWall(8 * DAY_MS)
  const atOnce = age.aheadMs()
  clock.advance(BELIEVED_AFTER_MS - 1)
  const before = age.aheadMs()
  clock.advance(1)

  expect([atOnce, before, age.aheadMs()]).toEqual([8 * DAY_MS, 8 * DAY_MS, 0])
})

test('a clock that is set right again has cost nothing, and its hour begins anew (HD-16)', () => {
  const clock = new FakeClock()
  const age = new AgeClock(clock)

  clock.stepWall(8 * DAY_MS)
  age.aheadMs()
  clock.advance(BELIEVED_AFTER_MS / 2)
  clock.stepWall(-8 * DAY_MS)
  const right = age.aheadMs()
  clock.stepWall(8 * DAY_MS)
  age.aheadMs()
  clock.advance(BELIEVED_AFTER_MS / 2 + 1)

  expect([right, age.aheadMs()]).toEqual([0, 8 * DAY_MS])
})

test('a clock that goes back is believed at once, and is ahead when it returns (HD-16)', () => {
  const clock = new FakeClock()
  const age = new AgeClock(clock)

  clock.stepWall(-8 * DAY_MS)
  const back = age.aheadMs()
  clock.stepWall(8 * DAY_MS)

  expect([back, age.aheadMs()]).toEqual([0, 8 * DAY_MS])
})

test('at a start the clock is believed as far as the newest frame (HD-16)', () => {
  const clock = new FakeClock()
  const newestMs = clock.nowMs()
  clock.stepWall(8 * DAY_MS)
  const age = new AgeClock(clock)
  age.know(newestMs)

  const atOnce = age.aheadMs()
  clock.advance(BELIEVED_AFTER_MS)

  expect([atOnce, age.aheadMs()]).toEqual([8 * DAY_MS, 0])
})

test('a newest frame from the future makes nothing older, nor does a store without frames (HD-16)', () => {
  const clock = new FakeClock()
  const age = new AgeClock(clock)

  age.know(clock.nowMs() + 8 * DAY_MS)
  age.know(undefined)

  expect(age.aheadMs()).toBe(0)
  clock.advance(DAY_MS)
  expect(age.aheadMs()).toBe(0)
})
