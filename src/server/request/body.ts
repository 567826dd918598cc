/**
 * Request bodies: within a size, within a time, of a media type the route takes.
 */
import type { IncomingMessage } from 'node:http'
import { AgentdError } from '../../core/errors.ts'
import type { Clock } from '../../core/clock.ts'
import { GrowingBuffer } from '../../core/text/growing-buffer.ts'
import type { Route } from '../../protocol/routes/route.ts'
import type { MemoryCharge } from './memory-budget.ts'

/** How long a whole JSON body may take to arrive, in milliseconds. */
const BODY_TIMEOUT_MS = 10_000

/**
 * The media type of a body, without parameters.
 *
 * @throws AgentdError `media-type-unsupported` for one the route does not take, another charset than UTF-8,
 *   or a content encoding
 */
export function requireMediaType(request: IncomingMessage, route: Route): string {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim())
  const charset = parameters.find((parameter) => /^charset=/i.test(parameter))
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/i.test(charset)
  const encoding = request.headers['content-encoding']
  if (route.takes.includes(type.toLowerCase()) && isUtf8 && encoding === undefined) return type.toLowerCase()
  throw new AgentdError(
    'media-type-unsupported',
    `This path takes ${route.takes.join(' or ')} in UTF-8; send it with -H 'content-type: ${route.takes[0] ?? ''}'.`,
    { field: encoding === undefined ? 'content-type' : 'content-encoding' },
  )
}

/** How much a body may hold, and what it is refused with when it holds more. */
export interface BodyBound {
  readonly maxOctets: number
  /** What an error about the body as a whole names. */
  readonly field: string
  readonly tooLarge: () => AgentdError
}

/** A request whose body is to be read, and what is charged with it. */
interface BodySource {
  readonly request: IncomingMessage
  readonly clock: Clock
  readonly charge: MemoryCharge
}

/**
 * Reads a whole body. What it holds stays charged until the request is over.
 *
 * @throws AgentdError the bound's own as soon as it is known to be over, `field-invalid` when it does not
 *   arrive in time, `busy` when as much waits in memory as may
 */
export function readBody(
  { request, clock, charge }: BodySource,
  { maxOctets, field, tooLarge }: BodyBound,
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxOctets) return Promise.reject(tooLarge())
  return new Promise((resolve, reject) => {
    const body = new GrowingBuffer(maxOctets)
    const finish = (outcome: () => void): void => {
      timer.cancel()
      request.off('data', onData).off('end', onEnd).off('close', onClose)
      outcome()
    }
    const timer = clock.after(BODY_TIMEOUT_MS, () => finish(() => reject(tooSlow(field))))
    const onData = (chunk: Buffer): void => {
      if (body.length + chunk.length > maxOctets) return finish(() => reject(tooLarge()))
      body.append(chunk)
      try {
        charge.hold(body.room)
      } catch (error) {
        body.take()
        finish(() => reject(error instanceof Error ? error : new Error(String(error))))
      }
    }
    const onEnd = (): void => finish(() => resolve(body.take()))
    const onClose = (): void =>
      finish(() => reject(new AgentdError('field-invalid', 'The body was cut off.')))
    request.on('data', onData).once('end', onEnd).once('close', onClose)
  })
}

function tooSlow(field: string): AgentdError {
  return new AgentdError('field-invalid', `The body did not arrive within ${BODY_TIMEOUT_MS} ms.`, {
    field,
  })
}
