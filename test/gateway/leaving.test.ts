/**
 * What leaves and what stays: by the rules of the person, and by whom it is for (FED-06, FED-24, FED-61, FED-62).
 */
import { expect, test } from 'vitest'
import { validEnvelope } from '../support/envelopes.ts'
import { validFrame } from '../support/frames.ts'
import { LinkedNode, type NodeOptions } from './linked-node.ts'
import { REALM, RealmOfAlice } from './realm-of-alice.ts'

/** What says that something left: it is sent after all that is asked about. */
const LAST = { kinds: ['agent_advisory', 'agent_broadcast'] }

async function start(options: NodeOptions) {
  const realm = new RealmOfAlice('laptop', 'devbox')
  const laptop = await LinkedNode.start(realm, 'laptop', options)
  return { realm, laptop, [Symbol.asyncDispose]: () => laptop[Symbol.asyncDispose]() }
}

type Here = Awaited<ReturnType<typeof start>>

/** Has `devbox` tell who is there. */
async function devboxHas(
  { laptop, realm }: Here,
  address: string,
  entities: readonly string[] = [],
): Promise<void> {
  const [, instrument = '', session_id = ''] = /\/(.*)@(.*)$/.exec(address) ?? []
  const session = { address, instrument, session_id, live: true, mailbox: true, entities }
  const text = JSON.stringify({
    sent_at: laptop.clock.nowMs(),
    state: 'here',
    speaks: [1],
    sessions: [session],
  })
  const signature = realm.sign('devbox', '$KV.agentd_P_alice.node.devbox', text)
  const json = { node: 'devbox', engine_at_ms: laptop.clock.nowMs(), signature, text }
  const { status } = await laptop.ask('/v1/link/presence', { json })
  expect(status).toBe(204)
}

/** Texts of what left. */
async function fed(laptop: LinkedNode): Promise<readonly string[]> {
  using feed = await laptop.feed()
  const { body } = await laptop.anybody('/v1/verbs/agent_advise', { json: { text: 'the last' } })
  await feed.raw.untilFound(() => feed.lines().find(({ e }) => e === body.event_id), 'the last')
  return feed
    .lines()
    .filter((line) => 'e' in line)
    .map(({ line }) => String(line))
    .filter((line) => !line.includes('the last'))
}

const advise = (laptop: LinkedNode, json: Record<string, unknown>, token?: string) =>
  laptop.anybody('/v1/verbs/agent_advise', { json, ...(token !== undefined && { token }) })

test('only kinds that are named leave; of a link without any, none does (FED-06, FED-61)', async () => {
  await using here = await start({ allow: { kinds: ['agent_advisory'] } })
  const { laptop } = here
  await laptop.anybody('/v1/verbs/agent_broadcast', { json: { text: 'stays' } })
  await advise(laptop, { text: 'goes' })

  const left = await fed(laptop)
  laptop.allow = { ...laptop.allow, kinds: [] }
  const silent = (await laptop.gateway.list()).links[0]

  expect(left).toEqual([expect.stringContaining('goes')])
  expect(silent).toMatchObject({ waiting: 0, what_leaves: 'no frame; who is here (full)' })
})

test.each([
  [{ kinds: [], bus: ['bus.x', 'bus.ops'] }, 'envelopes to bus.x, bus.ops; nobody is told who is here'],
  [
    { kinds: [], bus: ['bus.x'], from: ['cc-*'], redact: ['payload.advisory_text'], compute: ['local-only'] },
    'envelopes to bus.x from cc-*; nobody is told who is here',
  ],
  [
    {
      kinds: ['agent_query', 'agent_response'],
      bus: ['bus.x'],
      from: ['cc-*'],
      redact: ['payload.query_text'],
    },
    'frames of agent_query, agent_response from cc-* without payload.query_text and envelopes to bus.x; nobody is told who is here',
  ],
  [
    { kinds: ['*'], compute: ['local-only'] },
    'frames of every kind worked out at local-only; nobody is told who is here',
  ],
] as const)('one sentence says what leaves, channels alone too: %o (FED-61)', async (allow, sentence) => {
  await using here = await start({ allow: { presence: 'none', ...allow } })

  expect((await here.laptop.gateway.list()).links[0]?.what_leaves).toBe(sentence)
})

test('what is for one session that is here stays, unless another node has that address too (FED-24)', async () => {
  await using here = await start({})
  const { laptop } = here
  await laptop.anybody('/v1/sessions', { json: { instrument: 'cc', session_id: 'here', mailbox: true } })
  const tell = (text: string, session: string) =>
    advise(laptop, { text, recipient_scope: `~alice/cc@${session}` })
  await tell('for here', 'here')
  await tell('for nobody known', 'elsewhere')
  const before = await fed(laptop)

  await devboxHas(here, '~alice/cc@here')
  const after = await fed(laptop)

  expect(before).toEqual([expect.stringContaining('for nobody known')])
  expect(after).toEqual([expect.stringContaining('for here'), expect.stringContaining('for nobody known')])
})

