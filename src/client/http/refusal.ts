/**
 * From the answer that says no to the error its sender threw.
 *
 * @see docs/http.md §3
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { z } from 'zod'
import { AgentdError, isErrorCode } from '../../core/errors.ts'
import { ErrorReply } from '../../protocol/http/daemon-replies.ts'
import { AgentdUnknownAnswer } from './errors.ts'

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
