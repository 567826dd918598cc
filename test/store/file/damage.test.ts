/**
 * Damage: whatever happens to the files, the store opens, gives out nothing that was not accepted, and what it
 * cannot give is told by an epoch of its own.
 */
import * as fc from 'fast-check'
import { existsSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Retained } from '../../../src/broker/ring/retained.ts'
import { SqliteLedger } from '../../../src/store/ledger.ts'
import type { SqliteRing } from '../../../src/store/ring/sqlite-ring.ts'
import { alterDatabase, copyStore, flipBit, offsetOf, sizeOf, truncate, zero } from '../../support/damage.ts'
import { NOON_MS, openRing, retained, retainedFrames } from '../../support/rings.ts'
import { validFrame } from '../../support/frames.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import { silentLog } from '../../support/silent-log.ts'

const PAGE = 4_096

/** Reads everything there is, in every way there is. */
function readAll(ring: SqliteRing): readonly Retained[] {
  const frames = [...ring.read(0, 10_000)]
  for (const { seq, key, delivery } of frames) {
    ring.get(seq)
    ring.find(key)
    delivery.receipts()
  }
  ring.readBack(ring.lastSeq + 1, 10_000)
  return frames
}

/** A store with 200 frames, as a kill left it: most in the log, or most in the database. */
async function killedStore(left: TempDir, where: 'db' | 'wal') {
  await using dir = await createTempDir()
  const first = await openRing(dir)
  if (where === 'db') {
    first.append(retainedFrames(190, { emittedTo: ['~alice/cc@a'] }))
    first.close()
  }
  const ring = where === 'db' ? await openRing(dir) : first
  for (let i = 0; i < 10; i += 1)
    ring.append(retainedFrames(where === 'db' ? 1 : 20, { queuedTo: ['~alice/cc@b'] }))
  copyStore(dir, left)
  const accepted = new Map(
    ring.read(0, 10_000).map(({ seq, text, scopeText }) => [seq, `${scopeText} ${text}`]),
  )
  const { epoch } = ring
  ring.close()
  return { epoch, accepted }
}

test.each(['db', 'wal'] as const)(
  'flips, cuts and zeros in the %s never crash it, and never give out other bytes (R-23)',
  async (where) => {
    await using origin = await createTempDir()
    const { epoch, accepted } = await killedStore(origin, where)
    const name = where === 'db' ? 'ring.db' : 'ring.db-wal'
    const size = sizeOf(origin.file(name))
    const damage = fc.oneof(
      fc.record({ kind: fc.constant('flip' as const), at: fc.nat(size - 1), bit: fc.nat(7) }),
      fc.record({ kind: fc.constant('cut' as const), at: fc.nat(size), bit: fc.constant(0) }),
      fc.record({
        kind: fc.constant('zero' as const),
        at: fc.nat(Math.floor(size / PAGE) - 1),
        bit: fc.constant(0),
      }),
    )

    await fc.assert(
      fc.asyncProperty(damage, async ({ kind, at, bit }) => {
        await using dir = await createTempDir()
        copyStore(origin, dir)
        if (kind === 'flip') flipBit(dir.file(name), at, bit)
        else if (kind === 'cut') truncate(dir.file(name), at)
        else zero(dir.file(name), at * PAGE, PAGE)
        const ring = await openRing(dir)
        const { recent } = new SqliteLedger(ring, silentLog).inheritance(NOON_MS)
        while (recent.nextPage() !== undefined);

        const first = readAll(ring)
        const frames = ring.epoch === epoch ? first : readAll(ring)

        if (ring.epoch === epoch) {
          // What is given out is what was accepted, under the number it was accepted with.
          for (const { seq, text, scopeText } of frames)
            expect(`${scopeText} ${text}`).toBe(accepted.get(seq))
          // The same epoch never goes on before where it was.
          expect(ring.lastSeq).toBe(accepted.size)
        } else expect(['corrupt', 'rollback', 'epoch']).toContain(ring.fateOf(epoch))
        const next = retained()
        ring.append([next])
        expect(ring.get(next.seq)?.text).toBe(next.text)
        expect(existsSync(dir.file('ring.db'))).toBe(true)
        ring.close()
      }),
      { numRuns: 150 },
    )
  },
)

