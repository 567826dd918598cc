/**
 * One connection to the daemon, with hand-written requests: a hook cannot afford `node:http`.
 *
 * Requests may be sent before the answers to earlier ones have come; answers come in order. The first thing
 * that goes wrong ends it for every request that is still open.
 *
 * @see docs/http.md §§2, 3; P-06
 */
import { connect, type Socket } from 'node:net'
import { socketFault } from '../../host/socket/own-socket.ts'
import { MAX_ANSWER_BYTES } from '../events/budget.ts'
import { CONNECT_MS, runningMs } from '../events/process-budget.ts'
import { parseMembers, type EventMembers } from '../events/members.ts'

/** A request. `body` makes it JSON. */
export interface DaemonRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: EventMembers | undefined
  readonly token?: string | undefined
  /** Further header lines; a registration's proofs. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** A whole answer; its body is empty where it was no JSON object. */
export interface DaemonReply {
  readonly status: number
  readonly body: EventMembers
}

/** Told of each request that is over; the status is undefined when no whole answer came. */
export type AskedListener = (request: DaemonRequest, status: number | undefined) => void

/** No whole answer came. */
export class Unreached extends Error {
  override readonly name = 'Unreached'
  /** `absent`: nobody listens. `unsafe`: somebody else may (HD-20). Nothing was sent to either. */
  readonly how: 'absent' | 'unsafe' | 'silent'

  constructor(how: Unreached['how']) {
    super(how === 'unsafe' ? 'the socket is not of this user alone' : `agentd is ${how}`)
    this.how = how
  }
}

interface Open {
  readonly resolve: (reply: DaemonReply) => void
  readonly reject: (error: Unreached) => void
}

/** What may stand in a header without ending it. */
const TOKEN = /^[\u0021-\u007e]+$/
const HEAD_END = '\r\n\r\n'

/** Of an answer at a time. */
const CHUNK_BYTES = 65_536

/** On a Unix socket a full backlog answers EAGAIN at once. */
const BUSY_PAUSE_MS = 10

/** A connection that is made when the first request is sent. */
export class DaemonLink {
  readonly #socketPath: string
  readonly #onAsked: AskedListener | undefined
  readonly #open: Open[] = []
  #socket: Socket | undefined
  #isConnected = false
  #failure: Unreached | undefined
  #received: Buffer[] = []
  #length = 0
  /** Bytes there have to be before looking again is worth it. */
  #desired = 0
  #requests = 0
  #startedMs: number | undefined
  /** Everything so far: a connection that was refused is made anew, and takes it again. */
  #unsent = ''

  constructor(socketPath: string, onAsked?: AskedListener) {
    this.#socketPath = socketPath
    this.#onAsked = onAsked
  }

  /** Requests sent so far. */
  get requests(): number {
    return this.#requests
  }

  /** @throws Unreached when no whole answer comes */
  send(request: DaemonRequest): Promise<DaemonReply> {
    const reply = this.#send(request)
    const onAsked = this.#onAsked
    if (onAsked === undefined) return reply
    return reply.then(
      (whole) => {
        onAsked(request, whole.status)
        return whole
      },
      (error: unknown) => {
        onAsked(request, undefined)
        throw error
      },
    )
  }

