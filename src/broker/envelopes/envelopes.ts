/**
 * Envelopes: the same pipeline as for frames, with the steps an envelope needs.
 *
 * `submit` reads from top to bottom in the order that refusals have: identity, signature, time, repeat, intent
 * and payload, quota, recipient. What it accepts goes into the same batch as the frames.
 *
 * @see docs/requirements.md §8 "Evaluation order"; AEE-035, AEE-080…AEE-085, AEE-092…AEE-095
 */
import { adviceOn, needsApproval, requireFresh, type Advice } from '../../aee/conformance/advice.ts'
import { SERVICE_ENTITY } from '../../aee/envelope/entity.ts'
import type { DecodedEnvelope, Envelope, Priority } from '../../aee/envelope/envelope.ts'
import { isAnsweredForAgent } from '../../aee/intents/agent.ts'
import type { Clock } from '../../core/clock.ts'
import { AgentdError } from '../../core/errors.ts'
import type { EnvelopeReply } from '../../protocol/http/envelope-replies.ts'
import type { AudienceFacts, Audiences } from '../audience/audience.ts'
import { callerHandle, type Caller } from '../session/caller.ts'
import { DeliveryRecord } from '../ring/delivery.ts'
import type { Counters } from '../ring/counters.ts'
import type { Entities } from '../audience/entities.ts'
import { ArrivingEnvelopes } from './arriving-envelopes.ts'
import { requireFrom, type LeaseHolder } from './caller.ts'
import { Decisions, judgePayload, judgeSignature, type DecisionTrace } from './decisions.ts'
import { isReserved, refuseIfStrict, requireRecipient } from './checks.ts'
import type { EnvelopePolicy } from './policy.ts'
import { refutedBy } from './refutation.ts'
import { EnvelopeRepeats } from './repeats.ts'
import { replyTo } from './reply.ts'
import { DaemonEntity, type Outbox, type ServiceMessage } from './service.ts'
import type { OtherNodes } from '../remote/other-nodes.ts'
import type { BrokerLimits } from '../quota/limits.ts'
import type { Session } from '../session/session.ts'
import { PriorityQuota } from '../quota/priority-quota.ts'
import type { Quota } from '../quota/quota.ts'
import { ENVELOPE_KIND, envelopeKey, type EnvelopeFacts, type RetainedEnvelope } from '../ring/retained.ts'
import type { Ring } from '../ring/ring.ts'
import { PendingSubmission, answerAgain, type Respond } from '../submit/pending-submission.ts'
import type { CommitBatch } from '../submit/commit-batch.ts'
import type { KnownEnvelopes } from '../audience/visibility.ts'
import { Workflows } from './workflows.ts'

/** An envelope has no lifetime of its own: it waits as long as it is retained. */
const NEVER_MS = Number.MAX_SAFE_INTEGER

/** What envelopes are handled with. */
export interface EnvelopesParts {
  readonly principal: string
  readonly ring: Ring
  readonly clock: Clock
  readonly limits: BrokerLimits
  readonly policy: EnvelopePolicy
  readonly entities: Entities
  readonly leases: LeaseHolder
  readonly others: OtherNodes
  readonly audiences: Audiences
  readonly batch: CommitBatch
  readonly quota: Quota
  readonly counters: Counters
  /** Takes out of a mailbox what was answered in its session's place, and is shown to nobody. */
  readonly receipts: {
    conclude(session: Session, seqs: readonly number[], state: 'dropped', via: 'inbox'): unknown
  }
}

/** An envelope on its way from one step to the next. */
interface Accepting {
  readonly decoded: DecodedEnvelope
  readonly caller: Caller
  readonly advice: readonly Advice[]
  readonly isLate: boolean
  /** What it is treated as. */
  readonly priority: Priority
  readonly trace?: DecisionTrace | undefined
}

export class Envelopes implements Outbox {
  readonly workflows: Workflows
  /** Those that other nodes accepted. */
  readonly arriving: ArrivingEnvelopes
  readonly #parts: EnvelopesParts
  readonly #repeats: EnvelopeRepeats
  readonly #priorities: PriorityQuota
  readonly #service: DaemonEntity
  readonly #decisions: Decisions
  /** Accepted in this turn, until it is over: a refutation may name one. */
  readonly #uncommitted = new Map<string, RetainedEnvelope>()

