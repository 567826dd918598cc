/**
 * Two machines of one person, a test in the place of bridge and hub: what leaves one is what comes to the other (FED-02, FED-04,
 * FED-05, FED-17, FED-27).
 */
import { expect, test } from 'vitest'
import { openStream } from '../support/http.ts'
import { LinkedNode, type FeedLine } from './linked-node.ts'
import { RealmOfAlice, messageOf, type Message } from './realm-of-alice.ts'

const say = (text: string) => ({ json: { text } })

/** What a bridge would publish of lines of a feed. */
interface Published {
  readonly seq: number
  readonly prev?: string
}

function publish(two: { realm: RealmOfAlice }, fed: readonly FeedLine[], { seq, prev }: Published): Message {
  const last = String(fed.at(-1)?.['e'])
  const lines = fed.map(({ line }) => String(line))
  return messageOf(two.realm, 'laptop', { lines, last, seq, ...(prev !== undefined && { prev }) })
}

async function pair() {
  const realm = new RealmOfAlice('laptop', 'devbox')
  const laptop = await LinkedNode.start(realm, 'laptop')
  const devbox = await LinkedNode.start(realm, 'devbox')
  return {
    realm,
    laptop,
    devbox,
    async [Symbol.asyncDispose]() {
      await laptop[Symbol.asyncDispose]()
      await devbox[Symbol.asyncDispose]()
    },
  }
}

test('a frame that is accepted here comes through there octet for octet, once however often it is brought (FED-05, FED-17)', async () => {
  await using two = await pair()
  const { devbox, laptop } = two
  using feed = await laptop.feed()
  using stream = await openStream(devbox.socket, '/v1/handles/~alice/stream')
  const { body: sent } = await laptop.anybody('/v1/verbs/agent_advise', say('é 💥'))
  const message = publish(two, await feed.having('e', 1), { seq: 5 })

  const first = await devbox.bring(message)
  const again = await devbox.bring(message)
  const [frame] = await stream.frames(1)
  const { body: history } = await devbox.anybody('/v1/frames')
  const { body: origin } = await laptop.anybody('/v1/frames')

  expect(first.body).toEqual({
    answers: [{ e: sent.event_id, outcome: 'applied' }],
    cursor: { seq: 5, node: 'laptop', last: expect.stringContaining(`${sent.event_id}@`) },
  })
  expect(again.body.answers).toEqual([{ e: sent.event_id, outcome: 'repeat' }])
  expect(frame).toMatchObject({ frame_id: sent.frame_id, payload: { advisory_text: 'é 💥' } })
  expect(history.items).toHaveLength(1)
  expect(JSON.stringify(history.items[0].frame)).toBe(JSON.stringify(origin.items[0].frame))
})

test('what came from another node is not passed on (FED-04)', async () => {
  await using two = await pair()
  const { devbox, laptop } = two
  using feed = await laptop.feed()
  await laptop.anybody('/v1/verbs/agent_advise', say('there'))
  await devbox.bring(publish(two, await feed.having('e', 1), { seq: 1 }))
  using back = await devbox.feed()

  const { body: own } = await devbox.anybody('/v1/verbs/agent_advise', say('and back'))
  const [first] = await back.having('e', 1)

  expect(first).toMatchObject({ e: own.event_id })
})

test('what became of it there comes back as a report, and goes into the receipts here (FED-52)', async () => {
  await using two = await pair()
  const { devbox, laptop } = two
  await devbox.anybody('/v1/sessions', { json: { instrument: 'cc', session_id: 's1', mailbox: true } })
  using there = await devbox.feed()
  using here = await laptop.feed()
  const { body: sent } = await laptop.anybody('/v1/verbs/agent_advise', say('x'))
  await devbox.bring(publish(two, await here.having('e', 1), { seq: 1 }))

  const [report] = await there.having('r', 1)
  const told = await laptop.bring(
    messageOf(two.realm, 'devbox', { lines: [String(report?.['line'])], last: null, seq: 2 }),
  )

  expect(JSON.parse(String(report?.['line']))).toMatchObject({
    t: 'report',
    node: 'laptop',
    items: [[sent.frame_id, '~alice/cc@s1', 'queued', expect.any(Number)]],
  })
  expect(told.body.answers).toEqual([{ e: null, outcome: 'applied' }])
  const seq = laptop.broker.placeOf(sent.event_id) ?? 0
  expect(laptop.broker.ring.get(seq)?.delivery.remoteReceipts()).toMatchObject([
    { node: 'devbox', address: '~alice/cc@s1', state: 'queued' },
  ])
})

