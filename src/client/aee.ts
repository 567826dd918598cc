/**
 * Signing and checking envelopes: an entry of its own, so that who only talks loads no cryptography.
 */
export { checkConformance as checkEnvelope } from '../aee/conformance/conformance.ts'
export type { ConformanceReport, RuleResult } from '../aee/conformance/conformance.ts'
export type { Envelope } from '../aee/envelope/envelope.ts'
export { readKey, type Key, type KeyRing } from '../aee/keys/key.ts'
export {
  signEnvelope,
  verifyEnvelope,
  type SigObject,
  type SignOptions,
  type VerifyOptions,
} from '../aee/keys/signature.ts'
