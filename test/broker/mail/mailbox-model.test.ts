/**
 * Mailboxes on disk against plain arrays of places: whatever is sent, taken, trimmed, forgotten, handed on, looked at by a
 * stream and ended like a kill, a mailbox says what the array says (HD-03).
 */
import { setImmediate } from 'node:timers/promises'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Broker } from '../../../src/broker/broker.ts'
import type { Session } from '../../../src/broker/session/session.ts'
import { parseFilter } from '../../../src/protocol/frame/filter.ts'
import { SqliteLedger } from '../../../src/store/ledger.ts'
import type { SqliteRing } from '../../../src/store/ring/sqlite-ring.ts'
import { copyStore } from '../../support/damage.ts'
import { validEnvelope } from '../../support/envelopes.ts'
import { validFrame } from '../../support/frames.ts'
import { openRing, ROOMY } from '../../support/rings.ts'
import { brokerOn, submit, submitEnvelope } from '../../support/stored-broker.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import { ArraySink } from '../workbench.ts'
import { silentLog } from '../../support/silent-log.ts'

const NAMES = ['cc@a', 'cc@b', 'codex@c'] as const
const SCOPES = ['~alice/*', '~alice/cc*', '~alice/codex@c', '~alice/cc@a'] as const
const RETENTION = { ...ROOMY, maxFrames: 24 }

type Stream = 'none' | 'plain' | 'aside'

/** One session as the model has it. */
interface Actor {
  waiting: number[]
  lost: number
  stream: Stream
}

/** What is run against both. */
class Pair {
  ring: SqliteRing
  broker: Broker
  dir: TempDir
  readonly actors: readonly Actor[] = NAMES.map(() => ({ waiting: [], lost: 0, stream: 'none' }))
  readonly #sinks = new Map<number, { close: () => void }>()

  constructor(dir: TempDir, ring: SqliteRing) {
    this.dir = dir
    this.ring = ring
    this.broker = brokerOn(ring, new SqliteLedger(ring, silentLog))
    for (const name of NAMES) {
      const [instrument = '', sessionId = ''] = name.split('@')
      const entities = name === 'cc@a' ? ['agent.a', 'bus.ops'] : ['bus.ops']
      this.broker.sessions.open(
        { instrument, session_id: sessionId, mailbox: true, entities },
        undefined,
        undefined,
      )
    }
  }

  session(i: number): Session {
    const session = this.broker.sessions.find(`~alice/${NAMES[i] ?? ''}`)
    if (session === undefined) throw new Error('nobody has ended it')
    return session
  }

