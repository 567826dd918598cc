/**
 * `service.agentd`: the daemon as an entity. It answers the seven `aee.*` intents, and nothing else makes it do
 * anything.
 *
 * @see design/wire.md §9; AEE-057…AEE-066, AEQ-10, AEQ-18, AEQ-19, AEQ-23
 */
import { SERVICE_ENTITY } from '../aee/entity.ts'
import { decodeEnvelopeText, type DecodedEnvelope, type Envelope } from '../aee/envelope.ts'
import type { SchemaRegistry } from '../aee/schema-registry.ts'
import { answerTask, type ServiceAnswer } from '../aee/service-answers.ts'
import { childTrace, newSpanId } from '../aee/trace-context.ts'
import type { Clock } from '../core/clock.ts'
import { AgentdError } from '../core/errors.ts'
import { newSessionId } from '../core/ids.ts'
import type { Entities } from './entities.ts'
import type { EnvelopePolicy } from './envelope-policy.ts'
import type { Retained, Ring } from './ring.ts'
import { findVisible } from './visibility.ts'

interface ServiceParts {
  readonly ring: Ring
  readonly entities: Entities
  readonly clock: Clock
  readonly policy: EnvelopePolicy
  readonly send: (answer: DecodedEnvelope) => unknown
}

export class Service {
  readonly #parts: ServiceParts

  constructor(parts: ServiceParts) {
    this.#parts = parts
  }

  /** Answers a task that has its place in the ring; anything else that was sent to the daemon is only kept. */
  async take(envelope: Envelope, retained: Retained): Promise<void> {
    if (envelope.type !== 'task') return
    const schemas = await this.#parts.policy.loadSchemas()
    const answer = this.#tryAnswer(envelope, retained, schemas)
    if (answer !== undefined) this.#parts.send(answer)
  }

  /** A task whose own names fill an envelope leaves no room to answer it in; its sender finds out by its deadline. */
  #tryAnswer(task: Envelope, retained: Retained, schemas: SchemaRegistry): DecodedEnvelope | undefined {
    try {
      return this.#compose(task, this.#answer(task, retained, schemas))
    } catch (error) {
      if (error instanceof AgentdError) return undefined
      throw error
    }
  }

  #answer(task: Envelope, retained: Retained, schemas: SchemaRegistry): ServiceAnswer {
    const { clock, policy } = this.#parts
    const facts = { ...policy.describe(), nowIso: new Date(clock.nowMs()).toISOString() }
    return answerTask(task, facts, {
      findEnvelope: (id, corr) => this.#find(task, id, corr),
      // It was recorded when it was accepted: the refutation is the task itself.
      refute: (id) => retained.envelope?.refutes === id,
      validate: (intent, variant, payload) => schemas.validate(intent, variant, payload),
    })
  }

  #find({ from }: Envelope, id: string, corr: string | undefined): string | undefined {
    const found = findVisible(this.#parts, id, from)
    return corr === undefined || found?.envelope?.corr === corr ? found?.text : undefined
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
