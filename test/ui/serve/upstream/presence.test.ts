/** The person is there exactly while a page is, and a moment longer (SEAT-01, SEAT-02). */
import { expect, test } from 'vitest'
import { AgentdClient } from '../../../../src/client/client.ts'
import { Connection } from '../../../../src/client/http/connection.ts'
import { silentLog } from '../../../support/silent-log.ts'
import { LINGER_MS, Presence } from '../../../../src/ui/serve/upstream/presence.ts'
import { startTestDaemon, type TestDaemon } from '../../../support/daemon.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { request } from '../../../support/http.ts'

function createPresence(daemon: TestDaemon, clock = new FakeClock()) {
  const connection = new Connection(daemon.socket, { clock, random: Math.random })
  const client = new AgentdClient(connection, daemon.principal)
  const presence = new Presence({ client, connection, log: silentLog, pid: process.pid })
  return { clock, presence, [Symbol.asyncDispose]: () => presence.close() }
}

/** Asks until the answer is as wanted; the runner's own bound ends it. */
async function untilRoster(
  daemon: TestDaemon,
  wanted: (sessions: readonly { readonly subscriptions: number; readonly address: string }[]) => boolean,
) {
  for (;;) {
    const { sessions } = (await request(daemon.socket, '/v1/handles/~alice/roster')).body
    if (wanted(sessions)) return sessions
  }
}

test('the session comes with the first who needs it, and holds one stream (SEAT-01, SEAT-02)', async () => {
  await using daemon = await startTestDaemon()
  await using person = createPresence(daemon)
  const leave = person.presence.enter()

  const tokens = await Promise.all([person.presence.token(), person.presence.token()])
  const [own] = await untilRoster(daemon, ([first]) => first?.subscriptions === 1)
  const asked = await request(daemon.socket, '/v1/verbs/agent_query', {
    json: { text: 'may I?', recipient_scope: '~alice/human*' },
  })

  expect(tokens[0]).toBe(tokens[1])
  expect(own?.address).toMatch(/^~alice\/human@[0-9A-Z]{26}$/)
  expect(asked.body).toMatchObject({ recipient_count: 1, queued_count: 0 })
  leave()
})

test('it goes five seconds after the last page, and a reload within them is nobody’s going (SEAT-02)', async () => {
  await using daemon = await startTestDaemon()
  await using person = createPresence(daemon)
  const [one, other] = [person.presence.enter(), person.presence.enter()]
  const token = await person.presence.token()
  await untilRoster(daemon, ([first]) => first?.subscriptions === 1)

  one()
  one()
  person.clock.advance(LINGER_MS)
  other()
  person.clock.advance(LINGER_MS - 1)
  const again = person.presence.enter()
  person.clock.advance(LINGER_MS)
  expect(await person.presence.token()).toBe(token)
  again()
  person.clock.advance(LINGER_MS)

  expect(await untilRoster(daemon, (sessions) => sessions.length === 0)).toEqual([])
  const asked = await request(daemon.socket, '/v1/verbs/agent_query', {
    json: { text: 'may I?', recipient_scope: '~alice/human*' },
  })
  expect(asked.body).toMatchObject({ recipient_count: 0, queued_count: 0 })
})

test('who comes back has the same address, whoever sits down without a page goes too (SEAT-01)', async () => {
  await using daemon = await startTestDaemon()
  await using person = createPresence(daemon)

  await person.presence.token()
  const [first] = await untilRoster(daemon, (sessions) => sessions.length === 1)
  person.clock.advance(LINGER_MS)
  await untilRoster(daemon, (sessions) => sessions.length === 0)
  await person.presence.token()
  const [second] = await untilRoster(daemon, (sessions) => sessions.length === 1)

  expect(second?.address).toBe(first?.address)
})

test('a token that the daemon has forgotten is replaced, and one that somebody else lost is not (SEAT-02)', async () => {
  await using daemon = await startTestDaemon()
  await using person = createPresence(daemon)
  const leave = person.presence.enter()
  const token = await person.presence.token()

  await person.presence.lost('another')
  expect(await person.presence.token()).toBe(token)
  await request(daemon.socket, '/v1/sessions/self', { method: 'DELETE', token })
  await person.presence.lost(token)

  expect(await person.presence.token()).not.toBe(token)
  await untilRoster(daemon, ([first]) => first?.subscriptions === 1)
  leave()
})
