/**
 * Envelopes: the same pipeline as for frames, with the steps an envelope needs.
 *
 * `submit` reads from top to bottom in the order that refusals have: identity, signature, time, repeat, intent
 * and payload, quota, recipient. What it accepts goes into the same turn as the frames.
 *
 * @see requirements §8 "Evaluation order"; AEE-035, AEE-080…AEE-085, AEE-092…AEE-095
 */
import { adviceOn, requireFresh, type Advice } from '../aee/advice.ts'
import { SERVICE_ENTITY } from '../aee/entity.ts'
import type { DecodedEnvelope, Envelope } from '../aee/envelope.ts'
import type { Clock } from '../core/clock.ts'
import { AgentdError } from '../core/errors.ts'
import type { EnvelopeReply, Warning } from '../protocol/replies.ts'
import { callerHandle, type Caller } from './caller.ts'
import { DedupWindow, digestOf, type Repeat } from './dedup.ts'
import { Delivery } from './delivery.ts'
import type { Entities } from './entities.ts'
import { requireFrom } from './envelope-caller.ts'
import {
  checkPayload,
  isReserved,
  refuseIfStrict,
  requireRecipient,
  requireSignature,
} from './envelope-checks.ts'
import type { EnvelopePolicy } from './envelope-policy.ts'
import type { BrokerLimits } from './limits.ts'
import { PriorityQuota } from './priority-quota.ts'
import type { Quota } from './quota.ts'
import { ENVELOPE_KIND, envelopeKey, type EnvelopeFacts, type Retained, type Ring } from './ring.ts'
import type { Session } from './session.ts'
import { Submitted, answerAgain, type Settle } from './submitted.ts'
import type { Turn } from './turn.ts'
import { findVisible } from './visibility.ts'
import { Workflows } from './workflows.ts'

/** How long an id is remembered at least, in milliseconds, unless 100 000 newer ones push it out (AEQ-16). */
const ID_WINDOW_MS = 24 * 60 * 60_000
const ID_WINDOW_COUNT = 100_000

/** An envelope has no lifetime of its own: it waits as long as it is retained. */
const NEVER_MS = Number.MAX_SAFE_INTEGER

/** What envelopes are handled with. */
export interface EnvelopesParts {
  readonly ring: Ring
  readonly clock: Clock
  readonly limits: BrokerLimits
  readonly policy: EnvelopePolicy
  readonly entities: Entities
  readonly isAlive: (session: Session) => boolean
  readonly turn: Turn
  readonly quota: Quota
  /** Stands for the principal, which is a sender of its own. */
  readonly principal: object
  readonly onDuplicate: () => void
  /** Throws when the audience is larger than one submission may reach. */
  readonly requireFanOut: (retained: Retained) => void
  /** Called for what is for the daemon itself, once it has its place. */
  readonly onService: (envelope: Envelope, retained: Retained) => void
}

/** An envelope on its way from one step to the next. */
interface Accepting {
  readonly decoded: DecodedEnvelope
  readonly caller: Caller
  readonly digest: string
  readonly advice: readonly Advice[]
  readonly isLate: boolean
}

export class Envelopes {
  readonly workflows: Workflows
  readonly #parts: EnvelopesParts
  readonly #dedup: DedupWindow<EnvelopeReply>
  readonly #priorities: PriorityQuota

  constructor(parts: EnvelopesParts) {
    this.#parts = parts
    this.workflows = new Workflows(parts.ring)
    this.#dedup = new DedupWindow(parts.clock, { ids: ID_WINDOW_COUNT, windowMs: ID_WINDOW_MS })
    this.#priorities = new PriorityQuota(parts.limits, parts.clock)
  }

  /**
   * Takes a structurally valid envelope through the pipeline.
   *
   * @param settle - called with the answer at the end of the turn, when the envelope is in the ring and emitted
   * @throws AgentdError at once when it is refused; nothing has happened then
   */
  submit(decoded: DecodedEnvelope, caller: Caller, settle: Settle<EnvelopeReply>): void {
    const { envelope, text } = decoded
    const { clock, entities, isAlive, limits, policy, quota, principal } = this.#parts
    const advice = adviceOn(envelope)
    refuseIfStrict(
      policy,
      advice.filter((one) => !isReserved(one)),
    )
    requireFrom(envelope.from, caller, { entities, isAlive })
    requireSignature(envelope, policy, clock.nowMs())
    if (limits.strictTime) requireFresh(envelope, clock.nowMs())
    const digest = digestOf(envelope.to, text)
    const repeat = this.#findRepeat(envelope.id, digest)
    if (repeat.kind === 'again') {
      this.#parts.onDuplicate()
      return answerAgain(repeat.first, settle)
    }
    if (repeat.kind === 'conflict') throw reusedId()
    const { isLate, advice: lineage } = this.workflows.judge(envelope)
    refuseIfStrict(policy, [...lineage, ...advice.filter(isReserved)])
    const payloadAdvice = checkPayload(envelope, policy)
    if (limits.limitRates) quota.charge(caller.session ?? principal)
    requireRecipient(envelope.to, entities)
    const said = [...advice, ...lineage, ...payloadAdvice]
    return this.#accept({ decoded, caller, digest, advice: said, isLate }, settle)
  }

