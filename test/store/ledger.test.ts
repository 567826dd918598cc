/**
 * What outlives the daemon besides frames. Each test ends a broker without a word, as kill -9 does, and starts
 * another on what the files hold.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Broker } from '../../src/broker/broker.ts'
import type { Session } from '../../src/broker/session/session.ts'
import type { SessionRequest } from '../../src/protocol/http/requests.ts'
import { SqliteLedger } from '../../src/store/ledger.ts'
import { MAX_RECORD_OCTETS } from '../../src/store/session-record.ts'
import { digestOf } from '../../src/broker/ring/digest.ts'
import type { SqliteRing } from '../../src/store/ring/sqlite-ring.ts'
import { alterDatabase, copyStore } from '../support/damage.ts'
import { validEnvelope } from '../support/envelopes.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { validFrame } from '../support/frames.ts'
import { refusalOf } from '../support/refusals.ts'
import { NOON_MS, openRing, ROOMY, retained, retainedEnvelope } from '../support/rings.ts'
import { brokerOn, submit, submitEnvelope } from '../support/stored-broker.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { unhandledDuring } from '../support/unhandled.ts'
import { silentLog } from '../support/silent-log.ts'

/** One life of a daemon. */
async function live(dir: TempDir, more: Parameters<typeof openRing>[1] = {}, clock = new FakeClock()) {
  const ring: SqliteRing = await openRing(dir, more)
  const broker = brokerOn(ring, new SqliteLedger(ring, silentLog), clock)
  return { ring, broker, clock }
}

/** Kills a daemon: what it wrote is copied from under it into `left`. */
function kill({ broker }: { broker: Broker }, from: TempDir, left: TempDir): void {
  copyStore(from, left)
  broker.close()
}

function register(broker: Broker, sessionId: string, more: Partial<SessionRequest> = {}, token?: string) {
  const bearer = token === undefined ? undefined : broker.sessions.authenticate(token)
  return broker.sessions.open(
    { instrument: 'cc', session_id: sessionId, mailbox: true, ...more },
    bearer,
    token,
  )
}

const DRAIN = {
  max_items: 100,
  max_bytes: 100_000,
  format: 'json',
  peek: false,
  state: 'seen',
  via: 'inbox',
} as const

/** As `POST /v1/inbox/drain` does. */
function drain(broker: Broker, session: Session) {
  const { taken, gap } = broker.drain(session, DRAIN)
  return { ids: taken.map(({ key }) => key), gap }
}

function advisory(sessionId = 'any') {
  const payload = { advisory_text: `for ${sessionId}` }
  return validFrame('agent_advisory', {
    payload,
    ttl_ms: 3_600_000,
    created_at: new Date(NOON_MS).toISOString(),
  })
}

test('sessions outlive a kill with their tokens, of which only digests are written (R-10, R-18)', async () => {
  await using dir = await createTempDir()
  await using left = await createTempDir()
  const first = await live(dir)
  const { token, session } = register(first.broker, 's1', {
    title: 'api refactor',
    tool: 'cc',
    branch: 'main',
  })
  const gone = register(first.broker, 's2')
  first.broker.sessions.close(gone.session)
  kill(first, dir, left)

  const second = await live(left)

  expect(second.broker.sessions.authenticate(token)?.facts).toEqual(session.facts)
  expect(second.broker.sessions.authenticate(token)?.startedAtMs).toBe(session.startedAtMs)
  expect(second.broker.sessions.authenticate(gone.token)).toBeUndefined()
  expect(second.broker.sessions.authenticate(`${token}x`)).toBeUndefined()
  expect(second.broker.sessions.count).toBe(1)
  second.broker.close()
  for (const name of readdirSync(left.path)) expect(readFileSync(left.file(name)).includes(token)).toBe(false)
})