  constructor(parts: EnvelopesParts) {
    this.#parts = parts
    this.workflows = new Workflows(parts.ring)
    this.#repeats = new EnvelopeRepeats(parts)
    this.#priorities = new PriorityQuota(parts.limits, parts.clock)
    this.#service = new DaemonEntity({ ...parts, outbox: this })
    this.#decisions = new Decisions({ ...parts, outbox: this })
    const { workflows } = this
    const answer = (envelope: Envelope, retained: RetainedEnvelope) => this.#answerHere(envelope, retained)
    this.arriving = new ArrivingEnvelopes({ ...parts, repeats: this.#repeats, workflows, answer })
  }

  /**
   * Takes a structurally valid envelope through the pipeline.
   *
   * @param respond - called with the answer at the end of the turn, when the envelope is in the ring and emitted
   * @throws AgentdError at once when it is refused; nothing has happened then
   */
  submit(decoded: DecodedEnvelope, caller: Caller, respond: Respond<EnvelopeReply>): void {
    const { envelope, text } = decoded
    const { audiences, clock, counters, entities, leases, limits, policy, quota } = this.#parts
    const advice = adviceOn(envelope)
    refuseIfStrict(
      policy,
      advice.filter((one) => !isReserved(one)),
    )
    requireFrom(envelope.from, caller, { entities, leases })
    const trace = this.#decisions.about(envelope)
    judgeSignature(decoded, policy, { nowMs: clock.nowMs(), trace })
    if (limits.strictTime) requireFresh(envelope, clock.nowMs())
    const key = envelopeKey(envelope.id)
    const repeat = this.#repeats.check(key, { scopeText: envelope.to, text })
    if (repeat.kind === 'again') {
      counters.duplicateEnvelope()
      return answerAgain({ dedup: this.#repeats, key, result: repeat.result }, respond)
    } else if (repeat.kind === 'conflict') throw reusedId()
    const { isLate, advice: lineage } = this.workflows.judge(envelope)
    refuseIfStrict(policy, [...lineage, ...advice.filter(isReserved)])
    const payloadAdvice = judgePayload(envelope, policy, trace)
    quota.charge(caller)
    requireRecipient(envelope, this.#parts)
    const recipients = audiences.requireFanOut(toAudience(envelope, caller), 'to')
    quota.admit(caller, { recipients, chars: text.length })
    const given = [...advice, ...lineage, ...payloadAdvice]
    const priority = this.#grant(envelope)
    trace?.settle(priority)
    return this.#accept({ decoded, caller, advice: given, isLate, priority, trace }, respond)
  }

  /**
   * Takes the daemon's own answer: it needs neither leave nor listener, and goes no faster than what it answers. After
   * the end it goes nowhere.
   *
   * @throws AgentdError `fanout-too-large`
   */
  send({ decoded, priority }: ServiceMessage): void {
    const { audiences, batch, principal } = this.#parts
    if (batch.isClosed) return
    const caller: Caller = { principal, session: undefined }
    audiences.requireFanOut(toAudience(decoded.envelope, caller), 'to')
    // The sender of a task whose answer the store cannot take finds out by its deadline.
    this.#accept({ decoded, caller, advice: [], isLate: false, priority }, () => {})
  }

  #accept(accepting: Accepting, respond: Respond<EnvelopeReply>): void {
    const { decoded, caller, advice } = accepting
    const { batch, entities, others, ring } = this.#parts
    const { envelope } = decoded
    const retained = this.#toRetained(accepting)
    const facts = retained.envelope
    const place = this.#repeats.remember(retained.key, retained)
    entities.remember(envelope.from)
    this.workflows.accepted(facts)
    this.#uncommitted.set(retained.key, retained)
    const conclude: Respond<EnvelopeReply> = (outcome) => {
      this.#uncommitted.delete(retained.key)
      if (outcome instanceof AgentdError) this.workflows.refused(facts)
      else {
        accepting.trace?.told()
        this.#answerHere(envelope, retained)
      }
      respond(outcome)
    }
    const compose = (): EnvelopeReply => replyTo({ ring, others }, retained, advice)
    const answering = { dedup: this.#repeats, place, respond: conclude, compose }
    batch.add(new PendingSubmission({ retained, sender: caller.session, ...answering }))
  }

  /** What the daemon answers: its own tasks, and those of an agent that need none and that it would only read later. */
  #answerHere(envelope: Envelope, retained: RetainedEnvelope): void {
    if (envelope.to === SERVICE_ENTITY) return void this.#service.take(envelope, retained)
    if (envelope.type !== 'task' || !isAnsweredForAgent(envelope.intent) || needsApproval(envelope)) return
    for (const agent of this.#parts.entities.holdersOf(envelope.to)) {
      if (agent.agentEntity !== envelope.to || agent.mailbox?.readsEntity(envelope.to) !== true) continue
      this.#parts.receipts.conclude(agent, [retained.seq], 'dropped', 'inbox')
      return void this.#service.take(envelope, retained, agent)
    }
  }

  /** What it is treated as (AEQ-27). */
  #grant({ from, priority }: Envelope): Priority {
    return this.#parts.limits.limitRates ? this.#priorities.grant(from, priority) : priority
  }

  /** Its members stand in the order that a frame's have, so that both are of one shape. */
  #toRetained(accepting: Accepting): RetainedEnvelope {
    const { decoded, caller } = accepting
    const { kind, senderHandle, tool, scopeText } = toAudience(decoded.envelope, caller)
    return {
      type: 'envelope',
      seq: 0,
      key: envelopeKey(decoded.envelope.id),
      kind,
      senderHandle,
      tool,
      scope: undefined,
      scopeText,
      envelope: this.#factsOf(accepting),
      text: decoded.text,
      senderAddress: caller.session?.address,
      acceptedAtMs: this.#parts.clock.nowMs(),
      expiresAtMs: NEVER_MS,
      origin: undefined,
      delivery: new DeliveryRecord(),
    }
  }

  #factsOf({ decoded: { envelope }, isLate, priority: effectivePriority }: Accepting): EnvelopeFacts {
    const { id, corr, type, from, to, intent, priority, reply_to: replyTo = null } = envelope
    const refutes = refutedBy(envelope, { entities: this.#parts.entities, ring: this.#known })
    const facts = { id, corr, type, from, to, intent, replyTo, priority, effectivePriority, isLate }
    return refutes === undefined ? facts : { ...facts, refutes }
  }

  /** The ring, and what this turn has accepted and will be in it. */
  readonly #known: KnownEnvelopes['ring'] = {
    find: (key) => this.#uncommitted.get(key) ?? this.#parts.ring.find(key),
    hasParty: (corr, entity) => this.#parts.ring.hasParty(corr, entity),
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

function reusedId(): AgentdError {
  return new AgentdError('duplicate-id', '"id" was used for another envelope; every envelope has its own.', {
    field: 'id',
  })
}
