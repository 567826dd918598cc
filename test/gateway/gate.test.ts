/**
 * What is not let in of a batch: nothing that its lane's machine has not signed for its own person (FED-27, FED-41, FED-43,
 * FED-45). Each case names its code, and nothing of it is ever retained.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatRecord } from '../../src/link/record.ts'
import { keyFor } from '../authority/documents.ts'
import { validEnvelope } from '../support/envelopes.ts'
import { validFrame, type FrameOverrides } from '../support/frames.ts'
import { openStream } from '../support/http.ts'
import { LinkedNode } from './linked-node.ts'
import { REALM, RealmOfAlice, messageOf, type Message } from './realm-of-alice.ts'

/** Flipped octets that are tried; with all other cases there are more than a thousand forged records. */
const FLIPS = 1_000

/** A record of a frame that `devbox` accepted. */
function frameLine(
  e: string,
  frame: FrameOverrides<'agent_advisory'> = {},
  beside: { scope?: string; sender?: string } = {},
): string {
  const { scope = '~alice/*', sender = '~alice/cc@far' } = beside
  const frameText = JSON.stringify(validFrame('agent_advisory', frame))
  return formatRecord({ t: 'frame', e, scope, sender, tool: 'cc', at: Date.now(), frameText })
}

async function start(options: Parameters<typeof LinkedNode.start>[2] = {}) {
  const realm = new RealmOfAlice('laptop', 'devbox', 'ci')
  const laptop = await LinkedNode.start(realm, 'laptop', options)
  return { realm, laptop, [Symbol.asyncDispose]: () => laptop[Symbol.asyncDispose]() }
}

/** One frame of `devbox`, which is let in as it is. */
function goodMessage(realm: RealmOfAlice, wish: Partial<Parameters<typeof messageOf>[2]> = {}): Message {
  return messageOf(realm, 'devbox', { lines: [frameLine('d1-1')], last: 'd1-1', seq: 3, ...wish })
}

test('what its machine has signed is let in: the cases below fail for their one fault alone (FED-41)', async () => {
  await using here = await start()

  const { body } = await here.laptop.bring(goodMessage(here.realm))

  expect(body.answers).toEqual([{ e: 'd1-1', outcome: 'applied' }])
  expect(here.laptop.broker.ring.count).toBe(1)
})

type Forgery = (realm: RealmOfAlice) => Message

const FORGERIES: readonly (readonly [what: string, forged: Forgery])[] = [
  [
    'another machine has signed',
    (realm) => ({
      ...goodMessage(realm),
      signature: realm.sign('ci', `agentd.v1.${REALM}.f.devbox`, goodMessage(realm).body),
    }),
  ],
  [
    'a signature says it is of another machine',
    (realm) => {
      const good = goodMessage(realm)
      return { ...good, signature: good.signature.replace('devbox', 'laptop') }
    },
  ],
  ['there is no signature', (realm) => ({ ...goodMessage(realm), signature: 'devbox' })],
  [
    "it is replayed in another machine's lane",
    (realm) => ({ ...goodMessage(realm), subject: `agentd.v1.${REALM}.f.ci` }),
  ],
  [
    'it is in no lane of the realm',
    (realm) => ({ ...goodMessage(realm), subject: 'agentd.v1.p.bob.f.devbox' }),
  ],
  [
    'it is in a lane of two tokens',
    (realm) => ({ ...goodMessage(realm), subject: `agentd.v1.${REALM}.f.devbox.x` }),
  ],
  ["its head says another machine's name", (realm) => goodMessage(realm, { saysNode: 'ci' })],
  [
    'a machine that nobody knows has signed',
    (realm) => {
      const stranger = new RealmOfAlice('devbox')
      return {
        ...goodMessage(realm),
        signature: stranger.sign('devbox', `agentd.v1.${REALM}.f.devbox`, goodMessage(realm).body),
      }
    },
  ],
]