test('a take-over outlives a kill: the new token works, the old one stays revoked, the mail has one owner', async () => {
  await using dir = await createTempDir()
  await using left = await createTempDir()
  const first = await live(dir)
  const old = register(first.broker, 's1')
  const waiting = advisory()
  await submit(first.broker, waiting)
  first.clock.advance(400)
  const { kind, token } = register(first.broker, 's1')
  expect(kind).toBe('taken-over')
  kill(first, dir, left)

  const second = await live(left)
  const heir = second.broker.sessions.authenticate(token)

  expect(second.broker.sessions.authenticate(old.token)).toBeUndefined()
  expect(heir?.mailbox?.unread).toBe(1)
  second.broker.close()
})

test('what a successor took over outlives a kill: the mail, and whose receipts it settles', async () => {
  await using dir = await createTempDir()
  await using left = await createTempDir()
  const first = await live(dir)
  const old = register(first.broker, 's1')
  const frame = advisory()
  await submit(first.broker, frame)
  const { token } = first.broker.sessions.open(
    { instrument: 'cc', session_id: 's2', mailbox: true, successor_of: 'cc@s1' },
    undefined,
    undefined,
    { predecessorToken: old.token },
  )
  kill(first, dir, left)

  const second = await live(left)
  const heir = second.broker.sessions.authenticate(token)!
  expect(second.broker.sessions.authenticate(old.token)?.mailbox).toBeUndefined()

  expect(drain(second.broker, heir).ids).toEqual([frame.frame_id])

  const receipts = second.broker.receipts.require(frame.frame_id).delivery.receipts()
  expect(receipts).toMatchObject([{ address: '~alice/cc@s1', state: 'seen', via: 'inbox' }])
  second.broker.close()
})

test('a mailbox is drained once, whatever restarts lie between arriving, draining and asking again', async () => {
  await using dir = await createTempDir()
  await using one = await createTempDir()
  await using two = await createTempDir()
  const first = await live(dir)
  const { token } = register(first.broker, 's1')
  const frames = [advisory(), advisory(), advisory()]
  for (const frame of frames.slice(0, 2)) await submit(first.broker, frame)
  kill(first, dir, one)

  const second = await live(one)
  await submit(second.broker, frames[2]!)
  const drained = drain(second.broker, second.broker.sessions.authenticate(token)!)
  kill(second, one, two)
  const third = await live(two)
  const again = drain(third.broker, third.broker.sessions.authenticate(token)!)

  expect(drained).toEqual({ ids: frames.map(({ frame_id: id }) => id), gap: null })
  expect(again).toEqual({ ids: [], gap: null })
  third.broker.close()
})

test('what a mailbox lost to retention is told after a restart, once (R-16)', async () => {
  await using dir = await createTempDir()
  await using one = await createTempDir()
  await using two = await createTempDir()
  const small = { retention: { ...ROOMY, maxFrames: 8 } }
  const first = await live(dir, small)
  const { token } = register(first.broker, 's1')
  for (let i = 0; i < 20; i += 1) await submit(first.broker, advisory())
  const missed = first.ring.firstSeq - 1
  kill(first, dir, one)

  const second = await live(one, small)
  const told = drain(second.broker, second.broker.sessions.authenticate(token)!)
  kill(second, one, two)
  const third = await live(two, small)
  const again = drain(third.broker, third.broker.sessions.authenticate(token)!)

  expect(missed).toBeGreaterThan(10)
  expect(told.ids).toHaveLength(20 - missed)
  expect(told.gap).toMatchObject({ reason: 'trimmed', requested: first.ring.eventId(0), missed })
  expect(again).toEqual({ ids: [], gap: null })
  third.broker.close()
})

test('outcomes outlive a kill: seen stays seen, and the first word about it stands', async () => {
  await using dir = await createTempDir()
  await using left = await createTempDir()
  const first = await live(dir)
  const { session, token } = register(first.broker, 's1')
  register(first.broker, 's2')
  const frame = advisory()
  const { event_id: eventId } = await submit(first.broker, frame)
  first.broker.receipts.markSeen(session, { event_ids: [eventId], via: 'hook' })
  const before = first.broker.receipts.describe(first.broker.receipts.require(frame.frame_id))
  kill(first, dir, left)

  const second = await live(left)
  const heir = second.broker.sessions.authenticate(token)!

  expect(second.broker.receipts.describe(second.broker.receipts.require(frame.frame_id))).toEqual(before)
  expect(second.broker.receipts.markSeen(heir, { event_ids: [eventId], via: 'stream' })).toBe(0)
  expect(before.receipts.map(({ state, via }) => [state, via])).toEqual([
    ['seen', 'hook'],
    ['queued', undefined],
  ])
  second.broker.close()
})