test('the state says where reading and writing go on, and the hub is believed in nothing (FED-21, FED-25, FED-26)', async () => {
  await using two = await pair()
  const { devbox, laptop } = two
  using feed = await laptop.feed()
  const { body: sent } = await laptop.anybody('/v1/verbs/agent_advise', say('x'))
  await devbox.bring(publish(two, await feed.having('e', 1), { seq: 9 }))
  const acked = { last: sent.event_id, reports: 0, stream_created: 'then', stream_seq: 9 }

  await laptop.ask('/v1/link/acknowledged', { json: acked })
  const { body: writer } = await laptop.ask('/v1/link/state')
  const { body: reader } = await devbox.ask('/v1/link/state')
  const { body: known } = await laptop.ask(`/v1/link/digest?event_id=${sent.event_id}`)
  const { body: unknown } = await laptop.ask('/v1/link/digest?event_id=other-1')

  expect(writer).toMatchObject({
    realm: 'p.alice',
    node: 'laptop',
    epoch: 'oflaptop',
    first_event_id: sent.event_id,
    last_event_id: sent.event_id,
    acked,
    cursor: null,
    marks: [],
    is_durable: false,
    authority_epoch: 1,
  })
  expect(reader).toMatchObject({
    cursor: { seq: 9, node: 'laptop', last: expect.stringContaining(`${sent.event_id}@`) },
    marks: [{ lane: 'agentd.v1.p.alice.f.laptop', epoch: 'oflaptop', seq: 1 }],
  })
  expect(known.digest).toMatch(/^[\w+/=-]{20,}$/)
  expect(unknown).toEqual({ digest: null, sealed_digest: null })
})

test("a node that joins takes a lane's last message for its mark, and nothing of before comes (FED-26)", async () => {
  await using two = await pair()
  const { devbox, laptop } = two
  using feed = await laptop.feed()
  await laptop.anybody('/v1/verbs/agent_advise', say('before'))
  await laptop.anybody('/v1/verbs/agent_advise', say('before as well'))
  const before = await feed.having('e', 2)

  const joined = await devbox.bring(publish(two, before, { seq: 4 }), { joins: true })
  const { body: state } = await devbox.ask('/v1/link/state')
  const again = await devbox.bring(publish(two, before, { seq: 4 }))
  const empty = await laptop.ask('/v1/link/records', {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: JSON.stringify({ subject: '', stream_seq: 0, engine_at_ms: 0, signature: '', joins: true }),
  })

  expect(joined.body).toEqual({
    answers: [],
    cursor: { seq: 4, node: 'laptop', last: expect.stringContaining('oflaptop-2@') },
  })
  expect(state.marks).toEqual([{ lane: 'agentd.v1.p.alice.f.laptop', epoch: 'oflaptop', seq: 2 }])
  expect(again.body.answers.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['repeat', 'repeat'])
  expect(devbox.broker.ring.count).toBe(0)
  expect(empty.body).toEqual({ answers: [], cursor: { seq: 0, node: '', last: '' } })
})

test('after a lane that is stopped the cursor stays where it is, and the marks of others go on (FED-17)', async () => {
  await using two = await pair()
  const { devbox, laptop } = two
  using feed = await laptop.feed()
  await laptop.anybody('/v1/verbs/agent_advise', say('one'))
  const [one] = await feed.having('e', 1)
  await devbox.bring(publish(two, [one ?? {}], { seq: 3 }))
  await laptop.anybody('/v1/verbs/agent_advise', say('two'))
  const two_ = (await feed.having('e', 2)).slice(1)

  const held = await devbox.bring(publish(two, two_, { seq: 7, prev: 'oflaptop-1' }), { holds_cursor: true })

  expect(held.body).toEqual({
    answers: [{ e: 'oflaptop-2', outcome: 'applied' }],
    cursor: { seq: 3, node: 'laptop', last: expect.stringContaining('oflaptop-1@') },
  })
})

test('what fits into no message of the hub is refused in its receipts, with its code (FED-18)', async () => {
  await using two = await pair()
  const { laptop } = two
  const { body: sent } = await laptop.anybody('/v1/verbs/agent_advise', say('x'))
  const acked = { last: null, reports: 0, stream_created: 'then', stream_seq: 0 }
  const refused = [{ e: sent.event_id, code: 'envelope-too-large' }]

  await laptop.ask('/v1/link/acknowledged', { json: { ...acked, refused } })

  const delivery = laptop.broker.ring.get(laptop.broker.placeOf(sent.event_id) ?? 0)?.delivery
  await expect
    .poll(() => delivery?.remoteReceipts())
    .toMatchObject([{ state: 'refused', detail: 'envelope-too-large' }])
})
