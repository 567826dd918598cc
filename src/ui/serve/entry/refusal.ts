/**
 * What the page's listener refuses, in the form that the wire has for it: `{"code","message"}`, with a status.
 *
 * The codes of its own are of what can only go wrong between a browser and this process; whatever else it says no to is
 * called as the daemon calls it, and the daemon's own refusals pass through.
 *
 * @see docs/ui.md "What the listener allows"; docs/http.md §3
 */
import type { AgentdError, ErrorCode } from '../../../core/errors.ts'
import { ERROR_CODES, toErrorBody } from '../../../protocol/refusal/error-codes.ts'

/** Code of this listener's own → status. */
const OWN_CODES = {
  'wrong-host': 421,
  'wrong-origin': 403,
  'wrong-site': 403,
  'signed-out': 401,
  'link-used': 401,
  'too-many-pages': 429,
  'daemon-gone': 503,
  'keys-refused': 503,
} as const

/** A code of this listener's own. */
export type SeatCode = keyof typeof OWN_CODES

/** One refusal, as it is answered. */
export interface SeatRefusal {
  readonly kind: 'refused'
  readonly status: number
  readonly body: Readonly<Record<string, string | number>>
  /** The methods a path does take. */
  readonly allow?: readonly string[] | undefined
  /** When it is worth coming again, in milliseconds. */
  readonly retryAfterMs?: number | undefined
}

/** What a refusal may say besides. */
interface RefusalFacts {
  readonly allow?: readonly string[]
  readonly retryAfterMs?: number
  /** Further members of the body. */
  readonly more?: Readonly<Record<string, string>>
}

/** @param message - a sentence that says what to do */
export function refusal(
  code: SeatCode | ErrorCode,
  message: string,
  { allow, retryAfterMs, more = {} }: RefusalFacts = {},
): SeatRefusal {
  const body = { code, message, ...more, ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }) }
  return { kind: 'refused', status: statusOf(code), body, allow, retryAfterMs }
}

/** A refusal of the daemon's words, which somebody else has thrown. */
export function refusalOf(error: AgentdError): SeatRefusal {
  const { allow, retryAfterMs } = error
  return {
    kind: 'refused',
    status: statusOf(error.code),
    body: { ...toErrorBody(error) },
    allow,
    retryAfterMs,
  }
}

/** The daemon cannot be asked just now; what was to be done there was not done, or nobody knows. */
export function daemonGone(): SeatRefusal {
  return refusal('daemon-gone', 'The daemon does not answer; start it with "agentd start".', {
    retryAfterMs: 1_000,
  })
}

function statusOf(code: SeatCode | ErrorCode): number {
  return isOwn(code) ? OWN_CODES[code] : ERROR_CODES[code].status
}

function isOwn(code: SeatCode | ErrorCode): code is SeatCode {
  return Object.hasOwn(OWN_CODES, code)
}
