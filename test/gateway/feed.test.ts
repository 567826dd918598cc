/**
 * What leaves, as a bridge reads it: from a place of the ring, in its order, with what is missing said first (FED-02, FED-20,
 * FED-21, FED-51).
 */
import { expect, test } from 'vitest'
import { digestOf } from '../../src/broker/ring/digest.ts'
import { GATHER_MS, HEARTBEAT_MS } from '../../src/gateway/out/own-presence.ts'
import { validFrame } from '../support/frames.ts'
import { openStream } from '../support/http.ts'
import { LinkedNode, type FeedLine, type NodeOptions } from './linked-node.ts'
import { RealmOfAlice } from './realm-of-alice.ts'

async function start(options: NodeOptions = {}): Promise<LinkedNode> {
  return LinkedNode.start(new RealmOfAlice('laptop', 'devbox'), 'laptop', options)
}

/** Says so many things, one after another. */
async function say(node: LinkedNode, count: number): Promise<readonly string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i += 1) {
    const { body } = await node.anybody('/v1/verbs/agent_advise', { json: { text: `advice ${i}` } })
    ids.push(body.event_id)
  }
  return ids
}

/** Whether the one session that is told of listens. */
const isLive = (line: FeedLine | undefined): boolean =>
  JSON.parse(String(line?.['presence'])).sessions[0].live

const places = (lines: readonly FeedLine[]): unknown[] => lines.map(({ e }) => e)

test('a feed goes on behind a place, and a new frame comes as it is accepted (FED-02)', async () => {
  await using laptop = await start()
  const [one = '', ...rest] = await say(laptop, 3)
  using feed = await laptop.feed(`?after=${one}`)
  await feed.having('e', 2)

  const [last] = await say(laptop, 1)

  expect(places(await feed.having('e', 3))).toEqual([...rest, last])
  expect(feed.lines().filter((line) => 'gap' in line)).toEqual([])
})

test('a record of a feed holds the text that is retained, octet for octet, with its digest (FED-17, FED-22)', async () => {
  await using laptop = await start()
  const [id = ''] = await say(laptop, 1)
  using feed = await laptop.feed()

  const [line] = await feed.having('e', 1)

  const retained = laptop.broker.ring.get(1)
  expect(String(line?.['line'])).toContain(`"frame":${retained?.text}}`)
  expect(line?.['digest']).toBe(digestOf('~alice/*', retained?.text ?? ''))
  expect(line?.['e']).toBe(id)
})

test('what the ring does not hold any more is said before anything else (FED-22)', async () => {
  await using laptop = await start({ retention: { maxFrames: 5 } })
  const ids = await say(laptop, 12)

  using feed = await laptop.feed(`?after=${ids[1]}`)
  const fed = await feed.having('e', 5)

  expect(places(fed)).toEqual(ids.slice(7))
  const [first, second] = feed.lines().filter((line) => !('presence' in line))
  expect(first).toEqual({ gap: { after: ids[1], next: ids[7] } })
  expect(second).toHaveProperty('e')
})

test('a place of another life of the counter says nothing: a gap, and from the beginning (FED-21)', async () => {
  await using laptop = await start()
  const ids = await say(laptop, 2)

  using feed = await laptop.feed('?after=other-77')
  const fed = await feed.having('e', 2)

  expect(places(fed)).toEqual(ids)
  expect(feed.lines().filter((line) => 'gap' in line)).toEqual([{ gap: { after: 'other-77', next: ids[0] } }])
})

test('nothing of before the link was added leaves, and the place it begins at says so (FED-06, FED-21)', async () => {
  const since_ms = Date.now() + 60_000
  await using laptop = await start({ file: { since_ms } })
  const before = await say(laptop, 2)
  laptop.clock.advance(120_000)
  using feed = await laptop.feed()

  const [after] = await say(laptop, 1)
  const fed = await feed.having('e', 1)
  const { body: state } = await laptop.ask('/v1/link/state')

  expect(places(fed)).toEqual([after])
  expect(state.since).toBe(before.at(-1))
})

