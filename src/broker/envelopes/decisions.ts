/**
 * What was decided about an envelope, told as AOCL does: an event `aocl.layer.decision` to `log.aocl` for each layer, in
 * the envelope's own workflow and linked to it. A local profile, off unless it was asked for: the decisions are taken
 * all the same, and none is taken for the sake of telling it.
 *
 * @see AEE-C11, AEE-C12; AOCL's binding to AEE; docs/envelopes.md "Decisions"
 */
import { needsApproval, type Advice } from '../../aee/conformance/advice.ts'
import { SERVICE_ENTITY } from '../../aee/envelope/entity.ts'
import {
  decodeEnvelopeText,
  type DecodedEnvelope,
  type Envelope,
  type Priority,
} from '../../aee/envelope/envelope.ts'
import type { Clock } from '../../core/clock.ts'
import { AgentdError } from '../../core/errors.ts'
import { newSessionId } from '../../core/ids.ts'
import { messageOf } from '../../core/thrown.ts'
import { checkPayload, requireSignature } from './checks.ts'
import { Buckets } from '../quota/buckets.ts'
import type { EnvelopePolicy } from './policy.ts'
import type { Outbox } from './service.ts'

/** Where a decision is taken; of AOCL's own layers none is meant. */
export type DecisionLayer = 'agentd.signature' | 'agentd.payload' | 'agentd.priority' | 'agentd.approval'

/** What one layer has decided. */
export interface Decision {
  readonly layer: DecisionLayer
  /** Such as `SIGNATURE_VERIFIED`. */
  readonly code: string
  /** A sentence, with nothing of what the envelope says. */
  readonly reason: string
  /** Whether the envelope goes no further, or not yet. */
  readonly halts: boolean
}

/** What says nothing is not written down. */
export type Judged<Result> = (result: Result) => Omit<Decision, 'layer' | 'halts'> | undefined

/** Decisions a second that are told; refusals cost their sender nothing, so somebody might have many. */
export const MAX_DECISIONS_PER_SECOND = 200

/** A decision about a decision would have no end. */
const OWN_PREFIX = 'aocl.'

const INTENT = 'aocl.layer.decision'
const SINK = 'log.aocl'
const LAYER_VERSION = '0.1'

interface DecisionsParts {
  readonly clock: Clock
  readonly policy: EnvelopePolicy
  readonly outbox: Outbox
}

/** Whoever follows what is decided. */
export class Decisions {
  readonly #parts: DecisionsParts
  readonly #rate: Buckets
  #omitted = 0

