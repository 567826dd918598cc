/**
 * What is known of where frames came from: one set of laws for both rings.
 *
 * @see FED-05, FED-25…FED-28, FED-52
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_EPOCHS, MAX_HOLES, MAX_REPORTS, type Arrival } from '../../src/broker/origins/origins.ts'
import { laneOf, REALM } from '../support/arrivals.ts'
import { RING_MAKERS, retained, ROOMY } from '../support/rings.ts'
import { createTempDir } from '../support/temp-dir.ts'

/** What a batch of devbox leaves behind. */
function arrival(marks: Record<string, number>, more: Partial<Arrival> = {}): Arrival {
  return {
    realm: REALM,
    lane: laneOf('devbox'),
    node: 'devbox',
    marks: new Map(Object.entries(marks)),
    receipts: [],
    reports: { realm: REALM, node: 'devbox', items: [] },
    ...more,
  }
}

const item = (id: string) => [id, '~alice/cc@s1', 'seen', 1_000] as const

describe.each(RING_MAKERS)('origins of $name', ({ make }) => {
  test('are known by lane and epoch, and a mark never goes back (FED-05)', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)

    ring.append([], [arrival({ far1: 40 })])
    ring.append([], [arrival({ far2: 3 }), arrival({ far1: 7 })])
    ring.append([], [arrival({ far1: 1 }, { lane: laneOf('ci') })])

    expect(ring.origins.marksOf(REALM)).toEqual(
      new Map([
        [
          laneOf('devbox'),
          new Map([
            ['far1', 40],
            ['far2', 3],
          ]),
        ],
        [laneOf('ci'), new Map([['far1', 1]])],
      ]),
    )
    expect(ring.origins.marksOf('o.acme')).toEqual(new Map())
    ring.close()
  })

  test('say whether anything ever came (FED-01)', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    ring.append([retained()])

    expect(ring.origins.isEmpty).toBe(true)
    ring.append([], [arrival({ far1: 1 })])
    expect(ring.origins.isEmpty).toBe(false)
    ring.close()
  })

  test('give a frame its place behind what was there, with its origin beside it (FED-04, FED-31)', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    const origin = { realm: REALM, node: 'devbox', eventId: 'far1-41' }

    ring.append([retained(), { ...retained(), origin }], [arrival({ far1: 41 })])

    expect(ring.read(0, 10).map((one) => one.origin)).toEqual([undefined, origin])
    ring.close()
  })

  test('keep a cursor for each realm, and the last one that was given', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    const cursor = { seq: 9, node: 'devbox', last: 'far1-2' }

    ring.append([], [arrival({ far1: 1 })])
    expect(ring.origins.cursorOf(REALM)).toBeUndefined()
    ring.append([], [arrival({ far1: 2 }, { cursor })])
    ring.append([], [arrival({ far1: 3 })])

    expect(ring.origins.cursorOf(REALM)).toEqual(cursor)
    ring.close()
  })

  test('number reports once for all realms, and let go of what was acknowledged (FED-52)', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    const { origins } = ring
    ring.append(
      [],
      [arrival({ far1: 1 }, { reports: { realm: REALM, node: 'devbox', items: [item('a'), item('b')] } })],
    )
    origins.report([{ realm: 'o.acme', node: 'ci', items: [item('c')] }])
    origins.report([{ realm: REALM, node: 'ci', items: [item('d'), item('e')] }])

    const [first = { n: 0 }, ...rest] = origins.reportsAfter(REALM, 0, 10)

    expect(rest.map(({ n, node, item: [id] }) => [n - first.n, node, id])).toEqual([
      [1, 'devbox', 'b'],
      [3, 'ci', 'd'],
      [4, 'ci', 'e'],
    ])
    expect(origins.reportsAfter(REALM, first.n, 2).map(({ item: [id] }) => id)).toEqual(['b', 'd'])
    origins.setAcked(REALM, { last: null, reports: first.n + 3, streamCreated: 'then', streamSeq: 4 })
    expect(origins.reportsAfter(REALM, first.n + 3, 10).map(({ item: [id] }) => id)).toEqual(['e'])
    expect(origins.reportsAfter('o.acme', 0, 10)).toHaveLength(1)
    ring.close()
  })

  test('tell who listens that reports wait, until it does not listen any more', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    let told = 0
    const end = ring.origins.onReports(() => (told += 1))

    ring.append([], [arrival({ far1: 1 })])
    expect(told).toBe(0)
    ring.append([], [arrival({ far1: 2 }, { reports: { realm: REALM, node: 'devbox', items: [item('a')] } })])
    expect(told).toBe(1)
    end()
    ring.origins.report([{ realm: REALM, node: 'ci', items: [item('d')] }])
    expect(told).toBe(1)
    ring.close()
  })

  test('hold so many reports and no more, the newest of them, and count the rest (FED-52)', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    const { origins } = ring
    const pack = Array.from({ length: 4_096 }, (_, i) => item(`${i}`))

    for (let sent = 0; sent < MAX_REPORTS; sent += pack.length)
      origins.report([{ realm: REALM, node: 'ci', items: pack }])
    expect(origins.reportsLost).toBe(0)
    const [before = { n: 0 }] = origins.reportsAfter(REALM, 0, 1)
    origins.report([{ realm: REALM, node: 'ci', items: [item('one more')] }])

    const [oldest = { n: 0 }] = origins.reportsAfter(REALM, 0, 1)
    expect(oldest.n).toBe(before.n + origins.reportsLost)
    expect(origins.reportsLost).toBeGreaterThan(0)
    ring.close()
  })

  test('forget what they know of a realm, and give no number again', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    const { origins } = ring
    const cursor = { seq: 9, node: 'devbox', last: null }
    ring.append(
      [],
      [arrival({ far1: 1 }, { cursor, reports: { realm: REALM, node: 'devbox', items: [item('a')] } })],
    )
    const [{ n } = { n: 0 }] = origins.reportsAfter(REALM, 0, 1)

    origins.forgetRealm(REALM)
    origins.report([{ realm: REALM, node: 'ci', items: [item('d')] }])

    expect([origins.cursorOf(REALM), origins.marksOf(REALM), origins.ackedOf(REALM)]).toEqual([
      undefined,
      new Map(),
      undefined,
    ])
    expect(origins.reportsAfter(REALM, 0, 10).map((report) => report.n)).toEqual([n + 1])
    ring.close()
  })

  test('keep of each lane of a realm its own place, and forget all of them with the realm (FED-21, FED-26)', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    const { origins } = ring
    const [org, all, ops] = ['o.acme', 'o.acme all', 'o.acme r-ops']
    const acked = { last: null, reports: 0, streamCreated: 'x', streamSeq: 1 }
    for (const cursorKey of [all, ops]) {
      const cursor = { seq: cursorKey.length, node: 'box', last: null }
      ring.append([], [{ ...arrival({}, { cursor }), realm: org, cursorKey }])
      origins.setAcked(cursorKey, { ...acked, streamSeq: cursorKey.length })
      origins.report([{ realm: cursorKey, node: '~bob/box', items: [item(cursorKey)] }])
    }
    origins.setAcked('o.acme2 all', acked)
    expect([all, ops].map((key) => origins.cursorOf(key)?.seq)).toEqual([all.length, ops.length])
    expect([all, ops].map((key) => origins.ackedOf(key)?.streamSeq)).toEqual([all.length, ops.length])
    expect([all, ops].map((key) => origins.reportsAfter(key, 0, 9).length)).toEqual([1, 1])

    origins.forgetRealm(org)

    for (const key of [all, ops]) {
      expect([origins.cursorOf(key), origins.ackedOf(key)]).toEqual([undefined, undefined])
      expect(origins.reportsAfter(key, 0, 9)).toEqual([])
    }
    expect(origins.ackedOf('o.acme2 all')).toEqual(acked)
    ring.close()
  })

  test('say where a hole is and what is missing, in the order they were found (FED-28)', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    ring.append([retained()])

    ring.append([retained()], [arrival({ far1: 9 }, { hole: { from: 'far1-2', to: 'far1-8' } })])
    ring.append([], [arrival({ far2: 9 }, { hole: { from: null, to: 'far2-8' } })])

    const place = { realm: REALM, lane: laneOf('devbox'), node: 'devbox' }
    expect(ring.origins.holesFrom(0)).toEqual([
      { n: 1, afterSeq: 1, ...place, from: 'far1-2', to: 'far1-8' },
      { n: 2, afterSeq: 2, ...place, from: null, to: 'far2-8' },
    ])
    expect(ring.origins.holesFrom(2)).toHaveLength(1)
    expect(ring.origins.nextHole).toBe(3)
    ring.close()
  })

  test('hold so many holes, and let the next of the lane begin where the oldest did (FED-28)', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    for (let i = 0; i <= MAX_HOLES; i += 1)
      ring.append([], [arrival({ far1: i + 1 }, { hole: { from: `far1-${i}`, to: `far1-${i + 1}` } })])

    const [oldest] = ring.origins.holesFrom(0)

    expect(ring.origins.holesFrom(0)).toHaveLength(MAX_HOLES)
    expect(oldest).toMatchObject({ n: 2, from: 'far1-0', to: 'far1-2' })
    ring.close()
  })

  test('let go of holes before everything that is retained', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir, { ...ROOMY, maxFrames: 2 })
    ring.append([], [arrival({ far1: 1 }, { hole: { from: null, to: 'far1-0' } })])
    for (let i = 0; i < 8; i += 1) ring.append([retained()])

    ring.append([], [arrival({ far1: 2 }, { hole: { from: 'far1-1', to: 'far1-1' } })])

    expect(ring.origins.holesFrom(0).map(({ n }) => n)).toEqual([2])
    ring.close()
  })

  test('remember so many epochs of a lane, the newest of them', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    for (let i = 0; i <= MAX_EPOCHS; i += 1) ring.append([], [arrival({ [`far${i}`]: 1 })])

    const epochs = [...(ring.origins.marksOf(REALM).get(laneOf('devbox'))?.keys() ?? [])]

    expect(epochs).toHaveLength(MAX_EPOCHS)
    expect([epochs[0], epochs.at(-1)]).toEqual(['far1', `far${MAX_EPOCHS}`])
    ring.close()
  })

  test('have the highest mark that any batch of an epoch left, in whatever order they came (FED-05)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom('far1', 'far2'), fc.integer({ min: 1, max: 50 })), {
          minLength: 1,
        }),
        async (marks) => {
          await using dir = await createTempDir()
          const ring = await make(dir)
          for (const [epoch, seq] of marks) ring.append([], [arrival({ [epoch]: seq })])

          const known = ring.origins.marksOf(REALM).get(laneOf('devbox'))
          for (const epoch of new Set(marks.map(([one]) => one))) {
            const highest = Math.max(...marks.filter(([one]) => one === epoch).map(([, seq]) => seq))
            expect(known?.get(epoch)).toBe(highest)
          }
          ring.close()
        },
      ),
      { numRuns: 30 },
    )
  })
})
