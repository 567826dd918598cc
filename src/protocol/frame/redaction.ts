/**
 * What a sender keeps back of a diagnosis: secrets in a symptom, a finding or a remediation.
 *
 * Whatever composes a frame for somebody does it, the daemon for verbs and the library for what it sends; a frame that comes
 * whole is nobody's to change.
 *
 * @see memo §14, AC-186
 */
import { redactSecrets } from '../../core/secrets/redaction.ts'
import type { Kind } from './kinds.ts'

/** What is said of a member that something was blacked out in, as a warning of a submission (docs/http.md §5). */
export interface RedactionWarning {
  readonly code: 'redacted'
  /** `payload.symptom` */
  readonly field: string
  /** A sentence with what it was, each sort once; never the secret itself. */
  readonly message: string
}

/** Kind → the members of its payload that may tell more than they should. */
const TELLING: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  peer_diagnostic_request: ['symptom'],
  peer_diagnostic_response: ['finding', 'remediation'],
}

/** A payload that may be sent. */
interface RedactedPayload {
  readonly payload: Readonly<Record<string, unknown>>
  /** Empty where nothing was blacked out; the payload is then the very same. */
  readonly warnings: readonly RedactionWarning[]
}

/**
 * The payload without secrets, of the kinds that describe what is wrong somewhere; of any other kind as it is.
 *
 * @param isWanted - false leaves it alone
 */
export function redactPayload(
  kind: Kind,
  payload: Readonly<Record<string, unknown>>,
  isWanted = true,
): RedactedPayload {
  let clean = payload
  const warnings: RedactionWarning[] = []
  for (const name of (isWanted ? TELLING[kind] : undefined) ?? []) {
    const before = Object.hasOwn(payload, name) ? payload[name] : undefined
    if (typeof before !== 'string') continue
    const { text, found } = redactSecrets(before)
    if (text === before) continue
    clean = { ...clean, [name]: text }
    warnings.push({ code: 'redacted', field: `payload.${name}`, message: tell(name, found) })
  }
  return { payload: clean, warnings }
}

function tell(name: string, found: readonly string[]): string {
  return `Blacked out in the ${name}: ${found.join(', ')}; "redact": false (--no-redact) sends it as it is.`
}