  /** The daemon's own answer: it needs neither leave nor listener. */
  answer(decoded: DecodedEnvelope, caller: Caller, settle: Settle<EnvelopeReply>): void {
    const digest = digestOf(decoded.envelope.to, decoded.text)
    this.#accept({ decoded, caller, digest, advice: [], isLate: false }, settle)
  }

  #accept({ decoded, caller, digest, advice, isLate }: Accepting, settle: Settle<EnvelopeReply>): void {
    const { turn, clock, entities, onService } = this.#parts
    const { envelope, text } = decoded
    const facts = this.#factsOf(envelope, caller, isLate)
    const retained: Retained = {
      seq: 0,
      key: envelopeKey(envelope.id),
      kind: ENVELOPE_KIND,
      senderHandle: callerHandle(caller),
      tool: caller.session?.tool,
      scope: undefined,
      scopeText: envelope.to,
      envelope: facts,
      digest,
      text,
      senderAddress: caller.session?.address,
      acceptedAtMs: clock.nowMs(),
      expiresAtMs: NEVER_MS,
      delivery: new Delivery(),
    }
    this.#parts.requireFanOut(retained)
    const entry = this.#dedup.remember(retained.key, digest)
    entities.remember(envelope.from)
    this.workflows.accepted(facts)
    const compose = (committed: Retained): EnvelopeReply => ({
      ...this.#replyOf(committed, facts),
      warnings: advice.map(toWarning),
    })
    const answer: Settle<EnvelopeReply> = (outcome) => {
      if (outcome instanceof AgentdError) this.workflows.refused(facts)
      else if (envelope.to === SERVICE_ENTITY) onService(envelope, retained)
      settle(outcome)
    }
    turn.add(
      new Submitted({
        retained,
        sender: caller.session,
        dedup: this.#dedup,
        entry,
        settle: answer,
        compose,
      }),
    )
  }

  #factsOf(envelope: Envelope, caller: Caller, isLate: boolean): EnvelopeFacts {
    const { id, corr, type, from, to, intent, priority, reply_to: replyTo = null } = envelope
    const sender = caller.session ?? this.#parts.principal
    const isCapped = this.#parts.limits.limitRates && from !== SERVICE_ENTITY
    const effectivePriority = isCapped ? this.#priorities.grant(sender, priority) : priority
    const refutes = this.#refutedBy(envelope)
    const facts = { id, corr, type, from, to, intent, replyTo, priority, effectivePriority, isLate }
    return refutes === undefined ? facts : { ...facts, refutes }
  }

  /** The envelope that a refutation sent to the daemon rejects, when its sender may know of it. */
  #refutedBy({ type, to, intent, payload, from }: Envelope): string | undefined {
    if (type !== 'task' || to !== SERVICE_ENTITY || intent !== 'aee.context.refute') return undefined
    const { id, reason } = payload
    if (typeof id !== 'string' || typeof reason !== 'string') return undefined
    return findVisible(this.#parts, id, from) === undefined ? undefined : id
  }

  /** In the conformance profile every envelope is a new one (wire §1). */
  #findRepeat(id: string, digest: string): Repeat<EnvelopeReply> {
    if (!this.#parts.limits.dedupEnvelopes) return { kind: 'first' }
    const key = envelopeKey(id)
    const repeat = this.#dedup.check(key, digest)
    if (repeat.kind !== 'first') return repeat
    const retained = this.#parts.ring.find(key)
    if (retained?.envelope === undefined) return repeat
    if (retained.digest !== digest) return { kind: 'conflict' }
    // Accepted by the last daemon: the answer is made again of what is retained.
    const entry = this.#dedup.remember(key, digest)
    entry.result = { ...this.#replyOf(retained, retained.envelope), warnings: [] }
    return { kind: 'again', first: entry }
  }

  #replyOf({ seq, delivery }: Retained, facts: EnvelopeFacts): Omit<EnvelopeReply, 'warnings'> {
    const { ring } = this.#parts
    return {
      id: facts.id,
      event_id: ring.eventId(seq),
      // What is for the daemon itself has reached it.
      recipient_count: delivery.recipientCount + (facts.to === SERVICE_ENTITY ? 1 : 0),
      queued_count: delivery.queuedCount,
      ack: ring.ack,
      effective_priority: facts.effectivePriority,
      ...(facts.isLate && { late: true }),
    }
  }
}

function toWarning({ code, field, message }: Advice): Warning {
  return { code, ...(field !== undefined && { field }), message }
}

function reusedId(): AgentdError {
  return new AgentdError('duplicate-id', '"id" was used for another envelope; every envelope has its own.', {
    field: 'id',
  })
}
