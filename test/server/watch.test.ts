import { expect, test } from 'vitest'
import { WatchSnapshot } from '../../src/protocol/http/watch-events.ts'
import { validFrame } from '../support/frames.ts'
import { openStream, request } from '../support/http.ts'
import { startInProcess } from './in-process.ts'
import { SharedDaemon } from './shared-daemon.ts'

const shared = new SharedDaemon()

test('a watch says how everything is, and then what passes between two others, and is on no roster (W-1, SEAT-06)', async () => {
  const session = await shared.post('/v1/sessions', { instrument: 'codex', session_id: 's2', mailbox: true })
  const scope = '~alice/codex@s2'
  using watch = await openStream(shared.socket, '/v1/watch')
  const snapshot = WatchSnapshot.parse(JSON.parse((await watch.next('agentd_snapshot')).data))

  const sent = await shared.post('/v1/frames', { recipient_scope: scope, frame: validFrame() })
  const passed = await watch.next('agentd_passed')
  const roster = await shared.get('/v1/handles/~alice/roster')

  expect(session.status).toBe(201)
  expect(snapshot).toMatchObject({
    principal: '~alice',
    health: { principal: '~alice' },
    sessions: [expect.objectContaining({ address: scope })],
  })
  expect(passed.id).toBe(sent.body.event_id)
  expect(JSON.parse(passed.data)).toMatchObject({ sender: null, scope, recipient_count: 0, queued_count: 1 })
  expect(roster.body.total).toBe(1)
})

/** The place of the first that a watch is told of. */
async function first(query: string, headers = {}): Promise<string | undefined> {
  using watch = await openStream(shared.socket, `/v1/watch${query}`, { headers })
  return (await watch.next('agentd_passed')).id
}

test('Last-Event-ID, after and replay say where a watch begins; the header wins (W-1, AC-142)', async () => {
  const ids: string[] = []
  for (let i = 0; i < 3; i += 1) {
    ids.push((await shared.post('/v1/frames', { frame: validFrame() })).body.event_id)
  }

  expect(await first(`?after=${ids[0]}`)).toBe(ids[1])
  expect(await first('?replay=1')).toBe(ids[2])
  expect(await first(`?after=${ids[0]}`, { 'last-event-id': ids[1] })).toBe(ids[2])
})

test('a parameter that no watch takes is refused, and so is a watch over the limit, before a byte of it (SEAT-06, R-30)', async () => {
  await using daemon = await startInProcess({ limits: { watchers: 1 } })
  using first = await openStream(daemon.socket, '/v1/watch')
  await first.next('agentd_snapshot')

  const [filtered, crowded] = await Promise.all([
    request(daemon.socket, '/v1/watch?filter=kind:agent_query'),
    request(daemon.socket, '/v1/watch'),
  ])

  expect(filtered).toMatchObject({ status: 400, body: { code: 'field-unknown', field: 'filter' } })
  expect(crowded).toMatchObject({ status: 503, body: { code: 'busy', retry_after_ms: 1_000 } })
})

test('a snapshot names as many sessions as a page of the roster, and says that there are more (W-1, HD-06)', async () => {
  await using daemon = await startInProcess({ limits: { sessions: 300 } })
  for (let i = 0; i < 257; i += 1) {
    daemon.broker.sessions.open({ instrument: 'cc', session_id: `s${i}` }, undefined, undefined)
  }

  using watch = await openStream(daemon.socket, '/v1/watch')
  const snapshot = WatchSnapshot.parse(JSON.parse((await watch.next('agentd_snapshot')).data))

  expect(snapshot.sessions).toHaveLength(256)
  expect(snapshot.cut).toEqual(['sessions'])
})