  #send(request: DaemonRequest): Promise<DaemonReply> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    const text = formatRequest(request)
    this.#requests += 1
    return new Promise((resolve, reject) => {
      this.#open.push({ resolve, reject })
      if (!this.#isConnected) this.#unsent += text
      if (this.#socket === undefined) this.#connect()
      // Queued until there is a connection; waiting for the event first would cost a turn of the loop.
      else this.#socket.write(text)
    })
  }

  /** Ends the connection; requests that are still open fail. */
  close(): void {
    this.#fail('silent')
  }

  #connect(): void {
    if (socketFault(this.#socketPath) !== undefined) return this.#fail('unsafe')
    // Straight from the kernel: the way through a stream would cost half a millisecond.
    const socket = connect({
      path: this.#socketPath,
      onread: {
        buffer: Buffer.allocUnsafe(CHUNK_BYTES),
        callback: (length, chunk) => {
          if (this.#socket === socket) this.#take(Buffer.from(chunk.subarray(0, length)))
          return true
        },
      },
    })
    this.#socket = socket
    this.#startedMs ??= runningMs()
    const leftMs = Math.max(1, CONNECT_MS - (runningMs() - this.#startedMs))
    const timer = setTimeout(() => this.#fail('absent'), leftMs)
    socket.write(this.#unsent)
    socket.once('connect', () => {
      clearTimeout(timer)
      this.#isConnected = true
      this.#unsent = ''
    })
    socket.once('error', (error) => {
      clearTimeout(timer)
      if (this.#socket !== socket) return
      const isBusy = Reflect.get(error, 'code') === 'EAGAIN' && leftMs > BUSY_PAUSE_MS
      if (isBusy && !this.#isConnected) setTimeout(() => this.#again(), BUSY_PAUSE_MS)
      else this.#lose()
    })
    socket.once('close', () => {
      if (this.#socket === socket && this.#isConnected) this.#lose()
    })
  }

  /** A connection that ends between two requests is no failure: the next one makes another. */
  #lose(): void {
    if (this.#open.length > 0) return this.#fail(this.#isConnected ? 'silent' : 'absent')
    this.#socket?.destroy()
    this.#socket = undefined
    this.#isConnected = false
    this.#received = []
    this.#length = 0
    this.#desired = 0
    return undefined
  }

  #again(): void {
    if (this.#failure === undefined) this.#connect()
  }

  #fail(how: Unreached['how']): void {
    this.#failure ??= new Unreached(how)
    this.#socket?.destroy()
    for (const { reject } of this.#open.splice(0)) reject(this.#failure)
  }

  #take(chunk: Buffer): void {
    this.#received.push(chunk)
    this.#length += chunk.length
    if (this.#length > MAX_ANSWER_BYTES) return this.#fail('silent')
    while (this.#length > 0 && this.#length >= this.#desired) {
      const bytes = this.#received.length === 1 ? (this.#received[0] ?? chunk) : Buffer.concat(this.#received)
      this.#received = [bytes]
      const found = readReply(bytes)
      if (found === 'unknown') return this.#fail('silent')
      if (typeof found === 'number') {
        this.#desired = found
        return undefined
      }
      this.#desired = 0
      this.#received = [bytes.subarray(found.end)]
      this.#length -= found.end
      this.#open.shift()?.resolve(found.reply)
      // The daemon closes behind some refusals, with a request half read.
      if (found.isLast) return this.#lose()
    }
    return undefined
  }
}

/** @throws Unreached for a token that cannot be one: it would end the header */
function formatRequest({ method, path, body, token, headers = {} }: DaemonRequest): string {
  const secrets = [...(token === undefined ? [] : [token]), ...Object.values(headers)]
  if (!secrets.every((secret) => TOKEN.test(secret))) throw new Unreached('silent')
  const text = body === undefined ? '' : JSON.stringify(body)
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'host: agentd',
    ...(body === undefined
      ? []
      : ['content-type: application/json', `content-length: ${Buffer.byteLength(text)}`]),
    ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  return `${lines.join('\r\n')}${HEAD_END}${text}`
}

interface FoundReply {
  readonly reply: DaemonReply
  readonly end: number
  /** Nothing comes behind it on this connection. */
  readonly isLast: boolean
}

/** @returns how many bytes there have to be, or the first answer and where it ends */
function readReply(bytes: Buffer): number | 'unknown' | FoundReply {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd === -1) return bytes.length + 1
  const head = bytes.subarray(0, headEnd).toString('latin1')
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1])
  const length = status === 204 ? 0 : Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1])
  if (Number.isNaN(status) || Number.isNaN(length) || length > MAX_ANSWER_BYTES) return 'unknown'
  const start = headEnd + HEAD_END.length
  if (bytes.length < start + length) return start + length
  const text = bytes.toString('utf8', start, start + length)
  const isLast = /\r\nconnection: *close/i.test(head)
  return { reply: { status, body: parseMembers(text) ?? {} }, end: start + length, isLast }
}
