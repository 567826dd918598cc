/**
 * One request and its whole answer, within a bound of time and of octets.
 */
import { request, type ClientRequest, type IncomingHttpHeaders, type RequestOptions } from 'node:http'
import type { Clock } from '../../core/clock.ts'
import { toError } from './backoff.ts'
import { AnswerLate, BoundPassed, ExchangeFailed } from './errors.ts'

/** What one exchange sends, and what it may cost. */
export interface ExchangeOptions {
  readonly request: RequestOptions
  readonly body: string | undefined
  readonly signal: AbortSignal | undefined
  readonly clock: Clock
  /** The longest the whole exchange may take. */
  readonly deadlineMs: number
  /** The longest body that is read. */
  readonly maxOctets: number
}

/** A whole answer. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/**
 * @throws ExchangeFailed when the connection breaks, BoundPassed, or the signal's reason
 */
export function exchange(options: ExchangeOptions): Promise<HttpAnswer> {
  const { signal, clock, deadlineMs } = options
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(toError(signal.reason))
    const sent = request(options.request)
    const finish = (): void => {
      deadline.cancel()
      signal?.removeEventListener('abort', abort)
    }
    const fail = (error: Error): void => {
      finish()
      reject(error)
      sent.destroy()
    }
    const abort = (): void => fail(toError(signal?.reason))
    const deadline = clock.after(deadlineMs, () => {
      fail(new AnswerLate(`no answer came within ${deadlineMs} ms`))
    })
    signal?.addEventListener('abort', abort)
    const succeed = (answer: HttpAnswer): void => {
      finish()
      resolve(answer)
    }
    receive(sent, options.maxOctets).then(succeed, fail)
    sent.end(options.body)
  })
}

function receive(sent: ClientRequest, maxOctets: number): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const broken = (error: Error): void => reject(new ExchangeFailed(error))
    sent.on('error', broken)
    sent.on('response', (response) => {
      const chunks: Buffer[] = []
      let octets = 0
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        octets += chunk.length
        if (octets > maxOctets) reject(new BoundPassed(`the answer is over ${maxOctets} octets`))
      })
      response.on('error', broken)
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) })
      })
      response.on('close', () => broken(new Error('the connection closed before the answer was complete')))
    })
  })
}
