/** The roster in pages of short lines, and one session whole (docs/http.md §4, HD-06). */
import { expect, test } from 'vitest'
import {
  DEFAULT_ROSTER_SESSIONS,
  MAX_ENTITIES,
  MAX_ENTITY_OCTETS,
  MAX_ROSTER_ENTITIES_OCTETS,
  MAX_ROSTER_FACT_OCTETS,
  MAX_ROSTER_SESSIONS,
} from '../../src/core/limits.ts'
import { firstOctets } from '../../src/core/text/octets.ts'
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { post, request } from '../support/http.ts'
import { SharedDaemon, type Registered } from './shared-daemon.ts'
import { knowsProcesses } from '../support/without-koffi.ts'

const ROSTER = '/v1/handles/~alice/roster'

/** One line at its longest: every fact, escaped, and all that stands around it. */
const MAX_LINE_OCTETS = 4_096

const shared = new SharedDaemon()

async function crowd({ socket }: TestDaemon, count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    // oxlint-disable-next-line eslint/no-await-in-loop
    await post(socket, '/v1/sessions', { instrument: 'crowd', session_id: `s${i}` })
  }
}

const path = (name: string): string => `/${name}/`.padEnd(4_096, 'x')

/** A session that says as much as it may. */
function registerWordy(): Promise<Registered> {
  return shared.register({
    title: 'ä'.repeat(128),
    branch: 'b'.repeat(256),
    cwd: path('cwd'),
    repository: path('repository'),
    worktree: path('worktree'),
    entities: Array.from({ length: MAX_ENTITIES }, (_, i) => `agent.${i}.`.padEnd(MAX_ENTITY_OCTETS, 'e')),
  })
}

test('a line of the roster is short, says what it cuts, and the rest is at the session itself (HD-06)', async () => {
  const wordy = await registerWordy()

  const { body } = await shared.get(ROSTER)
  const line = body.sessions.find(({ address }: Registered) => address === wordy.address)
  const whole = await shared.get(`/v1/handles/~alice/sessions/${wordy.address.split('/')[1]}`)

  expect(Buffer.byteLength(JSON.stringify(line))).toBeLessThanOrEqual(MAX_LINE_OCTETS)
  expect(line.worktree).toBe('/worktree/'.padEnd(MAX_ROSTER_FACT_OCTETS, 'x'))
  expect(line.title).toBe('ä'.repeat(128))
  expect(line.cut).toEqual(['cwd', 'repository', 'worktree', 'entities'])
  expect(line.entities).toHaveLength(MAX_ROSTER_ENTITIES_OCTETS / MAX_ENTITY_OCTETS)
  expect(whole.body).toMatchObject({ address: wordy.address, worktree: '/worktree/'.padEnd(4_096, 'x') })
  expect(whole.body.entities).toHaveLength(MAX_ENTITIES)
  expect(whole.body).not.toHaveProperty('cut')
})

test('what is cut is cut between characters (HD-06)', () => {
  expect(firstOctets('aä', 3)).toBe('aä')
  expect(firstOctets('aä', 2)).toBe('a')
  expect(firstOctets('a\u{1F600}b', 4)).toBe('a')
  expect(firstOctets('a\u{1F600}b', 5)).toBe('a\u{1F600}')
})

test('a session is found by its address, and not once it is over (HD-06)', async () => {
  const session = await shared.register()
  const path = `/v1/handles/~alice/sessions/cc-opus-4-6%40${session.session_id}`
  const there = await shared.get(path)
  await request(shared.socket, '/v1/sessions/self', { method: 'DELETE', token: session.token })

  expect(there).toMatchObject({ status: 200, body: { address: session.address } })
  expect(await shared.get(path)).toMatchObject({
    status: 404,
    body: { code: 'not-found', field: 'session' },
  })
  expect(await shared.get('/v1/handles/~bob/sessions/cc@s1')).toMatchObject({
    status: 403,
    body: { code: 'scope-unauthorised' },
  })
})

test('one more than a page holds is on the next one, and every session is on one (HD-06)', async () => {
  await using daemon = await startTestDaemon()
  await crowd(daemon, MAX_ROSTER_SESSIONS + 1)

  const byDefault = await request(daemon.socket, ROSTER)
  const first = await request(daemon.socket, `${ROSTER}?limit=${MAX_ROSTER_SESSIONS}`)
  const second = await request(daemon.socket, `${ROSTER}?limit=1&after=${first.body.next}`)
  const composed = await post(daemon.socket, '/v1/verbs/agent_roster', { limit: 2 })

  expect(byDefault.body.sessions).toHaveLength(DEFAULT_ROSTER_SESSIONS)
  expect(byDefault.body).toMatchObject({
    next: expect.any(String),
    matching: MAX_ROSTER_SESSIONS + 1,
    total: MAX_ROSTER_SESSIONS + 1,
  })
  expect(first.body.sessions).toHaveLength(MAX_ROSTER_SESSIONS)
  expect(second.body).toMatchObject({ sessions: [{ session_id: `s${MAX_ROSTER_SESSIONS}` }], next: null })
  expect(new Set(first.body.sessions.map(({ address }: Registered) => address)).size).toBe(
    MAX_ROSTER_SESSIONS,
  )
  expect(composed.body.sessions).toHaveLength(2)
})

