/** What the daemon says of the nodes it is linked with, and that it says nothing of them without a link. */
import { expect, test } from 'vitest'
import { MAX_REMOTE_ENTRIES, nodeEntries } from '../../src/broker/node-entry.ts'
import { MAX_ROSTER_FACT_OCTETS } from '../../src/core/limits.ts'
import { FilledRemote, remoteNode, remoteSession } from '../support/other-nodes.ts'
import { validFrame } from '../support/frames.ts'
import { request } from '../support/http.ts'
import { startInProcess, type InProcess } from './in-process.ts'

const REVIEWER = remoteSession('~alice/cc-opus@s1', {
  tool: 'cc',
  title: 'reviews',
  repositoryId: 'git:example.org/alice/api',
  branch: 'main',
  entities: ['agent.reviewer'],
})

/** Members of the replies as they were, in their order, before there were links. */
const RECORDED = {
  session: 'name address handle principal instrument session_id tool token event_id expires_at',
  sent: 'frame_id event_id recipient_count queued_count ack',
  roster: 'handle sessions next matching total',
  line:
    'name address instrument session_id tool title cwd repository worktree branch entities delivery activity pid ' +
    'started_at last_seen_at last_sent_at subscriptions mailbox',
  receipts: 'frame_id event_id accepted_at recipient_count queued_count receipts',
  receipt: 'address state at',
  item: 'event_id sender scope accepted_at frame',
  health:
    'status version instance_id pid epoch principal started_at uptime_ms sessions waiting subscriptions ' +
    'peer_credentials peer_processes ring memory details',
}

function keys(value: object): string {
  return Object.keys(value).join(' ')
}

async function ask({ socket }: InProcess, method: string, path: string, json?: object): Promise<string> {
  return (await request(socket, path, { method, ...(json !== undefined && { json }) })).text
}

test('the roster tells of other nodes where nodes=all asks for them, and of this one alone without (FED-51, FED-54)', async () => {
  const remote = new FilledRemote(
    remoteNode('devbox', [REVIEWER, '~bob/cc@s2'], { offsetMs: 12 }),
    remoteNode('ci', [], { state: 'away' }),
  )
  await using server = await startInProcess({ remote })
  const { session } = server.broker.sessions.open(
    { instrument: 'cc-opus', session_id: 's1' },
    undefined,
    undefined,
  )
  expect(session.address).toBe(REVIEWER.address)

  const alone = JSON.parse(await ask(server, 'GET', '/v1/handles/~alice/roster'))
  const all = JSON.parse(await ask(server, 'GET', '/v1/handles/~alice/roster?nodes=all'))

  expect(alone).not.toHaveProperty('nodes')
  expect(alone.sessions).toMatchObject([{ address: REVIEWER.address, also_on: ['devbox'] }])
  expect(all.nodes).toEqual([
    {
      node: 'devbox',
      realm: 'p.alice',
      handle: '~alice',
      state: 'here',
      as_of: '2026-01-01T00:00:00.000Z',
      offset_ms: 12,
      total: 1,
      sessions: [
        {
          address: '~alice/cc-opus@s1',
          instrument: 'cc-opus',
          session_id: 's1',
          tool: 'cc',
          live: true,
          mailbox: true,
          title: 'reviews',
          repository_id: 'git:example.org/alice/api',
          branch: 'main',
          entities: ['agent.reviewer'],
        },
      ],
    },
    expect.objectContaining({ node: 'ci', state: 'away', offset_ms: null, sessions: [], total: 0 }),
  ])
})

test('a registration says on which other nodes the same address is, and the health which nodes are there (FED-54)', async () => {
  const remote = new FilledRemote(remoteNode('devbox', [REVIEWER]), remoteNode('ci', [], { state: 'away' }))
  await using server = await startInProcess({ remote })

  const twin = JSON.parse(
    await ask(server, 'POST', '/v1/sessions', { instrument: 'cc-opus', session_id: 's1' }),
  )
  const single = JSON.parse(
    await ask(server, 'POST', '/v1/sessions', { instrument: 'cc-opus', session_id: 's2' }),
  )
  const health = JSON.parse(await ask(server, 'GET', '/v1/health'))

  expect(twin.also_on).toEqual(['devbox'])
  expect(single).not.toHaveProperty('also_on')
  expect(health.links).toEqual({ here: ['devbox'], away: ['ci'] })
})

test('no more sessions of other nodes are told than a bound, and their facts as far as they fit', () => {
  const many = Array.from({ length: MAX_REMOTE_ENTRIES }, (_, i) => `~alice/cc@n${i}`)
  const long = remoteSession('~alice/cc@long', { title: 'x'.repeat(MAX_ROSTER_FACT_OCTETS + 1) })

  const [first, second] = nodeEntries([remoteNode('a', many), remoteNode('b', [long])], '~alice', 10_000)
  const [cut] = nodeEntries([remoteNode('b', [long, ...many])], '~alice', 1)

  expect([first?.sessions.length, first?.total]).toEqual([MAX_REMOTE_ENTRIES, MAX_REMOTE_ENTRIES])
  expect([second?.sessions.length, second?.total]).toEqual([0, 1])
  expect(cut?.sessions.map(({ title }) => title?.length)).toEqual([MAX_ROSTER_FACT_OCTETS])
})

test('without a link every reply has the members that it had before there were links, in their order (FED-01)', async () => {
  await using server = await startInProcess()
  const frame = (): object => ({
    frame: validFrame(undefined, { created_at: new Date(server.clock.nowMs()).toISOString() }),
  })
  const session = await ask(server, 'POST', '/v1/sessions', {
    instrument: 'cc',
    session_id: 's1',
    mailbox: true,
  })
  const sent = await ask(server, 'POST', '/v1/frames', frame())
  const roster = JSON.parse(await ask(server, 'GET', '/v1/handles/~alice/roster?nodes=all'))
  const receipts = JSON.parse(await ask(server, 'GET', `/v1/frames/${JSON.parse(sent).frame_id}`))
  const history = JSON.parse(await ask(server, 'GET', '/v1/frames'))
  const health = JSON.parse(await ask(server, 'GET', '/v1/health'))

  expect({
    session: keys(JSON.parse(session)),
    sent: keys(JSON.parse(sent)),
    roster: keys(roster),
    line: keys(roster.sessions[0]),
    receipts: keys(receipts),
    receipt: keys(receipts.receipts[0]),
    item: keys(history.items[0]),
    health: keys(health),
  }).toEqual(RECORDED)
})
