import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { rosterEntry } from '../../src/broker/roster-entry.ts'
import type { Session } from '../../src/broker/session/session.ts'
import type { Watcher } from '../../src/broker/stream/watcher.ts'
import type { Kind } from '../../src/protocol/frame/kinds.ts'
import { ArraySink, Workbench, type Reader } from './workbench.ts'

/** What becomes of a watch. */
type Disturbance = 'stop' | 'goOn' | 'leave'

/** Prefixes of each other, with and without a mailbox. */
const ACTORS = [
  { instrument: 'cc', sessionId: 's1', mailbox: true },
  { instrument: 'cc-opus', sessionId: 's1', mailbox: false },
  { instrument: 'codex', sessionId: 's2', mailbox: true, entities: ['agent.a', 'bus.ops'] },
] as const
const SCOPES = ['~alice', '~alice/*', '~alice/cc*', '~alice/cc@s1', '~alice/codex@s2', '~alice/codex@nobody']
const KINDS: readonly Kind[] = ['agent_advisory', 'agent_broadcast', 'agent_query', 'flush_executed']
/** Reading on is said twice: most watches keep up. */
const HOWS: readonly Disturbance[] = ['stop', 'goOn', 'goOn', 'leave']
const ENTITIES = ['agent.a', 'bus.ops']

/** A bench with the same three sessions, and what its senders were answered. */
class Place {
  readonly bench = new Workbench({ limits: { subscriptionBytes: 4_096 } })
  readonly sessions: readonly Session[] = ACTORS.map(({ instrument, sessionId, ...more }) =>
    this.bench.session(instrument, sessionId, { ...more }),
  )
  readonly readers: (Reader | undefined)[] = ACTORS.map(() => undefined)
  readonly answers: object[] = []

  submit(frame: object, scope: string, actor: number | undefined): void {
    const from = actor === undefined ? undefined : this.sessions[actor]
    this.bench.submit(frame, { from, scope, respond: (reply) => this.answers.push(reply) })
  }

  tell(envelope: object): void {
    this.bench.submitEnvelope(envelope, { respond: (reply) => this.answers.push(reply) })
  }

  /** Opens or closes the stream of a session. */
  listen(actor: number): void {
    const open = this.readers[actor]
    open?.subscription.closed()
    this.readers[actor] = open === undefined ? this.bench.open(this.sessions[actor]!) : undefined
  }

  /** All that anybody could know of what was sent: answers, receipts, mailboxes, streams, the roster. */
  get seen(): object {
    const { bench, sessions, readers, answers } = this
    const retained = Array.from({ length: bench.ring.lastSeq }, (_, i) => bench.ring.get(i + 1)!)
    return {
      answers,
      receipts: retained.map((one) => bench.broker.receipts.describe(one)),
      roster: sessions.map((session) => rosterEntry(session)),
      streams: readers.map((reader) => reader?.sink.text),
      count: bench.broker.sessions.count,
    }
  }
}

/** A watch, and what it is to have seen from where it began. */
interface Watching {
  readonly sink: ArraySink
  readonly watcher: Watcher
  readonly afterSeq: number
  isOpen: boolean
}

class World {
  readonly plain = new Place()
  readonly watched = new Place()
  readonly watches: Watching[] = []

  /** Does the same at both places. */
  both(act: (place: Place) => void): void {
    act(this.plain)
    act(this.watched)
  }

  watch(back: number): void {
    const { broker, ring } = this.watched.bench
    if (broker.watchers.count === 16) return
    const afterSeq = Math.max(0, ring.lastSeq - back)
    const sink = new ArraySink()
    const wish = { cursor: ring.eventId(afterSeq), address: undefined, snapshot: '' }
    this.watches.push({ sink, watcher: broker.watchers.open(wish, sink), afterSeq, isOpen: true })
  }

  /** One watch stops reading, reads on, or goes. */
  disturb(which: number, how: Disturbance): void {
    const watching = this.watches[which % Math.max(1, this.watches.length)]
    if (watching === undefined || !watching.isOpen) return
    if (how === 'stop') watching.sink.stop()
    if (how === 'goOn') goOn(watching)
    if (how !== 'leave') return
    // What it has not read by now it never will; those that stay have to have everything.
    watching.isOpen = false
    watching.watcher.closed()
  }
}

function goOn({ sink, watcher }: Watching): void {
  sink.goOn()
  watcher.drained()
}

function passed(sink: ArraySink): readonly number[] {
  return sink.events
    .filter(({ event }) => event === 'agentd_passed')
    .map(({ id }) => Number(id?.split('-')[1]))
}

type Act = (world: World) => void

const acts: readonly fc.Arbitrary<Act>[] = [
  fc
    .record({
      actor: fc.option(fc.nat({ max: 2 }), { nil: undefined }),
      scope: fc.constantFrom(...SCOPES),
      kind: fc.constantFrom(...KINDS),
    })
    .map(({ actor, scope, kind }) => (world) => {
      const { bench, sessions } = world.plain
      const from = actor === undefined ? undefined : sessions[actor]
      const frame = bench.frame({ from, scope, kind })
      world.both((place) => place.submit(frame, scope, actor))
    }),
  fc.constantFrom(...ENTITIES).map((to) => (world) => {
    const envelope = world.plain.bench.envelope({ to })
    world.both((place) => place.tell(envelope))
  }),
  fc.constant((world) => world.both(({ bench }) => bench.turn())),
  fc.nat({ max: 2 }).map((actor) => (world) => world.both((place) => place.listen(actor))),
  fc.nat({ max: 2 }).map((actor) => (world) => {
    world.both(({ bench, sessions }) => {
      if (ACTORS[actor]!.mailbox) bench.drain(sessions[actor]!)
    })
  }),
  fc.nat({ max: 20 }).map((back) => (world) => world.watch(back)),
  fc.record({ which: fc.nat({ max: 15 }), how: fc.constantFrom(...HOWS) }).map(
    ({ which, how }) =>
      (world) =>
        world.disturb(which, how),
  ),
]

test('a watch sees everything accepted exactly once, and nobody can tell whether there is one (SEAT-06)', () => {
  const totals = { passed: 0, watches: 0 }

  fc.assert(
    fc.property(fc.array(fc.oneof(...acts), { size: 'max', maxLength: 120 }), (steps) => {
      const world = new World()
      for (const step of steps) step(world)
      world.both(({ bench }) => bench.turn())
      for (const watching of world.watches.filter(({ isOpen }) => isOpen)) goOn(watching)
      world.both(({ bench }) => bench.turn())

      const { lastSeq } = world.watched.bench.ring
      for (const { sink, afterSeq, isOpen } of world.watches) {
        const seen = passed(sink)
        const upTo = isOpen ? lastSeq : afterSeq + seen.length
        expect(seen).toEqual(Array.from({ length: upTo - afterSeq }, (_, i) => afterSeq + 1 + i))
        totals.passed += seen.length
      }
      expect(world.watched.seen).toEqual(world.plain.seen)
      totals.watches += world.watches.length
    }),
    { numRuns: 100, endOnFailure: true },
  )

  expect(totals.watches).toBeGreaterThan(200)
  expect(totals.passed).toBeGreaterThan(2_000)
})
