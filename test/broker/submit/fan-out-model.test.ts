import { deepEqual, equal, throws } from 'node:assert/strict'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Session } from '../../../src/broker/session/session.ts'
import type { Kind } from '../../../src/protocol/frame/kinds.ts'
import type { SubmissionReply } from '../../../src/protocol/http/frame-replies.ts'
import { ALICE, ArraySink, Workbench, type Reader } from '../workbench.ts'

/**
 * What should happen, kept as simply as it can be said: nobody here has an index, a cursor or a cache.
 */
interface Sent {
  readonly frameId: string
  readonly scope: string
  readonly kind: string
  readonly sender: string
  readonly tool: string | undefined
  readonly senderAddress: string | undefined
}

interface ModelStream {
  readonly actor: number
  readonly filter: string
  readonly expected: Sent[]
}

interface ModelActor {
  present: boolean
  mailbox: boolean
  tool: string
  readonly unread: Sent[]
}

interface Model {
  readonly actors: readonly ModelActor[]
  streams: ModelStream[]
  readonly log: Sent[]
  pending: (Sent & { actor: number | undefined })[]
  commands: number
  deliveries: number
}

interface Real {
  readonly bench: Workbench
  readonly sessions: (Session | undefined)[]
  readers: Reader[]
  answers: SubmissionReply[]
}

/** Instruments that are prefixes of each other, and one session that goes by a handle of its own. */
const ACTORS = [
  { handle: ALICE, instrument: 'cc', sessionId: 's1' },
  { handle: ALICE, instrument: 'cc', sessionId: 's2' },
  { handle: ALICE, instrument: 'cc-opus', sessionId: 's1' },
  { handle: ALICE, instrument: 'cc-opus-4', sessionId: 's1' },
  { handle: ALICE, instrument: 'codex', sessionId: 's2' },
  { handle: '~cc-solo', instrument: 'cc-solo', sessionId: 's1' },
] as const

const SCOPES = [
  '~alice',
  '~alice/*',
  '~alice/c*',
  '~alice/cc*',
  '~alice/cc-opus*',
  '~alice/cc-opus-*',
  '~alice/x*',
  '~alice/cc@s1',
  '~alice/cc-opus@s1',
  '~alice/codex@s2',
  '~alice/codex@nobody',
  '~cc-solo',
  '~cc-solo/cc-solo@s1',
]
const KINDS: readonly Kind[] = ['agent_advisory', 'agent_broadcast', 'agent_query', 'flush_executed']
const TOOLS = ['cc', 'codex']
const FILTERS = [
  '',
  '',
  'kind:agent_advisory',
  'kind:agent_query,tool:cc',
  'sender:~alice',
  'sender:~cc-solo',
  'tool:codex',
  'content_type:x',
  'org:~acme',
  'kind:agent_advisory,kind:agent_query',
]

const addressOf = (actor: number): string => {
  const { handle, instrument, sessionId } = ACTORS[actor]!
  return `${handle}/${instrument}@${sessionId}`
}

/** AC-115…AC-119 as text: a star is everything that begins so, and a bare handle is all of its sessions. */
function names(scope: string, address: string): boolean {
  if (!scope.includes('/')) return address.startsWith(`${scope}/`)
  return scope.endsWith('*') ? address.startsWith(scope.slice(0, -1)) : address === scope
}

function admits(filter: string, sent: Sent): boolean {
  if (filter === '') return true
  return filter.split(',').every((clause) => {
    const [axis, value] = clause.split(':')
    if (axis === 'kind') return sent.kind === value
    if (axis === 'sender') return sent.sender === value
    return axis === 'tool' && sent.tool === value
  })
}

/** One command, as a word and what it does. */
class Step implements fc.Command<Model, Real> {
  readonly #says: string
  readonly #act: (model: Model, real: Real) => void

  constructor(says: string, act: (model: Model, real: Real) => void) {
    this.#says = says
    this.#act = act
  }

  check(): boolean {
    return true
  }

  run(model: Model, real: Real): void {
    model.commands += 1
    this.#act(model, real)
    compare(model, real)
  }

  toString(): string {
    return this.#says
  }
}

function compare(model: Model, real: Real): void {
  model.streams.forEach((stream, i) => {
    expect(real.readers[i]!.sink.frameIds).toEqual(stream.expected.map(({ frameId }) => frameId))
  })
  model.actors.forEach((actor, i) => {
    expect(real.sessions[i]?.mailbox?.unread).toBe(
      actor.present && actor.mailbox ? actor.unread.length : undefined,
    )
  })
}

function leave(model: Model, real: Real, index: number): void {
  real.readers[index]!.subscription.closed()
  real.readers = real.readers.filter((_, i) => i !== index)
  model.streams = model.streams.filter((_, i) => i !== index)
}

