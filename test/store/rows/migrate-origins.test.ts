/**
 * A store that the last code of version 4 wrote, by its own daemon: six frames, two sessions with mailboxes, two frames
 * seen. All of it stays, and frames of other nodes are taken from now on (FED-04, FED-05).
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { SqliteLedger } from '../../../src/store/ledger.ts'
import { arrivingFrame, batchOf, REALM } from '../../support/arrivals.ts'
import { openRing, requireDriver } from '../../support/rings.ts'
import { silentLog } from '../../support/silent-log.ts'
import { brokerOn } from '../../support/stored-broker.ts'
import { createTempDir } from '../../support/temp-dir.ts'

const FILE = join(import.meta.dirname, 'version-4.db.gz')

test('a store of version 4 keeps what it has and takes frames of other nodes, over this start and the next (FED-04)', async () => {
  await using dir = await createTempDir()
  writeFileSync(dir.file('ring.db'), gunzipSync(readFileSync(FILE)))

  for (let start = 1; start <= 2; start += 1) {
    const ring = await openRing(dir)
    const broker = brokerOn(ring, new SqliteLedger(ring, silentLog))
    expect([ring.epoch, ring.read(0, 6).map(({ seq }) => seq)]).toEqual(['3cde8296', [1, 2, 3, 4, 5, 6]])
    expect(ring.read(0, 6).map(({ origin }) => origin)).toEqual(Array.from({ length: 6 }))
    expect(ring.get(1)?.delivery.receipts()).toContainEqual({
      address: '~alice/cc@half',
      state: 'seen',
      atMs: expect.any(Number),
      via: 'inbox',
    })
    expect(broker.sessions.find('~alice/cc@half')?.mailbox?.peek().slice(0, 4)).toEqual([3, 4, 5, 6])
    expect(broker.sessions.find('~alice/cc@idle')?.mailbox?.peek().slice(0, 6)).toEqual([1, 2, 3, 4, 5, 6])

    const answers = await broker.ingest(batchOf([arrivingFrame('far1-1')]))

    expect(answers.map(({ outcome }) => outcome)).toEqual([start === 1 ? 'applied' : 'repeat'])
    expect(ring.get(7)?.origin).toEqual({ realm: REALM, node: 'devbox', eventId: 'far1-1' })
    broker.close()
  }
  const driver = await requireDriver()
  const database = new driver(dir.file('ring.db'))
  expect(database.pragma('user_version', { simple: true })).toBe(5)
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
  database.close()
})
