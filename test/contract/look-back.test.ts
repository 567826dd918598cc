/**
 * Looking back over either ring: what it finds is what a look at every frame finds, and what it reads is what it
 * finds, however much lies between (HD-10, HD-12).
 */
import * as fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { Background, OWN_WORK } from '../../src/broker/ring/background.ts'
import { readHistory } from '../../src/broker/ring/history.ts'
import type { Search } from '../../src/broker/ring/facts-table.ts'
import { LEARNED_PLACES } from '../../src/broker/ring/look-back.ts'
import { MemoryRing } from '../../src/broker/ring/memory/memory-ring.ts'
import type { Retained } from '../../src/broker/ring/retained.ts'
import type { Ring } from '../../src/broker/ring/ring.ts'
import { filterAdmits, parseFilter } from '../../src/protocol/frame/filter.ts'
import type { SqliteRing } from '../../src/store/ring/sqlite-ring.ts'
import { FakeClock } from '../support/fake-clock.ts'
import {
  RING_MAKERS,
  ROOMY,
  forgetAll,
  openRing,
  retained,
  retainedEnvelope,
  retainedFrames,
} from '../support/rings.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { keepsFrames } from '../support/without-sqlite.ts'

/** What `ring.max_frames` is when nobody says otherwise (docs/configuration.md). */
const DEFAULT_RING_FRAMES = 100_000

const RARE = 'agent_lock_request'

function searchOf(filter: string): Search {
  return { filter: parseFilter(filter), handle: '~alice', withEnvelopes: false }
}

/** Reads a page as the daemon does. */
function historyOf(ring: Ring, { filter, afterSeq }: { filter: string; afterSeq?: number }) {
  const search = searchOf(filter)
  const admits = (one: Retained): boolean => one.type === 'frame' && filterAdmits(search.filter, one)
  const background = new Background(new FakeClock(), (step) => void setImmediate(step))
  return readHistory(ring, { afterSeq, limit: 200, search, admits, asker: OWN_WORK }, background)
}

/** Counts the items that are read from a ring, however they are. */
function countReads(ring: Ring): { readonly count: number } {
  const [read, readBack, get] = [vi.spyOn(ring, 'read'), vi.spyOn(ring, 'readBack'), vi.spyOn(ring, 'get')]
  return {
    get count() {
      const pages = [...read.mock.settledResults, ...readBack.mock.settledResults]
      return pages.flatMap(({ value }) => value).length + get.mock.calls.length
    },
  }
}

/** So many frames, with a rare one first, in the middle and last; in turns, as a daemon writes them. */
function fill(ring: Ring, count: number): void {
  const rareAt = new Set([0, Math.floor(count / 2), count - 1])
  const turn: Retained[] = []
  for (let i = 0; i < count; i += 1) {
    turn.push(retained({ text: '{}', ...(rareAt.has(i) && { kind: RARE }) }))
    if (turn.length === 512 || i === count - 1) ring.append(turn.splice(0))
  }
}

function seqs(items: readonly Retained[]): readonly number[] {
  return items.map(({ seq }) => seq)
}

