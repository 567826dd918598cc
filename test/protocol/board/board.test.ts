/** Who is at what: the one board that hooks, the MCP server and the command read frames with. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  Board,
  MAX_BOARD_ENTRIES,
  MAX_LEASE_LIFE_MS,
  MAX_SENDER_ENTRIES,
  observePast,
} from '../../../src/protocol/board/board.ts'
import type { BoardEntry } from '../../../src/protocol/board/board-frame.ts'
import { isNamed } from '../../../src/protocol/board/resource-path.ts'
import { START_MS, advises, asks, boardOf, lengthens, passing, releases, type Said } from './said.ts'

const SENDERS = ['~alice/cc@s1', '~alice/cc@s2', null]
const [ONE, OTHER] = [SENDERS[0] ?? null, SENDERS[1] ?? null]
const ID = '8f4e1c9a-0000-4000-8000-00000000000a'
const IDS = [ID, '8f4e1c9a-0000-4000-8000-00000000000b']
const PATHS = ['src/a.ts', './src/a.ts', '/w1/src/a.ts', 'file:///w2/src/a.ts', 'a.ts', 'lib/a.ts', 'b.ts']

/** In upper case or lower, as whoever sends it likes. */
const leaseId = fc
  .tuple(fc.constantFrom(...IDS), fc.boolean())
  .map(([id, isLoud]) => (isLoud ? id.toUpperCase() : id))

/** What several say, oldest first. */
const sayings = fc
  .array(
    fc.record({
      kind: fc.constantFrom('advises', 'asks', 'lengthens', 'releases'),
      id: leaseId,
      sender: fc.constantFrom(...SENDERS),
      refs: fc.array(fc.constantFrom(...PATHS), { maxLength: 3 }),
      worktree: fc.constantFrom('/w1', '/w2', undefined),
      stepMs: fc.nat({ max: 50 }),
      ms: fc.nat({ max: 200 }),
    }),
    { maxLength: 40 },
  )
  .map((rows) => {
    let atMs = START_MS
    return rows.map(({ kind, id, sender, refs, worktree, stepMs, ms }): Said => {
      atMs += stepMs
      if (kind === 'advises')
        return advises(sender, refs, { atMs, ttlMs: ms, ...(worktree !== undefined && { worktree }) })
      if (kind === 'asks') return asks(sender, id, { atMs, ttlMs: ms + 1, resource: refs[0] ?? 'deploy' })
      return kind === 'lengthens' ? lengthens(sender, id, ms + 1, atMs) : releases(sender, id, atMs)
    })
  })

/** What entries say, whatever the spelling of an id and the order of the rows. */
function show(entries: readonly BoardEntry[]): readonly string[] {
  return entries
    .map(({ leaseId: id = '-', from, worktree = '-', resource, sinceMs, untilMs }) =>
      [id.toLowerCase(), from, worktree, resource, sinceMs - START_MS, untilMs - START_MS].join(' '),
    )
    .toSorted()
}

function endOf(said: readonly Said[]): number {
  return Math.max(START_MS, ...said.map(({ atMs }) => atMs))
}

