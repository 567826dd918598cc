/**
 * A whole broker on a workbench: the real parts, with the clock, the loop turn and the readers in the test's hand.
 */
import { setImmediate } from 'node:timers/promises'
import { decodeEnvelope } from '../../src/aee/envelope/envelope.ts'
import { Broker } from '../../src/broker/broker.ts'
import type { Authority } from '../../src/broker/authority/authority.ts'
import { callerFor, type Caller } from '../../src/broker/session/caller.ts'
import type { EnvelopePolicy } from '../../src/broker/envelopes/policy.ts'
import type { Drain } from '../../src/broker/inbox/inbox.ts'
import { NOTHING_INHERITED, forgetfulLedger } from '../../src/broker/session/ledger.ts'
import type { BrokerLimits } from '../../src/broker/quota/limits.ts'
import type { Remote } from '../../src/broker/remote/remote.ts'
import { MemoryRing } from '../../src/broker/ring/memory/memory-ring.ts'
import type { Deletion, RetentionBounds } from '../../src/broker/ring/ring.ts'
import type { Session } from '../../src/broker/session/session.ts'
import type { Proof } from '../../src/broker/session/succession.ts'
import type { StreamStart } from '../../src/broker/streams.ts'
import type { Sink } from '../../src/broker/stream/sink.ts'
import type { Respond } from '../../src/broker/submit/pending-submission.ts'
import type { Subscription } from '../../src/broker/stream/subscription.ts'
import { AgentdError } from '../../src/core/errors.ts'
import { parseFilter } from '../../src/protocol/frame/filter.ts'
import type { Kind } from '../../src/protocol/frame/kinds.ts'
import type { EnvelopeReply } from '../../src/protocol/http/envelope-replies.ts'
import type { SubmissionReply } from '../../src/protocol/http/frame-replies.ts'
import { DrainRequest, SessionRequest } from '../../src/protocol/http/requests.ts'
import { parseSubmission } from '../../src/protocol/frame/submission.ts'
import { ROOMY_LIMITS } from '../support/broker-limits.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { openPolicy, type PolicyWish } from '../support/open-policy.ts'
import { readDrain } from '../support/drains.ts'
import { validEnvelope, type AnyEnvelope } from '../support/envelopes.ts'
import { validFrame, type FrameOverrides } from '../support/frames.ts'

export const ALICE = '~alice'

/** The process that everybody on a workbench registers from, unless a test says otherwise. */
export const BENCH_PID = 1_000

/** Bounds that no test meets by accident. */
const RETENTION: RetentionBounds = { maxFrames: 100_000, maxBytes: 1 << 30, maxAgeMs: 86_400_000 }

/** One block of a stream, as it stands between two blank lines. */
export interface Block {
  readonly id: string | undefined
  readonly event: string | undefined
  readonly data: string | undefined
  readonly retry: string | undefined
  readonly comment: string | undefined
}

/** A sink that keeps what it is given, and takes as much as the test lets it. */
export class ArraySink implements Sink {
  /** What the reader has. */
  #text = ''
  #writes = 0
  #ended = false
  /** Bytes that wait while the reader takes nothing. */
  #waiting: Buffer[] = []
  /** While set, nothing is taken: it all is backlog. */
  #stopped = false
  /** Whether a write that leaves backlog asks for patience; a socket only does past its high-water mark. */
  readonly #highWaterMark: number

  constructor(highWaterMark = 1) {
    this.#highWaterMark = highWaterMark
  }

  get backlogBytes(): number {
    return this.#waiting.reduce((sum, { length }) => sum + length, 0)
  }

