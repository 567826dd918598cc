/**
 * A store that the last code of version 2 wrote, by its own daemon: four mailboxes, a ring that had trimmed what waited
 * in them, envelopes of three priorities. What waited waits, what was lost is told, and what was seen was seen (HD-03).
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Broker } from '../../../src/broker/broker.ts'
import { SqliteLedger } from '../../../src/store/ledger.ts'
import type { SqliteRing } from '../../../src/store/ring/sqlite-ring.ts'
import { openRing, requireDriver } from '../../support/rings.ts'
import { brokerOn } from '../../support/stored-broker.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import { silentLog } from '../../support/silent-log.ts'

const FILE = join(import.meta.dirname, 'version-2.db.gz')

/** The places from one to another. */
function span(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i)
}

/** What that daemon said before it ended: everybody was sent 1…50 and 57, 58, the last two by `half`. */
const WAITED = {
  idle: span(19, 58),
  half: span(24, 50),
  gone: [...span(19, 50), 57, 58],
  heir: [...span(19, 50), 57, 58],
}

function place(dir: TempDir): void {
  writeFileSync(dir.file('ring.db'), gunzipSync(readFileSync(FILE)))
}

function mailboxOf(broker: Broker, name: string) {
  return broker.sessions.find(`~alice/cc@${name}`)?.mailbox
}

function liveOn(ring: SqliteRing): Broker {
  return brokerOn(ring, new SqliteLedger(ring, silentLog))
}

test('a store of version 2 keeps what waits, what was lost and what was seen, over this start and the next (HD-03)', async () => {
  await using dir = await createTempDir()
  place(dir)

  for (let start = 1; start <= 2; start += 1) {
    const ring = await openRing(dir)
    const broker = liveOn(ring)
    for (const [name, waited] of Object.entries(WAITED)) {
      const mailbox = mailboxOf(broker, name)
      expect([name, mailbox?.peek(), mailbox?.unread]).toEqual([name, waited, waited.length])
      expect([name, mailbox?.lost, mailbox?.cursor]).toEqual(name === 'half' ? [name, 0, 23] : [name, 18, 0])
    }
    expect(mailboxOf(broker, 'idle')?.reading.after(0, 10, 'urgent')).toEqual([52])
    expect(mailboxOf(broker, 'idle')?.reading.after(0, 10, 'low')).toEqual([51])
    expect(
      ring
        .get(19)
        ?.delivery.receipts()
        .map(({ state }) => state),
    ).toEqual(['queued', 'seen', 'queued', 'queued'])
    expect(ring.health().details).toEqual([])
    broker.close()
  }
})

test('it holds a few rows of mail after that, and none of the tables of before (HD-03)', async () => {
  await using dir = await createTempDir()
  place(dir)
  const ring = await openRing(dir)
  ring.close()

  const driver = await requireDriver()
  const database = new driver(dir.file('ring.db'))
  const count = (table: string): unknown => database.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
  expect([count('mailboxes'), count('taken')]).toEqual([4, 0])
  // 135 rows before: each mailbox has two runs at the most, and one for each priority that is not the usual.
  expect(count('lanes')).toBe(9)
  expect(() => count('losses')).toThrow('no such table')
  expect(database.pragma('user_version', { simple: true })).toBe(5)
  database.close()
})
