/**
 * Request bodies: within a size, within a time, of a media type the route takes.
 */
import type { IncomingMessage } from 'node:http'
import { AgentdError } from '../../core/errors.ts'
import type { Clock } from '../../core/clock.ts'
import type { Route } from '../../protocol/http/route.ts'

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

/**
 * Reads a whole body.
 *
 * @throws AgentdError the bound's own as soon as it is known to be over, `field-invalid` when it does not
 *   arrive in time
 */
export function readBody(
  request: IncomingMessage,
  { maxOctets, field, tooLarge }: BodyBound,
  clock: Clock,
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxOctets) return Promise.reject(tooLarge())
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let octets = 0
    const finish = (outcome: () => void): void => {
      timer.cancel()
      request.removeListener('data', onData)
      outcome()
    }
    const timer = clock.after(BODY_TIMEOUT_MS, () => finish(() => reject(tooSlow(field))))
    const onData = (chunk: Buffer): void => {
      octets += chunk.length
      if (octets > maxOctets) finish(() => reject(tooLarge()))
      else chunks.push(chunk)
    }
    request.on('data', onData)
    request.once('end', () =>
      finish(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks))),
    )
    request.once('close', () =>
      finish(() => reject(new AgentdError('field-invalid', 'The body was cut off.'))),
    )
  })
}

function tooSlow(field: string): AgentdError {
  return new AgentdError('field-invalid', `The body did not arrive within ${BODY_TIMEOUT_MS} ms.`, {
    field,
  })
}