  write(chunks: readonly Buffer[]): boolean {
    this.#writes += 1
    if (this.#stopped) this.#waiting.push(...chunks)
    else this.#text += Buffer.concat([...chunks]).toString('utf8')
    return this.backlogBytes < this.#highWaterMark
  }

  end(last: Buffer): void {
    this.write([last])
    this.#ended = true
  }

  /** The reader takes nothing from now on. */
  stop(): void {
    this.#stopped = true
  }

  /** The reader takes some of what waits, in whole chunks, and still not what comes. */
  take(chunks: number): void {
    this.#text += Buffer.concat(this.#waiting.splice(0, chunks)).toString('utf8')
  }

  /** The reader takes everything, and what comes. The broker still has to be told by `drained`. */
  goOn(): void {
    this.take(this.#waiting.length)
    this.#stopped = false
  }

  get hasEnded(): boolean {
    return this.#ended
  }

  /** Calls of `write` so far. */
  get writes(): number {
    return this.#writes
  }

  get text(): string {
    return this.#text
  }

  get blocks(): readonly Block[] {
    return this.#text
      .split('\n\n')
      .filter((block) => block !== '')
      .map(toBlock)
  }

  /** The events that dispatch something: frames, gaps, byes. */
  get events(): readonly Block[] {
    return this.blocks.filter(({ data }) => data !== undefined)
  }

  get frameIds(): readonly string[] {
    return this.#frames.map(({ data }) => JSON.parse(data ?? '').frame_id)
  }

  /** The envelopes, as the text that came. */
  get envelopes(): readonly string[] {
    return this.events.filter(({ event }) => event === 'aee_envelope').map(({ data }) => data ?? '')
  }

  /** The ids of the envelopes. */
  get envelopeIds(): readonly string[] {
    return this.envelopes.map((text) => JSON.parse(text).id)
  }

  /** The places of the frames in the sequence. */
  get seqs(): readonly number[] {
    return this.#frames.map(({ id }) => Number(id?.split('-')[1]))
  }

  /** The payloads of the gap events. */
  get gaps(): readonly Record<string, unknown>[] {
    return this.events.filter(({ event }) => event === 'agentd_gap').map(({ data }) => JSON.parse(data ?? ''))
  }

  get byes(): readonly Record<string, unknown>[] {
    return this.events.filter(({ event }) => event === 'agentd_bye').map(({ data }) => JSON.parse(data ?? ''))
  }

  /** The id a reader would resume from. */
  get lastEventId(): string | undefined {
    return this.blocks.findLast(({ id }) => id !== undefined)?.id
  }

  get #frames(): readonly Block[] {
    return this.events.filter(({ event }) => event === 'agent_frame')
  }
}

function toBlock(text: string): Block {
  const fields = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [, name = '', value = ''] = /^([a-z]*): ?(.*)$/.exec(line) ?? []
    if (fields.has(name)) throw new Error(`a block with two fields "${name}":\n${text}`)
    fields.set(name, value)
  }
  return {
    id: fields.get('id'),
    event: fields.get('event'),
    data: fields.get('data'),
    retry: fields.get('retry'),
    comment: fields.get(''),
  }
}

/** An open stream and the sink behind it. */
export interface Reader {
  readonly sink: ArraySink
  readonly subscription: Subscription
}

/** What a submission may say besides its kind. */
export interface Publication<K extends Kind = Kind> {
  readonly from?: Session | undefined
  readonly scope?: string | undefined
  readonly kind?: K
  readonly frame?: FrameOverrides<K>
}

export class Workbench {
  readonly clock = new FakeClock()
  readonly ring: MemoryRing
  readonly broker: Broker
  /** Living processes, with what tells them from later ones of the same number. */
  readonly processes = new Map([[BENCH_PID, 'bench']])
  #steps: (() => void)[] = []

  constructor(
    options: {
      limits?: Partial<BrokerLimits>
      retention?: Partial<RetentionBounds>
      epoch?: string
      policy?: PolicyWish
      /** Whose handle is whose; absent, the principal alone. */
      authority?: Authority
      /** The nodes it is linked with; absent, none. */
      remote?: Remote
      /** Whose forebear is whose, where the kernel names who connects. */
      isForebear?: (pid: number, of: number) => boolean
      /** Loads the schemas, where that has to fail. */
      loadSchemas?: EnvelopePolicy['loadSchemas']
      /** Makes the ring, where it has to be one that refuses. */
      makeRing?: (epoch: string, retention: RetentionBounds) => MemoryRing
    } = {},
  ) {
    const { epoch = 'e1', makeRing = (...args) => new MemoryRing(...args) } = options
    this.ring = makeRing(epoch, { ...RETENTION, ...options.retention })
    this.broker = new Broker({
      principal: ALICE,
      ...(options.authority !== undefined && { authority: options.authority }),
      ...(options.remote !== undefined && { remote: options.remote }),
      limits: { ...ROOMY_LIMITS, ...options.limits },
      ring: this.ring,
      ledger: forgetfulLedger,
      inheritance: NOTHING_INHERITED,
      clock: this.clock,
      processes: {
        startTime: (pid) => this.processes.get(pid),
        exists: (pid) => this.processes.has(pid),
        isForebear: options.isForebear,
      },
      policy: {
        ...openPolicy(options.policy),
        ...(options.loadSchemas !== undefined && { loadSchemas: options.loadSchemas }),
      },
      defer: (step) => void this.#steps.push(step),
    })
  }

  /** Forgets whatever matches, in as many turns as that takes. @returns how much there was */
  async forget(which: Deletion): Promise<number> {
    const state = { isOver: false }
    const forgotten = this.broker.forget(which).finally(() => {
      state.isOver = true
    })
    for (; !state.isOver; await setImmediate()) this.turn()
    return forgotten
  }

