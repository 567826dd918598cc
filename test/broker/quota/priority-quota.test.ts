/**
 * How much of one sender is treated as high or urgent (AEE-094, AEE-095, AEQ-27; R-33).
 */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { PRIORITIES } from '../../../src/aee/envelope/envelope.ts'
import { MAX_SENDERS, PriorityQuota, SHARED_SENDERS } from '../../../src/broker/quota/priority-quota.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { refusalOf } from '../../support/refusals.ts'
import { Workbench } from '../workbench.ts'

test('what is beyond the quota is delivered as normal and says so; the envelope stays as it is (AEQ-27)', () => {
  const bench = new Workbench({ limits: { priorityPerMinute: 60, priorityBurst: 2 } })
  const { sink } = bench.open(bench.session('cc', 'reader', { entities: ['agent.a'] }))
  const texts: string[] = []
  const send = (priority: string) => {
    const text = `${JSON.stringify(bench.envelope({ to: 'agent.a', priority })).slice(0, -1)}, "x" :1.0}`
    texts.push(text)
    return bench.publishEnvelope(text).effective_priority
  }

  expect(['urgent', 'high', 'urgent', 'high', 'low', 'normal'].map(send)).toEqual([
    'urgent',
    'high',
    'normal',
    'normal',
    'low',
    'normal',
  ])
  expect(sink.envelopes).toEqual(texts)
  expect(sink.events.map(({ comment }) => comment)).toEqual([
    undefined,
    undefined,
    'effective_priority=normal',
    'effective_priority=normal',
    undefined,
    undefined,
  ])
  expect(bench.broker.counters.envelopesCapped).toBe(2)
})

test('the quota comes back with time, one token a second at sixty a minute, up to its burst', () => {
  const bench = new Workbench({ limits: { priorityPerMinute: 60, priorityBurst: 3 } })
  const send = () => bench.tell({ priority: 'urgent' }).effective_priority
  const sendMany = (count: number) =>
    Array.from({ length: count }, send).filter((one) => one === 'urgent').length

  expect(sendMany(5)).toBe(3)
  bench.clock.advance(999)
  expect(sendMany(1)).toBe(0)
  bench.clock.advance(1)
  expect(sendMany(2)).toBe(1)
  bench.clock.advance(3_600_000)
  expect(sendMany(5)).toBe(3)
})

test('each entity has its own, whoever speaks for it, and a new name for each envelope gains little', () => {
  const bench = new Workbench({ limits: { priorityPerMinute: 1, priorityBurst: 1 } })
  const one = bench.session('cc', 'one', { entities: ['agent.1'] })
  const two = bench.session('cc', 'two', { entities: ['agent.2'] })
  const priorityOf = (from: string, session?: typeof one) =>
    bench.tell({ from, priority: 'high' }, session).effective_priority

  expect([priorityOf('agent.1', one), priorityOf('agent.1', one)]).toEqual(['high', 'normal'])
  expect(priorityOf('agent.2', two)).toBe('high')
  expect([priorityOf('agent.3'), priorityOf('agent.3'), priorityOf('agent.4')]).toEqual([
    'high',
    'normal',
    'high',
  ])
  const names = Array.from({ length: 100 }, (_, i) => priorityOf(`agent.made-up-${i}`))
  expect(names.filter((one) => one === 'high')).toHaveLength(SHARED_SENDERS - 4)
})

test('a repeat is answered with what the first was treated as, and costs no quota (AEQ-16)', () => {
  const bench = new Workbench({ limits: { priorityPerMinute: 1, priorityBurst: 2 } })
  const envelope = bench.envelope({ priority: 'urgent' })
  bench.publishEnvelope(envelope)
  for (let i = 0; i < 5; i += 1)
    expect(bench.publishEnvelope(envelope)).toMatchObject({ duplicate: true, effective_priority: 'urgent' })

  expect(bench.tell({ priority: 'urgent' }).effective_priority).toBe('urgent')
  expect(bench.publishEnvelope(envelope).effective_priority).toBe('urgent')
  const capped = bench.envelope({ priority: 'urgent' })
  expect(bench.publishEnvelope(capped).effective_priority).toBe('normal')
  bench.clock.advance(600_000)
  expect(bench.publishEnvelope(capped)).toMatchObject({ duplicate: true, effective_priority: 'normal' })
})

