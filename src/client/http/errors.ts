/**
 * What can go wrong between this library and the daemon, besides the daemon's own refusals.
 *
 * A refusal with a documented code arrives as the `AgentdError` the daemon threw. What the daemon never said,
 * or said in words this version does not know, has a class of its own, so that `AgentdError.code` stays a
 * closed union that a switch can exhaust.
 *
 * Who imports the client has these at once, so nothing is loaded for them that reads answers (LB-03).
 */
import { Failure } from '../../core/errors.ts'
import { systemErrorCode } from '../../core/thrown.ts'
import { unreachableSentence } from './absence.ts'

/** The answer did not come, or grew, beyond its bound. */
export class BoundPassed extends Error {
  override readonly name = 'BoundPassed'
}

/** It did not come in time: whoever listens there does not answer. */
export class AnswerLate extends BoundPassed {}

/** The connection could not be made, or broke; `cause` is what the system said. */
export class ExchangeFailed extends Error {
  override readonly name = 'ExchangeFailed'

  constructor(cause: Error) {
    super(cause.message, { cause })
  }
}

/** Nobody answers at the socket, or the connection was lost more often than a call may be repeated. */
export class AgentdUnreachable extends Failure {
  override readonly name = 'AgentdUnreachable'
  /** The same for all of them. */
  override readonly code = 'unreachable'
  /** Where it was looked for. */
  readonly socketPath: string
  /** Whether somebody listens there, and did not answer in time: another daemon would not help. */
  readonly isSilent: boolean

  /** @param how - what happened, as the end of a sentence */
  constructor(socketPath: string, how: string, cause?: unknown) {
    const isSilent = cause instanceof AnswerLate
    super(wordsOf(socketPath, how, cause), cause === undefined ? undefined : { cause })
    this.socketPath = socketPath
    this.isSilent = isSilent
  }
}

/** What happened, and what to do about it. */
function wordsOf(socketPath: string, how: string, cause: unknown): string {
  if (cause instanceof AnswerLate)
    return unreachableSentence(socketPath, how, '"agentd status" says which process it is')
  // Node's parser of HTTP has codes of its own for what is none.
  const isForeign =
    cause instanceof ExchangeFailed && systemErrorCode(cause.cause)?.startsWith('HPE_') === true
  if (!isForeign) return unreachableSentence(socketPath, how)
  const foreign = 'another program listens there, which does not speak HTTP'
  return unreachableSentence(socketPath, foreign, 'End it, or give agentd another place with AGENTD_SOCKET')
}

/** What an answer outside the contract carried. */
export interface UnknownAnswerDetails {
  /** The code a newer daemon sent; undefined when the answer was no error object at all. */
  readonly code?: string | undefined
  /** The member it is about, where the peer said so. */
  readonly field?: string | undefined
  /** How long to wait before the same can succeed, in milliseconds, where the peer said so. */
  readonly retryAfterMs?: number | undefined
  /** What was thrown when the answer was read. */
  readonly cause?: unknown
}

/** The peer answered what this version does not know: a newer daemon's code, or no agentd at all. */
export class AgentdUnknownAnswer extends Failure {
  override readonly name = 'AgentdUnknownAnswer'
  /** HTTP status; 200 when a line of a running answer was the unknown one. */
  readonly status: number
  /** The code a newer daemon sent; undefined when the answer was no error at all. */
  override readonly code: string | undefined
  /** The member it is about, where the daemon said so. */
  readonly field: string | undefined
  /** How long to wait before the same can succeed, in milliseconds, where the daemon said so. */
  readonly retryAfterMs: number | undefined

  constructor(status: number, message: string, details: UnknownAnswerDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.status = status
    this.code = details.code
    this.field = details.field
    this.retryAfterMs = details.retryAfterMs
  }
}
