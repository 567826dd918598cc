/**
 * One contract, two rings: what the broker may rely on, whichever it was given.
 */
import * as fc from 'fast-check'
import { expect, describe, test } from 'vitest'
import type { EnvelopeFacts, Retained } from '../../src/broker/ring/retained.ts'
import type { Ring } from '../../src/broker/ring/ring.ts'
import { createTempDir } from '../support/temp-dir.ts'
import {
  NOON_MS,
  RING_MAKERS,
  ROOMY,
  forgetAll,
  retained,
  retainedEnvelope,
  retainedFrames,
} from '../support/rings.ts'

/** What has to come back as it went in. */
function facts(frame: Retained | undefined) {
  if (frame === undefined) return undefined
  const { seq, key, kind, senderHandle, senderAddress, tool, scopeText, text } = frame
  const { acceptedAtMs, expiresAtMs, delivery } = frame
  const counts = { recipients: delivery.recipientCount, queued: delivery.queuedCount }
  const names = { key, kind, senderHandle, senderAddress, tool, scopeText, text }
  const { type, envelope, scope } = frame
  return { type, seq, ...names, acceptedAtMs, expiresAtMs, ...counts, envelope, scope }
}

function seqs(frames: readonly Retained[]): readonly number[] {
  return frames.map(({ seq }) => seq)
}

/** The ids of a workflow, with their places. */
function linksOf(ring: Ring, corr: string) {
  return ring.thread(corr).map(({ seq, facts: { id } }) => [seq, id])
}

function idsOf(items: readonly Retained[]) {
  return items.map(({ envelope }) => envelope?.id)
}

/** By a look at everything: who exchanged an envelope of the workflow with anybody but the daemon (AEQ-23). */
function isPartyIn(ring: Ring, corr: string, entity: string): boolean {
  return ring
    .thread(corr)
    .map(({ facts: { from, to } }) => [from, to])
    .some((ends) => ends.includes(entity) && !ends.includes('service.agentd'))
}

/** Appends each frame in a turn of its own. */
function appendAll(ring: Ring, frames: readonly Retained[]): void {
  for (const frame of frames) ring.append([frame])
}