  async publish(
    scope: string,
    kind: 'agent_handover' | 'agent_query',
    from: number | undefined,
  ): Promise<void> {
    const sender = from === undefined ? undefined : this.session(from)
    const frame = validFrame(kind, {
      recipient_handle: '~alice',
      ...(sender !== undefined && { drafted_with: sender.facts.draftedWith }),
    })
    await submit(this.broker, frame, sender, scope)
    this.#queue((actor, name, i) => {
      const isNamed = scope.endsWith('*')
        ? `~alice/${name}`.startsWith(scope.slice(0, -1))
        : scope === `~alice/${name}`
      return (
        isNamed &&
        i !== from &&
        (actor.stream === 'none' || (actor.stream === 'aside' && kind !== 'agent_query'))
      )
    })
  }

  async tell(to: 'agent.a' | 'bus.ops', priority: string): Promise<void> {
    await submitEnvelope(this.broker, validEnvelope({ to, priority }))
    // A stream without a filter hears the envelopes of its session; one for a kind of frame does not.
    this.#queue((actor, name) => (to === 'bus.ops' || name === 'cc@a') && actor.stream !== 'plain')
  }

  stream(i: number, stream: Stream): void {
    this.#sinks.get(i)?.close()
    this.#sinks.delete(i)
    const actor = this.actors[i]
    if (actor !== undefined) actor.stream = stream
    if (stream === 'none') return
    const start = { isAside: stream === 'aside' }
    const filter = parseFilter(stream === 'aside' ? 'kind:agent_query' : '')
    const subscription = this.broker.streams.open(this.session(i), filter, start, new ArraySink())
    this.#sinks.set(i, { close: () => subscription.closed() })
  }

  take(i: number, which: readonly number[]): void {
    this.#settle()
    const actor = this.actors[i]
    if (actor === undefined) return
    const seqs = which.flatMap((at) => actor.waiting[at % Math.max(1, actor.waiting.length)] ?? [])
    this.session(i).mailbox?.remove(seqs)
    actor.waiting = actor.waiting.filter((seq) => !seqs.includes(seq))
  }

  tellLost(i: number): void {
    this.#settle()
    const actor = this.actors[i]
    if (actor === undefined) return
    // Another figure than the model's leaves a loss to one of them, which the next look tells.
    actor.lost -= this.session(i).mailbox?.takeLost() ?? 0
  }

  async forget(at: number): Promise<void> {
    const place = this.ring.firstSeq + (at % Math.max(1, this.ring.count))
    const key = this.ring.get(place)?.key
    this.#settle()
    if (key === undefined) return
    await this.broker.forget({ key })
    for (const actor of this.actors) actor.waiting = actor.waiting.filter((seq) => seq !== place)
  }

  /** One hands everything to another, and goes on with nothing. */
  handOn(from: number, to: number): void {
    const [left, heir] = [this.actors[from], this.actors[to]]
    const [mailbox, successor] = [this.session(from).mailbox, this.session(to).mailbox]
    if (from === to || !left || !heir || !mailbox || !successor) return
    this.#settle()
    mailbox.moveTo(successor)
    mailbox.listen(this.session(from).standing)
    heir.waiting = [...new Set([...left.waiting, ...heir.waiting])].toSorted((a, b) => a - b)
    heir.lost += left.lost
    Object.assign(left, { waiting: [], lost: 0 })
  }

  /** Ends it without a word, and starts another one on what the files hold. */
  async restart(next: TempDir): Promise<void> {
    await setImmediate()
    copyStore(this.dir, next)
    this.broker.close()
    this.#sinks.clear()
    for (const actor of this.actors) actor.stream = 'none'
    this.dir = next
    this.ring = await openRing(next, { retention: RETENTION })
    this.broker = brokerOn(this.ring, new SqliteLedger(this.ring, silentLog))
  }

  /** What each mailbox says, and what its array does. */
  check(): { readonly said: unknown; readonly known: unknown } {
    this.#settle()
    const said = this.actors.map((_, i) => {
      const mailbox = this.session(i).mailbox
      return [mailbox?.peek(), mailbox?.unread, mailbox?.lost]
    })
    return { said, known: this.actors.map(({ waiting, lost }) => [waiting, waiting.length, lost]) }
  }

  #queue(isFor: (actor: Actor, name: string, i: number) => boolean): void {
    for (const [i, actor] of this.actors.entries())
      if (isFor(actor, NAMES[i] ?? '', i)) actor.waiting.push(this.ring.lastSeq)
    this.#settle()
  }

  #settle(): void {
    for (const actor of this.actors) {
      const kept = actor.waiting.filter((seq) => seq >= this.ring.firstSeq)
      actor.lost += actor.waiting.length - kept.length
      actor.waiting = kept
    }
  }
}

type Step = (pair: Pair) => unknown

const who = fc.nat(NAMES.length - 1)
const publishStep = fc
  .tuple(
    fc.constantFrom(...SCOPES),
    fc.constantFrom('agent_handover' as const, 'agent_query' as const),
    fc.option(who),
  )
  .map(
    ([scope, kind, from]): Step =>
      (pair) =>
        pair.publish(scope, kind, from ?? undefined),
  )
const tellStep = fc
  .tuple(fc.constantFrom('agent.a' as const, 'bus.ops' as const), fc.constantFrom('urgent', 'normal', 'low'))
  .map(
    ([to, priority]): Step =>
      (pair) =>
        pair.tell(to, priority),
  )
const streamStep = fc.tuple(who, fc.constantFrom<Stream>('none', 'plain', 'aside')).map(
  ([i, stream]): Step =>
    (pair) =>
      pair.stream(i, stream),
)
const takeStep = fc.tuple(who, fc.array(fc.nat(20), { maxLength: 6 })).map(
  ([i, which]): Step =>
    (pair) =>
      pair.take(i, which),
)
const steps = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: publishStep },
    { weight: 3, arbitrary: tellStep },
    { weight: 3, arbitrary: streamStep },
    { weight: 4, arbitrary: takeStep },
    {
      weight: 1,
      arbitrary: who.map(
        (i): Step =>
          (pair) =>
            pair.tellLost(i),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.nat(40).map(
        (at): Step =>
          (pair) =>
            pair.forget(at),
      ),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(who, who).map(
        ([a, b]): Step =>
          (pair) =>
            pair.handOn(a, b),
      ),
    },
    { weight: 1, arbitrary: fc.constant<Step | 'restart'>('restart') },
  ),
  { minLength: 5, maxLength: 70 },
)

test(
  'a mailbox says what a plain array of places would say, over restarts (HD-03, R-16, R-18)',
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const dirs: TempDir[] = [await createTempDir()]
        const pair = new Pair(dirs[0]!, await openRing(dirs[0]!, { retention: RETENTION }))
        for (const step of all) {
          if (step === 'restart') {
            const next = await createTempDir()
            dirs.push(next)
            await pair.restart(next)
          } else await step(pair)
          const { said, known } = pair.check()
          expect(said).toEqual(known)
        }
        pair.broker.close()
        for (const dir of dirs) await dir[Symbol.asyncDispose]()
      }),
      { numRuns: 60 },
    )
  },
)