test('what does not leave and is trimmed behind the last that did is no gap (FED-21)', async () => {
  await using laptop = await start({ retention: { maxFrames: 4 }, allow: { kinds: ['agent_advisory'] } })
  const [id = ''] = await say(laptop, 1)
  {
    using feed = await laptop.feed()
    await feed.having('e', 1)
    for (let i = 0; i < 12; i += 1)
      await laptop.anybody('/v1/verbs/agent_broadcast', { json: { text: 'stays here' } })
    await laptop.anybody('/v1/verbs/agent_advise', { json: { text: 'the next' } })
    await feed.having('e', 2)
  }
  await expect.poll(() => laptop.broker.ring.count).toBe(4)

  using again = await laptop.feed(`?after=${id}`)

  // Of this place nobody has passed the rest: it was followed by something that left, which is missing.
  const [line] = (await again.having('gap', 1)).slice(0, 1)
  expect(line).toMatchObject({ gap: { after: id } })
})

test('where nothing behind the last place may leave, trimming it misses nothing (FED-21)', async () => {
  await using laptop = await start({ retention: { maxFrames: 4 }, allow: { kinds: ['agent_advisory'] } })
  const [id = ''] = await say(laptop, 1)
  {
    using feed = await laptop.feed()
    await feed.having('e', 1)
    for (let i = 0; i < 12; i += 1)
      await laptop.anybody('/v1/verbs/agent_broadcast', { json: { text: 'stays here' } })
  }
  await expect.poll(async () => (await laptop.gateway.list()).links[0]?.figures.records_out).toBe(1)
  await expect
    .poll(async () => {
      using again = await laptop.feed(`?after=${id}`)
      const [next] = await say(laptop, 1)
      const fed = await again.having('e', 1)
      return [places(fed).at(-1) === next, again.lines().some((line) => 'gap' in line)]
    })
    .toEqual([true, false])
})

test('a second feed ends the first: a bridge that was started anew is not fed beside its ghost', async () => {
  await using laptop = await start()
  using first = await laptop.feed()
  await first.having('presence', 1)

  using second = await laptop.feed()
  await second.having('presence', 1)
  await first.raw.closed

  const [id] = await say(laptop, 1)
  expect(places(await second.having('e', 1))).toEqual([id])
})

test('a reader that takes nothing is read for from the ring: what waits for it is bounded (FED-02)', async () => {
  await using laptop = await start()
  using feed = await laptop.feed()
  await feed.having('presence', 1)
  feed.raw.socket.pause()
  const handover_body = 'x'.repeat(30_000)
  for (let i = 0; i < 60; i += 1) {
    const frame = validFrame('agent_handover', {
      payload: { previous_session_id: 's1', next_session_id: 's2', handover_body },
    })
    expect(await laptop.anybody('/v1/frames', { json: { frame } })).toMatchObject({ status: 200 })
  }

  // Near two million octets were accepted; some of them are with the socket, the rest in the ring.
  const figures = (await laptop.gateway.list()).links[0]?.figures
  feed.raw.socket.resume()
  const fed = await feed.having('e', 60)

  expect(figures?.records_out).toBeLessThan(45)
  expect(fed).toHaveLength(60)
})

test('who is here is told at the start, soon after a change once, and every ten seconds (FED-51)', async () => {
  await using laptop = await start()
  using feed = await laptop.feed()
  await feed.having('presence', 1)

  for (const session_id of ['s1', 's2', 's3'])
    await laptop.anybody('/v1/sessions', { json: { instrument: 'cc', session_id } })
  laptop.clock.advance(GATHER_MS)
  const [, changed] = await feed.having('presence', 2)
  laptop.clock.advance(HEARTBEAT_MS)
  const all = await feed.having('presence', 3)

  const told = JSON.parse(String(changed?.['presence']))
  expect(told).toMatchObject({ state: 'here', speaks: [1] })
  expect(told.sessions.map(({ address }: { address: string }) => address)).toEqual([
    '~alice/cc@s1',
    '~alice/cc@s2',
    '~alice/cc@s3',
  ])
  expect(all).toHaveLength(3)
})

