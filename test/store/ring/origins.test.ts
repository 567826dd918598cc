/**
 * Where frames came from, over a restart and over damage.
 */
import { describe, expect, test } from 'vitest'
import type { Remote } from '../../../src/broker/remote/remote.ts'
import type { SqliteRing } from '../../../src/store/ring/sqlite-ring.ts'
import { SqliteLedger } from '../../../src/store/ledger.ts'
import { arrivingFrame, batchOf, laneOf, REALM } from '../../support/arrivals.ts'
import { alterDatabase, copyStore } from '../../support/damage.ts'
import { openRing, requireDriver, watchDriver } from '../../support/rings.ts'
import { FilledRemote, remoteNode } from '../../support/other-nodes.ts'
import { silentLog } from '../../support/silent-log.ts'
import { brokerOn, submit, submitEnvelope } from '../../support/stored-broker.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import { validEnvelope } from '../../support/envelopes.ts'
import { validFrame } from '../../support/frames.ts'

/** A broker over the store of a directory; ended without a word, it leaves what a kill leaves. */
async function brokerIn(dir: TempDir, remote?: Remote) {
  const ring = await openRing(dir)
  return { ring, broker: brokerOn(ring, new SqliteLedger(ring, silentLog), undefined, remote) }
}

/** Of what waits to be told. */
function states({ origins }: Pick<SqliteRing, 'origins'>): readonly string[] {
  return origins.reportsAfter(REALM, 0, 100).map(({ item: [, , state] }) => state)
}

