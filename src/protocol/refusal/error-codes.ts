/**
 * What each error code means: its HTTP status and one sentence. README prints this table; a test holds the two
 * together.
 *
 * @see memo §10, ACQ-06; docs/http.md §3
 */
import { AgentdError, type ErrorCode } from '../../core/errors.ts'

interface CodeRow {
  readonly status: number
  readonly meaning: string
}

/** Code → status and meaning. The compiler refuses a code without a row. */
export const ERROR_CODES: Readonly<Record<ErrorCode, CodeRow>> = {
  'envelope-version-unsupported': {
    status: 400,
    meaning: 'The frame speaks another `envelope_version` than 1.0.',
  },
  'kind-unknown': { status: 400, meaning: 'The `kind` is outside the fifteen of the catalogue.' },
  'payload-kind-mismatch': { status: 400, meaning: 'The payload is that of another kind.' },
  'field-missing': { status: 400, meaning: 'A required field is absent; `field` names it.' },
  'field-invalid': { status: 400, meaning: 'A field holds a value it may not; `field` names it.' },
  'field-unknown': { status: 400, meaning: 'A field that does not exist was sent; `field` names it.' },
  'filter-axis-unknown': { status: 400, meaning: 'A filter clause names an axis that does not exist.' },
  'filter-value-invalid': { status: 400, meaning: 'A filter clause holds a value its axis does not take.' },
  unauthenticated: {
    status: 401,
    meaning: 'The bearer token is wrong, expired, revoked, or missing where one is needed.',
  },
  'sender-identity-mismatch': {
    status: 403,
    meaning: "The frame claims an identity that is not the caller's.",
  },
  'scope-unauthorised': { status: 403, meaning: 'The caller may not address this scope or handle.' },
  'not-found': { status: 404, meaning: 'There is nothing at this path, or it is no longer retained.' },
  'method-not-allowed': { status: 405, meaning: 'The path exists, but not with this method; see `Allow`.' },
  'session-exists': { status: 409, meaning: 'A living session holds this address.' },
  'frame-too-large': { status: 413, meaning: 'The frame or body is over 65 536 octets.' },
  'media-type-unsupported': { status: 415, meaning: 'The body is of a media type this path does not take.' },
  'scope-unimplemented': {
    status: 422,
    meaning: 'The scope is well-formed, but of a form this daemon does not implement.',
  },
  'fanout-too-large': {
    status: 422,
    meaning: 'The scope names more subscriptions than one frame may reach.',
  },
  'rate-limited': { status: 429, meaning: 'The sender is over its quota; wait as `Retry-After` says.' },
  closing: { status: 503, meaning: 'The daemon is shutting down; reconnect shortly.' },
  busy: {
    status: 503,
    meaning: 'The daemon holds as many sessions or streams as it may, or has been updated; retry later.',
  },
  'store-full': {
    status: 507,
    meaning: 'The store cannot take the frame now; nothing was delivered, send it again later.',
  },
  'envelope-malformed': {
    status: 400,
    meaning: 'The envelope is no JSON object, is not UTF-8, names a member twice or nests too deep.',
  },
  'version-unsupported': { status: 400, meaning: 'The envelope speaks another `v` than "1".' },
  'signature-invalid': { status: 403, meaning: 'The signature does not fit the envelope, or not its key.' },
  'signature-unverifiable': {
    status: 403,
    meaning:
      'The signature cannot be checked: an unknown form or key, or a key not valid now or not for `from`.',
  },
  'signature-required': { status: 403, meaning: 'This daemon takes signed envelopes only.' },
  'intent-reserved': { status: 403, meaning: 'The intent lies in `aee.*`, which is not for applications.' },
  'recipient-unknown': {
    status: 404,
    meaning:
      'Nobody has ever registered the entity in `to`, or no session is called that; the message names near ones.',
  },
  'duplicate-id': { status: 409, meaning: 'The `id` was used for another envelope.' },
  'envelope-too-large': { status: 413, meaning: 'The envelope is over 1 MiB.' },
  'timestamp-stale': {
    status: 422,
    meaning: 'The `ts` lies more than 24 hours in the past or five minutes in the future.',
  },
  'payload-invalid': {
    status: 422,
    meaning: "The payload does not fit its intent's schema, where the configuration enforces that.",
  },
}

/** The body of an error answer (AC-159). */
export interface ErrorBody {
  readonly code: ErrorCode
  readonly field?: string
  readonly message: string
  readonly retry_after_ms?: number
  /** The line of an NDJSON request that was refused, counted from 1. */
  readonly line?: number
}

/** An error as it goes over the wire. */
export function toErrorBody(error: AgentdError, line?: number): ErrorBody {
  return {
    code: error.code,
    ...(error.field !== undefined && { field: error.field }),
    message: error.message,
    ...(error.retryAfterMs !== undefined && { retry_after_ms: error.retryAfterMs }),
    ...(line !== undefined && { line }),
  }
}