test('paging goes on behind a session that has gone meanwhile (HD-06)', async () => {
  await using daemon = await startTestDaemon()
  await crowd(daemon, 1)
  const { body: leaving } = await post(daemon.socket, '/v1/sessions', { instrument: 'x', session_id: 'x' })
  await post(daemon.socket, '/v1/sessions', { instrument: 'last', session_id: 'x' })
  const first = await request(daemon.socket, `${ROSTER}?limit=2`)
  await request(daemon.socket, '/v1/sessions/self', { method: 'DELETE', token: leaving.token })

  const second = await request(daemon.socket, `${ROSTER}?limit=2&after=${first.body.next}`)

  expect(second.body).toMatchObject({ sessions: [{ instrument: 'last' }], next: null, total: 2 })
})

test('near=self names who shares the worktree or the repository, by the whole of their paths (HD-06)', async () => {
  const long = `/${'x'.repeat(300)}`
  const repository = `${long}/.git`
  const own = await shared.register({ worktree: `${long}/a`, repository })
  const here = await shared.register({ worktree: `${long}/a`, repository })
  const beside = await shared.register({ worktree: `${long}/b`, repository })
  await shared.register({ worktree: `${long}/c`, repository: `${long}/c/.git` })
  await shared.register()

  const { body } = await shared.get(`${ROSTER}?near=self`, own.token)

  expect(body).toMatchObject({
    sessions: [
      { address: here.address, near: 'worktree' },
      { address: beside.address, near: 'repository' },
    ],
    matching: 2,
  })
  expect(body.total).toBeGreaterThanOrEqual(5)
})

test.each([
  [`limit=${MAX_ROSTER_SESSIONS + 1}`, 400, 'field-invalid'],
  ['limit=0', 400, 'field-invalid'],
  ['after=-1', 400, 'field-invalid'],
  ['after=9999999999999999', 400, 'field-invalid'],
  ['near=other', 400, 'field-invalid'],
  ['near=self', 401, 'unauthenticated'],
])('a roster asked for with %s is refused (HD-06)', async (query, status, code) => {
  expect(await shared.get(`${ROSTER}?${query}`)).toMatchObject({ status, body: { code } })
})

test.runIf(knowsProcesses())(
  'a session is told what people call it, the roster tells everybody, and its own page says it too',
  async () => {
    await using daemon = await startTestDaemon()
    const registration = { instrument: 'cc', session_id: 's1', title: 'API refactor', mailbox: true }
    const { body: first } = await post(daemon.socket, '/v1/sessions', registration)
    const { body: heir } = await post(daemon.socket, '/v1/sessions', {
      instrument: 'cc',
      session_id: 's2',
      successor_of: 'cc@s1',
    })

    const { body: roster } = await request(daemon.socket, ROSTER)
    const { body: self } = await request(daemon.socket, '/v1/sessions/self', { token: heir.token })
    const { body: page } = await request(daemon.socket, '/v1/handles/~alice/sessions/cc@s1')

    expect([first.name, heir.name, self.name, page.name]).toEqual([
      'api-refactor',
      'api-refactor',
      'api-refactor',
      'api-refactor-2',
    ])
    expect(roster.sessions.map(({ name }: Registered) => name)).toEqual(['api-refactor-2', 'api-refactor'])
  },
)

test('a scope that names nobody is answered with who is near, in every form of a submission', async () => {
  await using daemon = await startTestDaemon()
  await post(daemon.socket, '/v1/sessions', { instrument: 'cc', session_id: 's1', title: 'API refactor' })
  const recipient_scope = '~alice/cc@s2'

  const { body } = await post(daemon.socket, '/v1/verbs/agent_advise', { text: 'hello', recipient_scope })
  const { body: reached } = await post(daemon.socket, '/v1/verbs/agent_advise', { text: 'hello' })

  expect(body).toMatchObject({
    recipient_count: 0,
    queued_count: 0,
    near: [{ name: 'api-refactor', address: '~alice/cc@s1' }],
  })
  expect(reached).not.toHaveProperty('near')
})
