/**
 * `service.agentd`: the daemon as an entity. It answers the seven `aee.*` intents, and nothing else makes it do
 * anything.
 *
 * @see docs/http.md §9; AEE-057…AEE-066, AEQ-10, AEQ-18, AEQ-19, AEQ-23
 */
import { messageOf } from '../../core/thrown.ts'
import { SERVICE_ENTITY } from '../../aee/envelope/entity.ts'
import {
  decodeEnvelopeText,
  type DecodedEnvelope,
  type Envelope,
  type Priority,
} from '../../aee/envelope/envelope.ts'
import type { SchemaRegistry } from '../../aee/schemas/registry.ts'
import { answerTask, type ServiceAnswer } from '../../aee/service/answers.ts'
import { childTrace, newSpanId } from '../../aee/envelope/trace-context.ts'
import type { Clock } from '../../core/clock.ts'
import { newSessionId } from '../../core/ids.ts'
import type { Entities } from '../audience/entities.ts'
import type { EnvelopePolicy } from './policy.ts'
import type { RetainedEnvelope } from '../ring/retained.ts'
import type { Ring } from '../ring/ring.ts'
import { findVisible } from '../audience/visibility.ts'

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

export class DaemonEntity {
  readonly #parts: ServiceParts

  constructor(parts: ServiceParts) {
    this.#parts = parts
  }

  /** Answers a task that has its place in the ring; anything else that was sent to the daemon is only kept. */
  async take(envelope: Envelope, retained: RetainedEnvelope): Promise<void> {
    if (envelope.type !== 'task') return
    const { policy, outbox } = this.#parts
    const priority = retained.envelope.effectivePriority
    try {
      const schemas = await policy.loadSchemas()
      outbox.send({ decoded: this.#compose(envelope, this.#answer(envelope, retained, schemas)), priority })
    } catch (error) {
      // One task of many: its sender finds out by its deadline. Such as one whose own names fill an envelope,
      // which leaves no room to answer it in.
      policy.warn(`A task to ${SERVICE_ENTITY} was not answered: ${messageOf(error)}`)
    }
  }

  #answer(task: Envelope, retained: RetainedEnvelope, schemas: SchemaRegistry): ServiceAnswer {
    const { clock, policy } = this.#parts
    const facts = { ...policy.describe(), nowIso: new Date(clock.nowMs()).toISOString() }
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
      from: SERVICE_ENTITY,
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
