/**
 * What Node's parser lets pass and two readers could read differently: refused before anything else is looked at, and
 * the connection with it, because nobody can say where such a request ends.
 *
 * @see RFC 9112, 2.3, 3.2, 6.1; HD-22
 */
import type { IncomingMessage } from 'node:http'
import { AgentdError } from '../../core/errors.ts'

/** Header lines one request may have. */
const MAX_HEADERS = 64

/** Versions that are spoken here. Without one a request is of HTTP/0.9, which has no headers. */
const VERSIONS: readonly string[] = ['1.0', '1.1']

/** A header field of one text; undefined for none. */
export function textHeader({ headers }: Pick<IncomingMessage, 'headers'>, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}

/** The refusal of a message as such; its connection is closed with it. Undefined for one that is in order. */
export function messageFault(request: IncomingMessage): AgentdError | undefined {
  const { httpVersion, rawHeaders } = request
  if (!VERSIONS.includes(httpVersion)) {
    return fault('request', 'This is not HTTP/1.1; a request line ends with its version.')
  }
  if (rawHeaders.length > 2 * MAX_HEADERS)
    return fault('headers', `A request has at most ${MAX_HEADERS} header lines.`)
  return hostFault(request) ?? encodingFault(request)
}

function hostFault({ httpVersion, rawHeaders }: IncomingMessage): AgentdError | undefined {
  const hosts = countHosts(rawHeaders)
  if (hosts > 1) return fault('host', 'A request names its host once.')
  if (hosts === 1 || httpVersion !== '1.1') return undefined
  return fault('host', 'A request names its host; any name will do, such as "Host: agentd".')
}

/** Node keeps the first of several, and tells nobody. */
function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    if (name.length === HOST.length && name.toLowerCase() === HOST) hosts += 1
  }
  return hosts
}

const HOST = 'host'

/** `chunked` is the one coding there is here, and HTTP/1.0 has none. */
function encodingFault({ headers, httpVersion }: IncomingMessage): AgentdError | undefined {
  const encoding = headers['transfer-encoding']
  if (encoding === undefined) return undefined
  if (httpVersion === '1.1' && encoding.toLowerCase() === 'chunked') return undefined
  return fault(
    'transfer-encoding',
    'A body has a "content-length", or "transfer-encoding: chunked" and nothing else; HTTP/1.0 has the first alone.',
  )
}

function fault(field: string, message: string): AgentdError {
  return new AgentdError('field-invalid', message, { field })
}
