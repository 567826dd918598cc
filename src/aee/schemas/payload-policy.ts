/**
 * Whether payloads are held against the schema of their intent, decided intent by intent.
 *
 * AEE leaves payloads to those who use them, so nothing is checked unless somebody asks for it.
 *
 * @see AEE-020, AEE-022, AEE-056
 */
import { coversIntent } from './intent-pattern.ts'

/** `warn` delivers and says so; `enforce` refuses with `payload-invalid`. */
export const PAYLOAD_POLICIES = ['off', 'warn', 'enforce'] as const
export type PayloadPolicy = (typeof PAYLOAD_POLICIES)[number]

/**
 * The policy for an intent: its own name beats the longest `prefix.*`, which beats `*`; without any, `off`.
 *
 * Walks the rules, never the parts of the intent: rules are few and ours, an intent may be very long.
 */
export function policyFor(rules: Readonly<Record<string, PayloadPolicy>>, intent: string): PayloadPolicy {
  let best: { readonly pattern: string; readonly policy: PayloadPolicy } | undefined
  for (const [pattern, policy] of Object.entries(rules)) {
    if (pattern === intent) return policy
    if (!coversIntent(pattern, intent)) continue
    if (best === undefined || pattern.length > best.pattern.length) best = { pattern, policy }
  }
  return best?.policy ?? 'off'
}
