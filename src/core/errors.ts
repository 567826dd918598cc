/**
 * The one error class that crosses the socket, the closed set of codes it may carry, and the one of what never gets
 * that far.
 *
 * The daemon throws `AgentdError`, the server renders it as `{code, field?, message}`, and the client turns that body
 * back into the same class. Which HTTP status and which meaning a code has stands in
 * `protocol/refusal/error-codes.ts`; the compiler refuses a code without a row there.
 *
 * @see memo §10, AC-159…AC-170; the further codes are local extensions (ACQ-06), those of envelopes are in
 * docs/requirements.md §8, since the draft of AEE defines none
 */

/** The codes, in the order of the memo's and then of those that came after. */
export const ERROR_CODE_NAMES = [
  'envelope-version-unsupported',
  'kind-unknown',
  'payload-kind-mismatch',
  'field-missing',
  'field-invalid',
  'field-unknown',
  'filter-axis-unknown',
  'filter-value-invalid',
  'unauthenticated',
  'sender-identity-mismatch',
  'scope-unauthorised',
  'not-found',
  'method-not-allowed',
  'session-exists',
  'frame-too-large',
  'media-type-unsupported',
  'scope-unimplemented',
  'fanout-too-large',
  'rate-limited',
  'closing',
  'busy',
  'store-full',
  'envelope-malformed',
  'version-unsupported',
  'signature-invalid',
  'signature-unverifiable',
  'signature-required',
  'intent-reserved',
  'recipient-unknown',
  'duplicate-id',
  'envelope-too-large',
  'timestamp-stale',
  'payload-invalid',
] as const

/** Every code the daemon can answer with. Frozen once released: clients switch on it. */
export type ErrorCode = (typeof ERROR_CODE_NAMES)[number]

/** Whether a string is one of our codes; the client meets strings. */
export function isErrorCode(text: string): text is ErrorCode {
  return ERROR_CODE_NAMES.some((name) => name === text)
}

/** What an error may carry besides its code and sentence. */
export interface ErrorDetails {
  /** The offending field as a dotted path, array indices in brackets (ACQ-39). */
  readonly field?: string
  /** How long to wait before the same request can succeed, in milliseconds. */
  readonly retryAfterMs?: number
  /** The methods a path does take; the `Allow` header of a 405. */
  readonly allow?: readonly string[]
  /** What was thrown before it, and led to it. */
  readonly cause?: unknown
}

/**
 * Anything that is thrown on purpose: a refusal, a wrong call, a daemon that is not there. Its message is a sentence that
 * says what to do.
 *
 * @see docs/decisions/021-client-package.md: the library shows it as `AgentdError`, and the next as `AgentdRefusal`
 */
export abstract class Failure extends Error {
  /** Which one it is, such as `session-exists` or `unreachable`; undefined where a peer did not say. */
  abstract readonly code: string | undefined
}

/** A refusal with a documented code. Its message is a sentence that says what to do. */
export class AgentdError extends Failure {
  /**
   * How many calls its stack names; undefined as many as any other error's.
   *
   * A stack costs as much as everything else about a refusal. The daemon only ever answers with them, and its
   * process asks for none; to somebody who calls the client library they say where the call was.
   */
  static maxStackCalls: number | undefined

  override readonly name = 'AgentdError'
  /** What is wrong; a closed set, so that a switch can be exhaustive. */
  readonly code: ErrorCode
  /** The member of the request it is about, as a dotted path; undefined where it is about none. */
  readonly field: string | undefined
  /** How long to wait before the same can succeed, in milliseconds; undefined where waiting does not help. */
  readonly retryAfterMs: number | undefined
  /** The methods that a path takes, where another one was used. */
  readonly allow: readonly string[] | undefined

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    const others = Error.stackTraceLimit
    Error.stackTraceLimit = AgentdError.maxStackCalls ?? others
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    Error.stackTraceLimit = others
    this.code = code
    this.field = details.field
    this.retryAfterMs = details.retryAfterMs
    this.allow = details.allow
  }
}

/**
 * Something was called in a way that cannot be right, whatever the daemon says: an option out of range, a path that is
 * too long, a key that cannot sign. Its message is a sentence that says what to do.
 */
export class UsageError extends Failure {
  override readonly name = 'UsageError'
  /** The same for all of them. */
  override readonly code = 'usage'
}

/** The answer to whatever is still on its way when the daemon goes. */
export function daemonIsClosing(): AgentdError {
  return new AgentdError('closing', 'The daemon is shutting down.', { retryAfterMs: 1_000 })
}

/** The end of an exhaustive switch; the compiler proves that it cannot be reached. */
export function unreachable(value: never): never {
  throw new TypeError(`unreachable case: ${String(value)}`)
}
