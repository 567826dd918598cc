/**
 * Who is there on other nodes: believed for 30 s, and only with the node's own signature (FED-50, FED-51, FED-69).
 */
import { expect, test } from 'vitest'
import { ClockOffsets } from '../../src/gateway/rosters/clock-offsets.ts'
import { ROSTER_TTL_MS } from '../../src/gateway/rosters/rosters.ts'
import { LinkedNode } from './linked-node.ts'
import { RealmOfAlice } from './realm-of-alice.ts'

async function start() {
  const realm = new RealmOfAlice('laptop', 'devbox', 'ci')
  const laptop = await LinkedNode.start(realm, 'laptop')
  return { realm, laptop, [Symbol.asyncDispose]: () => laptop[Symbol.asyncDispose]() }
}

type Here = Awaited<ReturnType<typeof start>>

interface Said {
  readonly node?: string
  readonly state?: 'here' | 'left'
  readonly sessions?: readonly string[]
  readonly aheadMs?: number
  /** How long the engine has had it. */
  readonly keptMs?: number
  /** Who signs; the node itself unless said. */
  readonly signer?: string
  readonly subject?: string
}

function tell({ laptop, realm }: Here, said: Said = {}) {
  const { node = 'devbox', state = 'here', sessions = ['s1'], aheadMs = 0, keptMs = 0, signer = node } = said
  const listed = sessions.map((session_id) => ({
    address: `~alice/cc@${session_id}`,
    instrument: 'cc',
    session_id,
    live: true,
    mailbox: false,
    entities: [`agent.${session_id}`],
  }))
  const nowMs = laptop.clock.nowMs() - keptMs
  const text = JSON.stringify({ sent_at: nowMs + aheadMs, state, speaks: [1], sessions: listed })
  const subject = said.subject ?? `$KV.agentd_P_alice.node.${node}`
  const json = { node, engine_at_ms: nowMs, signature: realm.sign(signer, subject, text), text }
  return laptop.ask('/v1/link/presence', { json })
}

test('a node is here for 30 s from when it was heard, then away, and left at once when it says so (FED-51)', async () => {
  await using here = await start()
  const { laptop } = here
  let told = 0
  laptop.gateway.changes.add(() => {
    told += 1
  })

  await tell(here)
  const states = [laptop.gateway.nodes()[0]?.state]
  const before = told
  laptop.clock.advance(ROSTER_TTL_MS)
  states.push(laptop.gateway.nodes()[0]?.state)
  const after = told
  await tell(here)
  states.push(laptop.gateway.nodes()[0]?.state)
  await tell(here, { state: 'left', sessions: [] })
  states.push(laptop.gateway.nodes()[0]?.state)

  expect(states).toEqual(['here', 'away', 'here', 'left'])
  expect(after).toBeGreaterThan(before)
})

test('what the engine has kept for long counts no more once it has brought something of now, this node’s own word too (FED-51)', async () => {
  await using here = await start()
  const { laptop } = here
  const hourMs = 3_600_000
  let told = 0
  laptop.gateway.changes.add(() => (told += 1))

  await tell(here, { keptMs: hourMs })
  const before = told
  await tell(here, { node: 'ci', keptMs: ROSTER_TTL_MS - 1 })
  await tell(here, { node: 'laptop' })
  const after = told
  const old = laptop.gateway.nodes()
  await tell(here)
  const fresh = laptop.gateway.nodes()

  expect(old.map(({ node, state }) => [node, state])).toEqual([
    ['devbox', 'away'],
    ['ci', 'here'],
  ])
  expect(old[0]?.asOfMs).toBe(laptop.clock.nowMs() - hourMs)
  expect(after).toBeGreaterThan(before)
  expect(fresh.map(({ state }) => state)).toEqual(['here', 'here'])
})

