/**
 * Fair shares of a backlog (AEE-094, R-33): the urgent first, and nobody last for ever.
 */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { PRIORITIES, type Priority } from '../../../src/aee/envelope/envelope.ts'
import { FairOrder } from '../../../src/broker/mail/fair-order.ts'
import { MAX_DRAIN_WINDOW } from '../../../src/broker/inbox/inbox.ts'
import type { Retained } from '../../../src/broker/ring/retained.ts'
import { retained, retainedEnvelope } from '../../support/rings.ts'
import { Workbench } from '../workbench.ts'

/** What is waiting, in order; a frame for undefined. */
function backlogOf(priorities: readonly (Priority | undefined)[], firstSeq = 1): Retained[] {
  return priorities.map((priority, i) => {
    const one =
      priority === undefined ? retained() : retainedEnvelope({ priority, effectivePriority: priority })
    return Object.assign(one, { seq: firstSeq + i })
  })
}

function priorityOf({ envelope }: Retained): Priority {
  return envelope?.effectivePriority ?? 'normal'
}

/** What was handed over, and the priorities that were there then. */
type Gone = Retained & { readonly beside: ReadonlySet<Priority> }

/** Hands a backlog over in drains of some size, while more may come. @returns all of it in the order it went */
function drainAll(
  waiting: Retained[],
  sizeOf: (drain: number) => number,
  comes: (drain: number) => Retained[],
) {
  const fairness = new FairOrder()
  const gone: Gone[] = []
  for (let drain = 0; waiting.length > 0; drain += 1) {
    const ordered = fairness.order(waiting, priorityOf)
    expect([...ordered].toSorted((a, b) => a.seq - b.seq)).toEqual(waiting)
    const taken = ordered.slice(0, sizeOf(drain))
    fairness.served(taken, waiting)
    const beside = new Set(waiting.map(priorityOf))
    gone.push(...taken.map((one) => ({ ...one, beside })))
    const left = new Set(ordered.slice(taken.length))
    waiting = waiting.filter((one) => left.has(one))
    waiting.push(...comes(drain))
  }
  return gone
}

/** The most turns a priority that was waiting had to sit out in a row. */
function longestWait(gone: readonly Gone[], priority: Priority): number {
  const last = gone.findLastIndex((one) => priorityOf(one) === priority)
  let longest = 0
  let waited = 0
  for (const one of gone.slice(0, last + 1)) {
    // Of those that go while none of it is there, it sits out none.
    waited = priorityOf(one) === priority || !one.beside.has(priority) ? 0 : waited + 1
    longest = Math.max(longest, waited)
  }
  return longest
}

const priorities = fc.array(fc.constantFrom(...PRIORITIES, undefined), { maxLength: 120 })

test('a backlog of one priority, or of frames alone, goes in the order it came', () => {
  const fairness = new FairOrder()
  for (const priority of [...PRIORITIES, undefined]) {
    const waiting = backlogOf(Array.from({ length: 20 }, () => priority))
    expect(fairness.order(waiting, priorityOf)).toEqual(waiting)
  }
  expect(fairness.order([], priorityOf)).toEqual([])
})

test('eight urgent ones go for every low one, and the first is an urgent one', () => {
  const waiting = backlogOf([
    ...Array.from({ length: 20 }, () => 'low' as const),
    ...Array.from({ length: 80 }, () => 'urgent' as const),
  ])

  const order = new FairOrder().order(waiting, priorityOf).map(priorityOf)

  expect(order[0]).toBe('urgent')
  expect(order.slice(0, 45).filter((one) => one === 'low')).toHaveLength(5)
  expect(order.slice(0, 90).filter((one) => one === 'low')).toHaveLength(10)
})

test('frames claim no priority and count as normal', () => {
  const waiting = backlogOf([undefined, 'normal', undefined, 'high', 'low'])

  expect(new FairOrder().order(waiting, priorityOf).map(({ seq }) => seq)).toEqual([4, 1, 5, 2, 3])
})

test('whatever waits, in drains of whatever size: all of it goes once, in its order within a priority (R-33)', () => {
  fc.assert(
    fc.property(priorities, fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1 }), (wanted, sizes) => {
      const waiting = backlogOf(wanted)

      const gone = drainAll(
        [...waiting],
        (i) => sizes[i % sizes.length] ?? 1,
        () => [],
      )

      expect(gone.map(({ seq }) => seq).toSorted((a, b) => a - b)).toEqual(waiting.map(({ seq }) => seq))
      for (const priority of PRIORITIES) {
        const of = (all: readonly Retained[]): readonly number[] =>
          all.filter((one) => priorityOf(one) === priority).map(({ seq }) => seq)
        expect(of(gone)).toEqual(of(waiting))
      }
    }),
    { numRuns: 200 },
  )
})

test('whatever waits and whatever comes meanwhile, low gets at least one in twenty while it waits (R-33)', () => {
  fc.assert(
    fc.property(
      priorities,
      fc.array(fc.array(fc.constantFrom(...PRIORITIES), { maxLength: 4 }), { maxLength: 80 }),
      fc.integer({ min: 1, max: 5 }),
      (wanted, arrivals, size) => {
        const first = backlogOf(wanted)
        let seq = first.length
        const gone = drainAll(
          first,
          () => size,
          (drain) => {
            const come = backlogOf(arrivals[drain] ?? [], seq + 1)
            seq += come.length
            return come
          },
        )

        // A drain of several goes over at once, so the last of one and the first of the next can lie apart.
        const low = gone.findIndex((one) => priorityOf(one) === 'low')
        if (low !== -1 && first.some((one) => priorityOf(one) === 'low')) {
          expect(longestWait(gone, 'low')).toBeLessThan(20)
        }
      },
    ),
    { numRuns: 200 },
  )
})

