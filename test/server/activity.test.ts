/** What a session does, over the socket: said with a token, read from the roster (docs/http.md §4, W-4, SEAT-10). */
import { expect, test } from 'vitest'
import { startTestDaemon } from '../support/daemon.ts'
import { textOfOctets } from '../support/frames.ts'
import { post, request, type Reply } from '../support/http.ts'
import { ISO_TIME, SharedDaemon, type Registered } from './shared-daemon.ts'
import { keepsFrames } from '../support/without-sqlite.ts'

const PATH = '/v1/sessions/self/activity'
const ROSTER = '/v1/handles/~alice/roster'
const ASKING = { state: 'waiting', reason: 'permission', text: 'Claude needs your permission to use Bash' }

const shared = new SharedDaemon()

function expectRefusal(answer: Reply, [status, code, field]: readonly [number, string, string?]): void {
  expect(answer).toMatchObject({ status, body: { code, ...(field !== undefined && { field }) } })
}

/** Its entry where it asks itself, in the listing, and at its own address. */
async function entriesOf({ address, token }: Registered): Promise<readonly Record<string, unknown>[]> {
  const [self, roster, whole] = await Promise.all([
    shared.get('/v1/sessions/self', token),
    shared.get(`${ROSTER}?limit=256`),
    shared.get(`/v1/handles/~alice/sessions/${address.split('/')[1]}`),
  ])
  const line = roster.body.sessions.find((one: Registered) => one.address === address)
  return [self.body, line, whole.body]
}

test('what a session says stands on its own page, in the roster and at its address (W-4, SEAT-10)', async () => {
  const session = await shared.register()
  const before = await entriesOf(session)

  const answer = await shared.post(PATH, ASKING, session.token)

  expect(answer).toMatchObject({ status: 204, text: '' })
  for (const entry of before) expect(entry).toMatchObject({ activity: null, last_sent_at: null })
  for (const entry of await entriesOf(session)) {
    expect(entry['activity']).toEqual({ ...ASKING, since: expect.stringMatching(ISO_TIME) })
  }
})

test('reason and text may be left out or null, and said again nothing changes (W-4)', async () => {
  const session = await shared.register()
  await shared.post(PATH, { state: 'idle' }, session.token)
  const [first] = await entriesOf(session)

  await shared.post(PATH, { state: 'idle', reason: null, text: null }, session.token)

  const [again] = await entriesOf(session)
  expect(again?.['activity']).toEqual({ state: 'idle', reason: null, text: null, since: expect.any(String) })
  expect(again?.['activity']).toEqual(first?.['activity'])
})

test('it is no frame: nobody is sent it, nothing is retained, and it is not what the session sent last (W-4)', async () => {
  const session = await shared.register()
  const stream = await shared.listen()
  const { body: before } = await shared.get('/v1/health')

  await shared.post(PATH, ASKING, session.token)

  const { body: after } = await shared.get('/v1/health')
  expect(after.ring.newest_event_id).toBe(before.ring.newest_event_id)
  await shared.expectSilence(stream)
  expect((await entriesOf(session))[0]?.['last_sent_at']).toBeNull()
})

test('a frame is what a session sent last (W-4)', async () => {
  const session = await shared.register()

  await shared.post('/v1/verbs/agent_advise', { text: 'rewriting it' }, session.token)

  for (const entry of await entriesOf(session)) expect(entry['last_sent_at']).toMatch(ISO_TIME)
})

test('health counts who waits, until it is over (SEAT-10)', async () => {
  await using daemon = await startTestDaemon()
  const waiting = async (): Promise<number> => (await request(daemon.socket, '/v1/health')).body.waiting
  const { body: session } = await post(daemon.socket, '/v1/sessions', { instrument: 'cc' })
  const counts = [await waiting()]

  for (const state of ['waiting', 'idle', 'waiting']) {
    // oxlint-disable-next-line eslint/no-await-in-loop
    await post(daemon.socket, PATH, { state }, session.token)
    // oxlint-disable-next-line eslint/no-await-in-loop
    counts.push(await waiting())
  }
  await request(daemon.socket, '/v1/sessions/self', { method: 'DELETE', token: session.token })

  expect([...counts, await waiting()]).toEqual([0, 1, 0, 1, 0])
})

test('a text of 256 octets is taken whole, in whatever characters (W-4)', async () => {
  const session = await shared.register()
  for (const text of [textOfOctets(256), '\u0000\u001b[31m\u202e']) {
    // oxlint-disable-next-line eslint/no-await-in-loop
    const { status } = await shared.post(PATH, { state: 'working', text }, session.token)
    expect(status).toBe(204)
    // oxlint-disable-next-line eslint/no-await-in-loop
    for (const entry of await entriesOf(session)) expect(entry).toMatchObject({ activity: { text } })
  }
})

const REFUSED: readonly [string, unknown, readonly [number, string, string?]][] = [
  ['nothing', {}, [400, 'field-missing', 'state']],
  ['a list', [], [400, 'field-invalid', 'body']],
  ['an unknown state', { state: 'busy' }, [400, 'field-invalid', 'state']],
  ['a state that is no text', { state: 1 }, [400, 'field-invalid', 'state']],
  ['a state of null', { state: null }, [400, 'field-invalid', 'state']],
  ['an unknown reason', { state: 'waiting', reason: 'lunch' }, [400, 'field-invalid', 'reason']],
  ['a reason to work', { state: 'working', reason: 'error' }, [400, 'field-invalid', 'reason']],
  ['a reason to rest', { state: 'idle', reason: 'limit' }, [400, 'field-invalid', 'reason']],
  ['a text of 257 octets', { state: 'waiting', text: textOfOctets(257) }, [400, 'field-invalid', 'text']],
  ['a text that is no text', { state: 'waiting', text: ['x'] }, [400, 'field-invalid', 'text']],
  ['an unknown member', { state: 'idle', mood: 'good' }, [400, 'field-unknown', 'mood']],
]

test.each(REFUSED)('%s is refused, and what was said before stands (W-4)', async (_says, json, expected) => {
  const session = await shared.register()
  await shared.post(PATH, ASKING, session.token)

  expectRefusal(await request(shared.socket, PATH, { json, token: session.token }), expected)

  expect((await entriesOf(session))[0]).toMatchObject({ activity: ASKING })
})

test('it takes the token of a session that is there (W-4)', async () => {
  const session = await shared.register()
  await request(shared.socket, '/v1/sessions/self', { method: 'DELETE', token: session.token })

  expectRefusal(await shared.post(PATH, ASKING), [401, 'unauthenticated'])
  expectRefusal(await shared.post(PATH, ASKING, 'x'.repeat(43)), [401, 'unauthenticated'])
  expectRefusal(await shared.post(PATH, ASKING, session.token), [401, 'unauthenticated'])
})

test.runIf(keepsFrames())(
  'after a restart nothing is said, whatever the session did before; the session itself is there (W-4)',
  async () => {
    const first = await startTestDaemon()
    const { body: session } = await post(first.socket, '/v1/sessions', { instrument: 'cc' })
    await post(first.socket, PATH, ASKING, session.token)
    await post(first.socket, '/v1/verbs/agent_advise', { text: 'hello' }, session.token)
    await first.stop()
    await using second = await startTestDaemon({ dir: first.dir })

    const { body } = await request(second.socket, '/v1/sessions/self', { token: session.token })

    expect(body).toMatchObject({ address: session.address, activity: null, last_sent_at: null })
    await first.dir[Symbol.asyncDispose]()
  },
)