test.each([
  ["UPDATE frames SET text = replace(text, 'note', 'nope') WHERE seq = 5"],
  ["UPDATE frames SET digest = 'x' WHERE seq = 5"],
  ["UPDATE frames SET scope = '~bob/*' WHERE seq = 5"],
  ["UPDATE frames SET kind = 'agent_query' WHERE seq = 5"],
  ["UPDATE frames SET sender_handle = '~bob' WHERE seq = 5"],
  ["UPDATE frames SET sender_address = '~alice/cc@s2' WHERE seq = 5"],
  ['UPDATE frames SET seq = 99 WHERE seq = 5'],
  ['UPDATE frames SET expires_at_ms = 0 WHERE seq = 5'],
  ["UPDATE frames SET text = x'00ff' WHERE seq = 5"],
  ["UPDATE frames SET scope = x'00ff', digest = x'00' WHERE seq = 5"],
  ["UPDATE audiences SET emitted_to = 'no json'"],
  ["UPDATE audiences SET emitted_to = '{}'"],
])('a row that is not what was written begins a new epoch when it is read: %s (R-23)', async (change) => {
  await using dir = await createTempDir()
  const first = await openRing(dir)
  first.append(retainedFrames(10, { emittedTo: ['~alice/cc@a'] }))
  first.close()
  await alterDatabase(dir.file('ring.db'), change)
  const ring = await openRing(dir)
  const resets: string[] = []
  ring.onReset = (reason, previous) => resets.push(`${reason} ${previous}`)

  readAll(ring)

  expect(resets).toEqual([`corrupt ${first.epoch}`])
  expect(ring.epoch).not.toBe(first.epoch)
  expect([ring.fateOf(first.epoch), ring.count, ring.lastSeq]).toEqual(['corrupt', 0, 0])
  expect(ring.health().details).toEqual([expect.stringContaining('set aside')])
  // The log goes with its database: each alone would be damage of its own.
  const aside = readdirSync(dir.path).filter((name) => name.startsWith('ring.corrupt-'))
  expect(aside.map((name) => name.replace(/^.*Z/, '')).toSorted()).toEqual(['', '-wal'])
  ring.append([retained()])
  expect(ring.read(0, 10)).toHaveLength(1)
  ring.close()
})

test('a damaged session is one session less, and a damaged question a new epoch: never a start that fails (R-23)', async () => {
  await using dir = await createTempDir()
  const first = await openRing(dir)
  const query = validFrame('agent_query')
  first.append([retained({ kind: 'agent_query', text: JSON.stringify(query) })])
  const ledger = new SqliteLedger(first, silentLog)
  for (const sessionId of ['s1', 's2']) ledger.sessionSaved(sessionRecord(sessionId))
  first.close()
  await alterDatabase(
    dir.file('ring.db'),
    `UPDATE sessions SET record = substr(record, 5) WHERE address LIKE '%s1'`,
  )

  const second = await openRing(dir)
  const left = new SqliteLedger(second, silentLog).inheritance(NOON_MS)
  expect(left.sessions.map(({ facts }) => facts.sessionId)).toEqual(['s2'])
  const { query_id: queryId, response_scope: responseScope } = query.payload
  expect(left.recent.nextPage()?.queries).toMatchObject([{ queryId, responseScope }])
  second.close()

  flipBit(dir.file('ring.db'), offsetOf(dir.file('ring.db'), 'query_text') + 2)
  const third = await openRing(dir)
  expect(new SqliteLedger(third, silentLog).inheritance(NOON_MS).recent.nextPage()).toBeUndefined()
  expect(third.fateOf(first.epoch)).toBe('corrupt')
  third.close()
})

test('a store that cannot be replaced at once refuses, and takes frames again when it can (R-21, R-23)', async () => {
  await using dir = await createTempDir()
  const first = await openRing(dir)
  first.append(retainedFrames(10))
  first.close()
  await alterDatabase(dir.file('ring.db'), "UPDATE frames SET text = 'no' WHERE seq = 5")
  let isRefusing = false
  const ring = await openRing(dir, {
    // The disk says no when the fresh file is named.
    nowMs: () => {
      if (isRefusing) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
      return NOON_MS
    },
  })
  isRefusing = true

  expect(() => ring.read(0, 10)).toThrow(expect.objectContaining({ code: 'store-full' }))
  expect(() => ring.read(0, 10)).toThrow(expect.objectContaining({ code: 'store-full' }))
  expect(ring.health().details).toEqual([expect.stringContaining('no space left')])
  isRefusing = false

  expect(ring.read(0, 10)).toEqual([])
  ring.append([retained()])
  expect([ring.count, ring.fateOf(first.epoch)]).toEqual([1, 'corrupt'])
  ring.close()
})

function sessionRecord(sessionId: string) {
  return {
    facts: {
      address: `~alice/cc@${sessionId}`,
      handle: '~alice',
      instrument: 'cc',
      sessionId,
      tool: 'cc',
      draftedWith: '~cc',
    },
    tokenHash: 'x',
    pidStartTime: undefined,
    startedAtMs: NOON_MS,
    lastSeenAtMs: NOON_MS,
    hasMailbox: true,
    seenUpToSeq: 0,
    predecessors: [],
  }
}