describe('A daemon that comes back', () => {
  test('knows the origin of each frame, the marks and the cursor, so that the same batch does nothing (FED-04, FED-05)', async () => {
    await using dir = await createTempDir()
    const batch = batchOf([arrivingFrame('far1-41'), arrivingFrame('far1-42')], { seq: 7 })
    const before = await brokerIn(dir)
    await before.broker.ingest(batch)
    before.broker.close()

    const after = await brokerIn(dir)
    const answers = await after.broker.ingest(batch)

    expect(answers.map(({ outcome }) => outcome)).toEqual(['repeat', 'repeat'])
    expect(after.ring.count).toBe(2)
    expect(after.ring.get(2)?.origin).toEqual({ realm: REALM, node: 'devbox', eventId: 'far1-42' })
    expect(after.broker.origins.cursorOf(REALM)).toEqual({ seq: 7, node: 'devbox', last: 'far1-42' })
    after.broker.close()
  })

  test('goes on numbering reports, and has those that wait (FED-52)', async () => {
    await using dir = await createTempDir()
    const before = await brokerIn(dir)
    const refused = { kind: 'refused', eventId: 'far1-1', id: 'x', code: 'rate-limited' } as const
    await before.broker.ingest(batchOf([refused]))
    const waiting = before.broker.origins.reportsAfter(REALM, 0, 10)
    before.broker.close()

    const after = await brokerIn(dir)
    expect(after.broker.origins.reportsAfter(REALM, 0, 10)).toEqual(waiting)
    await after.broker.ingest(batchOf([{ ...refused, eventId: 'far1-2' }]))

    const numbers = after.broker.origins.reportsAfter(REALM, 0, 10).map(({ n }) => n)
    expect(numbers).toHaveLength(2)
    expect(numbers[1]).toBeGreaterThan(numbers[0] ?? Infinity)
    after.broker.close()
  })

  test('sends no item that was damaged where it waited, and all of the others (FED-52)', async () => {
    await using dir = await createTempDir()
    const before = await brokerIn(dir)
    const refused = { kind: 'refused', eventId: 'far1-1', id: 'x', code: 'rate-limited' } as const
    await before.broker.ingest(batchOf([refused]))
    const [whole] = before.broker.origins.reportsAfter(REALM, 0, 10)
    before.broker.close()
    const items = [7, null, 'text', ['x'], ['x', '', 'seen', 'soon'], ['x', '', 'seen', 1, 2], whole?.item]
    await alterDatabase(
      dir.file('ring.db'),
      `UPDATE reports SET items = '${JSON.stringify(items)}', count = ${items.length};
       INSERT INTO reports (realm, node, count, items) VALUES ('${REALM}', 'far', 1, '[')`,
    )

    const after = await brokerIn(dir)

    expect(after.broker.origins.reportsAfter(REALM, 0, 10)).toEqual([whole])
    after.broker.close()
  })

  test("tells a frame's origin that it was seen, wherever in that it was killed (FED-52)", async () => {
    await using dir = await createTempDir()
    await using killed = await createTempDir()
    const { broker, ring } = await brokerIn(dir)
    const { session } = broker.sessions.open(
      { instrument: 'cc', session_id: 's1', mailbox: true },
      undefined,
      undefined,
    )
    await broker.ingest(batchOf([arrivingFrame('far1-1'), arrivingFrame('far1-2')]))
    const seenOf = (from: typeof ring) =>
      from.origins
        .reportsAfter(REALM, 0, 100)
        .filter(({ item: [, , state] }) => state === 'seen')
        .map(({ item: [id, address, , , via] }) => [id, address, via])

    // What is deferred to the end of the turn has not run when the disk is looked at.
    broker.receipts.markSeen(session, { event_ids: [ring.eventId(1)], state: 'handed', via: 'hook' })
    broker.receipts.markSeen(session, { event_ids: [ring.eventId(1)], via: 'hook' })
    copyStore(dir, killed)
    await new Promise(setImmediate)
    const after = await brokerIn(killed)

    const wanted = [[ring.get(1)?.key, session.address, 'hook']]
    expect(seenOf(after.ring)).toEqual(wanted)
    expect(after.ring.get(1)?.delivery.receipts()).toMatchObject([
      { address: session.address, state: 'seen' },
    ])
    expect(after.ring.get(2)?.delivery.receipts()).toMatchObject([{ state: 'queued' }])
    // Nor is it told once more, here or there.
    expect(seenOf(ring)).toEqual(wanted)
    expect(states(ring)).not.toContain('handed')
    broker.close()
    after.broker.close()
  })

  test('has what other nodes reported of its frames, and what the hub has acknowledged (FED-21, FED-52)', async () => {
    await using dir = await createTempDir()
    const before = await brokerIn(dir)
    const { frame_id: id } = await submit(before.broker, validFrame('agent_advisory'))
    const items = [
      [id, '~alice/cc@far', 'queued', 1_000],
      [id, '~alice/cc@far', 'seen', 2_000, 'hook'],
    ] as const
    await before.broker.ingest(batchOf([{ kind: 'report', node: 'laptop', items }]))
    const acked = { last: 'e-1', reports: 3, streamCreated: '2026-11-20T12:00:00Z', streamSeq: 12 }
    before.broker.origins.setAcked(REALM, acked)
    before.broker.close()

    const after = await brokerIn(dir)

    expect(after.ring.get(1)?.delivery.remoteReceipts()).toEqual([
      { seq: 1, node: 'devbox', address: '~alice/cc@far', state: 'seen', atMs: 2_000, detail: 'hook' },
    ])
    expect(after.broker.origins.ackedOf(REALM)).toEqual(acked)
    after.broker.close()
  })

  test.each([
    ['at no time', "at_ms = 'x'"],
    ['before time began', 'at_ms = -1'],
    ['in no year', 'at_ms = 9000000000000000'],
    ['at a fraction', 'at_ms = 1.5'],
    ['in no state', "state = 'sexn'"],
    ['of octets', "detail = x'00ff'"],
    ['of no session', "address = '~alice/cc'"],
    ['of a session in octets', "address = x'00ff'"],
    ['of no node', "node = 'dev box'"],
    ['of a node of nobody', "node = 'alice/devbox'"],
  ])(
    'passes over a receipt of another node %s, has the others, and takes the next word (FED-52)',
    async (_, damage) => {
      await using dir = await createTempDir()
      const before = await brokerIn(dir)
      const { frame_id: id } = await submit(before.broker, validFrame('agent_advisory'))
      const report = (
        broker: typeof before.broker,
        address: string,
        state: 'queued' | 'seen',
        atMs: number,
      ) => {
        const items = [[id, address, state, atMs, 'hook']] as const
        return broker.ingest(batchOf([{ kind: 'report', node: 'laptop', items }]))
      }
      await report(before.broker, '~alice/cc@bad', 'queued', 1_000)
      await report(before.broker, '~alice/cc@good', 'queued', 1_000)
      before.broker.close()
      await alterDatabase(
        dir.file('ring.db'),
        `UPDATE remote_receipts SET ${damage} WHERE address = '~alice/cc@bad'`,
      )
      const linesOf = ({ receipts }: typeof before.broker) =>
        receipts
          .describe(receipts.require(id))
          .receipts.map(({ address, state }) => [address, state] as const)

      const damaged = await brokerIn(dir)
      const found = linesOf(damaged.broker)
      await report(damaged.broker, '~alice/cc@bad', 'seen', 900)
      damaged.broker.close()
      const after = await brokerIn(dir)

      expect(found).toEqual([['~alice/cc@good', 'queued']])
      expect(new Map(linesOf(after.broker))).toEqual(
        new Map([
          ['~alice/cc@bad', 'seen'],
          ['~alice/cc@good', 'queued'],
        ]),
      )
      after.broker.close()
    },
  )

  test.each([
    ['at no time', "at_ms = 'x'"],
    ['in no year', 'at_ms = -9000000000000000'],
    ['in no state', "state = 'sexn'"],
    ['of octets', "address = x'00ff'"],
  ])('passes over an end at a session here %s (OP-09)', async (_, damage) => {
    await using dir = await createTempDir()
    const before = await brokerIn(dir)
    const wish = { instrument: 'cc', session_id: 's1', mailbox: true }
    const { session } = before.broker.sessions.open(wish, undefined, undefined)
    const { frame_id: id } = await submit(before.broker, validFrame('agent_advisory'))
    before.broker.receipts.markSeen(session, { event_ids: [before.ring.eventId(1)], via: 'hook' })
    await new Promise(setImmediate)
    before.broker.close()
    await alterDatabase(dir.file('ring.db'), `UPDATE outcomes SET ${damage}`)

    const after = await brokerIn(dir)

    const { receipts } = after.broker
    expect(receipts.describe(receipts.require(id)).receipts).toMatchObject([
      { address: session.address, state: 'queued' },
    ])
    after.broker.close()
  })

  test('has receipts of whom a frame named elsewhere, though that node is not heard of any more (FED-52)', async () => {
    await using dir = await createTempDir()
    const named = new FilledRemote(
      remoteNode('devbox', ['~alice/cc@far']),
      remoteNode('ci', ['~alice/cc@s9'], { state: 'away' }),
    )
    const before = await brokerIn(dir, named)
    const frame = await submit(before.broker, validFrame('agent_advisory'))
    const envelope = await submitEnvelope(before.broker, validEnvelope())
    before.broker.close()

    const after = await brokerIn(dir, new FilledRemote(remoteNode('newcomer', ['~alice/cc@n1'])))
    const linesOf = (id: string) => {
      const { receipts } = after.broker
      return receipts.describe(receipts.require(id)).receipts.map(({ node, state }) => [node, state])
    }

    expect(frame.remote).toMatchObject({ nodes: ['devbox'], away: ['ci'] })
    expect(linesOf(frame.frame_id)).toEqual([
      ['devbox', 'remote-waiting'],
      ['ci', 'remote-waiting'],
    ])
    expect(envelope.remote).toMatchObject({ nodes: [], away: ['ci'] })
    expect(after.ring.get(2)?.delivery.named).toEqual(envelope.remote)
    after.broker.close()
  })

  test('goes by who is there where whom a frame named cannot be read (FED-52)', async () => {
    await using dir = await createTempDir()
    const before = await brokerIn(dir, new FilledRemote(remoteNode('devbox', ['~alice/cc@far'])))
    const { frame_id: id } = await submit(before.broker, validFrame('agent_advisory'))
    before.broker.close()
    await alterDatabase(dir.file('ring.db'), `UPDATE remote_receipts SET detail = '{"nodes":7}'`)

    const after = await brokerIn(dir, new FilledRemote(remoteNode('newcomer', ['~alice/cc@n1'])))

    const { receipts } = after.broker
    expect(receipts.describe(receipts.require(id)).receipts.map(({ node }) => node)).toEqual(['newcomer'])
    after.broker.close()
  })

  test('takes no frame of another node for a repeat of what is submitted here (FED-27)', async () => {
    await using dir = await createTempDir()
    const before = await brokerIn(dir)
    const arrived = arrivingFrame('far1-1')
    await before.broker.ingest(batchOf([arrived]))
    before.broker.close()

    const after = await brokerIn(dir)
    const reply = await submit(after.broker, arrived.submission.frame)

    expect(reply.duplicate).toBeUndefined()
    after.broker.close()
  })

  test('knows its holes, and gives none the number of another (FED-28)', async () => {
    await using dir = await createTempDir()
    const before = await brokerIn(dir)
    const hole = { from: 'far1-2', to: 'far1-8' }
    await before.broker.ingest(batchOf([arrivingFrame('far1-9')], { hole }))
    before.broker.close()

    const after = await brokerIn(dir)

    expect(after.broker.origins.holesFrom(0)).toEqual([
      { n: 1, afterSeq: 0, realm: REALM, lane: laneOf('devbox'), node: 'devbox', ...hole },
    ])
    expect(after.broker.origins.nextHole).toBe(2)
    after.broker.close()
  })

  test.each([
    ['without a place', "after_seq = 'x'"],
    ['that came before the first', 'after_seq = -1'],
    ['of no realm', "realm = ''"],
    ['of another realm than its lane', "realm = 'p.alicd'"],
    ['of octets', "node = x'00ff'"],
    ['that ends nowhere', "missing_to = 'far1'"],
    ['that begins nowhere', "missing_from = 'far1-2x'"],
    ['that ends before it begins', "missing_to = 'far1-1'"],
  ])(
    'tells nobody of a hole %s, says that it was damaged, and knows the others (FED-28)',
    async (_, damage) => {
      await using dir = await createTempDir()
      const before = await brokerIn(dir)
      const holes = [
        { from: 'far1-2', to: 'far1-8' },
        { from: 'far1-10', to: 'far1-11' },
      ]
      await before.broker.ingest(batchOf([arrivingFrame('far1-9')], { hole: holes[0] }))
      await before.broker.ingest(batchOf([arrivingFrame('far1-12')], { hole: holes[1] }))
      before.broker.close()
      await alterDatabase(dir.file('ring.db'), `UPDATE holes SET ${damage} WHERE n = 1`)
      const said: unknown[] = []
      const log = { ...silentLog, warn: (...words: readonly unknown[]) => said.push(words) }

      const ring = await openRing(dir, { log })

      expect(ring.origins.holesFrom(0)).toMatchObject([{ n: 2, ...holes[1] }])
      expect(ring.origins.nextHole).toBe(3)
      expect(said).toContainEqual(['holes-damaged', { skipped: 1 }])
      ring.close()
    },
  )

  test('finds out that the origin of a frame was changed (R-23)', async () => {
    await using dir = await createTempDir()
    const before = await brokerIn(dir)
    await before.broker.ingest(batchOf([arrivingFrame('far1-1')]))
    before.broker.close()
    await alterDatabase(dir.file('ring.db'), 'UPDATE frames SET origin = NULL')

    const after = await brokerIn(dir)
    const { epoch } = after.ring
    expect(after.ring.read(0, 10)).toEqual([])

    expect(after.ring.epoch).not.toBe(epoch)
    after.broker.close()
  })

  test.each(['marks', 'link_cursors'])(
    'joins a realm anew where a row of %s is not what was written (R-23, FED-05)',
    async (table) => {
      await using dir = await createTempDir()
      const before = await brokerIn(dir)
      await before.broker.ingest(batchOf([arrivingFrame('far1-1')]))
      await before.broker.ingest(batchOf([arrivingFrame('far1-1')], { realm: 'o.acme' }))
      before.broker.close()
      await alterDatabase(dir.file('ring.db'), `UPDATE ${table} SET seq = seq + 5 WHERE realm = '${REALM}'`)

      const after = await brokerIn(dir)

      const { origins } = after.broker
      expect([origins.cursorOf(REALM), origins.marksOf(REALM).size]).toEqual([undefined, 0])
      expect(origins.cursorOf('o.acme')).toBeDefined()
      after.broker.close()
    },
  )

  test('has nothing of a batch that the disk refused, and all of it the next time (FED-27)', async () => {
    await using dir = await createTempDir()
    const { driver, connections } = watchDriver(await requireDriver())
    const ring = await openRing(dir, { driver })
    const broker = brokerOn(ring, new SqliteLedger(ring, silentLog))
    const items = Array.from({ length: 256 }, (_, i) => arrivingFrame(`far1-${i + 1}`))
    const batch = batchOf(items, { seq: 3, hole: { from: null, to: 'far1-0' } })
    const setPages = (pages: number): void => void connections.at(-1)?.pragma(`max_page_count = ${pages}`)
    setPages(1)

    await expect(broker.ingest(batch)).rejects.toMatchObject({ code: 'store-full' })
    const { origins } = broker
    expect([ring.count, origins.cursorOf(REALM), origins.marksOf(REALM).size, origins.nextHole]).toEqual([
      0,
      undefined,
      0,
      1,
    ])
    setPages(1_000_000)

    const answers = await broker.ingest(batch)
    expect(new Set(answers.map(({ outcome }) => outcome))).toEqual(new Set(['applied']))
    expect(ring.count).toBe(256)
    broker.close()
  })
})
