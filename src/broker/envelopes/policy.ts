/**
 * What the broker asks about an envelope and cannot know: keys, schemas, and how strict the person is.
 */
import type { Key } from '../../aee/keys/key.ts'
import type { PayloadPolicy } from '../../aee/schemas/payload-policy.ts'
import type { SchemaRegistry } from '../../aee/schemas/registry.ts'
import type { ServiceFacts } from '../../aee/service/answers.ts'

/** What is done about signatures (AEQ-13): check those there are, demand one, or pass them on unread. */
export type SignaturePolicy = 'verify' | 'require' | 'relay'

/** Read where it is applied, every time, so that a reload of the configuration reaches everything at once. */
export interface EnvelopePolicy {
  /** Whether what is otherwise a warning is refused. */
  readonly isStrict: boolean
  readonly signatures: SignaturePolicy
  /** Whether a signature over the ten fields alone will do, as a third party may make it (AEQ-14). */
  readonly allowTenFields: boolean
  /** Whether what is decided about an envelope is told as AOCL events. */
  readonly tellsDecisions: boolean
  findKey(kid: string): Key | undefined
  payloadPolicyFor(intent: string): PayloadPolicy
  /** The schemas, once they are needed; undefined while no policy has asked for them. */
  readonly schemas: SchemaRegistry | undefined
  loadSchemas(): Promise<SchemaRegistry>
  /** Tells the person, in a sentence, what went wrong with nobody to answer to. */
  warn(message: string): void
  /** What `service.agentd` tells of the daemon. */
  describe(): Omit<ServiceFacts, 'nowIso'>
}
