/**
 * One contract, two rings: what the broker may rely on, whichever it was given.
 */
import * as fc from 'fast-check'
import { expect, describe, test } from 'vitest'
import type { Retained, Ring } from '../../src/broker/ring.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { NOON_MS, RING_MAKERS, ROOMY, retained, retainedFrames } from '../support/rings.ts'

/** What has to come back as it went in. */
function facts(frame: Retained | undefined) {
  if (frame === undefined) return undefined
  const { seq, key, kind, senderHandle, senderAddress, tool, scopeText, text, digest } = frame
  const { acceptedAtMs, expiresAtMs, delivery } = frame
  const counts = { recipients: delivery.recipientCount, queued: delivery.queuedCount }
  const names = { key, kind, senderHandle, senderAddress, tool, scopeText, text, digest }
  return { seq, ...names, acceptedAtMs, expiresAtMs, ...counts }
}

function seqs(frames: readonly Retained[]): readonly number[] {
  return frames.map(({ seq }) => seq)
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
    expect([ring.read(0, 10), ring.readBack(1, 10), ring.get(1), ring.forget({})]).toEqual([
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

    ring.close()
  })

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

    const forgotten = ring.forget(which)

    expect(forgotten).toBe(5 - left.length)
    expect(seqs(ring.read(0, 10))).toEqual(left)
    expect(seqs(ring.readBack(6, 10))).toEqual(left.toReversed())
    expect(frames.filter(({ seq }) => ring.get(seq)).map(({ seq }) => seq)).toEqual(left)
    expect(frames.filter(({ key }) => ring.find(key)).map(({ seq }) => seq)).toEqual(left)
    expect([ring.count, ring.lastSeq, ring.firstSeq]).toEqual([left.length, 5, left[0] ?? 6])
    expect(ring.forget(which)).toBe(0)
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

    ring.forget({ key: ring.get(2)!.key })
    ring.forget({ key: ring.get(3)!.key })
    ring.forget({ key: ring.get(4)!.key })

    expect(ring.bytes).toBe(one)
    ring.forget({})
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
            expect(ring.forget({ senderHandle: one.sender })).toBe(before - model.length)
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