test.each([
  ['codex', ['codex-*'], ['from codex']],
  ['an instrument', ['cc'], ['from cc']],
  ['an address', ['~alice/cc@a'], ['from cc']],
  ['addresses', ['~alice/c*'], ['from cc', 'from codex']],
  ['everybody', ['*'], ['from cc', 'from codex', 'from alice']],
])('by sender: %s (FED-61)', async (_, from, texts) => {
  await using here = await start({ allow: { from } })
  const { laptop } = here
  const register = async (instrument: string) => {
    const { body } = await laptop.anybody('/v1/sessions', { json: { instrument, session_id: 'a' } })
    return body.token
  }
  await advise(laptop, { text: 'from cc' }, await register('cc'))
  await advise(laptop, { text: 'from codex' }, await register('codex-1'))
  await advise(laptop, { text: 'from alice' })
  laptop.allow = { ...laptop.allow, kinds: ['agent_advisory'] }

  const leaving = [1, 2, 3].filter((seq) => {
    const retained = laptop.broker.ring.get(seq)
    return retained !== undefined && laptop.gateway.leaves(retained)
  })

  expect(leaving.map((seq) => /from \w+/.exec(laptop.broker.ring.get(seq)?.text ?? '')?.[0])).toEqual(texts)
})

test('by place of inference, where that is left out (FED-62)', async () => {
  await using here = await start({ allow: { compute: ['server-active'] } })
  const { laptop } = here
  for (const provenance_compute_location of ['server-active', 'local-only'] as const)
    await laptop.anybody('/v1/frames', {
      json: { frame: validFrame('agent_advisory', { provenance_compute_location }) },
    })

  const left = [1, 2].filter((seq) => {
    const retained = laptop.broker.ring.get(seq)
    return retained !== undefined && laptop.gateway.leaves(retained)
  })

  expect(left).toEqual([1])
})

test('free text is blacked out on the way, and a frame that would be none then stays here (FED-61)', async () => {
  await using here = await start({
    allow: { ...LAST, redact: ['payload.advisory_text', 'payload.event_class'] },
  })
  const { laptop } = here
  await advise(laptop, { text: 'a secret' })
  await laptop.anybody('/v1/verbs/agent_broadcast', { json: { text: 'merged', event_class: 'merged' } })
  using feed = await laptop.feed()
  const [line] = await feed.having('e', 1)

  const broadcast = laptop.broker.ring.get(2)
  expect(String(line?.['line'])).not.toContain('a secret')
  expect(String(line?.['line'])).toContain('"t":"frame"')
  expect(broadcast !== undefined && laptop.gateway.leaves(broadcast)).toBe(false)
  expect(laptop.broker.ring.get(1)?.text).toContain('a secret')
})

test('an envelope leaves for an entity of another node, by the boundary of the person (FED-24, FED-61)', async () => {
  await using here = await start({ boundary: ['ops.*'], allow: { kinds: [] } })
  const { laptop } = here
  await devboxHas(here, '~alice/cc@far', ['agent.reviewer'])
  const send = async (changes: Record<string, unknown>): Promise<boolean> => {
    const json = validEnvelope({ reply_to: null, ...changes })
    const { body, status } = await laptop.anybody('/v1/envelopes', { json })
    expect([status, body.message]).toEqual([200, undefined])
    const retained = laptop.broker.ring.get(laptop.broker.placeOf(body.event_id) ?? 0)
    return retained !== undefined && laptop.gateway.leaves(retained)
  }
  await laptop.anybody('/v1/sessions', {
    json: { instrument: 'cc', session_id: 'x', entities: ['agent.local', 'bus.ops'], mailbox: true },
  })

  expect(await send({ to: 'agent.reviewer', intent: 'ops.check.run', type: 'event' })).toBe(true)
  expect(await send({ to: 'agent.reviewer', intent: 'home.check.run', type: 'event' })).toBe(false)
  expect(await send({ to: 'agent.local', intent: 'ops.check.run', type: 'event' })).toBe(false)
  expect(await send({ to: 'bus.ops', intent: 'ops.check.run', type: 'event' })).toBe(false)
  laptop.allow = { ...laptop.allow, bus: ['bus.*'] }
  expect(await send({ to: 'bus.ops', intent: 'ops.check.run', type: 'event' })).toBe(true)
})

test('what another node brought never leaves again, over this realm or another (FED-04)', async () => {
  await using here = await start({})
  const { laptop } = here
  const { arrivingFrame, laneOf } = await import('../support/arrivals.ts')
  await laptop.broker.ingest({
    realm: REALM,
    lane: laneOf('devbox'),
    node: 'devbox',
    epoch: 'd1',
    cursor: { seq: 1, node: 'devbox', last: 'd1-1' },
    items: [arrivingFrame('d1-1')],
  })

  const left = await fed(laptop)

  expect(laptop.broker.ring.get(1)?.origin).toMatchObject({ node: 'devbox' })
  expect(left).toEqual([])
})

test('of "repository:<id>" what sessions of that repository say leaves, on whichever path they have it, and nothing else (FED-61, FED-68)', async () => {
  await using here = await start({
    allow: { ...LAST, from: ['repository:git:example.org/alice/api', '~alice'] },
  })
  const { laptop } = here
  const say = async (session_id: string, place: object) => {
    const json = { instrument: 'cc', session_id, ...place }
    const { body } = await laptop.anybody('/v1/sessions', { json })
    await advise(laptop, { text: `said by ${session_id}` }, body.token)
  }
  await say('there', { repository_id: 'git:example.org/alice/api', worktree: '/home/alice/api' })
  await say('elsewhere', { repository_id: 'git:example.org/alice/apis', worktree: '/home/alice/api' })
  await say('nowhere', {})

  const texts = await fed(laptop)

  expect(texts).toEqual([expect.stringContaining('said by there')])
})
