/**
 * Answers on the wire: results, and refusals in the one documented form (AC-159).
 */
import type { ServerResponse } from 'node:http'
import { AgentdError, type ErrorCode } from '../../core/errors.ts'
import { ERROR_CODES, toErrorBody } from '../../protocol/refusal/error-codes.ts'
import { MEDIA_JSON } from '../../protocol/http/media.ts'
import type { RouteAnswer } from './answer.ts'
import type { MemoryCharge } from './memory-budget.ts'

/** How long an answered request may go on sending before the connection is cut, in milliseconds. */
const LINGER_MS = 1_000

/** How long an answer may take to be taken, in milliseconds; protects memory from who asks and never reads. */
const TAKE_MS = 30_000

/**
 * How long a sender that is over its quota waits for the answer that says so, in milliseconds: one that comes
 * again at once would otherwise have the daemon refuse it all day, in everybody's time.
 */
export const OVER_QUOTA_MS = 100

/**
 * Writes a handler's answer. What is not taken at once stays charged.
 *
 * @throws AgentdError `busy` for what was only looked up, when as much waits in memory as may; nothing is written then
 */
export function writeAnswer(response: ServerResponse, answer: RouteAnswer, charge: MemoryCharge): void {
  // A body that nobody asked for is read past here, where its chunks are counted; Node would do so without looking.
  if (answer.kind !== 'taken' && isStillSending(response)) response.req.resume()
  switch (answer.kind) {
    case 'json':
      return writeBody(response, chargeBody(response, Buffer.from(JSON.stringify(answer.body)), charge), {
        status: answer.status,
        mediaType: answer.mediaType ?? MEDIA_JSON,
      })
    case 'text':
      return writeBody(response, chargeBody(response, Buffer.from(answer.text), charge), answer)
    case 'octets':
      return writeBody(response, chargeBody(response, answer.octets, charge), answer)
    case 'empty':
      response.writeHead(answer.status)
      response.end()
      return
    case 'taken':
      return
  }
}

/** Writes a refusal; nothing of an answer has been sent yet. */
export function writeProblem(response: ServerResponse, error: AgentdError): void {
  const { status } = ERROR_CODES[error.code]
  if (error.allow !== undefined) response.setHeader('allow', error.allow.join(', '))
  if (error.retryAfterMs !== undefined)
    response.setHeader('retry-after', Math.ceil(error.retryAfterMs / 1_000))
  if (isStillSending(response)) {
    // As the last answer of its connection, Node would close behind it at once, and who is busy writing would read
    // a reset instead.
    if (status === 413) response.shouldKeepAlive = true
    else response.setHeader('connection', 'close')
    linger(response)
  }
  const body = Buffer.from(JSON.stringify(toErrorBody(error)))
  writeBody(response, body, { status, mediaType: MEDIA_JSON })
}

/**
 * As {@link writeProblem}, and without haste: for a sender over its quota. Spread over as long again, so that
 * fifty that were refused together do not come back together.
 */
export function writeProblemLater(response: ServerResponse, error: AgentdError): void {
  const timer = setTimeout(() => writeProblem(response, error), OVER_QUOTA_MS * (1 + Math.random()))
  timer.unref()
  response.once('close', () => clearTimeout(timer))
}

/**
 * Lets a sender that is still sending read its answer: cutting the connection at once would take the answer
 * with it.
 */
export function linger(response: ServerResponse): void {
  const { req } = response
  req.resume()
  const cut = setTimeout(() => req.socket.destroy(), LINGER_MS)
  cut.unref()
  // All has been read, and nothing of the answer is lost by closing now.
  const close = (): void => void req.socket.end()
  req.once('end', () => {
    if (response.writableFinished) close()
    else response.once('finish', close)
  })
  req.socket.once('close', () => clearTimeout(cut))
}

/** A request without a body is not called complete until it is answered; it has nothing left to send. */
function isStillSending({ req }: ServerResponse): boolean {
  const hasBody =
    req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0
  return hasBody && !req.complete
}

/** What a POST has done is done: its answer, which is small or was made room for before, is not refused. */
function chargeBody({ req }: ServerResponse, body: Buffer, charge: MemoryCharge): Buffer {
  if (req.method === 'GET') charge.hold(body.length)
  else charge.owe(body.length)
  return body
}

/** What is said about a body. */
interface BodyHead {
  readonly status: number
  readonly mediaType: string
}

function writeBody(response: ServerResponse, body: Buffer, { status, mediaType }: BodyHead): void {
  response.writeHead(status, { 'content-type': mediaType, 'content-length': body.length })
  response.end(body)
  if (!response.writableFinished) cutUnlessTaken(response)
}

/**
 * Cuts the connection unless what was written is taken in time.
 *
 * @returns to be called when it was; the end of the response does as well
 */
export function cutUnlessTaken(response: ServerResponse): () => void {
  const cut = setTimeout(() => response.req.socket.destroy(), TAKE_MS)
  cut.unref()
  const taken = (): void => {
    clearTimeout(cut)
    response.off('close', taken)
  }
  response.once('close', taken)
  return taken
}

/** A refusal before there is a request to answer. */
interface RawProblem {
  readonly statusLine: string
  readonly code: ErrorCode
  readonly message: string
  readonly field?: string
  /** Header lines besides those that every answer has. */
  readonly headers?: readonly string[]
}

/** @returns the bytes of a whole response */
export function rawProblem(version: string, problem: RawProblem): string {
  const { statusLine, code, message, field, headers = [] } = problem
  const body = JSON.stringify({ code, ...(field !== undefined && { field }), message })
  const head = [
    `HTTP/1.1 ${statusLine}`,
    `agentd-version: ${version}`,
    'connection: close',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    ...headers,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}