describe('whatever is said in whatever order (OP-06)', () => {
  test('what others say changes nothing about what one has announced (HD-08)', () => {
    fc.assert(
      fc.property(sayings, fc.constantFrom(...SENDERS), (all, sender) => {
        const own = all.filter((said) => said.sender === sender)
        const from = sender ?? '~alice'

        const among = boardOf(all).entries()

        expect(show(among.filter((entry) => entry.from === from))).toEqual(
          show(boardOf(own, { nowMs: endOf(all) }).entries()),
        )
      }),
    )
  })

  test('a board read on is the board read as a whole', () => {
    fc.assert(
      fc.property(sayings, fc.nat({ max: 40 }), (all, cut) => {
        const before = boardOf(all.slice(0, cut)).entries()

        const readOn = boardOf(all.slice(cut), { entries: before, nowMs: endOf(all) })

        expect(show(readOn.entries())).toEqual(show(boardOf(all).entries()))
      }),
    )
  })

  test('a history is read in the order in which it came, whatever order its pages come in', () => {
    const shuffled = sayings.chain((all) =>
      fc
        .shuffledSubarray(
          all.map((_, i) => i),
          { minLength: all.length },
        )
        .map((places) => ({ all, places })),
    )
    fc.assert(
      fc.property(shuffled, ({ all, places }) => {
        const board = new Board({ clock: { nowMs: () => endOf(all) }, carriesOn: () => false })
        const frames = all.map((said, i) => {
          const { sender, frame } = passing(said, i)
          return { eventId: `6f1c-${i + 1}`, sender, acceptedAt: new Date(said.atMs).toISOString(), frame }
        })

        observePast(
          board,
          places.flatMap((place) => frames.slice(place, place + 1)),
        )

        expect(show(board.entries())).toEqual(show(boardOf(all).entries()))
      }),
    )
  })

  test('the case of an id does not matter', () => {
    fc.assert(
      fc.property(sayings, (all) => {
        const quiet = all.map((said) => {
          const id = said.payload['lease_id']
          return typeof id === 'string'
            ? { ...said, payload: { ...said.payload, lease_id: id.toLowerCase() } }
            : said
        })

        expect(show(boardOf(all).entries())).toEqual(show(boardOf(quiet).entries()))
      }),
    )
  })

  test('nothing is on it that is over, and each lease is over four hours after it was asked for', () => {
    fc.assert(
      fc.property(sayings, fc.nat({ max: 300 }), (all, laterMs) => {
        const nowMs = endOf(all) + laterMs

        for (const { untilMs, sinceMs } of boardOf(all, { nowMs }).entries()) {
          expect(untilMs).toBeGreaterThan(nowMs)
          expect(untilMs).toBeLessThanOrEqual(sinceMs + MAX_LEASE_LIFE_MS)
        }
      }),
    )
  })

  test('who looks by a path finds what a look through everything would', () => {
    const files = [
      { path: 'src/a.ts', absolute: '/w1/src/a.ts' },
      { path: 'a.ts', absolute: '/w2/src/a.ts' },
      { path: 'b.ts', absolute: '/w1/b.ts' },
    ]
    fc.assert(
      fc.property(sayings, fc.constantFrom(...files), (all, file) => {
        const board = boardOf(all)

        const named = board.entries().filter(({ resource }) => isNamed(resource, file))
        expect(show(board.naming(file))).toEqual(show(named))
      }),
    )
  })

  test('entries and leases stand oldest first', () => {
    fc.assert(
      fc.property(sayings, (all) => {
        const board = boardOf(all)
        const since = board.entries().map(({ sinceMs }) => sinceMs)

        expect(since).toEqual(since.toSorted((a, b) => a - b))
        expect(board.leases()).toEqual(board.entries().filter((entry) => entry.leaseId !== undefined))
      }),
    )
  })

  test('no JSON whatsoever in the place of a frame is an error', () => {
    const members = fc.record(
      {
        kind: fc.constantFrom(
          'agent_advisory',
          'agent_lock_request',
          'agent_lease_extend',
          'agent_lock_release',
        ),
        frame_id: fc.oneof(fc.string(), fc.jsonValue()),
        created_at: fc.oneof(fc.constant('2026-11-20T08:00:00Z'), fc.jsonValue()),
        payload: fc.oneof(
          fc.record({ file_refs: fc.jsonValue(), lease_id: fc.jsonValue(), ttl_ms: fc.jsonValue() }),
          fc.jsonValue(),
        ),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(members, fc.jsonValue()), (frame) => {
        const board = boardOf([])

        board.observe({ sender: undefined, acceptedAtMs: undefined, frame })

        for (const { untilMs } of board.entries()) expect(untilMs).toBeGreaterThan(START_MS)
      }),
    )
  })
})

