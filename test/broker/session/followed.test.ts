/** What is sent to an address that was carried on under another finds who carries it on (OP-27). */
import { equal } from 'node:assert/strict'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { MAX_PREDECESSORS } from '../../../src/broker/kinship/predecessors.ts'
import type { Session } from '../../../src/broker/session/session.ts'
import { DrainRequest } from '../../../src/protocol/http/requests.ts'
import { Workbench, type Reader } from '../workbench.ts'

function receiptsOf(bench: Workbench, frameId: string): readonly unknown[] {
  return bench.broker.receipts.describe(bench.broker.receipts.require(frameId)).receipts
}

function idsIn(bench: Workbench, session: Session): readonly string[] {
  return bench.drain(session, { max_items: 1_000 }).items.map(({ frame }) => frame.frame_id)
}

test('a frame for a former address waits for the heir, and its receipt stands under the address it was sent to (OP-27)', () => {
  const bench = new Workbench()
  const from = bench.session('codex', 's9')
  bench.session('cc', 's0', { mailbox: true })
  const heir = bench.session('cc', 's1', { mailbox: true, successor_of: 'cc@s0' })

  const sent = bench.publish({ from, scope: '~alice/cc@s0' })
  const waiting = receiptsOf(bench, sent.frame_id)
  const drained = idsIn(bench, heir)

  const receipt = { address: '~alice/cc@s0', carried_on_by: '~alice/cc@s1' }
  expect(sent).toMatchObject({ recipient_count: 0, queued_count: 1 })
  expect(waiting).toEqual([expect.objectContaining({ ...receipt, state: 'queued' })])
  expect(drained).toEqual([sent.frame_id])
  expect(receiptsOf(bench, sent.frame_id)).toEqual([expect.objectContaining({ ...receipt, state: 'seen' })])
})

test('an answer to a question of before comes to the heir, by its stream as well (OP-27)', () => {
  const bench = new Workbench()
  const asker = bench.session('cc', 's0', { mailbox: true })
  const responseScope = asker.address
  const heir = bench.session('cc', 's1', { successor_of: 'cc@s0', mailbox: true })
  const { sink } = bench.open(heir, { filter: 'kind:agent_response' })

  const answer = bench.publish({ kind: 'agent_response', scope: responseScope })

  expect(answer).toMatchObject({ recipient_count: 1, queued_count: 0 })
  expect(sink.frameIds).toEqual([answer.frame_id])
})

test('a reader that fell behind, or comes back, reads from the ring what it was sent as an heir, and nothing of before (OP-27)', () => {
  const bench = new Workbench()
  bench.session('cc', 's0', { mailbox: true })
  const before = bench.publish({ kind: 'agent_query', scope: '~alice/cc@s0' })
  const heir = bench.session('cc', 's1', { successor_of: 'cc@s0', mailbox: true })
  const first = bench.open(heir)
  const after = bench.publish({ kind: 'agent_query', scope: '~alice/cc@s0' })
  first.subscription.closed()

  const { sink } = bench.open(heir, { cursor: 'e1-0' })
  bench.turn()

  expect(before.queued_count + after.recipient_count).toBe(2)
  expect(sink.frameIds).toEqual([after.frame_id])
})

test('who stands at an address again has it for itself, and after its end nobody else has (OP-27)', () => {
  const bench = new Workbench()
  bench.session('cc', 's0', { mailbox: true })
  const heir = bench.session('cc', 's1', { mailbox: true, successor_of: 'cc@s0' })
  bench.broker.sessions.close(bench.broker.sessions.find('~alice/cc@s0') ?? heir)
  const back = bench.session('cc', 's0', { mailbox: true })

  const own = bench.publish({ kind: 'agent_query', scope: '~alice/cc@s0' })
  bench.broker.sessions.close(back)
  const late = bench.publish({ kind: 'agent_query', scope: '~alice/cc@s0' })

  expect(own.queued_count).toBe(1)
  expect(late.queued_count).toBe(0)
  expect(idsIn(bench, heir)).toEqual([])
})

test('nobody takes over what a living session carries on, by naming an address that is gone (HD-01, OP-27)', () => {
  const bench = new Workbench()
  bench.processes.set(2_000, 'stranger')
  bench.broker.sessions.close(bench.session('cc', 's0', { mailbox: true }))
  const heir = bench.session('cc', 's1', { mailbox: true, successor_of: 'cc@s0' })
  const thief = { instrument: 'cc', session_id: 'thief', mailbox: true, successor_of: 'cc@s0' }
  const { session } = bench.register(thief, undefined, { peerPid: 2_000 })

  bench.publish({ scope: '~alice/cc@s0' })

  expect([heir.mailbox?.unread, session.mailbox?.unread]).toEqual([1, 0])
})

test('of former addresses the newest count, and one that is left out is followed no more (HD-02)', () => {
  const bench = new Workbench()
  for (let i = 0; i <= MAX_PREDECESSORS + 1; i += 1)
    bench.session('cc', `s${i}`, { mailbox: true, ...(i > 0 && { successor_of: `cc@s${i - 1}` }) })

  const counts = [0, 1].map((i) => bench.publish({ scope: `~alice/cc@s${i}` }).queued_count)

  expect(counts).toEqual([0, 1])
})

test('an heir finds nothing of its own words to its former address (docs/http.md §7)', () => {
  const bench = new Workbench()
  bench.session('cc', 's0', { mailbox: true })
  const heir = bench.session('cc', 's1', { mailbox: true, successor_of: 'cc@s0' })

  const sent = bench.publish({ from: heir, scope: '~alice/cc@s0' })

  expect(sent).toMatchObject({ recipient_count: 0, queued_count: 0 })
  expect([idsIn(bench, heir), receiptsOf(bench, sent.frame_id)]).toEqual([[], []])
})