test.each(FORGERIES)(
  'nothing is taken of a batch when %s, and reading goes on behind it (FED-41, FED-45)',
  async (_, forged) => {
    await using here = await start()
    const { laptop, realm } = here

    const { body } = await laptop.bring(forged(realm))

    expect(body.answers).toEqual([{ e: null, outcome: 'refused', code: 'sender-identity-mismatch' }])
    expect(body.cursor).toMatchObject({ seq: 3 })
    expect(laptop.broker.ring.count).toBe(0)
    expect(laptop.broker.origins.marksOf(REALM).size).toBe(0)
    expect(laptop.broker.origins.reportsAfter(REALM, 0, 10)).toEqual([])
  },
)

test('a flipped octet anywhere makes it nobody’s word (FED-41)', async () => {
  await using here = await start()
  const { laptop, realm } = here
  const link = laptop.gateway.linkOf(await laptop.token())
  const { body, ...head } = goodMessage(realm)
  const octets = Buffer.from(body)

  await fc.assert(
    fc.asyncProperty(fc.nat(octets.length - 1), fc.integer({ min: 1, max: 127 }), async (at, flip) => {
      const broken = Buffer.from(octets)
      broken[at] = (broken[at] ?? 0) ^ flip
      const text = broken.toString('latin1')
      const reply = await link?.records(head, text)
      // An epoch of the estate that grew by the flip is waited for; everything else is refused.
      if (reply?.stopped === undefined)
        expect(reply?.answers.every(({ outcome }) => outcome === 'refused')).toBe(true)
      else expect(reply.answers).toEqual([])
    }),
    { numRuns: FLIPS },
  )

  expect(laptop.broker.ring.count).toBe(0)
}, 60_000)

test('a machine that was taken back says nothing any more once the estate is here, whatever it signs (FED-43)', async () => {
  await using here = await start()
  const { laptop, realm } = here

  const { body: before } = await laptop.bring(goodMessage(realm))
  const { body: epoch } = await laptop.ask('/v1/link/estate', {
    json: { text: realm.estate(2, { without: ['devbox'] }) },
  })
  const { body: after } = await laptop.bring(
    goodMessage(realm, { lines: [frameLine('d1-2')], last: 'd1-2', prev: 'd1-1' }),
  )

  expect(before.answers[0].outcome).toBe('applied')
  expect(epoch).toEqual({ authority_epoch: 2 })
  expect(after.answers).toEqual([{ e: null, outcome: 'refused', code: 'sender-identity-mismatch' }])
  expect(laptop.broker.ring.count).toBe(1)
})

test('a batch that names a newer estate waits for it, and is taken then (FED-43)', async () => {
  await using here = await start()
  const { laptop, realm } = here
  const message = goodMessage(realm, { authorityEpoch: 4 })

  const waits = await laptop.bring(message)
  await laptop.ask('/v1/link/estate', { json: { text: realm.estate(4) } })
  const taken = await laptop.bring(message)

  expect(waits.body).toEqual({ answers: [], stopped: 'unknown-estate', cursor: null })
  expect(taken.body.answers).toEqual([{ e: 'd1-1', outcome: 'applied' }])
})

test.each([
  ['is older', (realm: RealmOfAlice) => realm.estate(2), 'field-invalid'],
  [
    'is another of the same epoch',
    (realm: RealmOfAlice) => realm.estate(3, { without: ['ci'] }),
    'field-invalid',
  ],
  [
    'is signed by another key',
    (realm: RealmOfAlice) => realm.estate(9, { key: keyFor('~alice') }),
    'signature-invalid',
  ],
  [
    'is another person’s',
    (realm: RealmOfAlice) => realm.estate(9, { principal: '~bob', key: keyFor('~bob') }),
    'field-invalid',
  ],
  ['is none', () => '{}', 'field-invalid'],
])('an estate that %s changes nothing (FED-40, FED-41)', async (_, text, code) => {
  await using here = await start()
  const { laptop, realm } = here
  await laptop.ask('/v1/link/estate', { json: { text: realm.estate(3) } })

  const refused = await laptop.ask('/v1/link/estate', { json: { text: text(realm) } })
  const { body: state } = await laptop.ask('/v1/link/state')

  expect(refused.status).toBeGreaterThanOrEqual(400)
  expect(refused.body.code).toBe(code)
  expect(state.authority_epoch).toBe(3)
  expect(laptop.estate).toBe(realm.estate(3))
})

