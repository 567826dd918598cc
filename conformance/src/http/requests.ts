/**
 * HTTP to a bus, over TCP or a Unix socket.
 */
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { AdapterError, type Answer } from '../adapter.ts'
import { isJsonObject } from '../json.ts'

/** How long an answer may take to begin. */
export const MAX_REPLY_MS = 10_000

/** The most that is read of one answer. */
export const MAX_REPLY_OCTETS = 4_194_304

/** One request. */
export interface BusRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** A whole answer: its status, and its body as JSON, undefined when it is none. */
export interface BusReply {
  readonly status: number
  readonly body: unknown
}

/** Sends a request. @param base - `http://…`, or the path of a Unix socket */
export function send(base: string, request: BusRequest): Promise<IncomingMessage> {
  const { method, path, headers, body } = request
  const options: RequestOptions = {
    ...placeOf(base, path),
    method,
    headers,
    agent: false,
    timeout: MAX_REPLY_MS,
  }
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(options, resolve)
    outgoing.once('error', (error) => {
      reject(new AdapterError(`${method} ${path}: ${error.message}`, { cause: error }))
    })
    outgoing.once('timeout', () => outgoing.destroy(new Error(`silent for ${MAX_REPLY_MS} ms`)))
    outgoing.end(body)
  })
}

/** Sends a request and reads its whole answer. */
export async function exchange(base: string, request: BusRequest): Promise<BusReply> {
  const incoming = await send(base, request)
  return { status: incoming.statusCode ?? 0, body: readJson(await readText(incoming)) }
}

/** What a refusal or a taken submission says, in the words of an answer. */
export function toAnswer({ status, body }: BusReply): Answer {
  const members = isJsonObject(body) ? body : {}
  return status < 300 ? { ...members, ok: true } : { ok: false, status, error: members }
}

/** @throws AdapterError when it is longer than may be */
export async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let octets = 0
  for await (const chunk of incoming) {
    const piece = Buffer.from(chunk)
    octets += piece.length
    if (octets > MAX_REPLY_OCTETS) throw new AdapterError(`an answer of more than ${MAX_REPLY_OCTETS} octets`)
    chunks.push(piece)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function placeOf(base: string, path: string): RequestOptions {
  if (!base.startsWith('http://')) return { socketPath: base, path }
  const { hostname, port } = new URL(base)
  return { hostname, port: port === '' ? 80 : Number(port), path }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
