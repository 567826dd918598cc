/** Who holds what: the fold that hooks and the MCP server share. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  MAX_LEASE_LIFE_MS,
  foldLeases,
  type BoardLease,
  type LeaseFrame,
} from '../../../src/protocol/frame/lease-board.ts'

const SENDERS = ['~alice/cc@s1', '~alice/cc@s2', '~alice']
const IDS = ['8f4e1c9a-0000-4000-8000-00000000000a', '8f4e1c9a-0000-4000-8000-00000000000b']
const START_MS = 1_000_000
const NOBODY = { nowMs: START_MS, carriesOn: () => false }

type Frame = LeaseFrame<number>

/** In upper case or lower, as whoever sends it likes. */
const leaseId = fc
  .tuple(fc.constantFrom(...IDS), fc.boolean())
  .map(([id, isLoud]) => (isLoud ? id.toUpperCase() : id))

/** Frames with a moment each, oldest first. */
const frames = fc
  .array(
    fc.record({
      kind: fc.constantFrom('agent_lock_request', 'agent_lease_extend', 'agent_lock_release'),
      leaseId,
      sender: fc.constantFrom(...SENDERS),
      stepMs: fc.nat({ max: 50 }),
      ms: fc.integer({ min: 1, max: 200 }),
    }),
    { maxLength: 30 },
  )
  .map((rows) => {
    let atMs = START_MS
    return rows.map(({ kind, stepMs, ms, ...common }, request): Frame => {
      atMs += stepMs
      if (kind === 'agent_lock_request') {
        return { ...common, kind, atMs, ttlMs: ms, resource: `r${request}`, request }
      }
      if (kind === 'agent_lease_extend') return { ...common, kind, atMs, additionalMs: ms }
      return { ...common, kind: 'agent_lock_release' }
    })
  })

/** What the boards say, whatever the spelling of an id and the order of the rows. */
function show(board: readonly BoardLease<number>[]): readonly string[] {
  return board
    .map(({ leaseId: id, holder, resource, expiresAtMs }) =>
      [id.toLowerCase(), holder, resource, expiresAtMs].join(' '),
    )
    .toSorted()
}

function fold(all: readonly Frame[], nowMs = START_MS): readonly BoardLease<number>[] {
  return foldLeases([], all, { ...NOBODY, nowMs })
}

test("frames of others change nothing about a session's leases", () => {
  fc.assert(
    fc.property(frames, fc.constantFrom(...SENDERS), (all, holder) => {
      const own = fold(all.filter(({ sender }) => sender === holder))

      expect(show(fold(all).filter((lease) => lease.holder === holder))).toEqual(show(own))
    }),
  )
})

test('a board read on is the board read as a whole', () => {
  fc.assert(
    fc.property(frames, fc.nat({ max: 30 }), (all, cut) => {
      const [before, after] = [all.slice(0, cut), all.slice(cut)]
      const cutMs = Math.max(START_MS, ...before.map((frame) => ('atMs' in frame ? frame.atMs : 0)))
      const nowMs = Math.max(cutMs, ...after.map((frame) => ('atMs' in frame ? frame.atMs : 0)))
      const part = fold(before, cutMs)

      expect(show(foldLeases(part, after, { ...NOBODY, nowMs }))).toEqual(show(fold(all, nowMs)))
    }),
  )
})

test('the case of an id does not matter', () => {
  fc.assert(
    fc.property(frames, (all) => {
      const quiet = all.map((frame) => ({ ...frame, leaseId: frame.leaseId.toLowerCase() }))

      expect(show(fold(all))).toEqual(show(fold(quiet)))
    }),
  )
})

test('the last word of a holder counts: released and asked for again is held', () => {
  const [id = ''] = IDS
  const request = { kind: 'agent_lock_request', leaseId: id, resource: 'a', atMs: START_MS } as const
  const asked: Frame = { ...request, sender: '~alice', ttlMs: 10, request: 1 }
  const released: Frame = { kind: 'agent_lock_release', leaseId: id, sender: '~alice' }

  expect(fold([released, asked])).toHaveLength(1)
  expect(fold([asked, released])).toEqual([])
  expect(fold([asked, released, { ...asked, ttlMs: 20 }])).toMatchObject([{ expiresAtMs: START_MS + 20 }])
})

test('an extension counts from what is left, and begins nothing that is over', () => {
  const [id = ''] = IDS
  const common = { leaseId: id, sender: '~alice' }
  const asked: Frame = {
    ...common,
    kind: 'agent_lock_request',
    resource: 'a',
    atMs: START_MS,
    ttlMs: 100,
    request: 1,
  }
  const extended = (atMs: number): Frame => ({
    ...common,
    kind: 'agent_lease_extend',
    atMs,
    additionalMs: 50,
  })

  expect(fold([asked, extended(START_MS + 99)])).toMatchObject([{ expiresAtMs: START_MS + 150 }])
  expect(fold([asked, extended(START_MS + 100)])).toMatchObject([{ expiresAtMs: START_MS + 100 }])
  expect(fold([asked], START_MS + 100)).toEqual([])
})

test('extensions are capped in sum, however many there are (HD-08)', () => {
  const [id = ''] = IDS
  const common = { leaseId: id, sender: '~alice' }
  const hourMs = 3_600_000
  const asked: Frame = {
    ...common,
    kind: 'agent_lock_request',
    resource: 'a',
    atMs: START_MS,
    ttlMs: hourMs,
    request: 1,
  }
  const extended: Frame = { ...common, kind: 'agent_lease_extend', atMs: START_MS, additionalMs: hourMs }
  const times = (count: number): Frame[] => [asked, ...Array.from({ length: count }, () => extended)]

  expect(fold(times(3))).toMatchObject([{ expiresAtMs: START_MS + MAX_LEASE_LIFE_MS }])
  expect(fold(times(4))).toMatchObject([{ expiresAtMs: START_MS + MAX_LEASE_LIFE_MS }])
  const read = foldLeases(fold(times(2)), [extended, extended], NOBODY)
  expect(read).toMatchObject([{ expiresAtMs: START_MS + MAX_LEASE_LIFE_MS }])
})

test('whoever carries a session on ends its leases, once nothing of that id is its own', () => {
  const [id = ''] = IDS
  const heir = '~alice/cc@s2'
  const asked = (sender: string): Frame => ({
    kind: 'agent_lock_request',
    leaseId: id,
    sender,
    resource: sender,
    atMs: START_MS,
    ttlMs: 10,
    request: 1,
  })
  const released: Frame = { kind: 'agent_lock_release', leaseId: id, sender: heir }
  const facts = {
    nowMs: START_MS,
    carriesOn: (address: string, predecessor: string) => address === heir && predecessor === '~alice/cc@s1',
  }

  expect(foldLeases([], [asked('~alice/cc@s1'), released], facts)).toEqual([])
  expect(foldLeases([], [asked('~alice/cc@s3'), released], facts)).toHaveLength(1)
  expect(foldLeases([], [asked('~alice/cc@s1'), asked(heir), released], facts)).toMatchObject([
    { holder: '~alice/cc@s1' },
  ])
})