describe('a file', () => {
  test('is announced once by a sender in a worktree, since its newest word and as long as that says (OP-06)', () => {
    const again = advises(ONE, ['./src/a.ts'], { atMs: START_MS + 10, ttlMs: 20, worktree: '/w1' })
    const said = [advises(ONE, ['src/a.ts', 'src/b.ts'], { worktree: '/w1' }), again]

    const board = boardOf(said)

    expect(board.entries()).toMatchObject([
      { resource: 'src/b.ts', frameId: 'frame-0', sinceMs: START_MS, untilMs: START_MS + 3_600_000 },
      { resource: './src/a.ts', frameId: 'frame-1', sinceMs: START_MS + 10, untilMs: START_MS + 30 },
    ])
    expect(boardOf(said, { nowMs: START_MS + 30 }).entries()).toHaveLength(1)
  })

  test('counts from when the daemon took the frame, though it is dated ahead (HD-08)', () => {
    const board = boardOf([])

    board.observe({ ...passing(advises(ONE, ['a'], { atMs: START_MS + 60_000 }), 0), acceptedAtMs: START_MS })

    expect(board.entries()).toMatchObject([{ sinceMs: START_MS }])
  })

  test("is the person's own word where no session sent it, by whatever program", () => {
    const { frame } = passing(advises(null, ['a']), 0)
    const board = boardOf([advises(null, ['a'])])

    board.observe({
      sender: null,
      acceptedAtMs: START_MS,
      frame: { ...Object(frame), drafted_with: '~make' },
    })

    expect(board.entries().map(({ from }) => from)).toEqual(['~alice'])
  })

  test('counts from when the daemon took the frame, where its own time is a leap second', () => {
    const { frame } = passing(advises(ONE, ['a']), 0)
    const board = boardOf([])
    const leap = { ...Object(frame), created_at: '2016-12-31T23:59:60Z' }

    board.observe({ sender: ONE, acceptedAtMs: START_MS, frame: leap })
    board.observe({ sender: OTHER, acceptedAtMs: undefined, frame: leap })

    expect(board.entries()).toMatchObject([{ from: ONE, sinceMs: START_MS }])
  })
})

describe('a lease', () => {
  test('is what its holder said last: released and asked for again is held', () => {
    expect(boardOf([releases(ONE, ID), asks(ONE, ID)]).leases()).toHaveLength(1)
    expect(boardOf([asks(ONE, ID), releases(ONE, ID)]).leases()).toEqual([])
    expect(boardOf([asks(ONE, ID), releases(ONE, ID), asks(ONE, ID, { ttlMs: 20 })]).leases()).toMatchObject([
      { untilMs: START_MS + 20 },
    ])
  })

  test('lasts longer from what is left, and not at all once it is over', () => {
    const asked = asks(ONE, ID, { ttlMs: 100 })

    expect(boardOf([asked, lengthens(ONE, ID, 50, START_MS + 99)]).leases()).toMatchObject([
      { untilMs: START_MS + 150 },
    ])
    expect(boardOf([asked, lengthens(ONE, ID, 50, START_MS + 100)]).leases()).toEqual([])
  })

  test('is lengthened though it would be over by now, by what was said in time', () => {
    const said = [asks(ONE, ID, { ttlMs: 100 }), lengthens(ONE, ID, 100, START_MS + 50)]
    const board = new Board({ clock: { nowMs: () => START_MS + 150 }, carriesOn: () => false })

    said.forEach((one, place) => board.observe(passing(one, place)))

    expect(board.leases()).toMatchObject([{ untilMs: START_MS + 200 }])
  })

  test('is capped in sum, however many extensions there are (HD-08)', () => {
    const hourMs = 3_600_000
    const times = (count: number) => [
      asks(ONE, ID, { ttlMs: hourMs }),
      ...Array.from({ length: count }, () => lengthens(ONE, ID, hourMs)),
    ]
    const before = boardOf(times(2)).entries()

    expect(boardOf(times(2)).leases()).toMatchObject([{ untilMs: START_MS + 3 * hourMs }])
    expect(boardOf(times(4)).leases()).toMatchObject([{ untilMs: START_MS + MAX_LEASE_LIFE_MS }])
    expect(
      boardOf([lengthens(ONE, ID, hourMs), lengthens(ONE, ID, hourMs)], { entries: before }).leases(),
    ).toMatchObject([{ untilMs: START_MS + MAX_LEASE_LIFE_MS }])
  })

  test('is ended by whoever carries its session on, once nothing of that id is its own', () => {
    const carriesOn = (address: string, predecessor: string) => address === OTHER && predecessor === ONE
    const parts = { carriesOn }

    expect(boardOf([asks(ONE, ID), releases(OTHER, ID)], parts).leases()).toEqual([])
    expect(boardOf([asks('~alice/cc@s3', ID), releases(OTHER, ID)], parts).leases()).toHaveLength(1)
    expect(boardOf([asks(ONE, ID), asks(OTHER, ID), releases(OTHER, ID)], parts).leases()).toMatchObject([
      { from: ONE },
    ])
  })
})

