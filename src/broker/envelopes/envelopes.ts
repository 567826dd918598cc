/**
 * Envelopes: the same pipeline as for frames, with the steps an envelope needs.
 *
 * `submit` reads from top to bottom in the order that refusals have: identity, signature, time, repeat, intent
 * and payload, quota, recipient. What it accepts goes into the same turn as the frames.
 *
 * @see docs/requirements.md §8 "Evaluation order"; AEE-035, AEE-080…AEE-085, AEE-092…AEE-095
 */
import { adviceOn, needsApproval, requireFresh, type Advice } from '../../aee/conformance/advice.ts'
import { SERVICE_ENTITY } from '../../aee/envelope/entity.ts'
import type { DecodedEnvelope, Envelope, Priority } from '../../aee/envelope/envelope.ts'
import type { Clock } from '../../core/clock.ts'
import { AgentdError } from '../../core/errors.ts'
import type { EnvelopeReply, Warning } from '../../protocol/http/replies.ts'
import type { AudienceFacts } from '../audience/audience.ts'
import { callerHandle, type Caller } from '../session/caller.ts'
import { digestOf } from '../submit/dedup.ts'
import { DeliveryRecord } from '../ring/delivery.ts'
import type { Entities } from '../audience/entities.ts'
import { requireFrom } from './caller.ts'
import { checkPayload, isReserved, refuseIfStrict, requireRecipient, requireSignature } from './checks.ts'
import type { EnvelopePolicy } from './policy.ts'
import { EnvelopeRepeats } from './repeats.ts'
import type { ServiceMessage } from './service.ts'
import type { BrokerLimits } from '../quota/limits.ts'
import { PriorityQuota } from '../quota/priority-quota.ts'
import type { Quota } from '../quota/quota.ts'
import {
  ENVELOPE_KIND,
  envelopeKey,
  type EnvelopeFacts,
  type Retained,
  type RetainedEnvelope,
} from '../ring/retained.ts'
import type { Ring, ThreadLink } from '../ring/ring.ts'
import type { Session } from '../session/session.ts'
import { PendingSubmission, answerAgain, type Settle } from '../submit/pending-submission.ts'
import type { CommitBatch } from '../submit/commit-batch.ts'
import { findVisible } from '../audience/visibility.ts'
import { Workflows } from './workflows.ts'

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
  readonly turn: CommitBatch
  readonly quota: Quota
  /** Stands for the principal, which is a sender of its own. */
  readonly principal: object
  readonly onDuplicate: () => void
  /** Throws when the audience is larger than one submission may reach. */
  readonly requireFanOut: (facts: AudienceFacts) => void
  /** Called for what is for the daemon itself, once it has its place. */
  readonly onService: (envelope: Envelope, retained: RetainedEnvelope) => void
}

/** An envelope on its way from one step to the next. */
interface Accepting {
  readonly decoded: DecodedEnvelope
  readonly caller: Caller
  readonly digest: string
  readonly advice: readonly Advice[]
  readonly isLate: boolean
  /** What it is treated as. */
  readonly priority: Priority
}

export class Envelopes {
  readonly workflows: Workflows
  readonly #parts: EnvelopesParts
  readonly #repeats: EnvelopeRepeats
  readonly #priorities: PriorityQuota
  /** Accepted in this turn, until it is over: a refutation may name one. */
  readonly #pending = new Map<string, RetainedEnvelope>()

  constructor(parts: EnvelopesParts) {
    this.#parts = parts
    this.workflows = new Workflows(parts.ring)
    this.#repeats = new EnvelopeRepeats({
      ring: parts.ring,
      clock: parts.clock,
      isOn: () => parts.limits.dedupEnvelopes,
      replyOf: (retained) => ({ ...this.#replyOf(retained), warnings: [] }),
    })
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
    requireSignature(decoded, policy, clock.nowMs())
    if (limits.strictTime) requireFresh(envelope, clock.nowMs())
    const digest = digestOf(envelope.to, text)
    const accepting = { decoded, caller, digest }
    const repeat = this.#repeats.check(envelopeKey(envelope.id), digest)
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
    const granted = { ...accepting, advice: [...advice, ...lineage, ...payloadAdvice], isLate }
    this.#parts.requireFanOut(toAudience(envelope, caller))
    return this.#accept({ ...granted, priority: this.#grant(envelope) }, settle)
  }