test('an id that was used before a kill is answered with the first result, and refused for another frame (R-14)', async () => {
  await using dir = await createTempDir()
  await using left = await createTempDir()
  const first = await live(dir)
  register(first.broker, 's1')
  const frame = advisory()
  const reply = await submit(first.broker, frame)
  kill(first, dir, left)

  const second = await live(left)
  const again = await submit(second.broker, frame)

  expect(again).toEqual({ ...reply, duplicate: true })
  expect(second.ring.lastSeq).toBe(1)
  const other = { ...frame, payload: { advisory_text: 'another one' } }
  await expect(submit(second.broker, other)).rejects.toMatchObject({
    code: 'field-invalid',
    field: 'frame_id',
  })
  second.broker.close()
})

test('the window of used ids is ten minutes long, over a restart too (R-14)', async () => {
  await using dir = await createTempDir()
  const first = await live(dir)
  const frame = advisory()
  await submit(first.broker, frame)
  first.broker.close()

  const later = new FakeClock(NOON_MS + 11 * 60_000)
  const second = await live(dir, {}, later)
  const again = await submit(second.broker, frame)

  expect(again.duplicate).toBeUndefined()
  second.broker.close()
})

test('an answer to a question asked before a kill still finds its asker', async () => {
  await using dir = await createTempDir()
  await using left = await createTempDir()
  const first = await live(dir)
  const query = validFrame('agent_query')
  await submit(first.broker, query)
  kill(first, dir, left)

  const second = await live(left)

  const { query_id: id, response_scope: scope } = query.payload
  expect(second.broker.queries.responseScopeOf(id)).toBe(scope)
  second.broker.close()
})

test('frames that were forgotten wait for nobody, and nobody is told that they are lost (AC-192)', async () => {
  await using dir = await createTempDir()
  await using left = await createTempDir()
  const first = await live(dir)
  const { session, token } = register(first.broker, 's1')
  const [kept, forgotten] = [advisory(), advisory()]
  await submit(first.broker, forgotten)
  await submit(first.broker, kept)

  expect(await first.broker.forget({ key: forgotten.frame_id })).toBe(1)

  expect(session.mailbox?.unread).toBe(1)
  kill(first, dir, left)
  const second = await live(left)
  const heir = second.broker.sessions.authenticate(token)!
  expect(drain(second.broker, heir)).toEqual({ ids: [kept.frame_id], gap: null })
  second.broker.close()
})

test('when the store is damaged under the daemon, sessions live on, here and after the next start (R-23)', async () => {
  await using dir = await createTempDir()
  const first = await live(dir)
  const { token } = register(first.broker, 's1')
  await submit(first.broker, advisory())
  first.broker.close()
  await alterDatabase(dir.file('ring.db'), "UPDATE frames SET text = 'no'")

  const second = await live(dir)
  const session = second.broker.sessions.authenticate(token)!
  expect(second.ring.read(0, 10)).toEqual([])

  expect(second.ring.epoch).not.toBe(first.ring.epoch)
  // What waited is gone, and told.
  expect(drain(second.broker, session)).toMatchObject({ ids: [], gap: { missed: 1 } })
  const frame = advisory()
  await submit(second.broker, frame)
  second.broker.close()
  const third = await live(dir)
  const heir = third.broker.sessions.authenticate(token)!
  expect(drain(third.broker, heir).ids).toEqual([frame.frame_id])
  third.broker.close()
})