describe.each(RING_MAKERS)('$name', ({ make }) => {
  test('an empty ring has no oldest event, and its first place is the one after its last', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)

    expect([ring.lastSeq, ring.firstSeq, ring.count, ring.bytes, ring.oldestEventId]).toEqual([
      0,
      1,
      0,
      0,
      null,
    ])
    expect([ring.read(0, 10), ring.readBack(1, 10), ring.get(1), forgetAll(ring, {})]).toEqual([
      [],
      [],
      undefined,
      0,
    ])

    ring.close()
  })

  test('frames get consecutive places in the order of their turn, and come back as they went in (R-12, R-13)', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    const frames = retainedFrames(5, { emittedTo: ['~alice/cc@a', '~alice/cc@b'], queuedTo: ['~alice/cc@c'] })

    ring.append(frames.slice(0, 3))
    ring.append([])
    ring.append(frames.slice(3))

    expect(seqs(frames)).toEqual([1, 2, 3, 4, 5])
    expect(ring.read(0, 10).map(facts)).toEqual(frames.map(facts))
    expect(frames.map(({ seq }) => facts(ring.get(seq)))).toEqual(frames.map(facts))
    expect([ring.lastSeq, ring.firstSeq, ring.count]).toEqual([5, 1, 5])

    ring.close()
  })

  test('reading goes on after a place, backwards before one, and never gives more than was asked for', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    ring.append(retainedFrames(10))

    expect(seqs(ring.read(3, 4))).toEqual([4, 5, 6, 7])
    expect(seqs(ring.read(8, 4))).toEqual([9, 10])
    expect(seqs(ring.read(10, 4))).toEqual([])
    expect(seqs(ring.readBack(11, 3))).toEqual([10, 9, 8])
    expect(seqs(ring.readBack(4, 30))).toEqual([3, 2, 1])
    expect(seqs(ring.readBack(1, 30))).toEqual([])
    expect([ring.get(0), ring.get(11)]).toEqual([undefined, undefined])

    ring.close()
  })

  test('event ids carry the epoch, and the oldest one names a frame that is there', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir, { ...ROOMY, maxFrames: 3 })
    appendAll(ring, retainedFrames(10))

    expect(ring.eventId(7)).toBe(`${ring.epoch}-7`)
    expect(ring.oldestEventId).toBe(ring.eventId(ring.firstSeq))
    expect(ring.get(ring.firstSeq)?.seq).toBe(ring.firstSeq)
    expect(ring.epoch).toMatch(/^[0-9a-f]{8}$/)

    ring.close()
  })

  test('a frame is found by its key, and one that never was is not', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    const [first, second] = [retained(), retained()]
    ring.append([first, second])

    expect(facts(ring.find(first.key))).toEqual(facts(first))
    expect(facts(ring.find(second.key))).toEqual(facts(second))
    expect(ring.find(retained().key)).toBeUndefined()
    while (!ring.learnIds());
    expect([ring.findKnown(second.key)?.seq, ring.findKnown(retained().key)]).toEqual([2, undefined])

    ring.close()
  })

  test.each([1, 7, 8, 9, 17, 64])(
    'a turn of %i comes back as it went in, frames and envelopes in any order (R-12)',
    async (length) => {
      await using dir = await createTempDir()
      const ring = await make(dir)
      const one = Array.from({ length }, () => retained())
      const mixed = Array.from({ length }, (_, i) =>
        i % 5 === 3 ? retainedEnvelope() : retained({ queuedTo: i % 2 === 0 ? [] : ['~alice/cc@c'] }),
      )

      ring.append(one)
      ring.append(mixed)

      expect(
        ring
          .readBack(ring.lastSeq + 1, 1_000)
          .toReversed()
          .map(facts),
      ).toEqual([...one, ...mixed].map(facts))
      expect(linksOf(ring, 'corr-one')).toEqual(
        mixed.flatMap(({ seq, envelope }) => (envelope === undefined ? [] : [[seq, envelope.id]])),
      )

      ring.close()
    },
  )

  test('by count the oldest go first, and what is kept is the newest without a hole', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir, { ...ROOMY, maxFrames: 16 })
    const frames = retainedFrames(100)

    appendAll(ring, frames)

    expect(ring.count).toBeLessThanOrEqual(16)
    expect(ring.count).toBeGreaterThanOrEqual(14)
    expect(seqs(ring.read(0, 100))).toEqual(Array.from({ length: ring.count }, (_, i) => ring.firstSeq + i))
    expect(ring.lastSeq).toBe(100)
    expect(ring.find(frames[0]!.key)).toBeUndefined()
    expect(ring.get(1)).toBeUndefined()

    ring.close()
  })

  test('by size the oldest go first, far below the bound on their number', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir, { ...ROOMY, maxBytes: 64 * 1024 })

    appendAll(ring, retainedFrames(100, { text: JSON.stringify('x'.repeat(4_000)) }))

    expect(ring.bytes).toBeLessThanOrEqual(64 * 1024)
    expect(ring.count).toBeGreaterThan(2)
    expect(ring.count).toBeLessThan(20)
    expect(ring.get(100)?.seq).toBe(100)

    ring.close()
  })

  test('by age the oldest go first, far below the bounds on number and size', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir, { ...ROOMY, maxAgeMs: 1_000 })

    appendAll(
      ring,
      Array.from({ length: 20 }, (_, i) => retained({ acceptedAtMs: NOON_MS + i * 100 })),
    )

    expect([ring.firstSeq, ring.count]).toEqual([10, 11])

    ring.close()
  })

  test('what the wall clock is ahead makes nothing older (HD-16)', async () => {
    await using dir = await createTempDir()
    const retention = { ...ROOMY, maxAgeMs: 1_000, clockAheadMs: 0 }
    const ring = await make(dir, retention)
    appendAll(
      ring,
      Array.from({ length: 20 }, () => retained()),
    )

    retention.clockAheadMs = 5_000
    ring.append([retained({ acceptedAtMs: NOON_MS + 5_000 })])
    const ahead = ring.count
    retention.clockAheadMs = 0
    ring.append([retained({ acceptedAtMs: NOON_MS + 5_000 })])

    expect([ahead, ring.count]).toEqual([21, 2])

    ring.close()
  })

  test('by age what follows a forgotten frame goes in its turn', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir, { ...ROOMY, maxAgeMs: 1_000 })
    const [first, ...later] = [0, 500, 600, 700, 1_550].map((ms) => retained({ acceptedAtMs: NOON_MS + ms }))
    appendAll(ring, [first!, ...later.slice(0, -1)])

    forgetAll(ring, { key: first!.key })
    ring.append(later.slice(-1))

    expect(seqs(ring.read(0, 10))).toEqual([3, 4, 5])

    ring.close()
  })

  test('whichever bound asks for more is met: number, size and age at once', async () => {
    await using dir = await createTempDir()
    const retention = { ...ROOMY }
    const ring = await make(dir, retention)
    appendAll(
      ring,
      Array.from({ length: 40 }, (_, i) => retained({ acceptedAtMs: NOON_MS + i * 100 })),
    )

    Object.assign(retention, { maxFrames: 30, maxAgeMs: 1_000 })
    ring.append([retained({ acceptedAtMs: NOON_MS + 4_000 })])

    expect([ring.firstSeq, ring.count]).toEqual([31, 11])

    Object.assign(retention, { maxFrames: 10, maxBytes: ring.bytes / 2 })
    ring.append([retained({ acceptedAtMs: NOON_MS + 4_000 })])

    expect(ring.bytes).toBeLessThanOrEqual(retention.maxBytes)
    expect(ring.count).toBeGreaterThan(2)
    expect(ring.count).toBeLessThan(7)

    ring.close()
  })

  test('a bound that shrinks while the ring runs is met within a few turns, and one that grows at once', async () => {
    await using dir = await createTempDir()
    const retention = { ...ROOMY }
    const ring = await make(dir, retention)
    ring.append(retainedFrames(2_000))

    retention.maxFrames = 100
    appendAll(ring, retainedFrames(10))

    expect(ring.count).toBeLessThanOrEqual(100)
    retention.maxFrames = 1_000
    appendAll(ring, retainedFrames(300))
    expect(ring.count).toBeGreaterThan(300)

    ring.close()
  })

  test('the newest frame stays, however small the bounds are', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir, { maxFrames: 1, maxBytes: 1, maxAgeMs: 1 })

    appendAll(ring, [retained({ acceptedAtMs: NOON_MS }), retained({ acceptedAtMs: NOON_MS - 86_400_000 })])

    expect(ring.count).toBe(1)
    expect(ring.get(ring.lastSeq)?.seq).toBe(2)

    ring.close()
  })

  test('a clock that steps back keeps what is there, and numbers go on (R-07)', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir, { ...ROOMY, maxAgeMs: 1_000 })

    ring.append([retained({ acceptedAtMs: NOON_MS })])
    ring.append([retained({ acceptedAtMs: NOON_MS - 10 * 365 * 86_400_000 })])

    expect(seqs(ring.read(0, 10))).toEqual([1, 2])

    ring.close()
  })

  test.each([
    ['key', { key: 'aaaaaaaa-0000-4000-8000-000000000002' }, [1, 3, 4, 5]],
    ['sender', { senderHandle: '~bob' }, [1, 2, 4, 5]],
    ['kind', { kind: 'agent_broadcast' }, [1, 2, 3, 5]],
    ['time', { beforeMs: NOON_MS }, [1, 2, 3, 4]],
    ['all of several criteria', { senderHandle: '~bob', kind: 'agent_broadcast' }, [1, 2, 3, 4, 5]],
    ['none', {}, []],
  ])('what is forgotten by %s is gone for every way of asking', async (_by, which, left) => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    const frames = [
      retained(),
      retained({ frameId: 'aaaaaaaa-0000-4000-8000-000000000002' }),
      retained({ senderHandle: '~bob' }),
      retained({ kind: 'agent_broadcast' }),
      retained({ acceptedAtMs: NOON_MS - 1 }),
    ]
    ring.append(frames)

    const forgotten = forgetAll(ring, which)

    expect(forgotten).toBe(5 - left.length)
    expect(seqs(ring.read(0, 10))).toEqual(left)
    expect(seqs(ring.readBack(6, 10))).toEqual(left.toReversed())
    expect(frames.filter(({ seq }) => ring.get(seq)).map(({ seq }) => seq)).toEqual(left)
    expect(frames.filter(({ key }) => ring.find(key)).map(({ seq }) => seq)).toEqual(left)
    expect([ring.count, ring.lastSeq, ring.firstSeq]).toEqual([left.length, 5, left[0] ?? 6])
    expect(forgetAll(ring, which)).toBe(0)
    // Forgetting everything costs nothing but what it was about: the next frame has the next number.
    const next = retained()
    ring.append([next])
    expect([next.seq, ring.count]).toEqual([6, left.length + 1])

    ring.close()
  })

  test('what a ring says it holds is the sum of what was charged, after any forgetting', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    ring.append([retained()])
    const one = ring.bytes
    ring.append(retainedFrames(3, { text: '"€"' }))

    forgetAll(ring, { key: ring.get(2)!.key })
    forgetAll(ring, { key: ring.get(3)!.key })
    forgetAll(ring, { key: ring.get(4)!.key })

    expect(ring.bytes).toBe(one)
    forgetAll(ring, {})
    expect([ring.bytes, ring.count, ring.oldestEventId]).toEqual([0, 0, null])

    ring.close()
  })

  test('receipts of a frame that is read again are those that were recorded', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    const frame = retained({ emittedTo: ['~alice/cc@a'], queuedTo: ['~alice/cc@b'] })
    ring.append([frame])

    expect(ring.get(1)?.delivery.conclude('~alice/cc@a', { state: 'seen', atMs: NOON_MS })).toBe(true)
    expect(ring.get(1)?.delivery.conclude('~alice/cc@a', { state: 'seen', atMs: NOON_MS })).toBe(false)

    expect(ring.find(frame.key)?.delivery.receipts()).toEqual([
      { address: '~alice/cc@a', state: 'seen', atMs: NOON_MS },
      { address: '~alice/cc@b', state: 'queued', atMs: NOON_MS },
    ])

    ring.close()
  })

  test('envelopes come back as they went in, every byte and every fact of them (AEE-C02)', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    const odd = '{"id":"x", "n":1.0,"m":1e400,"big":12345678901234567890 , "s":"\\ud800 \\u0000 ☕\u2028"}'
    const envelopes = [
      retainedEnvelope({ text: odd, emittedTo: ['~alice/cc@a'], queuedTo: ['~alice/cc@b', '~alice/cc@c'] }),
      retainedEnvelope({ type: 'result', replyTo: 'task-0001', isLate: true, from: 'a b', to: 'bus.ops' }),
      retainedEnvelope({
        priority: 'urgent',
        effectivePriority: 'normal',
        refutes: 'other-001',
        replyTo: '',
      }),
      retainedEnvelope({
        id: '\'"; DROP --\u0000☕',
        corr: '__proto__',
        to: '%_',
        intent: 'x'.repeat(5_000),
      }),
    ]

    ring.append([retained(), ...envelopes.slice(0, 2)])
    ring.append(envelopes.slice(2))

    expect(envelopes.map(({ seq }) => facts(ring.get(seq)))).toEqual(envelopes.map(facts))
    expect(envelopes.map(({ key }) => facts(ring.find(key)))).toEqual(envelopes.map(facts))
    expect(ring.read(1, 10).map(facts)).toEqual(envelopes.map(facts))
    expect(ring.readBack(6, 4).map(facts)).toEqual(envelopes.toReversed().map(facts))
    expect(ring.get(1)?.envelope).toBeUndefined()

    ring.close()
  })

  test('a workflow is its envelopes in the order they came, frames and other workflows left out (AEE-C12)', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    ring.append([
      retainedEnvelope({ id: 'first-01' }),
      retained(),
      retainedEnvelope({ id: 'other-01', corr: 'corr-two' }),
    ])
    ring.append([
      retainedEnvelope({ id: 'second-1', replyTo: 'first-01' }),
      retainedEnvelope({ id: 'third-01', corr: 'CORR-ONE' }),
    ])

    expect(linksOf(ring, 'corr-one')).toEqual([
      [1, 'first-01'],
      [4, 'second-1'],
    ])
    expect(ring.thread('corr-one').map((link) => link.facts)).toEqual(
      [ring.get(1), ring.get(4)].map((one) => one?.envelope),
    )
    expect([linksOf(ring, 'corr-two'), linksOf(ring, 'corr'), linksOf(ring, '')]).toEqual([
      [[3, 'other-01']],
      [],
      [],
    ])

    ring.close()
  })

  test('the refutations of an envelope are those that name it, in the order they came (AEE-063)', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    ring.append([
      retainedEnvelope({ id: 'target-01' }),
      retainedEnvelope({ id: 'refute-01', refutes: 'target-01', emittedTo: ['~alice/cc@a'] }),
      retainedEnvelope({ id: 'refute-02', refutes: 'target-02' }),
    ])
    ring.append([retainedEnvelope({ id: 'refute-03', refutes: 'target-01' })])

    expect(idsOf(ring.refutationsOf('target-01'))).toEqual(['refute-01', 'refute-03'])
    expect(ring.refutationsOf('target-01').map(facts)).toEqual([facts(ring.get(2)), facts(ring.get(4))])
    expect(ring.refutationsOf('refute-01')).toEqual([])

    ring.close()
  })

  test('the entities are whoever a retained envelope came from or went to, and nobody else', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    ring.append([
      retained(),
      retainedEnvelope({ from: 'agent.a', to: 'bus.ops' }),
      retainedEnvelope({ from: 'agent.b', to: 'agent.a' }),
    ])

    expect(new Set(ring.entities())).toEqual(new Set(['agent.a', 'agent.b', 'bus.ops']))
    forgetAll(ring, { key: ring.get(2)?.key })
    expect(new Set(ring.entities())).toEqual(new Set(['agent.a', 'agent.b']))

    ring.close()
  })

  test('what is trimmed is gone from every index: workflow, refutations, entities, ids', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir, { ...ROOMY, maxFrames: 8 })
    const old = retainedEnvelope({ id: 'old-0001', refutes: 'target-01', from: 'agent.old' })
    appendAll(ring, [old, retainedEnvelope({ id: 'old-0002', refutes: 'target-01', from: 'agent.old' })])
    appendAll(
      ring,
      Array.from({ length: 20 }, (_, i) => retainedEnvelope({ id: `new-00${i}`, refutes: 'target-02' })),
    )

    expect(ring.find(old.key)).toBeUndefined()
    expect(ring.refutationsOf('target-01')).toEqual([])
    expect(ring.entities()).not.toContain('agent.old')
    expect(linksOf(ring, 'corr-one')).toEqual(
      ring.read(0, 100).map(({ seq, envelope }) => [seq, envelope?.id]),
    )
    expect(seqs(ring.refutationsOf('target-02'))).toEqual(seqs(ring.read(0, 100)))

    ring.close()
  })

  test.each([
    ['key', { key: 'aee:forget-me' }, [2, 3]],
    ['kind', { kind: 'aee_envelope' }, [3]],
    ['kind of frame', { kind: 'agent_advisory' }, [1, 2]],
    ['time', { beforeMs: NOON_MS }, [1, 3]],
  ])('what is forgotten by %s is gone from every index of envelopes', async (_by, which, left) => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    const envelopes = [
      retainedEnvelope({ id: 'forget-me', refutes: 'target-01', from: 'agent.1' }),
      retainedEnvelope({ id: 'other-01', refutes: 'target-01', from: 'agent.2', acceptedAtMs: NOON_MS - 1 }),
    ]
    ring.append([...envelopes, retained()])

    forgetAll(ring, which)

    const there = envelopes.filter(({ seq }) => left.includes(seq))
    expect(seqs(ring.read(0, 10))).toEqual(left)
    expect(linksOf(ring, 'corr-one')).toEqual(there.map(({ seq, envelope }) => [seq, envelope?.id]))
    expect(seqs(ring.refutationsOf('target-01'))).toEqual(seqs(there))
    const entities = new Set(ring.entities())
    expect(envelopes.filter(({ envelope }) => entities.has(envelope?.from ?? ''))).toEqual(there)
    expect(envelopes.filter(({ key }) => ring.find(key))).toEqual(there)

    ring.close()
  })

  test('an envelope whose id is that of a frame is found beside it', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    const frame = retained()
    ring.append([frame, retainedEnvelope({ id: frame.key })])

    expect([ring.find(frame.key)?.seq, ring.find(`aee:${frame.key}`)?.seq]).toEqual([1, 2])

    ring.close()
  })

  test('an id that was used twice is found by its newest, and both stand in their workflow', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir, { ...ROOMY, maxFrames: 8 })
    const [older, newer] = [retainedEnvelope({ id: 'twice-001' }), retainedEnvelope({ id: 'twice-001' })]
    appendAll(ring, [older, ...retainedFrames(3), newer])

    expect(ring.find('aee:twice-001')?.seq).toBe(5)
    expect(linksOf(ring, 'corr-one')).toEqual([
      [1, 'twice-001'],
      [5, 'twice-001'],
    ])
    // The older one is trimmed first, and the newer one is found all the same.
    appendAll(ring, retainedFrames(4))
    expect([ring.get(1), ring.find('aee:twice-001')?.seq]).toEqual([undefined, 5])
    expect(linksOf(ring, 'corr-one')).toEqual([[5, 'twice-001']])

    ring.close()
  })

  test('what was looked at as a refutation before has the receipts that came since', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    const wish = { id: 'refute-01', refutes: 'target-01', emittedTo: ['~alice/cc@a'] }
    ring.append([retainedEnvelope(wish)])

    ring.refutationsOf('target-01')
    ring.get(1)?.delivery.conclude('~alice/cc@a', { state: 'seen', atMs: NOON_MS })

    expect(ring.find('aee:refute-01')?.delivery.receipts()).toMatchObject([{ state: 'seen' }])

    ring.close()
  })

  test('the indexes of envelopes say what a look at everything would say, whatever is appended, trimmed and forgotten', async () => {
    const kind = fc.record({
      corr: fc.constantFrom('corr-one', 'corr-two', undefined),
      refutes: fc.constantFrom('target-01', 'target-02', undefined),
      from: fc.constantFrom('agent.a', 'agent.b', 'agent.c'),
      to: fc.constantFrom('agent.b', 'agent.d', 'service.agentd'),
    })
    const entities = ['agent.a', 'agent.b', 'agent.d', 'service.agentd']
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.array(kind, { maxLength: 8 }) },
      { weight: 1, arbitrary: fc.nat(40) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        await using place = await createTempDir()
        const ring = await make(place, { ...ROOMY, maxFrames: 16 })
        for (const one of steps) {
          if (typeof one === 'number') forgetAll(ring, { key: ring.get(one)?.key ?? 'none' })
          else
            ring.append(
              one.map(({ corr, ...wish }) =>
                corr === undefined ? retained() : retainedEnvelope({ corr, ...wish }),
              ),
            )
          // Asked after every step: what was found out before must not be believed for longer than it holds.
          expect(entities.map((entity) => ring.hasParty('corr-one', entity))).toEqual(
            entities.map((entity) => isPartyIn(ring, 'corr-one', entity)),
          )
        }
        const all = ring.read(0, 1_000)
        const select = (admits: (facts: EnvelopeFacts) => boolean) =>
          all.filter(({ envelope }) => envelope !== undefined && admits(envelope))
        for (const corr of ['corr-one', 'corr-two'])
          expect(ring.thread(corr)).toEqual(
            select((one) => one.corr === corr).map(({ seq, acceptedAtMs, envelope }) => ({
              seq,
              acceptedAtMs,
              facts: envelope,
            })),
          )
        for (const id of ['target-01', 'target-02'])
          expect(seqs(ring.refutationsOf(id))).toEqual(seqs(select((one) => one.refutes === id)))
        const parties = select(() => true).flatMap(({ envelope }) => [envelope?.from, envelope?.to])
        expect(new Set(ring.entities())).toEqual(new Set(parties))
        ring.close()
      }),
      { numRuns: 60 },
    )
  })

  test('a ring does what a plain array does, whatever is appended, trimmed and forgotten (R-20)', async () => {
    const turn = fc.array(fc.tuple(fc.constantFrom('~alice', '~bob'), fc.constantFrom('a', 'b')), {
      maxLength: 12,
    })
    const step = fc.oneof(
      { weight: 6, arbitrary: turn.map((frames) => ({ kind: 'append' as const, frames })) },
      {
        weight: 1,
        arbitrary: fc.constantFrom('~alice', '~bob').map((sender) => ({ kind: 'forget' as const, sender })),
      },
      { weight: 2, arbitrary: fc.nat(60).map((after) => ({ kind: 'read' as const, after })) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        await using place = await createTempDir()
        const ring = await make(place, { ...ROOMY, maxFrames: 16 })
        /** What has to be there, in order, and every number that was ever given out. */
        let model: Retained[] = []
        const named = new Map<number, string>()
        for (const one of steps) {
          if (one.kind === 'append') {
            const frames = one.frames.map(([senderHandle, kind]) => retained({ senderHandle, kind }))
            ring.append(frames)
            model.push(...frames)
            for (const { seq, key } of frames) {
              expect(named.has(seq)).toBe(false)
              named.set(seq, key)
            }
            // How far a cut goes below the bound is the ring's business; that it is from the front is not.
            const isOver = model.length > 16
            model = model.filter(({ seq }) => seq >= ring.firstSeq)
            expect(model.length).toBeLessThanOrEqual(Math.max(16, frames.length))
            if (isOver) expect(model.length).toBeGreaterThanOrEqual(14)
          } else if (one.kind === 'forget') {
            const before = model.length
            model = model.filter(({ senderHandle }) => senderHandle !== one.sender)
            expect(forgetAll(ring, { senderHandle: one.sender })).toBe(before - model.length)
          } else {
            expect(seqs(ring.read(one.after, 7))).toEqual(
              seqs(model.filter(({ seq }) => seq > one.after).slice(0, 7)),
            )
            expect(seqs(ring.readBack(one.after, 7))).toEqual(
              seqs(
                model
                  .filter(({ seq }) => seq < one.after)
                  .toReversed()
                  .slice(0, 7),
              ),
            )
          }
          expect([ring.count, ring.lastSeq]).toEqual([model.length, named.size])
          expect(ring.firstSeq).toBe(model[0]?.seq ?? named.size + 1)
        }
        expect(ring.read(0, 1_000).map(facts)).toEqual(model.map(facts))
        for (const [seq, key] of named) {
          expect([undefined, key]).toContain(ring.get(seq)?.key)
          expect([undefined, seq]).toContain(ring.find(key)?.seq)
        }
        ring.close()
      }),
      { numRuns: 60 },
    )
  })
})