  /**
   * The daemon's own answer: it needs neither leave nor listener, and goes no faster than what it answers.
   *
   * @throws AgentdError `fanout-too-large`
   */
  answer({ decoded, priority }: ServiceMessage, caller: Caller): void {
    this.#parts.requireFanOut(toAudience(decoded.envelope, caller))
    const digest = digestOf(decoded.envelope.to, decoded.text)
    // The sender of a task whose answer the store cannot take finds out by its deadline.
    this.#accept({ decoded, caller, digest, advice: [], isLate: false, priority }, () => {})
  }

  #accept(accepting: Accepting, settle: Settle<EnvelopeReply>): void {
    const { decoded, caller, digest, advice } = accepting
    const { turn, clock, entities, onService } = this.#parts
    const { envelope, text } = decoded
    const facts = this.#factsOf(accepting)
    const { kind, senderHandle, tool, scopeText } = toAudience(envelope, caller)
    const retained: RetainedEnvelope = {
      type: 'envelope',
      seq: 0,
      key: envelopeKey(envelope.id),
      kind,
      senderHandle,
      tool,
      scope: undefined,
      scopeText,
      envelope: facts,
      digest,
      text,
      senderAddress: caller.session?.address,
      acceptedAtMs: clock.nowMs(),
      expiresAtMs: NEVER_MS,
      delivery: new DeliveryRecord(),
    }
    const entry = this.#repeats.remember(retained.key, digest)
    entities.remember(envelope.from)
    this.workflows.accepted(facts)
    this.#pending.set(retained.key, retained)
    const compose = (): EnvelopeReply => ({ ...this.#replyOf(retained), warnings: advice.map(toWarning) })
    const answer: Settle<EnvelopeReply> = (outcome) => {
      this.#pending.delete(retained.key)
      if (outcome instanceof AgentdError) this.workflows.refused(facts)
      else if (envelope.to === SERVICE_ENTITY) onService(envelope, retained)
      settle(outcome)
    }
    turn.add(
      new PendingSubmission({
        retained,
        sender: caller.session,
        dedup: this.#repeats,
        entry,
        settle: answer,
        compose,
      }),
    )
  }

  /** What it is treated as (AEQ-27). */
  #grant({ from, priority }: Envelope): Priority {
    return this.#parts.limits.limitRates ? this.#priorities.grant(from, priority) : priority
  }

  #factsOf({ decoded: { envelope }, isLate, priority: effectivePriority }: Accepting): EnvelopeFacts {
    const { id, corr, type, from, to, intent, priority, reply_to: replyTo = null } = envelope
    const refutes = this.#refutedBy(envelope)
    const facts = { id, corr, type, from, to, intent, replyTo, priority, effectivePriority, isLate }
    return refutes === undefined ? facts : { ...facts, refutes }
  }

  /** The envelope that a refutation sent to the daemon rejects, when its sender may know of it. */
  #refutedBy(envelope: Envelope): string | undefined {
    const { type, to, intent, payload, from } = envelope
    if (type !== 'task' || to !== SERVICE_ENTITY || intent !== 'aee.context.refute') return undefined
    // What the daemon will answer with an error is not done either (AEQ-10).
    if (needsApproval(envelope)) return undefined
    const { id, reason } = payload
    if (typeof id !== 'string' || typeof reason !== 'string' || id === '' || reason === '') return undefined
    return findVisible({ entities: this.#parts.entities, ring: this.#shown }, id, from) === undefined
      ? undefined
      : id
  }

  /** The ring, and what this turn has accepted and will be in it. */
  readonly #shown = {
    find: (key: string): Retained | undefined => this.#pending.get(key) ?? this.#parts.ring.find(key),
    thread: (corr: string, afterSeq?: number, limit?: number): readonly ThreadLink[] =>
      this.#parts.ring.thread(corr, afterSeq, limit),
  }

  #replyOf({ seq, delivery, envelope: facts }: RetainedEnvelope): Omit<EnvelopeReply, 'warnings'> {
    const { ring } = this.#parts
    return {
      id: facts.id,
      event_id: ring.eventId(seq),
      recipient_count: delivery.recipientCount,
      queued_count: delivery.queuedCount,
      ack: ring.ack,
      effective_priority: facts.effectivePriority,
      ...(facts.isLate && { late: true }),
    }
  }
}

/** What an envelope's audience depends on. */
function toAudience({ to }: Envelope, caller: Caller): AudienceFacts {
  return {
    type: 'envelope',
    kind: ENVELOPE_KIND,
    senderHandle: callerHandle(caller),
    tool: caller.session?.tool,
    scope: undefined,
    scopeText: to,
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
