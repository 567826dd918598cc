/**
 * Documents that begin or end while nobody writes a file (FED-40).
 */
import { describe, expect, test } from 'vitest'
import { DocumentTimes, MAX_UNLOOKED_MS } from '../../src/authority/document-times.ts'
import { FakeClock } from '../support/fake-clock.ts'

const MINUTE_MS = 60_000

function watching() {
  const clock = new FakeClock()
  const told: number[] = []
  const startMs = clock.nowMs()
  const times = new DocumentTimes(clock, () => told.push(clock.nowMs() - startMs))
  return { clock, startMs, told, times }
}

describe('documents with a time', () => {
  test('are told of when one begins and when one ends, at that moment and once each', () => {
    const { clock, startMs, told, times } = watching()
    times.follow([
      { notBeforeMs: startMs + MINUTE_MS, notAfterMs: undefined },
      { notBeforeMs: undefined, notAfterMs: startMs + 10 * MINUTE_MS },
    ])

    clock.advance(60 * MINUTE_MS)

    // The last moment belongs to the time in which it holds.
    expect(told).toEqual([MINUTE_MS, 10 * MINUTE_MS + 1])
    expect(clock.pendingTimers).toBe(0)
  })

  test('without an end or with none to come cost no timer, and none is left behind by others or at the close', () => {
    const { clock, startMs, told, times } = watching()
    times.follow([
      { notBeforeMs: undefined, notAfterMs: undefined },
      { notBeforeMs: startMs - 1, notAfterMs: startMs - 1 },
    ])
    expect(clock.pendingTimers).toBe(0)

    times.follow([{ notBeforeMs: undefined, notAfterMs: startMs + MINUTE_MS }])
    times.follow([{ notBeforeMs: undefined, notAfterMs: startMs + 2 * MINUTE_MS }])
    expect(clock.pendingTimers).toBe(1)
    times.close()
    clock.advance(5 * MINUTE_MS)

    expect(told).toEqual([])
  })

  test('are told of within half a minute where the clock of the machine was set past it', () => {
    const { clock, startMs, told, times } = watching()
    times.follow([{ notBeforeMs: undefined, notAfterMs: startMs + 600 * MINUTE_MS }])

    clock.stepWall(601 * MINUTE_MS)
    clock.advance(MAX_UNLOOKED_MS - 1)
    expect(told).toHaveLength(0)
    clock.advance(1)

    expect(told).toHaveLength(1)
  })
})
