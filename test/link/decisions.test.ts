/**
 * Where writing and reading go on, what is a repeat, and what is missing (FED-18, FED-21, FED-22, FED-26, FED-27, FED-28).
 */
import { describe, expect, test } from 'vitest'
import { BatchSize, MAX_BATCH_SIZE, MIN_BATCH_SIZE } from '../../src/link/batch-size.ts'
import { holeBefore, judge } from '../../src/link/marks.ts'
import { decideReading, stampOf } from '../../src/link/reading.ts'
import { comparedPlace, decideStart, type LaneFacts, type Start } from '../../src/link/writing.ts'
import { headOf } from './samples.ts'

const DIGEST = headOf().digest ?? ''

/** A lane that ends at 57, whose record the ring has among 1 to 90. */
const FACTS: LaneFacts = {
  lane: headOf(),
  stream: { created: 'then', firstSeq: 1 },
  acked: { last: '6f1c-57', reports: 912, streamCreated: 'then', streamSeq: 7 },
  ring: { epoch: '6f1c', firstEventId: '6f1c-1', lastEventId: '6f1c-90', digestAt: () => DIGEST },
  since: '6f1c-30',
}

function startOf(changes: Partial<LaneFacts>, ring: Partial<LaneFacts['ring']> = {}): Start {
  return decideStart({ ...FACTS, ...changes, ring: { ...FACTS.ring, ...ring } })
}

function goOn(after: string, more: Partial<Extract<Start, { go: 'on' }>> = {}): Start {
  return { go: 'on', after, prev: after, last: after, digest: null, reports: 912, clean: false, ...more }
}

function none(): undefined {
  return undefined
}

describe('writing goes on (FED-21)', () => {
  const trimmed = { lane: undefined, stream: { created: 'then', firstSeq: 8 } }

  test.each<[string, Start, Start]>([
    ['behind what the lane ends with', startOf({}), goOn('6f1c-57', { digest: DIGEST })],
    [
      'there too where the ring has forgotten that record',
      startOf({}, { digestAt: none }),
      goOn('6f1c-57', { digest: DIGEST }),
    ],
    [
      'there too whatever the daemon remembers',
      startOf({ acked: undefined }),
      goOn('6f1c-57', { digest: DIGEST }),
    ],
    ['behind what was acknowledged, where the stream has only trimmed', startOf(trimmed), goOn('6f1c-57')],
    [
      'where the link begins, in a stream that is another one',
      startOf({ lane: undefined, stream: { created: 'now', firstSeq: 8 } }),
      goOn('6f1c-30', { prev: null, last: null, reports: 0, clean: true }),
    ],
    [
      'there too in the same one, which came back with an older disk',
      startOf({ lane: undefined, stream: { created: 'then', firstSeq: 7 } }),
      goOn('6f1c-30', { prev: null, last: null, reports: 0, clean: true }),
    ],
    [
      'there too in a lane that never had anything',
      startOf({ lane: undefined, acked: undefined }),
      goOn('6f1c-30', { prev: null, last: null, reports: 0, clean: true }),
    ],
    [
      'there too in a lane that has had reports alone',
      startOf({ lane: headOf({ last: null, digest: null }), acked: undefined }),
      goOn('6f1c-30', { prev: null, last: null, clean: true }),
    ],
    [
      'and says so, where the ring may have lost what came before',
      startOf({ lane: undefined, acked: undefined, since: '6f1c-30' }, { firstEventId: '6f1c-31' }),
      goOn('6f1c-30', { reports: 0 }),
    ],
    [
      'behind the same record under a new epoch, which loses nothing',
      startOf({}, { epoch: '7a2d', firstEventId: '7a2d-1', lastEventId: '7a2d-57' }),
      goOn('7a2d-57', { digest: DIGEST, clean: true }),
    ],
    [
      'behind what was acknowledged, where the store lost its end',
      startOf(
        { acked: { last: '6f1c-50', reports: 900, streamCreated: 'then', streamSeq: 6 } },
        { epoch: '7a2d', firstEventId: '7a2d-1', lastEventId: '7a2d-52', digestAt: none },
      ),
      goOn('7a2d-50'),
    ],
    [
      'where the link begins, where nothing is left of the former epoch',
      startOf(
        { acked: undefined, since: '7a2d-0' },
        { epoch: '7a2d', firstEventId: undefined, lastEventId: undefined, digestAt: none },
      ),
      goOn('7a2d-0'),
    ],
  ])('%s', (_, start, expected) => {
    expect(start).toEqual(expected)
  })

  test('behind everything that the ring does not hold any more, and says so (FED-22)', () => {
    expect(startOf({}, { firstEventId: '6f1c-58', digestAt: none })).toEqual(
      goOn('6f1c-57', { digest: DIGEST }),
    )
    expect(startOf({}, { firstEventId: '6f1c-60', digestAt: none })).toEqual(goOn('6f1c-59'))
    expect(startOf({}, { firstEventId: undefined, digestAt: none })).toEqual(goOn('6f1c-90'))
  })
})