describe('a session that has ended', () => {
  test('has left what it announced, until it speaks again (OP-27)', () => {
    const board = boardOf([advises(ONE, ['a']), asks(ONE, ID), advises(OTHER, ['a'])])
    const left = () => board.entries().map((entry) => board.hasLeft(entry))

    board.sessionEnded(String(ONE))
    expect(left()).toEqual([true, true, false])

    board.observe(passing(advises(ONE, ['b']), 9))
    expect(left()).toEqual([false, false, false, false])
  })

  test('is forgotten with the last of its entries', () => {
    const board = boardOf([asks(ONE, ID)], { carriesOn: () => true })
    board.sessionEnded(String(ONE))
    board.sessionEnded('~alice/cc@nobody')
    const hasLeft = () => [ONE, '~alice/cc@nobody'].map((from) => board.hasLeft({ from: String(from) }))

    expect(hasLeft()).toEqual([true, false])
    board.observe(passing(releases(OTHER, ID), 1))
    expect(hasLeft()).toEqual([false, false])
  })
})

/** So many files, below one folder. */
function refs(count: number, folder: string): readonly string[] {
  return Array.from({ length: count }, (_, i) => `${folder}/${i}`)
}

describe('what is too much', () => {
  test('of one sender takes the place of its own oldest, and of nobody else (OP-06)', () => {
    const more = refs(MAX_SENDER_ENTRIES + 1, 'x').map((ref) => advises(ONE, [ref]))

    const full = boardOf([advises(OTHER, ['first']), ...more.slice(0, -1)]).entries()
    const beyond = boardOf([advises(OTHER, ['first']), ...more]).entries()

    expect(full).toHaveLength(MAX_SENDER_ENTRIES + 1)
    expect(beyond.length).toBeLessThan(full.length)
    expect(beyond[0]).toMatchObject({ from: OTHER, resource: 'first' })
    expect(beyond.at(-1)).toMatchObject({ from: ONE, resource: `x/${MAX_SENDER_ENTRIES}` })
    expect(beyond.some(({ resource }) => resource === 'x/0')).toBe(false)
  })

  test('of all takes the place of the oldest, after what is over (OP-06)', () => {
    const senders = Array.from({ length: MAX_BOARD_ENTRIES / 64 }, (_, i) => `~alice/cc@s${i}`)
    const fills = senders.map((sender, i) => advises(sender, refs(64, `${i}`)))
    const over = ['~alice/cc@brief', '~alice/cc@short'].map((sender) =>
      advises(sender, refs(MAX_SENDER_ENTRIES, 'brief'), { ttlMs: 10 }),
    )
    const later = { atMs: START_MS + 10 }

    const full = boardOf(fills)
    const beyond = boardOf([...fills, advises(ONE, ['newest'])])
    const spared = boardOf([...fills.slice(16), ...over, advises(ONE, ['newest'], later)])

    expect(full.entries()).toHaveLength(MAX_BOARD_ENTRIES)
    expect(beyond.entries().length).toBeLessThan(MAX_BOARD_ENTRIES)
    expect(beyond.naming({ path: '0/0', absolute: '/w/0/0' })).toEqual([])
    expect(beyond.naming({ path: 'newest', absolute: '/w/newest' })).toHaveLength(1)
    expect(spared.entries()).toHaveLength(MAX_BOARD_ENTRIES - 2 * MAX_SENDER_ENTRIES + 1)
  })

  test('stays within the bound after every frame, whatever is said', () => {
    const board = boardOf([])
    for (let place = 0; place < 200; place += 1) {
      board.observe(passing(advises(`~alice/cc@s${place}`, refs(64, `${place}`)), place))
      expect(board.entries().length).toBeLessThanOrEqual(MAX_BOARD_ENTRIES)
    }

    expect(board.entries().length).toBeGreaterThan(MAX_BOARD_ENTRIES / 2)
  })
})
