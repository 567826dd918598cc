/**
 * What the memo says in passing, before a daemon that runs: what an announcement is worth, how long it lasts, and what the
 * protocol does without (memo §§1, 4.4, 4.7, 13, 14).
 */
import { randomUUID } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startTestDaemon } from '../support/daemon.ts'
import { validFrame, validPayload } from '../support/frames.ts'
import { openStream, post } from '../support/http.ts'
import { startInProcess } from './in-process.ts'
import { SharedDaemon, type Registered } from './shared-daemon.ts'

const shared = new SharedDaemon()

/** The kinds that wait in a mailbox, oldest first. */
async function drained(token: string): Promise<string[]> {
  const { body } = await shared.post('/v1/inbox/drain', {}, token)
  return body.items.map(({ frame }: { frame: { kind: string } }) => frame.kind)
}

/** A session that pools changes with others of its instrument. */
function pooling(): Promise<Registered> {
  return shared.register({ instrument: 'pool', mailbox: true })
}

/** Tells all who pool, of one class of effects. */
function tell({ token }: Registered, verb: string, args: object): ReturnType<typeof shared.post> {
  const common = { recipient_scope: '~alice/pool*', convergence_class: 'repo.pull-request' }
  return shared.post(`/v1/verbs/${verb}`, { ...args, ...common }, token)
}

test('sessions batch an effect without a coordinator: each declares, one executes, and all see it (AC-040)', async () => {
  const [first, second, third] = [await pooling(), await pooling(), await pooling()]
  for (const [at, session] of [first, second, third].entries()) {
    const intent = { payload_ref: `change/${at}`, ttl: 60_000, withdrawable: true }
    expect((await tell(session, 'intent_declare', intent)).body).toMatchObject({ queued_count: 2 })
  }
  const flush = { result_ref: 'pull/7', batch_refs: ['change/0', 'change/1', 'change/2'] }
  const told = await tell(second, 'flush_execute', flush)
  // Nobody was appointed, so another one's flush is an announcement as good as the first.
  const again = await tell(third, 'flush_execute', { ...flush, result_ref: 'pull/8' })

  expect([told.status, again.status]).toEqual([200, 200])
  const declared = ['intent_declare', 'intent_declare']
  expect(await drained(first.token)).toEqual([...declared, 'flush_executed', 'flush_executed'])
  expect(await drained(second.token)).toEqual([...declared, 'flush_executed'])
  expect(await drained(third.token)).toEqual([...declared, 'flush_executed'])
})

test('a lock that was recorded and is sent again locks nothing, and unlocks nothing (AC-034, AC-039)', async () => {
  const [holder, other] = [await shared.register({ mailbox: true }), await shared.register({ mailbox: true })]
  const lease_id = randomUUID()
  const send = (frame: object) => shared.post('/v1/frames', { recipient_scope: holder.address, frame })
  const request = validFrame('agent_lock_request', {
    payload: { ...validPayload('agent_lock_request'), resource: 'src/lease.ts', lease_id },
  })
  const release = validFrame('agent_lock_release', { payload: { lease_id } })
  const first = [await send(request), await send(release)]
  await drained(holder.token)

  const replayed = [await send(request), await send(release)]

  expect(first.map(({ body }) => body.queued_count)).toEqual([1, 1])
  expect(replayed.map(({ status, body }) => [status, body.duplicate])).toEqual([
    [200, true],
    [200, true],
  ])
  expect(await drained(holder.token)).toEqual([])
  // Whoever ignores the announcement is as free as before: it asks for the same, and is answered alike.
  const mine = await shared.post('/v1/verbs/agent_lock_acquire', { resource: 'src/lease.ts' }, other.token)
  expect(mine).toMatchObject({ status: 200, body: { lease_id: expect.any(String) } })
})

test.each([
  ['of a minute', {}, 60_000],
  ['that its frame outlives', { ttl_ms: 120_000 }, 60_000],
  ['whose frame ends before it', { ttl_ms: 30_000 }, 30_000],
] as const)(
  'a declared intent %s is forgotten when its window has closed (AC-103, AC-018)',
  async (_, more, lastMs) => {
    await using server = await startInProcess()
    const facts = { instrument: 'cc', session_id: 's1', mailbox: true }
    const { body } = await post(server.socket, '/v1/sessions', facts)
    const created_at = new Date(server.clock.nowMs()).toISOString()
    const payload = { ...validPayload('intent_declare'), declared_at: created_at, ttl: 60_000 }
    const frame = validFrame('intent_declare', { ...more, created_at, payload })
    const peek = async (): Promise<number> =>
      (await post(server.socket, '/v1/inbox/drain', { peek: true }, body.token)).body.items.length
    expect((await post(server.socket, '/v1/frames', { frame })).status).toBe(200)

    await server.advance(lastMs - 1)
    expect(await peek()).toBe(1)
    await server.advance(1)
    expect(await peek()).toBe(0)
  },
)

test('what is not retained leaves nothing behind: no file has a word of it, nor of who sent it to whom (AC-147, AC-192)', async () => {
  await using daemon = await startTestDaemon({ config: { ring: { enabled: false } } })
  const { socket, dir } = daemon
  using stream = await openStream(socket, '/v1/handles/~alice/stream')
  const facts = { instrument: 'cc', session_id: 's1', mailbox: true }
  const { body } = await post(socket, '/v1/sessions', facts)
  const frame = validFrame('agent_advisory', { payload: { advisory_text: `passing ${randomUUID()}` } })
  await post(socket, '/v1/frames', { frame })
  expect(await stream.frames(1)).toEqual([frame])
  expect((await post(socket, '/v1/inbox/drain', {}, body.token)).body.items).toHaveLength(1)
  await daemon.stop()

  const files = readdirSync(dir.path, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  const texts = files.map(
    ({ parentPath, name }) => [name, readFileSync(join(parentPath, name), 'utf8')] as const,
  )

  expect(texts.map(([name]) => name)).toContain('agentd.json')
  for (const word of [frame.payload.advisory_text, frame.frame_id, 'advisory'])
    expect(
      texts.flatMap(([name, text]) => (text.includes(word) ? [name] : [])),
      word,
    ).toEqual([])
})

test('an answer is JSON or an event stream, of no media type of its own (AC-173)', async () => {
  using stream = await shared.listen()
  const answers = [
    await shared.post('/v1/frames', { frame: validFrame() }),
    await shared.post('/v1/frames', { frame: {} }),
    await shared.get('/v1/handles/~alice/roster'),
    await shared.get('/v1/handles/~alice/stream?filter=nobody:x'),
  ]

  expect(answers.map(({ headers }) => headers['content-type'])).toEqual(answers.map(() => 'application/json'))
  expect(stream.head).toMatch(/^content-type: text\/event-stream/im)
})