test('a hub whose clock was set back has nobody away for it, then or later (FED-51)', async () => {
  await using here = await start()
  const { laptop } = here
  const states = () => laptop.gateway.nodes().map(({ state }) => state)

  await tell(here)
  await tell(here, { node: 'laptop', keptMs: 600_000 })
  const then = states()
  await tell(here, { keptMs: 600_000 })

  expect([then, states()]).toEqual([['here'], ['here']])
})

test('the same roster is the same list, and its entities are known while it counts (FED-50, FED-69)', async () => {
  await using here = await start()
  const { laptop } = here

  await tell(here)
  const first = laptop.gateway.nodes()[0]?.sessions
  await tell(here)
  const same = laptop.gateway.nodes()[0]?.sessions
  await tell(here, { sessions: ['s1', 's2'] })
  const other = laptop.gateway.nodes()[0]?.sessions

  expect(same).toBe(first)
  expect(other).toHaveLength(2)
  expect(laptop.gateway.knowsEntity('agent.s2')).toBe(true)
  laptop.clock.advance(ROSTER_TTL_MS)
  expect(laptop.gateway.knowsEntity('agent.s2')).toBe(false)
})

test.each([
  ['another node has signed', { signer: 'ci' }],
  ['it was signed for another key', { subject: '$KV.agentd_P_alice.node.ci' }],
])('a roster does not count when %s (FED-41)', async (_, said) => {
  await using here = await start()

  const refused = await tell(here, said)

  expect(refused).toMatchObject({ status: 403, body: { code: 'sender-identity-mismatch' } })
  expect(here.laptop.gateway.nodes()).toEqual([])
})

test('a reply says whom a scope names elsewhere, and the links say who is there with which clock (FED-50, FED-65)', async () => {
  await using here = await start()
  const { laptop } = here
  await tell(here, { aheadMs: 90_000 })

  const { body: reply } = await laptop.anybody('/v1/verbs/agent_advise', { json: { text: 'x' } })
  const { body: links } = await laptop.anybody('/v1/links')
  const { text: metrics } = await laptop.anybody('/v1/metrics')

  expect(reply.remote).toMatchObject({ sessions: 1, nodes: ['devbox'], away: [] })
  expect(links.links[0]).toMatchObject({
    name: 'home',
    realm: 'p.alice',
    node: 'laptop',
    state: 'starting',
    waiting: 1,
    what_leaves: 'frames of every kind; who is here (full)',
    nodes: [{ node: 'devbox', state: 'here', sessions: 1, offset_ms: 90_000 }],
  })
  expect(metrics).toContain('agentd_link_nodes{link="home"} 1\n')
  expect(metrics).toContain('agentd_link_clock_offset_seconds{link="home",node="devbox"} 90\n')
})

test('a machine that was taken back is nobody any more (FED-43)', async () => {
  await using here = await start()
  const { laptop, realm } = here
  await tell(here)

  await laptop.ask('/v1/link/estate', { json: { text: realm.estate(2, { without: ['devbox'] }) } })
  const refused = await tell(here)

  expect(laptop.gateway.nodes()).toEqual([])
  expect(refused.body.code).toBe('sender-identity-mismatch')
})

test("a node's own word is about its clock alone (FED-32)", async () => {
  await using here = await start()

  const { status } = await tell(here, { node: 'laptop' })

  expect(status).toBe(204)
  expect(here.laptop.gateway.nodes()).toEqual([])
})

test.each([Number.MAX_SAFE_INTEGER, 0])(
  'a clock that says %d makes no moment that a calendar has not, so that what it asks can be told (FED-32)',
  (sentAtMs) => {
    const offsets = new ClockOffsets()
    const nowMs = Date.now()
    offsets.note('devbox', sentAtMs, nowMs)
    offsets.note('laptop', nowMs, nowMs)

    const there = offsets.translate(nowMs, 'devbox', 'laptop')
    const back = offsets.translate(8_640_000_000_000_000, 'laptop', 'devbox')

    expect([there, back].map((ms) => Number.isNaN(new Date(ms).getTime()))).toEqual([false, false])
  },
)