test('an envelope that is refused costs no quota', () => {
  const bench = new Workbench({ limits: { priorityPerMinute: 1, priorityBurst: 1, fanOut: 1 } })
  const session = bench.session('cc', 's1', { entities: ['agent.a'] })
  for (let i = 0; i < 2; i += 1) bench.open(session)
  const codes = ['agent.nobody', 'agent.a'].map(
    (to) => refusalOf(() => bench.tell({ to, priority: 'high' }))?.code,
  )

  expect(codes).toEqual(['recipient-unknown', 'fanout-too-large'])
  expect(bench.tell({ priority: 'high' }).effective_priority).toBe('high')
})

test('the conformance profile caps nothing', () => {
  const bench = new Workbench({ limits: { limitRates: false, priorityPerMinute: 0, priorityBurst: 0 } })

  for (const priority of PRIORITIES) expect(bench.tell({ priority }).effective_priority).toBe(priority)
})

test('however it asks, a sender gets no more than its burst and what time brings, and never more than it wants', () => {
  const asking = fc.record({ waitMs: fc.nat(5_000), wanted: fc.constantFrom(...PRIORITIES) })
  fc.assert(
    fc.property(fc.nat(120), fc.nat(10), fc.array(asking, { maxLength: 60 }), (perMinute, burst, askings) => {
      const clock = new FakeClock()
      const quota = new PriorityQuota({ priorityPerMinute: perMinute, priorityBurst: burst }, clock)
      let granted = 0
      let elapsedMs = 0
      for (const { waitMs, wanted } of askings) {
        clock.advance(waitMs)
        elapsedMs += waitMs
        const given = quota.grant('agent.a', wanted)
        const isAsking = wanted === 'high' || wanted === 'urgent'
        expect(isAsking ? [wanted, 'normal'] : [wanted]).toContain(given)
        if (isAsking && given === wanted) granted += 1
        expect(granted).toBeLessThanOrEqual(burst + (elapsedMs / 60_000) * perMinute + 1e-6)
      }
    }),
    { numRuns: 200 },
  )
})

test('an answer of the daemon is treated as no more urgent than the task was: no way around the quota (AEE-095)', async () => {
  const bench = new Workbench({ limits: { priorityPerMinute: 1, priorityBurst: 1 } })
  const asking = bench.session('cc', 'asking', { entities: ['agent.shared'] })
  const { sink } = bench.open(bench.session('cc', 'other', { entities: ['agent.shared'] }))
  const ping = { from: 'agent.shared', to: 'service.agentd', intent: 'aee.status.ping', payload: {} }
  for (let i = 0; i < 3; i += 1) bench.tell({ ...ping, priority: 'urgent' }, asking)
  await bench.serve()

  const answers = sink.events.filter(({ event }) => event === 'aee_envelope')
  expect(answers.map(({ comment }) => comment)).toEqual([
    undefined,
    'effective_priority=normal',
    'effective_priority=normal',
  ])
})

/** A quota that one sender has used up, and so many in all have used. */
function quotaAfter(senders: number): PriorityQuota {
  const quota = new PriorityQuota({ priorityPerMinute: 0, priorityBurst: MAX_SENDERS }, new FakeClock())
  for (let i = 0; i < MAX_SENDERS; i += 1) quota.grant('agent.first', 'urgent')
  for (let i = 1; i < senders; i += 1) quota.grant(`agent.${i}`, 'urgent')
  return quota
}

test('as many senders as that are told apart, and one more makes the longest silent a stranger', () => {
  expect(quotaAfter(MAX_SENDERS).grant('agent.first', 'urgent')).toBe('normal')
  expect(quotaAfter(MAX_SENDERS + 1).grant('agent.first', 'urgent')).toBe('urgent')
})
