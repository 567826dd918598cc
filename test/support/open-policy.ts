/**
 * The least policy for envelopes there is: nothing is signed, nothing is checked against a schema of the person's.
 */
import { aeeIntents } from '../../src/aee/intents/intents.ts'
import type { Key } from '../../src/aee/keys/key.ts'
import { policyFor, type PayloadPolicy } from '../../src/aee/schemas/payload-policy.ts'
import { SchemaRegistry } from '../../src/aee/schemas/registry.ts'
import type { EnvelopePolicy, SignaturePolicy } from '../../src/broker/envelopes/policy.ts'

/** How a test's policy differs from that. */
export interface PolicyWish {
  readonly isStrict?: boolean
  readonly signatures?: SignaturePolicy
  readonly allowTenFields?: boolean
  readonly keys?: readonly Key[]
  readonly payloads?: Readonly<Record<string, PayloadPolicy>>
  readonly schemas?: SchemaRegistry
}

/** A policy as a test wishes it. */
export function openPolicy(wish: PolicyWish = {}): EnvelopePolicy {
  const schemas = wish.schemas ?? new SchemaRegistry()
  return {
    isStrict: wish.isStrict ?? false,
    signatures: wish.signatures ?? 'verify',
    allowTenFields: wish.allowTenFields ?? false,
    tellsDecisions: false,
    findKey: (kid) => wish.keys?.find((key) => key.kid === kid),
    payloadPolicyFor: (intent) => policyFor(wish.payloads ?? {}, intent),
    schemas,
    loadSchemas: async () => schemas,
    warn() {},
    describe: () => ({
      status: 'healthy',
      details: [],
      version: '0.0.0',
      extensions: [],
      knownIntents: aeeIntents(),
    }),
  }
}
