/**
 * Envelopes that other nodes accepted: what is checked of them again here, and whom they reach.
 *
 * Time and leave were judged where they were accepted; signature, shape and payload are this machine's own to judge, and
 * nobody here is charged for them.
 *
 * @see FED-27, FED-69, FED-71; AEE-083, AEE-093
 */
import { adviceOn } from '../../aee/conformance/advice.ts'
import { SERVICE_ENTITY } from '../../aee/envelope/entity.ts'
import type { DecodedEnvelope, Envelope, Priority } from '../../aee/envelope/envelope.ts'
import type { Clock } from '../../core/clock.ts'
import { AgentdError } from '../../core/errors.ts'
import { handleOf } from '../../protocol/address/handle.ts'
import type { Audiences } from '../audience/audience.ts'
import type { Entities } from '../audience/entities.ts'
import { DeliveryRecord } from '../ring/delivery.ts'
import { ENVELOPE_KIND, envelopeKey, type Origin, type RetainedEnvelope } from '../ring/retained.ts'
import { isSame, type Content } from '../submit/fingerprint.ts'
import { isReserved, refuseIfStrict } from './checks.ts'
import { ownerOf } from '../../protocol/address/foreign.ts'
import { judgePayload, judgeSignature } from './decisions.ts'
import type { EnvelopePolicy } from './policy.ts'
import type { EnvelopeRepeats } from './repeats.ts'
import type { Workflows } from './workflows.ts'

/** What came with an envelope. */
export interface ArrivedEnvelope {
  readonly decoded: DecodedEnvelope
  readonly senderAddress?: string | undefined
  readonly tool?: string | undefined
  readonly expiresAtMs: number
  readonly priority: Priority
}

interface ArrivingEnvelopesParts {
  readonly principal: string
  readonly clock: Clock
  readonly policy: EnvelopePolicy
  readonly audiences: Audiences
  readonly entities: Entities
  readonly repeats: EnvelopeRepeats
  readonly workflows: Workflows
  /** What the daemon answers in an agent's place. */
  readonly answer: (envelope: Envelope, retained: RetainedEnvelope) => void
}

export class ArrivingEnvelopes {
  readonly #parts: ArrivingEnvelopesParts
  /** Those that are in this turn, by their keys. */
  readonly #uncommitted = new Map<string, RetainedEnvelope>()

  constructor(parts: ArrivingEnvelopesParts) {
    this.#parts = parts
  }

  /**
   * Makes it ready for the batch.
   *
   * @returns undefined where the same envelope is known here already
   * @throws AgentdError as `Envelopes.submit`, but for time, leave and quota
   */
  take(arrived: ArrivedEnvelope, origin: Origin): RetainedEnvelope | undefined {
    const { audiences, clock, entities, policy, workflows } = this.#parts
    const { decoded } = arrived
    const { envelope, text } = decoded
    requireElsewhere(envelope)
    const advice = adviceOn(envelope)
    refuseIfStrict(
      policy,
      advice.filter((one) => !isReserved(one)),
    )
    judgeSignature(decoded, policy, { nowMs: clock.nowMs(), trace: undefined })
    const key = envelopeKey(envelope.id)
    if (this.#isKnown(key, { scopeText: envelope.to, text })) return undefined
    const { isLate, advice: lineage } = workflows.judge(envelope)
    refuseIfStrict(policy, [...lineage, ...advice.filter(isReserved)])
    judgePayload(envelope, policy, undefined)
    const retained = this.#toRetained(arrived, { key, isLate }, origin)
    audiences.requireFanOut(retained, 'to')
    entities.remember(envelope.from)
    workflows.accepted(retained.envelope)
    this.#uncommitted.set(key, retained)
    return retained
  }

  /** It is in the ring. */
  committed(retained: RetainedEnvelope, { envelope }: DecodedEnvelope): void {
    this.#uncommitted.delete(retained.key)
    this.#parts.answer(envelope, retained)
  }

  /** The store could not take it after all. */
  refused(retained: RetainedEnvelope): void {
    this.#uncommitted.delete(retained.key)
    this.#parts.workflows.refused(retained.envelope)
  }

  #isKnown(key: string, content: Content): boolean {
    const uncommitted = this.#uncommitted.get(key)
    const { kind } = this.#parts.repeats.check(key, content)
    if (kind === 'conflict' || (uncommitted !== undefined && !isSame(uncommitted, content)))
      throw new AgentdError('duplicate-id', '"id" was used for another envelope here.', { field: 'id' })
    return kind === 'again' || uncommitted !== undefined
  }

  #toRetained(
    { decoded, senderAddress, tool, expiresAtMs, priority: effectivePriority }: ArrivedEnvelope,
    { key, isLate }: { readonly key: string; readonly isLate: boolean },
    origin: Origin,
  ): RetainedEnvelope {
    const { id, corr, type, from, to, intent, priority, reply_to: replyTo = null } = decoded.envelope
    return {
      type: 'envelope',
      seq: 0,
      key,
      kind: ENVELOPE_KIND,
      senderHandle:
        senderAddress === undefined
          ? (ownerOf(origin.node) ?? this.#parts.principal)
          : handleOf(senderAddress),
      tool,
      scope: undefined,
      scopeText: to,
      envelope: { id, corr, type, from, to, intent, replyTo, priority, effectivePriority, isLate },
      text: decoded.text,
      senderAddress,
      acceptedAtMs: this.#parts.clock.nowMs(),
      expiresAtMs,
      origin,
      delivery: new DeliveryRecord(),
    }
  }
}

/** `service.agentd` is always one's own daemon (FED-70). @throws AgentdError `recipient-unknown` */
function requireElsewhere({ to }: Envelope): void {
  if (to !== SERVICE_ENTITY) return
  throw new AgentdError('recipient-unknown', `"${SERVICE_ENTITY}" is each machine's own daemon.`, {
    field: 'to',
  })
}