describe('writing stops, since somebody else writes in this name (FED-22)', () => {
  test.each<[string, Start, string]>([
    ['where the ring has another record there', startOf({}, { digestAt: () => 'b2' }), 'another 6f1c-57'],
    ['where the ring has not come that far', startOf({}, { lastEventId: '6f1c-56' }), 'not come that far'],
    [
      'where it has come nowhere',
      startOf({}, { firstEventId: undefined, lastEventId: undefined }),
      'not come that far',
    ],
  ])('%s', (_, start, why) => {
    expect(start).toEqual({ go: 'fenced', why: expect.stringContaining(why) })
  })

  test('by the record of the same number in the ring’s own epoch', () => {
    expect(comparedPlace(headOf(), '6f1c')).toBe('6f1c-57')
    expect(comparedPlace(headOf(), '7a2d')).toBe('7a2d-57')
    expect(comparedPlace(headOf({ last: null }), '6f1c')).toBeUndefined()
    expect(comparedPlace(undefined, '6f1c')).toBeUndefined()
  })
})

describe('reading goes on (FED-26)', () => {
  const cursor = { seq: 9, node: 'laptop', last: stampOf(headOf()) }

  test.each([
    ['at the cursor’s own message', cursor, 'go-on'],
    ['not at another number', { ...cursor, seq: 10 }, 'from-the-beginning'],
    ['not at another node’s', { ...cursor, node: 'devbox' }, 'from-the-beginning'],
    [
      'not at one with another end',
      { ...cursor, last: stampOf(headOf({ last: '6f1c-58' })) },
      'from-the-beginning',
    ],
    [
      'not at one sent at another time, with the same end',
      { ...cursor, last: stampOf(headOf({ sent_at: 1 })) },
      'from-the-beginning',
    ],
    ['not in a stream that ends before it', undefined, 'from-the-beginning'],
  ])('%s', (_, first, expected) => {
    expect(decideReading(cursor, first)).toBe(expected)
  })
})

describe('a mark (FED-27)', () => {
  const marks = new Map([
    ['6f1c', 57],
    ['7a2d', 3],
  ])

  test.each([
    ['6f1c-57', 'repeat'],
    ['6f1c-1', 'repeat'],
    ['6f1c-58', 'new'],
    ['7a2d-3', 'repeat'],
    ['7a2d-4', 'new'],
    ['8b3e-1', 'new'],
    ['no place', 'repeat'],
  ])('%s is %s, in a former epoch too', (eventId, expected) => {
    expect(judge(marks, eventId)).toBe(expected)
  })

  test('there is none: everything is new', () => {
    expect(judge(undefined, '6f1c-1')).toBe('new')
  })

  test.each<[string, Parameters<typeof holeBefore>[0], ReturnType<typeof holeBefore>]>([
    ['what follows its mark', { epoch: '7a2d', prev: '7a2d-3', clean: false }, undefined],
    ['what comes again', { epoch: '7a2d', prev: '7a2d-1', clean: false }, undefined],
    ['what begins again from the beginning', { epoch: '7a2d', prev: null, clean: false }, undefined],
    [
      'what follows a later one',
      { epoch: '7a2d', prev: '7a2d-9', clean: false },
      { from: '7a2d-3', to: '7a2d-9' },
    ],
    ['a new epoch that says all was acknowledged', { epoch: '8b3e', prev: '8b3e-3', clean: true }, undefined],
    [
      'a new epoch that does not',
      { epoch: '8b3e', prev: '8b3e-3', clean: false },
      { from: '7a2d-3', to: '8b3e-3' },
    ],
    [
      'a new epoch that begins',
      { epoch: '8b3e', prev: null, clean: false },
      { from: '7a2d-3', to: '8b3e-0' },
    ],
  ])('in front of %s: %j → %j (FED-28)', (_, head, expected) => {
    expect(holeBefore(head, marks)).toEqual(expected)
  })

  test.each<[string, string | null, boolean, ReturnType<typeof holeBefore>]>([
    ['begins', null, true, undefined],
    ['has had reports alone', null, false, undefined],
    [
      'began while nobody here could hear it, and its epoch too',
      '6f1c-40',
      true,
      { from: null, to: '6f1c-40' },
    ],
    ['began while nobody here could hear it', '6f1c-40', false, { from: null, to: '6f1c-40' }],
  ])('of a lane that nobody here knows and that %s: prev %s', (_, prev, clean, expected) => {
    for (const none of [undefined, new Map<string, number>()])
      expect(holeBefore({ epoch: '6f1c', prev, clean }, none)).toEqual(expected)
  })
})

describe('the size of a batch (FED-18)', () => {
  test.each([
    ['doubles under 250 ms', 249, 32_768],
    ['stays from there', 250, 16_384],
    ['to a second', 1_000, 16_384],
    ['halves over that', 1_001, 8_192],
  ])('%s', (_, tookMs, octets) => {
    const size = new BatchSize()

    size.acknowledged(tookMs)

    expect(size.octets).toBe(octets)
  })

  test.each([
    ['grows on a long way as on a short one', 400, 649, 32_768],
    ['stays where a long way is filled', 400, 650, 16_384],
    ['halves where it is more than filled', 400, 1_401, 8_192],
    ['counts no more than a second as the way', 60_000, 2_001, 8_192],
  ])('%s (FT-06)', (_, roundTripMs, tookMs, octets) => {
    const size = new BatchSize()

    size.roundTrip(roundTripMs)
    size.acknowledged(tookMs)

    expect(size.octets).toBe(octets)
  })

  test('stays between 4 KiB and 256 KiB', () => {
    const [fast, slow] = [new BatchSize(), new BatchSize()]

    for (let i = 0; i < 10; i += 1) {
      fast.acknowledged(0)
      slow.acknowledged(30_000)
    }

    expect([fast.octets, slow.octets]).toEqual([MAX_BATCH_SIZE, MIN_BATCH_SIZE])
    expect([MAX_BATCH_SIZE, MIN_BATCH_SIZE]).toEqual([262_144, 4_096])
  })
})