describe('a record of a machine that may speak', () => {
  const FAULTS: readonly (readonly [what: string, line: string, code: string])[] = [
    [
      'of another person',
      frameLine('d1-1', { acted_by: '~bob', sender_handle: '~bob' }),
      'sender-identity-mismatch',
    ],
    [
      'sent by somebody else than who acted',
      frameLine('d1-1', { sender_handle: '~mallory' }),
      'sender-identity-mismatch',
    ],
    ['drafted by a person', frameLine('d1-1', { drafted_with: '~alice' }), 'field-invalid'],
    [
      'from a session of another person',
      frameLine('d1-1', {}, { sender: '~bob/cc@far' }),
      'sender-identity-mismatch',
    ],
    [
      'for another person',
      frameLine('d1-1', { recipient_handle: '~bob' }, { scope: '~bob/*' }),
      'scope-unauthorised',
    ],
    [
      'for an organisation',
      frameLine('d1-1', { recipient_handle: '~acme' }, { scope: 'org:~acme/members/*' }),
      'scope-unauthorised',
    ],
    ['that is no frame', frameLine('d1-1', { payload: { advisory_text: '' } }), 'field-invalid'],
    ['of another place than its batch', frameLine('x9-1'), 'field-invalid'],
  ]

  test.each(FAULTS)(
    '%s is refused, told to its origin, and stops no lane (FED-29, FED-41)',
    async (_, line, code) => {
      await using here = await start()
      const { laptop, realm } = here
      const lines = [line, frameLine('d1-2')]

      const { body } = await laptop.bring(messageOf(realm, 'devbox', { lines, last: 'd1-2' }))
      const told = laptop.broker.origins.reportsAfter(REALM, 0, 10)

      expect(body.answers).toEqual([
        { e: expect.any(String), outcome: 'refused', code },
        { e: 'd1-2', outcome: 'applied' },
      ])
      expect(laptop.broker.ring.count).toBe(1)
      expect(told.map(({ node, item }) => [node, item[2], item[4]])).toContainEqual([
        'devbox',
        'refused',
        code,
      ])
    },
  )

  test('that is no record at all is refused, and the rest of the batch is taken (FED-17)', async () => {
    await using here = await start()
    const { laptop, realm } = here
    const lines = ['{"t":"frame"}', 'not JSON', '{"t":"later","e":"d1-3","x":1}', frameLine('d1-4')]

    const { body } = await laptop.bring(messageOf(realm, 'devbox', { lines, last: 'd1-4' }))

    expect(body.answers).toMatchObject([
      { e: null, outcome: 'refused' },
      { e: null, outcome: 'refused' },
      { e: 'd1-3', outcome: 'skipped' },
      { e: 'd1-4', outcome: 'applied' },
    ])
    expect((await laptop.gateway.list()).links[0]?.figures).toMatchObject({
      refused: 2,
      skipped: 1,
      records_in: 1,
    })
  })

  test('of a kind or a sender that is not taken is refused (FED-63)', async () => {
    await using here = await start({ accept: { kinds: ['agent_broadcast'] } })
    const { laptop, realm } = here

    const kind = await laptop.bring(goodMessage(realm))
    laptop.accept = { ...laptop.accept, kinds: ['*'], from: ['codex-*'] }
    const sender = await laptop.bring(
      goodMessage(realm, { lines: [frameLine('d1-2')], last: 'd1-2', prev: 'd1-1' }),
    )

    expect(kind.body.answers).toEqual([{ e: 'd1-1', outcome: 'refused', code: 'scope-unauthorised' }])
    expect(sender.body.answers).toEqual([{ e: 'd1-2', outcome: 'refused', code: 'scope-unauthorised' }])
  })

  test('that is an envelope comes to who hears for its entity, as one machine has it (FED-69)', async () => {
    await using here = await start()
    const { laptop, realm } = here
    using stream = await openStream(laptop.socket, '/v1/handles/~alice/stream?entities=agent.reviewer')
    const envelope = validEnvelope({ to: 'agent.reviewer' })
    const line = formatRecord({
      t: 'envelope',
      e: 'd1-1',
      to: 'agent.reviewer',
      sender: '~alice/cc@far',
      at: Date.now(),
      priority: 'normal',
      envelopeText: JSON.stringify(envelope),
    })

    const { body } = await laptop.bring(messageOf(realm, 'devbox', { lines: [line], last: 'd1-1' }))

    expect(body.answers).toEqual([{ e: 'd1-1', outcome: 'applied' }])
    expect((await stream.next('aee_envelope')).data).toContain(envelope.id)
  })
})