  /** Runs what was put off to the end of the turn, and what that puts off. */
  turn(): void {
    while (this.#steps.length > 0) this.step()
  }

  /** Runs what was put off so far, and nothing of what that puts off. */
  step(): void {
    const steps = this.#steps
    this.#steps = []
    for (const step of steps) step()
  }

  register(
    request: Record<string, unknown>,
    bearer?: { session: Session; token: string },
    proof: Proof = { peerPid: BENCH_PID },
  ) {
    return this.broker.sessions.open(SessionRequest.parse(request), bearer?.session, bearer?.token, proof)
  }

  /** A session that is there, by its instrument and session id. */
  session(instrument: string, sessionId: string, more: Record<string, unknown> = {}): Session {
    return this.register({ instrument, session_id: sessionId, ...more }).session
  }

  caller(session?: Session): Caller {
    return session === undefined ? { principal: ALICE, session } : callerFor(session, this.broker.authority)
  }

  open(
    session: Session,
    {
      filter = '',
      sink = new ArraySink(),
      ...start
    }: StreamStart & { filter?: string; sink?: ArraySink } = {},
  ): Reader {
    const subscription = this.broker.streams.open(session, parseFilter(filter), start, sink)
    return { sink, subscription }
  }

  /** A frame for the broker, of this workbench's time. */
  frame<K extends Kind = 'agent_advisory'>({ from, kind, scope, frame }: Publication<K> = {}) {
    const own = from === undefined ? ALICE : this.broker.authority.actorOf(from.handle)
    const recipient = scope === undefined ? own : scope.split('/')[0]?.replace(/^(?:org|accord):~?/, '~')
    // The overrides are the kind's own; what is added to them every kind has.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return validFrame(kind, {
      sender_handle: from?.handle ?? ALICE,
      recipient_handle: recipient,
      created_at: new Date(this.clock.nowMs()).toISOString(),
      ...(from !== undefined && {
        acted_by: own,
        drafted_with: from.facts.draftedWith,
      }),
      ...frame,
    } as FrameOverrides<K>)
  }

  /** Submits a frame and leaves it in the turn. */
  submit(
    frame: object,
    { from, scope, respond = () => {} }: Publication & { respond?: (reply: SubmissionReply) => void } = {},
  ): void {
    const wrapper = { frame, ...(scope !== undefined && { recipient_scope: scope }) }
    this.broker.submit(parseSubmission(wrapper), this.caller(from), (outcome) => {
      if (outcome instanceof AgentdError) throw outcome
      respond(outcome)
    })
  }

  /** Submits a frame and ends the turn; the answer. */
  publish<K extends Kind = 'agent_advisory'>(publication: Publication<K> = {}): SubmissionReply {
    return this.publishFrame(this.frame(publication), publication)
  }

  publishFrame(frame: object, publication: Publication = {}): SubmissionReply {
    let reply: SubmissionReply | undefined
    this.submit(frame, {
      ...publication,
      respond: (answer) => {
        reply = answer
      },
    })
    this.turn()
    if (reply === undefined) throw new Error('the turn is over and there is no answer')
    return reply
  }

  /** An envelope of this bench's time: a task from an entity that nobody holds to a channel. */
  envelope(changes: Readonly<Record<string, unknown>> = {}): AnyEnvelope {
    return validEnvelope({ ts: new Date(this.clock.nowMs()).toISOString(), ...changes })
  }

  /** Submits an envelope, or the text of one, and leaves it in the turn. @throws AgentdError when it is refused */
  submitEnvelope(
    envelope: object | string,
    { from, respond = throwRefusal }: { from?: Session | undefined; respond?: Respond<EnvelopeReply> } = {},
  ): void {
    const text = typeof envelope === 'string' ? envelope : JSON.stringify(envelope)
    this.broker.submitEnvelope(decodeEnvelope(Buffer.from(text)), this.caller(from), respond)
  }

  /** Submits an envelope and ends the turn; the answer. @throws AgentdError when it is refused */
  publishEnvelope(envelope: object | string, from?: Session): EnvelopeReply {
    const outcomes: (EnvelopeReply | AgentdError)[] = []
    this.submitEnvelope(envelope, { from, respond: (outcome) => outcomes.push(outcome) })
    this.turn()
    const [outcome] = outcomes
    if (outcome === undefined) throw new Error('the turn is over and there is no answer')
    if (outcome instanceof AgentdError) throw outcome
    return outcome
  }

  /** As {@link publishEnvelope}, of an envelope of this bench's time with some members changed. */
  tell(changes: Readonly<Record<string, unknown>> = {}, from?: Session): EnvelopeReply {
    return this.publishEnvelope(this.envelope(changes), from)
  }

  /** Lets `service.agentd` answer what it was sent, and ends the turn its answers are in. */
  async serve(): Promise<void> {
    await setImmediate()
    this.turn()
  }

  /** The envelopes a drain hands over, as the texts that came; in the order of the drain. */
  drainEnvelopes(session: Session, request: Record<string, unknown> = {}): readonly string[] {
    return this.#drain(session, request)
      .taken.filter(({ type }) => type === 'envelope')
      .map(({ text }) => text)
  }

  /** Drains as the handler does: what is handed over is seen. */
  drain(session: Session, request: Record<string, unknown> = {}) {
    return readDrain(this.ring, this.#drain(session, request))
  }

  #drain(session: Session, request: Record<string, unknown>): Drain {
    return this.broker.drain(session, DrainRequest.parse(request))
  }
}

function throwRefusal(outcome: EnvelopeReply | AgentdError): void {
  if (outcome instanceof AgentdError) throw outcome
}