test('somebody who waits on a frame is told, though it has left memory meanwhile', async () => {
  await using dir = await createTempDir()
  const { broker, ring } = await live(dir)
  const { session } = register(broker, 's1')
  const frame = advisory()
  const { event_id: eventId } = await submit(broker, frame)
  let told = 0
  broker.receipts.wait(broker.receipts.require(frame.frame_id), 'seen', 30_000, () => (told += 1))

  for (let i = 0; i < 9; i += 1) ring.append(Array.from({ length: 1_000 }, () => retained({ text: '"x"' })))
  broker.receipts.markSeen(session, { event_ids: [eventId], via: 'stream' })

  expect(told).toBe(1)
  broker.close()
})

test('too many sessions were never restored: the bound holds after a restart', async () => {
  await using dir = await createTempDir()
  const first = await live(dir)
  for (let i = 0; i < 100; i += 1) register(first.broker, `s${i}`)
  first.broker.close()

  const second = await live(dir)

  expect(second.broker.sessions.count).toBe(100)
  expect(refusalOf(() => register(second.broker, 'one-more'))).toMatchObject({ code: 'busy' })
  second.broker.close()
})

/** As a drain hands it over: the texts, in order. */
function drainTexts(broker: Broker, session: Session): readonly string[] {
  const { taken } = broker.drain(session, { ...DRAIN, max_items: 1_000 })
  return taken.map(({ text }) => text)
}

