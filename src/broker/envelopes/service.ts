/**
 * `service.agentd`: the daemon as an entity. It answers the seven `aee.*` intents, and nothing else makes it do
 * anything. For an agent that lives turn by turn it answers the two that need no agent: whether it is there, and what it
 * can be sent.
 *
 * @see docs/http.md §9; AEE-057…AEE-066, AEQ-10, AEQ-18, AEQ-19, AEQ-23
 */
import { messageOf } from '../../core/thrown.ts'
import {
  decodeEnvelopeText,
  type DecodedEnvelope,
  type Envelope,
  type Priority,
} from '../../aee/envelope/envelope.ts'
import { AGENT_INTENTS } from '../../aee/intents/agent.ts'
import type { SchemaRegistry } from '../../aee/schemas/registry.ts'
import { answerTask, type ServiceAnswer } from '../../aee/service/answers.ts'
import { childTrace, newSpanId } from '../../aee/envelope/trace-context.ts'
import type { Clock } from '../../core/clock.ts'
import { newSessionId } from '../../core/ids.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import type { Entities } from '../audience/entities.ts'
import type { EnvelopePolicy } from './policy.ts'
import type { RetainedEnvelope } from '../ring/retained.ts'
import type { Ring } from '../ring/ring.ts'
import { findVisible } from '../audience/visibility.ts'
import type { Session } from '../session/session.ts'

/** Where the daemon's own answers go. */
export interface Outbox {
  /** @throws AgentdError when the answer may not be sent */
  send(answer: ServiceMessage): void
}

interface ServiceParts {
  readonly ring: Ring
  readonly entities: Entities
  readonly clock: Clock
  readonly policy: EnvelopePolicy
  readonly outbox: Outbox
}

/** An answer, and how fast it goes: as fast as its task was let. */
export interface ServiceMessage {
  readonly decoded: DecodedEnvelope
  readonly priority: Priority
}

/** A task that is being answered. */
interface Taken {
  readonly task: Envelope
  readonly retained: RetainedEnvelope
  readonly agent: Session | undefined
}

export class DaemonEntity {
  readonly #parts: ServiceParts

  constructor(parts: ServiceParts) {
    this.#parts = parts
  }

  /**
   * Answers a task that has its place in the ring; anything else that was sent to the daemon is only kept.
   *
   * @param agent - in whose place it is answered; the daemon itself for none
   */
  async take(envelope: Envelope, retained: RetainedEnvelope, agent?: Session): Promise<void> {
    if (envelope.type !== 'task') return
    const { policy, outbox } = this.#parts
    const priority = retained.envelope.effectivePriority
    try {
      const answer = this.#answer({ task: envelope, retained, agent }, await policy.loadSchemas())
      outbox.send({ decoded: this.#compose(envelope, answer), priority })
    } catch (error) {
      // One task of many: its sender finds out by its deadline. Such as one whose own names fill an envelope,
      // which leaves no room to answer it in.
      policy.warn(`A task to ${safeLine(envelope.to)} was not answered: ${messageOf(error)}`)
    }
  }

  #answer({ task, retained, agent }: Taken, schemas: SchemaRegistry): ServiceAnswer {
    const { clock, policy } = this.#parts
    const own = { ...policy.describe(), nowIso: new Date(clock.nowMs()).toISOString() }
    const facts =
      agent === undefined ? own : { ...own, knownIntents: AGENT_INTENTS, delivery: agent.facts.delivery }
    return answerTask(task, facts, {
      findEnvelope: (id, corr) => this.#find(task, id, corr),
      // It was recorded when it was accepted: the refutation is the task itself.
      refute: (id) => retained.envelope.refutes === id,
      validate: (intent, variant, payload) => schemas.validate(intent, variant, payload),
    })
  }

  #find({ from }: Envelope, id: string, corr: string | undefined): string | undefined {
    const found = findVisible(this.#parts, id, from)
    return corr === undefined || found?.envelope.corr === corr ? found?.text : undefined
  }

  /** The payload goes in as text, so that an envelope that was fetched keeps every byte. */
  #compose(task: Envelope, { type, payloadText }: ServiceAnswer): DecodedEnvelope {
    const head = {
      v: '1',
      id: newSessionId(),
      ts: new Date(this.#parts.clock.nowMs()).toISOString(),
      type,
      from: task.to,
      to: task.from,
      intent: task.intent,
      corr: task.corr,
      reply_to: task.id,
      trace: childTrace(task.trace, newSpanId()),
      priority: task.priority,
      requires: null,
      sig: null,
    }
    return decodeEnvelopeText(`${JSON.stringify(head).slice(0, -1)},"payload":${payloadText}}`)
  }
}
