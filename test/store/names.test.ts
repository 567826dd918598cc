/** What sessions are called outlives the daemon (docs/http.md §4). */
import { expect, test } from 'vitest'
import { MAX_DEPARTED_NAMES } from '../../src/broker/kinship/names.ts'
import type { Broker } from '../../src/broker/broker.ts'
import type { SessionRequest } from '../../src/protocol/http/requests.ts'
import { SqliteLedger } from '../../src/store/ledger.ts'
import { digestOf } from '../../src/broker/ring/digest.ts'
import { WITHOUT_ORIGINS } from '../support/damage.ts'
import { openRing, requireDriver } from '../support/rings.ts'
import { brokerOn } from '../support/stored-broker.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { silentLog } from '../support/silent-log.ts'

async function live(dir: TempDir): Promise<Broker> {
  const ring = await openRing(dir)
  return brokerOn(ring, new SqliteLedger(ring, silentLog))
}

function register(broker: Broker, sessionId: string, more: Partial<SessionRequest> = {}) {
  const request = { instrument: 'cc', session_id: sessionId, mailbox: true, ...more }
  return broker.sessions.open(request, undefined, undefined).session
}

function nameOf(broker: Broker, sessionId: string): string | undefined {
  return broker.sessions.find(`~alice/cc@${sessionId}`)?.name
}

/** A row as this version writes it, without a name in its record: as the version before wrote it. */
async function forgetNames(dir: TempDir): Promise<void> {
  const driver = await requireDriver()
  const database = new driver(dir.file('ring.db'))
  const rows = database.prepare<[], { address: string; record: string }>('SELECT * FROM sessions').all()
  const save = database.prepare('UPDATE sessions SET record = ?, digest = ? WHERE address = ?')
  for (const { address, record } of rows) {
    const json = JSON.stringify({ ...JSON.parse(record), name: undefined })
    save.run(json, digestOf(address, json), address)
  }
  database.exec(`${WITHOUT_ORIGINS} DROP TABLE departed; DROP TABLE hooks; PRAGMA user_version = 3`)
  database.close()
}

test('a session is called as before by the next daemon, whatever others came and left, and so is who comes back', async () => {
  await using dir = await createTempDir()
  const first = await live(dir)
  register(first, 's1', { title: 'api' })
  register(first, 's2', { title: 'api' })
  register(first, 's3', { title: 'docs' })
  for (const id of ['s1', 's3']) {
    const session = first.sessions.find(`~alice/cc@${id}`)
    if (session !== undefined) first.sessions.close(session)
  }
  first.close()

  const second = await live(dir)
  const names = [nameOf(second, 's2'), register(second, 's3').name, register(second, 's1').name]
  second.close()

  expect(names).toEqual(['api-2', 'docs', 'api'])
})

test('a store of the version before gives its sessions names, which stay', async () => {
  await using dir = await createTempDir()
  const first = await live(dir)
  for (const id of ['s1', 's2']) register(first, id, { title: 'api' })
  first.close()
  await forgetNames(dir)

  const second = await live(dir)
  const given = ['s1', 's2'].map((id) => nameOf(second, id))
  second.close()
  const third = await live(dir)
  const kept = ['s1', 's2'].map((id) => nameOf(third, id))
  third.close()

  expect(new Set(given)).toEqual(new Set(['api', 'api-2']))
  expect(kept).toEqual(given)
})

test('the store keeps the names of so many who left and no more, and none that is no name', async () => {
  await using dir = await createTempDir()
  const ring = await openRing(dir)
  const ledger = new SqliteLedger(ring, silentLog)
  for (let i = 0; i <= MAX_DEPARTED_NAMES; i += 1)
    ledger.sessionEnded({ address: `~alice/cc@s${i}`, name: `name-${i}` }, false)
  ledger.sessionEnded({ address: '~alice/cc@s5', name: 'again' }, false)
  ledger.sessionEnded({ address: '~alice/cc@odd', name: 'NO NAME' }, false)

  const { departed } = ledger.inheritance(0)
  ring.close()

  expect(departed.length).toBeLessThanOrEqual(MAX_DEPARTED_NAMES)
  expect(departed.map(({ address }) => address)).not.toContain('~alice/cc@s0')
  expect(departed.at(-1)).toEqual({ address: '~alice/cc@s5', name: 'again' })
  expect(departed[0]).toEqual({ address: '~alice/cc@s3', name: 'name-3' })
})