test('an all-urgent sender and a low one: low has its share of every drained stretch, in drains of one (R-33)', () => {
  const waiting = backlogOf([
    ...Array.from({ length: 600 }, () => 'urgent' as const),
    ...Array.from({ length: 100 }, () => 'low' as const),
  ])

  const gone = drainAll(
    waiting,
    () => 1,
    () => [],
  )

  for (let end = 20; end <= 700; end += 20) {
    const stretch = gone.slice(end - 20, end)
    if (gone.slice(end).some((one) => priorityOf(one) === 'low')) {
      expect(stretch.filter((one) => priorityOf(one) === 'low').length).toBeGreaterThanOrEqual(1)
    }
  }
})

test('who had nothing waiting has saved nothing up: after a long calm it gets its share, not the arrears', () => {
  const fairness = new FairOrder()
  for (const one of backlogOf(Array.from({ length: 1_000 }, () => 'urgent' as const)))
    fairness.served([one], [one])
  const waiting = backlogOf([
    ...Array.from({ length: 40 }, () => 'low' as const),
    ...Array.from({ length: 40 }, () => 'urgent' as const),
  ])

  const order = fairness.order(waiting, priorityOf).map(priorityOf)

  expect(order.slice(0, 18).filter((one) => one === 'low').length).toBeLessThanOrEqual(3)
})

test('through the inbox in drains of one item: all once, low within its share, and a peek changes nothing (R-33)', () => {
  const bench = new Workbench({ limits: { limitRates: false } })
  const session = bench.session('cc', 'reader', { entities: ['agent.a'], mailbox: true })
  const sent: string[] = []
  const send = (priority: Priority): void => {
    const envelope = bench.envelope({ to: 'agent.a', priority })
    sent.push(envelope.id)
    bench.publishEnvelope(envelope)
  }
  for (let i = 0; i < 120; i += 1) send('urgent')
  for (let i = 0; i < 15; i += 1) send('low')

  const gone: { id: string; priority: string }[] = []
  while ((session.mailbox?.unread ?? 0) > 0) {
    const peeked = bench.drainEnvelopes(session, { max_items: 1, peek: true })
    const taken = bench.drainEnvelopes(session, { max_items: 1 })
    expect(peeked).toEqual(taken)
    gone.push(JSON.parse(taken[0] ?? ''))
  }

  expect(gone.map(({ id }) => id).toSorted()).toEqual(sent.toSorted())
  const order = gone.map(({ priority }) => priority)
  expect(order.slice(0, 100).filter((one) => one === 'low').length).toBeGreaterThanOrEqual(5)
  expect(order[0]).toBe('urgent')
})

test('a drain hands over what it chose oldest first, whatever it was chosen for (docs/http.md §7)', () => {
  const bench = new Workbench()
  const session = bench.session('cc', 'reader', { entities: ['agent.a'], mailbox: true })
  for (const priority of ['low', 'normal', 'urgent', 'low', 'urgent'])
    bench.tell({ to: 'agent.a', priority, id: `${priority}-${bench.ring.count}-id` })

  const ids = bench.drainEnvelopes(session, { max_items: 2 }).map((text) => JSON.parse(text).id)

  expect(ids).toEqual(['normal-1-id', 'urgent-2-id'])
})

test('a large one does not bar the way: whatever its priority it goes over at last, alone', () => {
  const bench = new Workbench()
  const session = bench.session('cc', 'reader', { entities: ['agent.a'], mailbox: true })
  bench.tell({ to: 'agent.a', priority: 'low', payload: { large: 'x'.repeat(10_000) } })
  for (let i = 0; i < 30; i += 1) bench.tell({ to: 'agent.a', priority: 'urgent' })

  const sizes: number[] = []
  while ((session.mailbox?.unread ?? 0) > 0)
    sizes.push(bench.drainEnvelopes(session, { max_bytes: 1_000 }).length)

  expect(Math.min(...sizes)).toBe(1)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(31)
})

test('a flood of urgent ones before it keeps a low one waiting no longer than the bound on its share, past the window of one drain too (R-33)', () => {
  const bench = new Workbench({ limits: { limitRates: false } })
  const session = bench.session('cc', 'reader', { entities: ['agent.a'], mailbox: true })
  for (let i = 0; i < 2 * MAX_DRAIN_WINDOW; i += 1)
    bench.submitEnvelope(bench.envelope({ to: 'agent.a', priority: 'urgent' }))
  for (let i = 0; i < 100; i += 1) bench.submitEnvelope(bench.envelope({ to: 'agent.a', priority: 'low' }))
  bench.turn()

  const gone: string[] = []
  while ((session.mailbox?.unread ?? 0) > 0) {
    for (const text of bench.drainEnvelopes(session, { max_items: 200, max_bytes: 1_000_000 }))
      gone.push(JSON.parse(text).priority)
  }

  expect(gone).toHaveLength(2 * MAX_DRAIN_WINDOW + 100)
  expect(gone.slice(0, 1_000).filter((one) => one === 'low').length).toBeGreaterThanOrEqual(50)
})

test('with nothing handed over yet each priority has its turn, the highest first (AEE-094)', () => {
  const waiting = backlogOf(['low', 'normal', 'urgent', 'high', 'urgent'])

  const order = new FairOrder().order(waiting, priorityOf).map(priorityOf)

  expect(order).toEqual(['urgent', 'high', 'normal', 'low', 'urgent'])
})
