/**
 * A store of the version before there were envelopes: what is in it stays, and it takes envelopes from now on.
 */
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { digestOf } from '../../../src/broker/ring/digest.ts'
import { parseFrame } from '../../../src/protocol/frame/frame.ts'
import { SqliteLedger } from '../../../src/store/ledger.ts'
import { validEnvelope } from '../../support/envelopes.ts'
import { validFrame } from '../../support/frames.ts'
import { alterDatabase } from '../../support/damage.ts'
import { NOON_MS, forgetAll, openRing, requireDriver, retainedEnvelope } from '../../support/rings.ts'
import { brokerOn, submit, submitEnvelope } from '../../support/stored-broker.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import { silentLog } from '../../support/silent-log.ts'

/** The tables of version 1, letter for letter as that version made them, its comments aside. */
const TABLES_OF_VERSION_1 = `
  CREATE TABLE meta (
    epoch TEXT NOT NULL,
    boot_id TEXT NOT NULL,
    ack TEXT NOT NULL,
    is_clean INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    frames INTEGER NOT NULL,
    bytes INTEGER NOT NULL
  );
  CREATE TABLE epochs (epoch TEXT PRIMARY KEY, fate TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE frames (
    seq INTEGER PRIMARY KEY,
    frame_id TEXT NOT NULL,
    digest TEXT NOT NULL,
    kind TEXT NOT NULL,
    sender_handle TEXT NOT NULL,
    tool TEXT,
    sender_address TEXT,
    scope TEXT NOT NULL,
    accepted_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    recipient_count INTEGER NOT NULL,
    queued_count INTEGER NOT NULL,
    audience INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    text TEXT NOT NULL,
    row_check TEXT NOT NULL
  );
  CREATE TABLE audiences (
    id INTEGER PRIMARY KEY,
    emitted_to TEXT NOT NULL,
    queued_to TEXT NOT NULL,
    last_seq INTEGER NOT NULL
  );
  CREATE INDEX audiences_by_last_seq ON audiences (last_seq);
  CREATE TABLE outcomes (
    seq INTEGER NOT NULL,
    address TEXT NOT NULL,
    state TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    via TEXT,
    PRIMARY KEY (seq, address)
  ) WITHOUT ROWID;
  CREATE TABLE mailboxes (seq INTEGER NOT NULL, address TEXT NOT NULL, PRIMARY KEY (seq, address)) WITHOUT ROWID;
  CREATE TABLE losses (
    address TEXT PRIMARY KEY,
    lost INTEGER NOT NULL,
    before_seq INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE sessions (address TEXT PRIMARY KEY, record TEXT NOT NULL, digest TEXT NOT NULL) WITHOUT ROWID;
`

const ADDRESS = '~alice/cc@s1'

/** A frame as version 1 wrote it, with the check it wrote beside it. */
function rowOf(seq: number): readonly (string | number | null)[] {
  const frame = validFrame('agent_advisory', {
    created_at: new Date(NOON_MS).toISOString(),
    ttl_ms: 3_600_000,
  })
  const [scope, text] = ['~alice/*', JSON.stringify(parseFrame(frame))]
  const digest = digestOf(scope, text)
  const names = [seq, frame.frame_id, digest, frame.kind, '~alice', null, null]
  const counts = [NOON_MS, NOON_MS + 3_600_000, 1, 1, 1, 500]
  return [...names, scope, ...counts, text, digestOf(scope, JSON.stringify([...names, ...counts]))]
}

/** A closed store of version 1 with some frames, of which a session has one waiting. */
async function storeOfVersion1(dir: TempDir, count = 5): Promise<readonly string[]> {
  const driver = await requireDriver()
  const database = new driver(dir.file('ring.db'))
  database.pragma('journal_mode = WAL')
  database.exec(TABLES_OF_VERSION_1)
  database.pragma('user_version = 1')
  const rows = Array.from({ length: count }, (_, i) => rowOf(i + 1))
  const insert = database.prepare(
    `INSERT INTO frames VALUES (${Array.from({ length: 16 }, () => '?').join(', ')})`,
  )
  for (const row of rows) insert.run(...row)
  database.exec(`
    INSERT INTO meta VALUES ('0a1b2c3d', 'boot-1', 'process', 1, ${count}, ${count}, ${count * 500});
    INSERT INTO epochs VALUES ('deadbeef', 'rollback');
    INSERT INTO audiences VALUES (1, '["~alice/cc@s2"]', '["${ADDRESS}"]', 1029);
    INSERT INTO outcomes VALUES (2, '~alice/cc@s2', 'seen', ${NOON_MS}, 'hook');
    INSERT INTO mailboxes VALUES (3, '${ADDRESS}');
  `)
  const record = JSON.stringify({
    facts: {
      address: ADDRESS,
      handle: '~alice',
      instrument: 'cc',
      sessionId: 's1',
      tool: 'cc',
      draftedWith: '~cc',
    },
    tokenHash: 'hash',
    startedAtMs: NOON_MS,
    lastSeenAtMs: NOON_MS,
    hasMailbox: true,
    seenUpToSeq: 2,
    heirOf: [],
  })
  database.prepare('INSERT INTO sessions VALUES (?, ?, ?)').run(ADDRESS, record, digestOf(ADDRESS, record))
  database.close()
  return rows.map((row) => String(row[14]))
}