describe.each(RING_MAKERS)('$name', ({ make }) => {
  test.each([1_000, DEFAULT_RING_FRAMES])(
    'a rare kind among %i frames is found without reading the others (HD-12)',
    async (count) => {
      await using dir = await createTempDir()
      const ring = await make(dir)
      fill(ring, count)
      const reads = countReads(ring)

      const newest = await historyOf(ring, { filter: `kind:${RARE}` })
      const paged = await historyOf(ring, { filter: `kind:${RARE}`, afterSeq: 1 })
      const none = await historyOf(ring, { filter: 'kind:agent_query' })

      expect(seqs(newest.frames)).toEqual([1, count / 2 + 1, count])
      expect(seqs(paged.frames)).toEqual([count / 2 + 1, count])
      expect(none.frames).toEqual([])
      expect(reads.count).toBe(5)
      ring.close()
    },
    60_000,
  )

  test('forgetting goes in steps, each of which looks at no more than it may (HD-10)', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    fill(ring, 3_000)
    const steps: number[] = []

    for (let afterSeq: number | undefined = 0; afterSeq !== undefined;) {
      const { places, nextSeq } = ring.forget({ kind: 'agent_advisory' }, { afterSeq, upToSeq: 2_900 })
      steps.push(places.length)
      afterSeq = nextSeq
    }

    expect(steps.length).toBeGreaterThanOrEqual(3)
    expect(Math.max(...steps)).toBeLessThanOrEqual(1_024)
    expect(steps.reduce((sum, one) => sum + one, 0)).toBe(2_898)
    expect([ring.count, ring.firstSeq]).toEqual([102, 1])
    expect(seqs((await historyOf(ring, { filter: 'kind:agent_advisory' })).frames)).toEqual(
      Array.from({ length: 99 }, (_, i) => 2_901 + i),
    )
    ring.close()
  })

  test('whatever comes, is trimmed and is forgotten, a look back finds what a look at everything finds (HD-12)', async () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constantFrom('agent_advisory', 'agent_query', RARE),
        senderHandle: fc.constantFrom('~alice', '~bob'),
        turn: fc.integer({ min: 1, max: 700 }),
      }),
      fc.record({ envelopes: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ forget: fc.constantFrom('agent_query', RARE) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (all) => {
        await using dir = await createTempDir()
        const ring = await make(dir, { ...ROOMY, maxFrames: 1_500 })
        for (const one of all) {
          if ('turn' in one) ring.append(retainedFrames(one.turn, one))
          else if ('envelopes' in one)
            ring.append(Array.from({ length: one.envelopes }, () => retainedEnvelope()))
          else forgetAll(ring, { kind: one.forget })
        }

        for (const filter of ['', 'sender:~bob', `kind:${RARE}`, 'kind:agent_query,sender:~alice']) {
          const { filter: clauses } = searchOf(filter)
          const expected = seqs(
            ring
              .read(0, 10_000)
              .filter((retainedOne) => retainedOne.type === 'frame' && filterAdmits(clauses, retainedOne)),
          )
          expect(seqs((await historyOf(ring, { filter })).frames)).toEqual(expected.slice(-200))
          expect(seqs((await historyOf(ring, { filter, afterSeq: 0 })).frames)).toEqual(
            expected.slice(0, 200),
          )
        }
        ring.close()
      }),
      { numRuns: 15 },
    )
  }, 60_000)
})

/** A ring whose frames an earlier one has taken. */
async function openFilled(dir: TempDir, count: number): Promise<SqliteRing> {
  const first = await openRing(dir)
  fill(first, count)
  first.close()
  return openRing(dir)
}

describe.runIf(keepsFrames())('a ring that an earlier daemon left', () => {
  test('is learned the newest first, in steps, and no further than somebody looks (HD-12)', async () => {
    await using dir = await createTempDir()
    const ring = await openFilled(dir, 3_000)
    const learns = vi.spyOn(ring, 'factsBefore')
    const reads = countReads(ring)

    const recent = await historyOf(ring, { filter: `kind:${RARE}`, afterSeq: 2_900 })
    const learnedForRecent = learns.mock.calls.length
    const all = await historyOf(ring, { filter: `kind:${RARE}` })

    expect([seqs(recent.frames), learnedForRecent]).toEqual([[3_000], 1])
    expect(seqs(all.frames)).toEqual([1, 1_501, 3_000])
    expect(learns.mock.calls.length).toBe(Math.ceil(3_000 / LEARNED_PLACES))
    expect(reads.count).toBe(4)
    ring.close()
  })

  test('is learned once: what is appended meanwhile stands behind it', async () => {
    await using dir = await createTempDir()
    const ring = await openFilled(dir, 1_000)
    ring.lookBack.learn()
    ring.append([retained({ kind: RARE })])
    while (!ring.lookBack.learn());

    expect(seqs(ring.lookBack.after(0, 10, searchOf(`kind:${RARE}`)))).toEqual([1, 501, 1_000, 1_001])
    expect(ring.lookBack.learn()).toBe(true)
    ring.close()
  })
})

test('what is known of a full ring takes two octets a place, and what is trimmed gives them back (HD-12)', () => {
  const ring = new MemoryRing('e1', { ...ROOMY, maxFrames: 2_000 })
  for (let i = 0; i < 20; i += 1) ring.append(retainedFrames(1_000, { text: '{}' }))

  expect(ring.lookBack.bytes).toBeLessThanOrEqual(2 * (2_000 + 2 * 1_024))
})
