/** How many needs are kept, and in which order they are told (SEAT-08, SEAT-09). */
import { expect, test } from 'vitest'
import { MAX_NEEDS, OpenNeeds, type NeedChange, type OpenNeed } from '../../../src/broker/needs/open-needs.ts'
import { inOrder } from '../../../src/protocol/need-order.ts'

function need(key: string, more: Partial<OpenNeed> = {}): OpenNeed {
  return {
    key,
    id: key,
    type: 'question',
    addressed: 'anyone',
    seq: 1,
    askedAtMs: 0,
    untilMs: undefined,
    from: undefined,
    asked: undefined,
    text: '',
    ...more,
  }
}

test('with one more than are kept, the oldest that anyone may answer gives way and is counted (SEAT-08)', () => {
  const changes: NeedChange[] = []
  const needs = new OpenNeeds((change) => changes.push(change))
  needs.open(need('first of all', { addressed: 'you' }))
  for (let i = 1; i < MAX_NEEDS; i += 1) needs.open(need(`anyone ${i}`))
  const before = needs.size

  needs.open(need('one more', { addressed: 'you' }))

  expect([before, needs.size, needs.displaced]).toEqual([MAX_NEEDS, MAX_NEEDS, 1])
  expect(changes.at(-1)).toMatchObject({ change: 'closed', by: 'displaced', need: { key: 'anyone 1' } })
  expect(needs.has('first of all')).toBe(true)
})

test('where all are for the person alone, the oldest of them gives way (SEAT-08)', () => {
  const needs = new OpenNeeds(() => {})
  for (let i = 0; i <= MAX_NEEDS; i += 1) needs.open(need(`you ${i}`, { addressed: 'you' }))

  expect([needs.has('you 0'), needs.has('you 1'), needs.size]).toEqual([false, true, MAX_NEEDS])
})

test('those for the person alone come first, then what ends within five minutes, then the oldest (SEAT-09)', () => {
  const MINUTE_MS = 60_000
  const nowMs = 60 * MINUTE_MS
  const needs = [
    need('anyone, soon', { untilMs: nowMs + 1 }),
    need('anyone, old', { askedAtMs: 1 }),
    need('you, young', { addressed: 'you', askedAtMs: 9 }),
    need('you, over', { addressed: 'you', askedAtMs: 8, untilMs: nowMs }),
    need('you, just not soon', { addressed: 'you', askedAtMs: 7, untilMs: nowMs + 5 * MINUTE_MS }),
    need('you, soon', { addressed: 'you', askedAtMs: 10, untilMs: nowMs + 5 * MINUTE_MS - 1 }),
    need('you, sooner', { addressed: 'you', askedAtMs: 11, untilMs: nowMs + 1 }),
  ]

  expect(inOrder(needs, nowMs).map(({ key }) => key)).toEqual([
    'you, sooner',
    'you, soon',
    'you, just not soon',
    'you, over',
    'you, young',
    'anyone, soon',
    'anyone, old',
  ])
})