describe('envelopes', () => {
  test('an id that was used before a kill is known by what is retained, however long ago (AEQ-16, R-14)', async () => {
    await using dir = await createTempDir()
    await using left = await createTempDir()
    const first = await live(dir)
    register(first.broker, 's1', { entities: ['agent.b'] })
    const envelope = validEnvelope({ to: 'agent.b', priority: 'high' })
    const reply = await submitEnvelope(first.broker, envelope)
    kill(first, dir, left)

    const second = await live(left, {}, new FakeClock(NOON_MS + 3 * 86_400_000))
    const again = await submitEnvelope(second.broker, envelope)
    const onceMore = await submitEnvelope(second.broker, envelope)

    expect(reply).toMatchObject({ queued_count: 1, effective_priority: 'high' })
    expect([again, onceMore]).toEqual([
      { ...reply, duplicate: true },
      { ...reply, duplicate: true },
    ])
    await expect(submitEnvelope(second.broker, { ...envelope, payload: {} })).rejects.toMatchObject({
      code: 'duplicate-id',
      field: 'id',
    })
    expect(second.ring.lastSeq).toBe(1)
    second.broker.close()
  })

  test('whoever sent or was sent an envelope is known after a kill, and whoever never was is not (AEQ-20)', async () => {
    await using dir = await createTempDir()
    await using left = await createTempDir()
    const first = await live(dir)
    const { session } = register(first.broker, 's1', { entities: ['agent.registered', 'agent.silent'] })
    await submitEnvelope(first.broker, validEnvelope({ from: 'agent.sent', to: 'agent.registered' }))
    first.broker.sessions.close(session)
    kill(first, dir, left)

    const second = await live(left)
    for (const to of ['agent.sent', 'agent.registered'])
      expect(await submitEnvelope(second.broker, validEnvelope({ from: 'agent.x', to }))).toMatchObject({
        recipient_count: 0,
      })

    for (const to of ['agent.silent', 'agent.never'])
      await expect(submitEnvelope(second.broker, validEnvelope({ to }))).rejects.toMatchObject({
        code: 'recipient-unknown',
      })
    second.broker.close()
  })

  test('a session goes on speaking and hearing for its entities after a kill, and nobody else does (AEQ-21)', async () => {
    await using dir = await createTempDir()
    await using left = await createTempDir()
    const first = await live(dir)
    const { token } = register(first.broker, 's1', { entities: ['agent.a', 'bus.ops'] })
    kill(first, dir, left)

    const second = await live(left)
    const session = second.broker.sessions.authenticate(token)!
    const spoken = validEnvelope({ from: 'agent.a', to: 'bus.other' })

    await expect(submitEnvelope(second.broker, spoken)).rejects.toMatchObject({
      code: 'sender-identity-mismatch',
      field: 'from',
    })
    expect(await submitEnvelope(second.broker, spoken, session)).not.toHaveProperty('duplicate')
    expect(await submitEnvelope(second.broker, validEnvelope({ to: 'bus.ops' }))).toMatchObject({
      queued_count: 1,
    })
    second.broker.close()
  })

  test('envelopes that wait outlive kills byte for byte, in their priorities, and are handed over once (AEE-C02)', async () => {
    await using dir = await createTempDir()
    await using left = await createTempDir()
    await using later = await createTempDir()
    const first = await live(dir)
    const { token } = register(first.broker, 's1', { entities: ['agent.b'] })
    const texts = ['low', 'urgent'].map((priority) => {
      const known = JSON.stringify(validEnvelope({ to: 'agent.b', priority }))
      return `{"x":1.0, "y":[1e400,12345678901234567890], "z":"\\ud800\\u00e9" ,${known.slice(1)}`
    })
    for (const text of texts) await submitEnvelope(first.broker, text)
    await submit(first.broker, advisory())
    kill(first, dir, left)

    const second = await live(left)
    const session = second.broker.sessions.authenticate(token)!
    const peeked = second.broker.drain(session, { ...DRAIN, max_items: 1, peek: true })
    const drained = drainTexts(second.broker, session)
    kill(second, left, later)
    const third = await live(later)

    expect(peeked.taken.map(({ text }) => text)).toEqual([texts[1]])
    expect(drained.slice(0, 2)).toEqual(texts)
    expect(drained).toHaveLength(3)
    expect(drainTexts(third.broker, third.broker.sessions.authenticate(token)!)).toEqual([])
    third.broker.close()
  })

  test('workflows and refutations outlive a kill, and what has ended stays ended (AEQ-26, AEE-063)', async () => {
    await using dir = await createTempDir()
    await using left = await createTempDir()
    const first = await live(dir)
    const task = { id: 'task-0001', corr: 'corr-0001', from: 'agent.a', to: 'bus.ops' }
    const result = { ...task, type: 'result', from: 'agent.b', reply_to: 'task-0001' }
    await submitEnvelope(first.broker, validEnvelope(task))
    await submitEnvelope(first.broker, validEnvelope({ ...result, id: 'result-01' }))
    const refutation = { to: 'service.agentd', intent: 'aee.context.refute', id: 'refute-01' }
    const payload = { id: 'result-01', reason: 'no' }
    await submitEnvelope(first.broker, validEnvelope({ ...task, ...refutation, payload }))
    // The answer of the daemon has its place too.
    await submit(first.broker, advisory())
    const before = first.ring.thread('corr-0001')
    kill(first, dir, left)

    const second = await live(left)
    const late = await submitEnvelope(second.broker, validEnvelope({ ...result, id: 'result-02' }))

    expect(before.map(({ facts }) => facts.id)).toEqual([
      'task-0001',
      'result-01',
      'refute-01',
      expect.any(String),
    ])
    expect(second.ring.thread('corr-0001').slice(0, 4)).toEqual(before)
    expect(late).toMatchObject({ late: true, warnings: [{ field: 'reply_to' }] })
    expect(second.ring.refutationsOf('result-01').map(({ envelope }) => envelope?.id)).toEqual(['refute-01'])
    second.broker.close()
  })

  test('receipts of envelopes outlive a kill', async () => {
    await using dir = await createTempDir()
    await using left = await createTempDir()
    const first = await live(dir)
    const { session } = register(first.broker, 's1', { entities: ['agent.b'] })
    const envelope = validEnvelope({ to: 'agent.b' })
    await submitEnvelope(first.broker, envelope)
    drainTexts(first.broker, session)
    const before = first.broker.receipts.describe(first.broker.receipts.requireEnvelope(envelope.id))
    kill(first, dir, left)

    const second = await live(left)

    expect(before.receipts).toMatchObject([{ state: 'seen', via: 'inbox' }])
    const { receipts } = second.broker
    expect(receipts.describe(receipts.requireEnvelope(envelope.id))).toEqual(before)
    second.broker.close()
  })

  test('an envelope that was forgotten is in no file, and its id is free after the next start (AC-192)', async () => {
    await using dir = await createTempDir()
    const first = await live(dir)
    const envelope = validEnvelope({ payload: { note: 'to-be-forgotten-for-good' } })
    await submitEnvelope(first.broker, envelope)
    expect(await first.broker.forget({ key: `aee:${envelope.id}` })).toBe(1)
    first.broker.close()
    for (const name of readdirSync(dir.path)) {
      const bytes = readFileSync(dir.file(name))
      expect(bytes.includes('to-be-forgotten-for-good')).toBe(false)
      expect(bytes.includes(envelope.corr)).toBe(false)
    }

    const second = await live(dir)
    expect(await submitEnvelope(second.broker, envelope)).not.toHaveProperty('duplicate')
    second.broker.close()
  })

  test('a daemon that closes while a fetch waits for its answer just closes (R-40)', async () => {
    await using dir = await createTempDir()
    const { broker } = await live(dir)
    await submitEnvelope(broker, validEnvelope({ id: 'of-others1', from: 'agent.a', to: 'bus.ops' }))
    const fetch = { from: 'agent.x', to: 'service.agentd', intent: 'aee.context.fetch' }

    const unhandled = await unhandledDuring(() => {
      const sent = submitEnvelope(broker, validEnvelope({ ...fetch, payload: { id: 'of-others1' } }))
      broker.close()
      return sent
    })

    expect(unhandled).toEqual([])
  })
})

