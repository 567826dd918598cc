import { expect, test } from 'vitest'
import { digestOf } from '../../../src/broker/ring/digest.ts'
import { DedupWindow } from '../../../src/broker/submit/dedup.ts'
import { FakeClock } from '../../support/fake-clock.ts'

const SENT = { scopeText: '~alice/*', text: 'sent' }

const BOUNDS = { ids: 50, windowMs: 1_000 }

/** @returns how many of `id-0` … are still known, the last of them being the newest */
function knownOf(window: DedupWindow<string>, count: number): readonly boolean[] {
  return Array.from({ length: count }, (_, i) => window.check(`id-${i}`, SENT).kind === 'again')
}

function rememberMany(window: DedupWindow<string>, count: number): void {
  for (let i = 0; i < count; i += 1) {
    expect(window.check(`id-${i}`, SENT)).toEqual({ kind: 'first' })
    window.remember(`id-${i}`, SENT)
  }
}

/** When it was remembered, in milliseconds; these ids say it. */
function timeOf(id: string): number {
  return Number(id.slice('id-'.length))
}

test('so many ids are remembered, and the oldest is pushed out by the next (ACQ-25)', () => {
  const window = new DedupWindow<string>(new FakeClock(), BOUNDS)

  rememberMany(window, 1_000)

  const known = knownOf(window, 1_000)
  expect(known.slice(-BOUNDS.ids)).toEqual(Array.from({ length: BOUNDS.ids }, () => true))
  expect(known.filter(Boolean).length).toBe(BOUNDS.ids)
})

test('an id is remembered for the window, and not beyond it (ACQ-25)', () => {
  const clock = new FakeClock()
  const window = new DedupWindow<string>(clock, BOUNDS)
  for (let ms = 0; ms < 5_000; ms += 100) {
    window.check(`id-${ms}`, SENT)
    window.remember(`id-${ms}`, SENT)
    clock.advance(100)
  }

  const ids = Array.from({ length: 50 }, (_, i) => `id-${i * 100}`)
  const known = ids.filter((id) => window.check(id, SENT).kind === 'again')

  const oldest = 5_000 - Math.min(...known.map(timeOf))
  expect(known.map(timeOf)).toEqual(ids.map(timeOf).filter((ms) => ms >= 5_000 - oldest))
  expect(oldest).toBeGreaterThanOrEqual(BOUNDS.windowMs)
  expect(oldest).toBeLessThanOrEqual(BOUNDS.windowMs)
})

test('after a pause longer than the window nothing is left to compare with (ACQ-25)', () => {
  const clock = new FakeClock()
  const window = new DedupWindow<string>(clock, BOUNDS)
  rememberMany(window, 30)

  clock.advance(BOUNDS.windowMs + 1)

  expect(knownOf(window, 30)).not.toContain(true)
})

test('what is sent again with other words is a conflict however old it is (ACQ-25)', () => {
  const window = new DedupWindow<string>(new FakeClock(), BOUNDS)
  rememberMany(window, BOUNDS.ids)

  for (let i = 0; i < BOUNDS.ids; i += 1)
    expect(window.check(`id-${i}`, { ...SENT, text: 'other' })).toEqual({ kind: 'conflict' })
})

test('a frame the store refused may be sent again, also when it is the oldest there is (R-14, R-21)', () => {
  const window = new DedupWindow<string>(new FakeClock(), BOUNDS)
  window.remember('refused', SENT)
  rememberMany(window, BOUNDS.ids - 1)
  expect(window.check('refused', SENT)).toMatchObject({ kind: 'again' })

  window.forget('refused')

  expect(window.check('refused', SENT)).toEqual({ kind: 'first' })
})

test('an answer is kept for its id alone, also when its place is another one by then (ACQ-25)', () => {
  const window = new DedupWindow<string>(new FakeClock(), BOUNDS)
  const place = window.remember('early', SENT)
  rememberMany(window, BOUNDS.ids)

  expect(window.settle('early', place, 'answer')).toEqual([])

  const results = Array.from({ length: BOUNDS.ids }, (_, i) => window.check(`id-${i}`, SENT))
  expect(results).toEqual(results.map(() => ({ kind: 'again', result: undefined })))
})

test('whoever sends again before the first has its answer is told with it, once (ACQ-25)', () => {
  const window = new DedupWindow<string>(new FakeClock(), BOUNDS)
  const place = window.remember('id', SENT)
  const told: unknown[] = []
  window.waitFor('id', (outcome) => told.push(outcome))
  window.waitFor('id', (outcome) => told.push(outcome))

  for (const waiting of window.settle('id', place, 'answer')) waiting('answer')

  expect(told).toEqual(['answer', 'answer'])
  expect(window.settle('id', place, 'answer')).toEqual([])
  expect(window.check('id', SENT)).toEqual({ kind: 'again', result: 'answer' })
})

test('what another daemon accepted is known by its digest, until its place is taken (ACQ-25, R-14)', () => {
  const window = new DedupWindow<string>(new FakeClock(), BOUNDS)
  const place = window.inherit('old', digestOf(SENT.scopeText, SENT.text))
  window.settle('old', place, 'answer')

  expect(window.check('old', SENT)).toEqual({ kind: 'again', result: 'answer' })
  expect(window.check('old', { ...SENT, text: 'other' })).toEqual({ kind: 'conflict' })
  expect(window.check('old', { ...SENT, scopeText: '~alice/cc@s1' })).toEqual({ kind: 'conflict' })

  rememberMany(window, BOUNDS.ids)
  expect(window.check('old', SENT)).toEqual({ kind: 'first' })
  expect(knownOf(window, BOUNDS.ids)).not.toContain(false)
})