test('a store of version 1 goes on: epoch, every frame with its check, receipts and fates (R-18)', async () => {
  await using dir = await createTempDir()
  const texts = await storeOfVersion1(dir)

  const ring = await openRing(dir)

  expect([ring.epoch, ring.lastSeq, ring.firstSeq, ring.count]).toEqual(['0a1b2c3d', 5, 1, 5])
  expect(ring.fateOf('deadbeef')).toBe('rollback')
  expect(ring.read(0, 10).map(({ text }) => text)).toEqual(texts)
  expect(ring.read(0, 10).every(({ envelope, scope }) => envelope === undefined && scope !== undefined)).toBe(
    true,
  )
  expect(ring.find(JSON.parse(texts[1] ?? '').frame_id)?.delivery.receipts()).toMatchObject([
    { address: '~alice/cc@s2', state: 'seen', via: 'hook' },
    { address: ADDRESS, state: 'queued' },
  ])
  expect([ring.thread('corr-one'), ring.refutationsOf('x'), ring.entities()]).toEqual([[], [], []])
  expect(ring.health().details).toEqual([])
  ring.close()
})

test('it takes envelopes and frames afterwards, and keeps both over the next start', async () => {
  await using dir = await createTempDir()
  const texts = await storeOfVersion1(dir)
  const ring = await openRing(dir)
  const envelope = retainedEnvelope({ id: 'new-0001', refutes: 'target-01' })

  ring.append([envelope])
  ring.close()
  const again = await openRing(dir)

  expect([again.epoch, again.count]).toEqual(['0a1b2c3d', 6])
  expect(again.read(0, 10).map(({ text }) => text)).toEqual([...texts, envelope.text])
  expect(again.thread('corr-one')).toEqual([
    { seq: 6, acceptedAtMs: envelope.acceptedAtMs, facts: envelope.envelope },
  ])
  expect(again.refutationsOf('target-01').map(({ seq }) => seq)).toEqual([6])
  expect(again.entities()).toEqual(['agent.a', 'agent.b'])
  again.close()
})

test('a whole daemon takes over a store of version 1: its session, its mail, its used ids', async () => {
  await using dir = await createTempDir()
  const texts = await storeOfVersion1(dir)
  const ring = await openRing(dir)
  const broker = brokerOn(ring, new SqliteLedger(ring, silentLog))
  const session = broker.sessions.find(ADDRESS)

  expect([session?.entities, session?.mailbox?.peek()]).toEqual([[], [3]])
  const frame = JSON.parse(texts[0] ?? '')
  expect(await submit(broker, frame)).toMatchObject({ event_id: '0a1b2c3d-1', duplicate: true })
  expect(await submitEnvelope(broker, validEnvelope())).toMatchObject({ event_id: '0a1b2c3d-6' })
  broker.close()
})

test('trimming and forgetting work on what was migrated', async () => {
  await using dir = await createTempDir()
  const texts = await storeOfVersion1(dir, 20)
  const ring = await openRing(dir, { retention: { maxFrames: 8, maxBytes: 2 ** 30, maxAgeMs: 86_400_000 } })

  expect(forgetAll(ring, { key: JSON.parse(texts[19] ?? '').frame_id })).toBe(1)
  ring.append([retainedEnvelope()])

  expect(ring.count).toBeLessThanOrEqual(8)
  expect(ring.lastSeq).toBe(21)
  expect(ring.read(0, 100).at(-2)?.text).toBe(texts[18])
  ring.close()
})

test('a frame of a store of version 1 that is not what was written is found out as before (R-23)', async () => {
  await using dir = await createTempDir()
  await storeOfVersion1(dir)
  await alterDatabase(dir.file('ring.db'), 'UPDATE frames SET expires_at_ms = 0 WHERE seq = 3')
  const ring = await openRing(dir)

  ring.read(0, 10)

  expect(ring.epoch).not.toBe('0a1b2c3d')
  expect(ring.fateOf('0a1b2c3d')).toBe('corrupt')
  ring.close()
})

test.each([
  ['of a later version', 'PRAGMA user_version = 99'],
  ['of a version that never was', 'PRAGMA user_version = -1'],
  ['that says it is older than its tables are', 'ALTER TABLE frames ADD COLUMN corr TEXT'],
  ['that lacks a table', 'DROP TABLE frames'],
  ['that says it is empty and is not', 'PRAGMA user_version = 0'],
])('a store %s is set aside with what it holds, and a fresh one begins (R-23)', async (_says, change) => {
  await using dir = await createTempDir()
  await storeOfVersion1(dir)
  await alterDatabase(dir.file('ring.db'), change)

  const ring = await openRing(dir)

  expect(ring.epoch).not.toBe('0a1b2c3d')
  expect(readdirSync(dir.path).filter((name) => name.startsWith('ring.corrupt-'))).toHaveLength(1)
  expect(ring.fateOf('0a1b2c3d')).toBe('corrupt')
  ring.append([retainedEnvelope()])
  expect(ring.thread('corr-one')).toHaveLength(1)
  ring.close()
})