test.each([
  ["UPDATE frames SET envelope = replace(envelope, 'agent.secret', 'agent.curious') WHERE corr IS NOT NULL"],
  ["UPDATE frames SET envelope = 'null' WHERE corr IS NOT NULL"],
  ["UPDATE frames SET envelope = '7' WHERE corr IS NOT NULL"],
  ["UPDATE frames SET envelope = '{' WHERE corr IS NOT NULL"],
  ['UPDATE frames SET envelope = NULL WHERE corr IS NOT NULL'],
  ["UPDATE frames SET envelope = x'00ff' WHERE corr IS NOT NULL"],
  ["UPDATE frames SET corr = 'corr-one' WHERE corr IS NULL"],
])('facts of envelopes that are not what was written are never believed: %s (R-23)', async (change) => {
  await using dir = await createTempDir()
  const first = await openRing(dir)
  first.append([retained(), retainedEnvelope({ from: 'agent.secret', to: 'agent.b' })])
  first.close()
  await alterDatabase(dir.file('ring.db'), change)

  for (const ask of [
    (ring: SqliteRing): unknown =>
      ring.thread('corr-one').filter(({ facts }) => facts.from !== 'agent.secret'),
    (ring: SqliteRing): unknown =>
      ring.entities().filter((name) => !['agent.secret', 'agent.b'].includes(name)),
  ]) {
    await using copy = await createTempDir()
    copyStore(dir, copy)
    const ring = await openRing(copy)
    // Either it is found out and the ring begins anew, or what is said is true.
    expect(ask(ring)).toEqual([])
    ring.append([retained()])
    ring.close()
  }
})

test('a record that an earlier version let grow past all bounds is one session less, its mail is kept (HD-02)', async () => {
  await using dir = await createTempDir()
  const first = await live(dir)
  const { session } = register(first.broker, 's1')
  const frame = advisory()
  await submit(first.broker, frame)
  register(first.broker, 's2')
  const { record } = session
  const heirOf = Array.from({ length: 100_000 }, (_, i) => `~alice/cc@former-${i}`)
  const json = JSON.stringify({ ...record, predecessors: undefined, heirOf })
  first.ring.file.statements.saveSession.run(session.address, json, digestOf(session.address, json))
  first.broker.close()

  const second = await live(dir)

  expect([
    second.broker.sessions.find('~alice/cc@s1'),
    second.broker.sessions.find('~alice/cc@s2')?.sessionId,
  ]).toEqual([undefined, 's2'])
  const written = second.ring.file.statements.sessions.all().map(({ record: text }) => text.length)
  expect(Math.max(...written)).toBeLessThan(MAX_RECORD_OCTETS)
  expect(drain(second.broker, register(second.broker, 's1').session).ids).toEqual([frame.frame_id])
  second.broker.close()
})