  constructor(parts: DecisionsParts) {
    this.#parts = parts
    this.#rate = new Buckets(parts.clock, {
      perSecond: MAX_DECISIONS_PER_SECOND,
      burst: MAX_DECISIONS_PER_SECOND,
    })
  }

  /** @returns undefined where nobody asked for it */
  about(envelope: Envelope): DecisionTrace | undefined {
    const isTold = this.#parts.policy.tellsDecisions && !envelope.intent.startsWith(OWN_PREFIX)
    return isTold ? new DecisionTrace(envelope, (decisions) => this.#tell(envelope, decisions)) : undefined
  }

  #tell(envelope: Envelope, decisions: readonly Decision[]): void {
    const { outbox, policy } = this.#parts
    for (const decision of decisions) {
      if (this.#rate.take(this) > 0) {
        this.#omitted += 1
        continue
      }
      try {
        outbox.send({ decoded: this.#compose(envelope, decision), priority: 'low' })
      } catch (error) {
        // Whatever was decided is decided; that nobody reads of it disturbs no transport.
        policy.warn(`A decision was not told: ${messageOf(error)}`)
      }
    }
  }

  #compose({ id, corr }: Envelope, { layer, code, reason, halts }: Decision) {
    const omitted = this.#omitted
    this.#omitted = 0
    const payload = {
      layer: { id: layer, version: LAYER_VERSION },
      decisions: [{ code, reason }],
      delta: {},
      refs: [],
      digests: {},
      control: { halt_pipeline: halts },
      ...(omitted > 0 && { omitted }),
    }
    const envelope = {
      v: '1',
      id: newSessionId(),
      ts: new Date(this.#parts.clock.nowMs()).toISOString(),
      type: 'event',
      from: SERVICE_ENTITY,
      to: SINK,
      intent: INTENT,
      corr,
      reply_to: id,
      trace: null,
      priority: 'low',
      requires: null,
      sig: null,
      payload,
    }
    return decodeEnvelopeText(JSON.stringify(envelope))
  }
}

/** What is decided about one envelope, layer by layer. */
export class DecisionTrace {
  readonly #envelope: Envelope
  readonly #tell: (decisions: readonly Decision[]) => void
  readonly #decisions: Decision[] = []

  constructor(envelope: Envelope, tell: (decisions: readonly Decision[]) => void) {
    this.#envelope = envelope
    this.#tell = tell
  }

  /** Takes a step, and notes how it came out. @throws what the step throws, when that has been told */
  judge<Result>(layer: DecisionLayer, step: () => Result, judged: Judged<Result>): Result {
    try {
      const result = step()
      const said = judged(result)
      if (said !== undefined) this.#decisions.push({ layer, ...said, halts: false })
      return result
    } catch (error) {
      if (error instanceof AgentdError) {
        const code = error.code.replaceAll('-', '_').toUpperCase()
        this.#tell([...this.#decisions, { layer, code, reason: 'It was refused here.', halts: true }])
      }
      throw error
    }
  }

  /** It is taken, and treated so. */
  settle(granted: Priority): void {
    const { priority } = this.#envelope
    if (granted !== priority) {
      const reason = `It is treated as ${granted}: its sender has used up what it may send as ${priority}.`
      this.#decisions.push({ layer: 'agentd.priority', code: 'PRIORITY_CAPPED', reason, halts: false })
    }
    if (needsApproval(this.#envelope)) {
      const reason = 'It waits until a person has approved it.'
      this.#decisions.push({ layer: 'agentd.approval', code: 'APPROVAL_REQUIRED', reason, halts: true })
    }
  }

  /** It is in the ring, so what follows from it may name it. */
  told(): void {
    this.#tell(this.#decisions)
  }
}

/** As `requireSignature`, followed where somebody asked for that. @throws as that does */
export function judgeSignature(
  decoded: DecodedEnvelope,
  policy: EnvelopePolicy,
  { nowMs, trace }: { readonly nowMs: number; readonly trace: DecisionTrace | undefined },
): void {
  if (trace === undefined) requireSignature(decoded, policy, nowMs)
  else trace.judge('agentd.signature', () => requireSignature(decoded, policy, nowMs), signatureDecision)
}

/** How a signature came out; of what is passed on unread nothing was decided. */
function signatureDecision(verdict: 'verified' | 'unsigned' | 'unread') {
  if (verdict === 'unread') return undefined
  return verdict === 'verified'
    ? { code: 'SIGNATURE_VERIFIED', reason: 'A key that is trusted here has signed it.' }
    : { code: 'SIGNATURE_ABSENT', reason: 'It is not signed, and here it need not be.' }
}

/** As `checkPayload`, followed where somebody asked for that. @throws as that does */
export function judgePayload(
  envelope: Envelope,
  policy: EnvelopePolicy,
  trace: DecisionTrace | undefined,
): readonly Advice[] {
  if (trace === undefined) return checkPayload(envelope, policy)
  const rule = policy.payloadPolicyFor(envelope.intent)
  const check = (): readonly Advice[] => checkPayload(envelope, policy)
  return trace.judge('agentd.payload', check, (advice) => payloadDecision(rule, advice.length > 0))
}

/** How a payload came out under the policy of its intent. */
function payloadDecision(rule: 'off' | 'warn' | 'enforce', hasFault: boolean) {
  if (rule === 'off') return undefined
  return hasFault
    ? { code: 'PAYLOAD_DOUBTFUL', reason: 'It does not fit its schema, which is only warned of here.' }
    : { code: 'PAYLOAD_ADMITTED', reason: `Nothing speaks against it under the policy "${rule}".` }
}