test('a batch of a later version stops its lane and is told so, after its signature (FED-17)', async () => {
  await using here = await start()
  const { laptop, realm } = here
  const later = goodMessage(realm, { v: 2 })

  const stopped = await laptop.bring(later)
  const forged = await laptop.bring({ ...later, signature: goodMessage(realm).signature })

  expect(stopped.body).toEqual({ answers: [], stopped: 'unknown-version', cursor: null })
  expect(forged.body.answers).toEqual([{ e: null, outcome: 'refused', code: 'sender-identity-mismatch' }])
})

test('what is missing in front of a batch is told to streams before what follows (FED-28)', async () => {
  await using here = await start()
  const { laptop, realm } = here
  await laptop.bring(goodMessage(realm))
  using stream = await openStream(laptop.socket, '/v1/handles/~alice/stream')

  await laptop.bring(goodMessage(realm, { lines: [frameLine('d1-9')], last: 'd1-9', prev: 'd1-8', seq: 4 }))

  await stream.frames(1)
  const names = stream.events.map(({ event }) => event).filter((name) => name !== 'agentd_cursor')
  const gap = stream.events.find(({ event }) => event === 'agentd_gap')

  expect(names.indexOf('agentd_gap')).toBeLessThan(names.indexOf('agent_frame'))
  expect(JSON.parse(gap?.data ?? '{}')).toMatchObject({ reason: 'remote', node: 'devbox' })
  expect((await laptop.gateway.list()).links[0]?.figures.holes).toBe(1)
})

test('expiry is by the clock of this machine, however wrong that of its origin is (FED-32)', async () => {
  await using here = await start()
  const { laptop, realm } = here
  const dayMs = 86_400_000
  const engineAtMs = laptop.clock.nowMs()
  const presence = (node: string, sentAtMs: number): Record<string, unknown> => {
    const text = JSON.stringify({ sent_at: sentAtMs, state: 'here', speaks: [1], sessions: [] })
    const subject = `$KV.agentd_P_alice.node.${node}`
    return { node, engine_at_ms: engineAtMs, signature: realm.sign(node, subject, text), text }
  }
  await laptop.ask('/v1/link/presence', { json: presence('laptop', engineAtMs) })
  await laptop.ask('/v1/link/presence', { json: presence('devbox', engineAtMs + dayMs) })
  const created_at = new Date(engineAtMs + dayMs).toISOString()

  await laptop.bring(goodMessage(realm, { lines: [frameLine('d1-1', { created_at, ttl_ms: 60_000 })] }))

  expect(laptop.broker.ring.get(1)?.expiresAtMs).toBe(engineAtMs + 60_000)
})

test('a machine that sends more than a session may is waited for, and nothing of it is refused (FED-63)', async () => {
  await using here = await start({ accept: { perSecond: 1 } })
  const { laptop, realm } = here
  const link = laptop.gateway.linkOf(await laptop.token())
  const reports = Array.from({ length: 256 }, () => formatRecord({ t: 'report', node: 'laptop', items: [] }))
  const batch = (seq: number): Message => messageOf(realm, 'devbox', { lines: reports, last: null, seq })
  const send = ({ body, ...head }: Message) => link?.records(head, body)
  // As much as may be brought at once.
  for (let seq = 1; seq <= 390; seq += 1) await send(batch(seq))

  let isOver = false
  const waiting = send(batch(391))?.finally(() => {
    isOver = true
  })
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  const wasOver = isOver
  laptop.clock.advance(256_000)
  const reply = await waiting

  expect(wasOver).toBe(false)
  expect(reply?.answers).toHaveLength(256)
})