const actorIndex = fc.nat({ max: ACTORS.length - 1 })

const registers = fc
  .record({ actor: actorIndex, mailbox: fc.boolean(), tool: fc.constantFrom(...TOOLS) })
  .map(
    ({ actor, mailbox, tool }) =>
      new Step(`register(${addressOf(actor)}, mailbox ${mailbox}, ${tool})`, (model, real) => {
        if (model.actors[actor]!.present) return
        const { handle, instrument, sessionId } = ACTORS[actor]!
        real.sessions[actor] = real.bench.session(instrument, sessionId, { handle, mailbox, tool })
        Object.assign(model.actors[actor]!, { present: true, mailbox, tool, unread: [] })
      }),
  )

const closes = actorIndex.map(
  (actor) =>
    new Step(`close(${addressOf(actor)})`, (model, real) => {
      const session = real.sessions[actor]
      // A session that has frames in the turn stays: the model would have to say who they are from.
      if (session === undefined || model.pending.some((sent) => sent.actor === actor)) return
      real.bench.broker.sessions.close(session)
      real.sessions[actor] = undefined
      model.actors[actor]!.present = false
      for (let i = model.streams.length - 1; i >= 0; i -= 1) {
        if (model.streams[i]!.actor !== actor) continue
        deepEqual(real.readers[i]!.sink.byes, [{ reason: 'expired' }])
        leave(model, real, i)
      }
    }),
)

const opens = fc
  .record({ actor: actorIndex, filter: fc.constantFrom(...FILTERS), back: fc.option(fc.nat({ max: 30 })) })
  .map(
    ({ actor, filter, back }) =>
      new Step(`open(${addressOf(actor)}, "${filter}", back ${back})`, (model, real) => {
        const session = real.sessions[actor]
        if (session === undefined) return
        const place = back === null ? undefined : Math.max(0, model.log.length - back)
        const cursor = place === undefined ? undefined : real.bench.ring.eventId(place)
        real.readers.push(real.bench.open(session, { filter, cursor }))
        // What lies between the cursor and now is replayed at once; the bench's pages are long enough.
        const missed = place === undefined ? [] : model.log.slice(place)
        const expected = missed.filter((sent) => names(sent.scope, addressOf(actor)) && admits(filter, sent))
        model.streams.push({ actor, filter, expected })
      }),
  )

const disconnects = fc.nat({ max: 20 }).map(
  (which) =>
    new Step(`disconnect(${which})`, (model, real) => {
      if (model.streams.length > 0) leave(model, real, which % model.streams.length)
    }),
)

const publishes = fc
  .record({
    actor: fc.option(actorIndex, { nil: undefined }),
    scope: fc.constantFrom(...SCOPES),
    kind: fc.constantFrom(...KINDS),
  })
  .map(
    ({ actor, scope, kind }) =>
      new Step(
        `publish(${actor === undefined ? ALICE : addressOf(actor)}, ${scope}, ${kind})`,
        (model, real) => {
          const from = actor === undefined ? undefined : real.sessions[actor]
          if (actor !== undefined && from === undefined) return
          const frame = real.bench.frame({ from, scope, kind })
          const isOwned = scope.startsWith('~alice') || model.actors[5]!.present
          if (!isOwned) {
            throws(() => real.bench.submit(frame, { from, scope }), /not a handle of this principal/)
            return
          }
          real.bench.submit(frame, { from, scope, respond: (reply) => real.answers.push(reply) })
          model.pending.push({
            frameId: frame.frame_id,
            scope,
            kind,
            sender: from?.handle ?? ALICE,
            tool: from?.tool,
            senderAddress: from?.address,
            actor,
          })
        },
      ),
  )

/** Who is near is a hint beside the counts, and there is none where somebody was reached. */
function withoutHint({ near, ...answer }: SubmissionReply): object {
  equal(near !== undefined && answer.recipient_count + answer.queued_count > 0, false)
  return answer
}

const turns = fc.constant(
  new Step('turn', (model, real) => {
    real.bench.turn()
    const expected = model.pending.map((sent) => {
      const reached = model.streams.filter(
        ({ actor, filter }) => names(sent.scope, addressOf(actor)) && admits(filter, sent),
      )
      for (const stream of reached) stream.expected.push(sent)
      const queued = model.actors.filter((actor, i) => {
        const isAbsent = !model.streams.some((stream) => stream.actor === i)
        const isOwn = addressOf(i) === sent.senderAddress
        return actor.present && actor.mailbox && isAbsent && !isOwn && names(sent.scope, addressOf(i))
      })
      for (const actor of queued) actor.unread.push(sent)
      model.log.push(sent)
      model.deliveries += reached.length + queued.length
      return {
        frame_id: sent.frameId,
        event_id: `e1-${model.log.length}`,
        recipient_count: reached.length,
        queued_count: queued.length,
        ack: 'memory',
      }
    })
    deepEqual(real.answers.map(withoutHint), expected)
    real.answers = []
    model.pending = []
  }),
)

