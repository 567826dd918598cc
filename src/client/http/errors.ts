/**
 * What can go wrong between this library and the daemon, besides the daemon's own refusals.
 *
 * A refusal with a documented code arrives as the `AgentdError` the daemon threw. What the daemon never said,
 * or said in words this version does not know, has a class of its own, so that `AgentdError.code` stays a
 * closed union that a switch can exhaust.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { AgentdError, Failure } from '../../core/errors.ts'
import { isErrorCode } from '../../protocol/refusal/error-codes.ts'
import { ErrorReply } from '../../protocol/http/daemon-replies.ts'
import { AnswerLate } from './exchange.ts'
import type { z } from 'zod'

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
    const advice = isSilent ? '"agentd status" says which process it is' : 'Start it with "agentd start"'
    super(
      `agentd does not answer at ${socketPath}: ${how}. ${advice}.`,
      cause === undefined ? undefined : { cause },
    )
    this.socketPath = socketPath
    this.isSilent = isSilent
  }
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

/** A refusal, known or not. */
type Refusal = AgentdError | AgentdUnknownAnswer

/** An error body as the error its sender threw (AC-159). */
export function toRefusal(reply: z.infer<typeof ErrorReply>, status: number, retryAfterMs?: number): Refusal {
  const { code, field } = reply
  const waitMs = reply.retry_after_ms ?? retryAfterMs
  if (!isErrorCode(code)) {
    return new AgentdUnknownAnswer(status, reply.message, { code, field, retryAfterMs: waitMs })
  }
  return new AgentdError(code, reply.message, {
    ...(field !== undefined && { field }),
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
  })
}

/** The error that a whole answer with a status outside 2xx stands for. */
export function readRefusal(status: number, headers: IncomingHttpHeaders, body: Buffer): Refusal {
  const parsed = ErrorReply.safeParse(readReplyBody(body))
  const waitMs = readRetryAfterMs(headers['retry-after'])
  if (parsed.success) return toRefusal(parsed.data, status, waitMs)
  return new AgentdUnknownAnswer(status, `The peer answered ${status} without an agentd error body.`, {
    retryAfterMs: waitMs,
    cause: parsed.error,
  })
}

/** The whole-seconds form of `Retry-After`; the daemon sends no other. */
function readRetryAfterMs(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : undefined
}

/** @returns undefined for what is no JSON; every schema refuses that */
export function readReplyBody(body: Buffer | string): unknown {
  try {
    return JSON.parse(body.toString())
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