/** One agent through its sessions. Its first one registers the entity that the others hear for in its place. */
interface Agent {
  /** Session ids, the newest last. */
  readonly names: string[]
  session: Session
  /** What was sent to it while it could be reached. */
  readonly expected: string[]
  isThere: boolean
  reader: Reader | undefined
  /** By drains and by streams that are closed. */
  readonly received: string[]
}

class World {
  readonly bench = new Workbench({ isForebear: () => true })
  readonly agents: readonly Agent[]
  #lives = 0
  #told = 0

  constructor() {
    this.agents = [0, 1].map((i) => ({
      names: [`a${i}n0`],
      session: this.#begin(`a${i}n0`, { entities: [`agent.a${i}`] }),
      expected: [],
      isThere: true,
      reader: undefined,
      received: [],
    }))
  }

  /** The process goes, the session ends itself, or stands on beside its heir. */
  leave(agent: Agent, how: 'dies' | 'ends' | 'stays'): void {
    if (!agent.isThere || how === 'stays') return
    this.drain(agent)
    this.close(agent)
    if (how === 'ends') this.bench.broker.sessions.close(agent.session)
    else this.bench.processes.delete(agent.session.lifeline?.pid ?? 0)
    agent.isThere = false
  }

  carryOn(agent: Agent, name: string): void {
    this.close(agent)
    const last = agent.names.at(-1)
    if (name === last && agent.isThere) return
    const token = agent.names.includes(name)
      ? this.bench.broker.sessions.find(`~alice/cc@${name}`)
      : undefined
    // An id of before, at which its session still stands, is freed first: the agent is the same.
    if (token !== undefined && token !== agent.session) this.bench.broker.sessions.close(token)
    agent.session = this.#begin(name, name === last ? {} : { successor_of: `cc@${last ?? ''}` })
    agent.names.push(name)
    agent.isThere = true
  }

  send(agent: Agent, which: number): void {
    const name = agent.names[which % agent.names.length] ?? ''
    this.bench.clock.advance(50)
    const { frame_id, recipient_count, queued_count } = this.bench.publish({
      kind: 'agent_query',
      scope: `~alice/cc@${name}`,
    })
    equal(recipient_count + queued_count, agent.isThere ? 1 : 0)
    if (agent.isThere) agent.expected.push(frame_id)
  }

  tell(agent: Agent): void {
    this.#told += 1
    const id = `told-by-its-id-${this.#told}`
    this.bench.clock.advance(50)
    const to = `agent.a${this.agents.indexOf(agent)}`
    const { recipient_count, queued_count } = this.bench.tell({ id, to })
    equal(recipient_count + queued_count, agent.isThere ? 1 : 0)
    if (agent.isThere) agent.expected.push(id)
  }

  open(agent: Agent): void {
    if (agent.isThere && agent.reader === undefined) agent.reader = this.bench.open(agent.session)
  }

  close({ reader, received, ...rest }: Agent): void {
    if (reader === undefined) return
    reader.subscription.closed()
    received.push(...reader.sink.frameIds, ...reader.sink.envelopeIds)
    const agent = this.agents.find(({ names }) => names === rest.names)
    if (agent !== undefined) agent.reader = undefined
  }

  drain(agent: Agent): void {
    if (!agent.isThere) return
    const request = DrainRequest.parse({ max_items: 1_000, max_bytes: 1_048_576 })
    const { taken } = this.bench.broker.drain(agent.session, request)
    agent.received.push(...taken.map((one) => (one.type === 'frame' ? one.key : one.envelope.id)))
  }

  /** Every process has its own number. */
  #begin(name: string, more: Record<string, unknown>): Session {
    this.#lives += 1
    const pid = 5_000 + this.#lives
    this.bench.processes.set(pid, `life ${this.#lives}`)
    return this.bench.session('cc', name, { pid, mailbox: true, ...more })
  }
}

type Step = (world: World) => void

const who = fc.nat(1)
const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(who, fc.nat(20)).map(
        ([i, which]): Step =>
          (world) =>
            world.send(world.agents[i]!, which),
      ),
    },
    {
      weight: 1,
      arbitrary: who.map(
        (i): Step =>
          (world) =>
            world.tell(world.agents[i]!),
      ),
    },
    {
      weight: 1,
      arbitrary: who.map(
        (i): Step =>
          (world) =>
            world.drain(world.agents[i]!),
      ),
    },
    {
      weight: 1,
      arbitrary: who.map(
        (i): Step =>
          (world) =>
            world.open(world.agents[i]!),
      ),
    },
    {
      weight: 1,
      arbitrary: who.map(
        (i): Step =>
          (world) =>
            world.close(world.agents[i]!),
      ),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(
          who,
          fc.constantFrom('dies' as const, 'ends' as const, 'stays' as const),
          fc.boolean(),
          fc.nat(6),
        )
        .map(([i, how, isNext, name]): Step => (world) => {
          const agent = world.agents[i]!
          world.leave(agent, how)
          if (isNext) world.carryOn(agent, `a${i}n${name}`)
        }),
    },
  ),
  { minLength: 5, maxLength: 60 },
)

test('whatever chain of successions, at whatever moment: who carries on gets it, once, and nobody else (OP-27)', () => {
  let delivered = 0
  fc.assert(
    fc.property(steps, (all) => {
      const world = new World()
      for (const step of all) step(world)
      for (const agent of world.agents) {
        if (!agent.isThere) world.carryOn(agent, `last-${agent.names[0]}`)
        world.drain(agent)
        world.close(agent)
        expect(agent.received.toSorted()).toEqual(agent.expected.toSorted())
        delivered += agent.expected.length
      }
    }),
    { numRuns: 300 },
  )
  expect(delivered).toBeGreaterThan(1_000)
})