const drains = actorIndex.map(
  (actor) =>
    new Step(`drain(${addressOf(actor)})`, (model, real) => {
      const session = real.sessions[actor]
      const { present, mailbox, unread } = model.actors[actor]!
      if (session === undefined || !present || !mailbox) return
      const { items, coalesced } = real.bench.drain(session, { max_items: 1_000, max_bytes: 1_048_576 })
      // Advisories about the same files collapse; here all of one sender are.
      const kept = unread.filter(
        (sent, i) =>
          sent.kind !== 'agent_advisory' ||
          !unread.some(
            (later, j) => j > i && later.kind === sent.kind && later.senderAddress === sent.senderAddress,
          ),
      )
      deepEqual(
        items.map(({ frame }) => frame.frame_id),
        kept.map(({ frameId }) => frameId),
      )
      equal(coalesced, unread.length - kept.length)
      unread.length = 0
    }),
)

/** Every stream's frames are in one rising order, and a frame has one place for everybody. */
function expectOneOrder({ readers }: Real): void {
  const placeOf = new Map<string, number>()
  for (const { sink } of readers) {
    expect(sink.seqs).toEqual(sink.seqs.toSorted((a, b) => a - b))
    expect(new Set(sink.seqs).size).toBe(sink.seqs.length)
    sink.frameIds.forEach((frameId, i) => {
      expect(placeOf.get(frameId) ?? sink.seqs[i]).toBe(sink.seqs[i])
      placeOf.set(frameId, sink.seqs[i]!)
    })
  }
}

test('every frame reaches exactly the subscriptions and mailboxes it should, in one order, whatever comes and goes (R-11, R-12, R-15, AC-115…AC-119, AC-136, AC-158, ACQ-24)', () => {
  const totals = { commands: 0, deliveries: 0 }

  fc.assert(
    fc.property(
      fc.commands(
        [registers, closes, opens, opens, disconnects, publishes, publishes, publishes, turns, drains],
        {
          size: 'max',
          maxCommands: 100,
        },
      ),
      (commands) => {
        const model: Model = {
          actors: ACTORS.map(() => ({ present: false, mailbox: false, tool: '', unread: [] })),
          streams: [],
          log: [],
          pending: [],
          commands: 0,
          deliveries: 0,
        }
        const real: Real = { bench: new Workbench(), sessions: [], readers: [], answers: [] }
        // Most runs would otherwise spend their commands on nobody.
        for (const actor of [0, 2, 4]) {
          const { handle, instrument, sessionId } = ACTORS[actor]!
          const mailbox = actor === 2
          real.sessions[actor] = real.bench.session(instrument, sessionId, { handle, mailbox, tool: 'cc' })
          Object.assign(model.actors[actor]!, { present: true, mailbox, tool: 'cc' })
        }
        fc.modelRun(() => ({ model, real }), commands)
        expectOneOrder(real)
        totals.commands += model.commands
        totals.deliveries += model.deliveries
      },
    ),
    { numRuns: 400, endOnFailure: true },
  )

  expect(totals.commands).toBeGreaterThan(10_000)
  expect(totals.deliveries).toBeGreaterThan(1_000)
})

test('frames of one turn keep their order for every subscriber, whatever audiences lie between them (R-12)', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...SCOPES.slice(0, 11)), { maxLength: 60 }), (scopes) => {
      const bench = new Workbench()
      const readers = ACTORS.slice(0, 5).map(({ instrument, sessionId }) =>
        bench.open(bench.session(instrument, sessionId)),
      )

      const sent = scopes.map((scope) => {
        const frame = bench.frame({ scope })
        bench.submit(frame, { scope })
        return { scope, frameId: frame.frame_id }
      })
      bench.turn()

      readers.forEach(({ sink }, i) => {
        const expected = sent.filter(({ scope }) => names(scope, addressOf(i)))
        expect(sink.frameIds).toEqual(expected.map(({ frameId }) => frameId))
        // One turn is one write: a fan-out of many frames costs each reader one call (docs/http.md §6).
        expect(sink.writes).toBe(expected.length > 0 ? 2 : 1)
      })
    }),
    { numRuns: 100 },
  )
})

test('a frame of a turn is expanded when the turn ends, so who came in between gets it and who went does not (AC-115)', () => {
  const bench = new Workbench()
  const early = bench.open(bench.session('cc', 's1'))
  const frame = bench.frame()
  bench.submit(frame)
  early.subscription.closed()

  const late = bench.open(bench.session('cc', 's2'), { sink: new ArraySink() })
  bench.turn()

  expect(early.sink.frameIds).toEqual([])
  expect(late.sink.frameIds).toEqual([frame.frame_id])
})