test('that a session listens, and stops listening, is a change (FED-51)', async () => {
  await using laptop = await start()
  const { body: session } = await laptop.anybody('/v1/sessions', {
    json: { instrument: 'cc', session_id: 's1' },
  })
  using feed = await laptop.feed()
  await feed.having('presence', 1)

  const stream = await openStream(laptop.socket, '/v1/handles/~alice/stream', { token: session.token })
  laptop.clock.advance(GATHER_MS)
  const [, opened] = await feed.having('presence', 2)
  stream[Symbol.dispose]()
  await expect.poll(() => laptop.broker.streams.count).toBe(0)
  laptop.clock.advance(GATHER_MS)
  const [, , closed] = await feed.having('presence', 3)

  expect([isLive(opened), isLive(closed)]).toEqual([true, false])
})

test('what is as it was is told with the next ten seconds, however often somebody asks for the links (FED-51)', async () => {
  await using laptop = await start()
  await laptop.anybody('/v1/sessions', { json: { instrument: 'cc', session_id: 's1' } })
  using feed = await laptop.feed()
  await feed.having('presence', 1)

  for (let i = 0; i < 5; i += 1) {
    laptop.gateway.reloaded()
    laptop.clock.advance(GATHER_MS)
  }
  await laptop.anybody('/v1/sessions', { json: { instrument: 'cc', session_id: 's2' } })
  laptop.clock.advance(GATHER_MS)
  const [, second] = await feed.having('presence', 2)
  laptop.clock.advance(HEARTBEAT_MS)
  const told = await feed.having('presence', 3)

  expect(JSON.parse(String(second?.['presence'])).sessions).toHaveLength(2)
  expect(told).toHaveLength(3)
})

test.each([
  ['listens is a session on other nodes, registered or not', '', 1],
  ['only waits for an answer of their own is none there', '?aside=true', 0],
])('who %s (FED-51, FED-53)', async (_name, query, count) => {
  await using laptop = await start()
  using stream = await openStream(laptop.socket, `/v1/handles/~alice/stream${query}`)
  using feed = await laptop.feed()

  const [line] = await feed.having('presence', 1)
  const { body } = await laptop.anybody('/v1/handles/~alice/roster')

  expect(JSON.parse(String(line?.['presence'])).sessions).toHaveLength(count)
  expect(body.sessions).toHaveLength(1)
  expect(stream).toBeDefined()
})

const FACTS = {
  instrument: 'cc',
  session_id: 's1',
  title: 'secret project',
  cwd: '/home/alice/api',
  worktree: '/home/alice/api',
  branch: 'refactor',
  entities: ['agent.reviewer'],
}

test.each([
  ['none', []],
  [
    'addresses',
    [
      {
        address: '~alice/cc@s1',
        instrument: 'cc',
        session_id: 's1',
        tool: 'other',
        live: false,
        mailbox: false,
      },
    ],
  ],
  [
    'full',
    [expect.objectContaining({ title: 'secret project', branch: 'refactor', entities: ['agent.reviewer'] })],
  ],
] as const)(
  'of who is here %s is told, and never a path (FED-06, FED-61, FED-62)',
  async (presence, sessions) => {
    await using laptop = await start({ allow: { presence } })
    await laptop.anybody('/v1/sessions', { json: FACTS })
    using feed = await laptop.feed()

    const [line] = await feed.having('presence', 1)
    const text = String(line?.['presence'])

    expect(JSON.parse(text).sessions).toEqual(sessions)
    // That nobody is listed says something only where somebody would be (FED-53).
    expect(JSON.parse(text).untold).toBe(presence === 'none' ? true : undefined)
    expect(text).not.toContain('/home/alice')
  },
)

test('a cursor that is none is refused before the first byte', async () => {
  await using laptop = await start()

  const refused = await laptop.ask('/v1/link/feed?after=nonsense')
  const stranger = await laptop.ask('/v1/link/feed?behind=e1-1')

  expect(refused).toMatchObject({ status: 400, body: { code: 'field-invalid', field: 'after' } })
  expect(stranger).toMatchObject({ status: 400, body: { code: 'field-unknown', field: 'behind' } })
})
