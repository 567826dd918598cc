import { expect, test } from 'vitest'
import { DedupWindow } from '../../../src/broker/submit/dedup.ts'
import { FakeClock } from '../../support/fake-clock.ts'

const BOUNDS = { ids: 50, windowMs: 1_000 }

/** @returns how many of `id-0` … are still known, the last of them being the newest */
function knownOf(window: DedupWindow<string>, count: number): readonly boolean[] {
  return Array.from({ length: count }, (_, i) => window.check(`id-${i}`, 'digest').kind === 'again')
}

function rememberMany(window: DedupWindow<string>, count: number): void {
  for (let i = 0; i < count; i += 1) {
    expect(window.check(`id-${i}`, 'digest')).toEqual({ kind: 'first' })
    window.remember(`id-${i}`, 'digest')
  }
}

/** When it was remembered, in milliseconds; these ids say it. */
function timeOf(id: string): number {
  return Number(id.slice('id-'.length))
}

test('so many ids are remembered at least, and a fifth more at the most (ACQ-25)', () => {
  const window = new DedupWindow<string>(new FakeClock(), BOUNDS)

  rememberMany(window, 1_000)

  const known = knownOf(window, 1_000)
  expect(known.slice(-BOUNDS.ids)).toEqual(Array.from({ length: BOUNDS.ids }, () => true))
  expect(known.filter(Boolean).length).toBeLessThanOrEqual(BOUNDS.ids * 1.2)
})

test('an id is remembered for the window at least, and for a fifth longer at the most (ACQ-25)', () => {
  const clock = new FakeClock()
  const window = new DedupWindow<string>(clock, BOUNDS)
  for (let ms = 0; ms < 5_000; ms += 100) {
    window.check(`id-${ms}`, 'digest')
    window.remember(`id-${ms}`, 'digest')
    clock.advance(100)
  }

  const ids = Array.from({ length: 50 }, (_, i) => `id-${i * 100}`)
  const known = ids.filter((id) => window.check(id, 'digest').kind === 'again')

  const oldest = 5_000 - Math.min(...known.map(timeOf))
  expect(known.map(timeOf)).toEqual(ids.map(timeOf).filter((ms) => ms >= 5_000 - oldest))
  expect(oldest).toBeGreaterThanOrEqual(BOUNDS.windowMs)
  expect(oldest).toBeLessThanOrEqual(BOUNDS.windowMs * 1.2)
})

test('after a pause longer than the window nothing is left to compare with (ACQ-25)', () => {
  const clock = new FakeClock()
  const window = new DedupWindow<string>(clock, BOUNDS)
  rememberMany(window, 30)

  clock.advance(BOUNDS.windowMs * 1.2)

  expect(knownOf(window, 30)).not.toContain(true)
})

test('what is sent again with other words is a conflict in every generation (ACQ-25)', () => {
  const window = new DedupWindow<string>(new FakeClock(), BOUNDS)
  rememberMany(window, BOUNDS.ids)

  for (let i = 0; i < BOUNDS.ids; i += 1)
    expect(window.check(`id-${i}`, 'other')).toEqual({ kind: 'conflict' })
})

test('a frame the store refused may be sent again, also when the window turned over in the same turn (R-14, R-21)', () => {
  const window = new DedupWindow<string>(new FakeClock(), BOUNDS)
  window.remember('refused', 'digest')
  rememberMany(window, BOUNDS.ids - 1)
  // The generation of its own is long over: it lies in the oldest one.
  expect(window.check('refused', 'digest')).toMatchObject({ kind: 'again' })

  window.forget('refused')

  expect(window.check('refused', 'digest')).toEqual({ kind: 'first' })
})
