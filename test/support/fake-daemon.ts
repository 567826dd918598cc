/**
 * A peer that says exactly what a test tells it to: a real HTTP server on a real Unix socket, with no rules of
 * its own. Every request but `/v1/health` waits until the test takes it with `next` and answers it.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { json } from 'node:stream/consumers'
import { createInterface, type Interface } from 'node:readline'
import { createTempDir, type TempDir } from './temp-dir.ts'

/** One request, and the means to answer it badly. */
export class Arrival {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly path: string
  readonly query: URLSearchParams
  #lines: Interface | undefined
  #iterator: NodeJS.AsyncIterator<string> | undefined

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.request = request
    this.response = response
    const url = new URL(request.url ?? '', 'http://agentd')
    this.path = decodeURIComponent(url.pathname)
    this.query = url.searchParams
  }

  get socket(): Socket {
    return this.request.socket
  }

  header(name: string): string | undefined {
    return this.request.headers[name]?.toString()
  }

  /** The whole body as JSON. */
  json(): Promise<unknown> {
    return json(this.request)
  }

  /** The next line of an NDJSON request. */
  async line(): Promise<string> {
    this.#lines ??= createInterface({ input: this.request })
    this.#iterator ??= this.#lines[Symbol.asyncIterator]()
    const { value, done } = await this.#iterator.next()
    if (done === true) throw new Error('the request has no more lines')
    return value
  }

  /** A whole JSON answer. */
  answer(status: number, body: unknown, headers: Record<string, string> = {}): void {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const length = text === '' ? {} : { 'content-length': Buffer.byteLength(text) }
    this.response.writeHead(status, { 'content-type': 'application/json', ...length, ...headers })
    this.response.end(text)
  }

  /** The head of an answer that goes on, and its first bytes. */
  begin(media: string, text = ''): void {
    this.response.writeHead(200, { 'content-type': media })
    this.response.flushHeaders()
    if (text !== '') this.response.write(text)
  }

  beginStream(text = ''): void {
    this.begin('text/event-stream; charset=utf-8', text)
  }

  write(data: string | Buffer): void {
    this.response.write(data)
  }

  /** Bytes straight onto the wire, below HTTP. */
  raw(bytes: Buffer): void {
    this.socket.write(bytes)
  }

  /** Hangs up in good order: what was written arrives, which Node 26 gives to the socket at the end of the turn. */
  hangUp(): void {
    setImmediate(() => this.socket.end())
  }

  /** Breaks the connection. */
  cut(): void {
    this.socket.destroy()
  }
}

export class FakeDaemon implements AsyncDisposable {
  readonly socketPath: string
  /** Members that the health answer has besides those it needs. */
  health: Record<string, unknown> = {}
  /** Whether `/v1/health` is answered by itself. */
  answersHealth = true
  readonly #dir: TempDir
  readonly #sockets = new Set<Socket>()
  readonly #arrived: Arrival[] = []
  readonly #waiting: { wanted: string; resolve: (arrival: Arrival) => void }[] = []
  /** Told when the last connection closes. */
  #onQuiet: (() => void)[] = []
  #server: Server | undefined

  constructor(dir: TempDir) {
    this.#dir = dir
    this.socketPath = dir.file('d.sock')
  }

  static async start(): Promise<FakeDaemon> {
    const daemon = new FakeDaemon(await createTempDir())
    await daemon.listen()
    return daemon
  }

  async listen(): Promise<void> {
    const server = createServer((request, response) => this.#take(new Arrival(request, response)))
    server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        this.#sockets.delete(socket)
        if (this.#sockets.size === 0) for (const resolve of this.#onQuiet.splice(0)) resolve()
      })
    })
    this.#server = server
    server.listen(this.socketPath)
    await once(server, 'listening')
  }

  /** Stops listening, breaks every connection, and removes the socket. */
  async stop(): Promise<void> {
    const server = this.#server
    if (server === undefined) return
    this.#server = undefined
    const closed = once(server, 'close')
    server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  /**
   * The next request of a method and a path, in order of arrival.
   *
   * @param wanted - `GET /v1/handles`, matched from the start
   */
  next(wanted = ''): Promise<Arrival> {
    const index = this.#arrived.findIndex((arrival) => matches(arrival, wanted))
    const [arrival] = index === -1 ? [] : this.#arrived.splice(index, 1)
    if (arrival !== undefined) return Promise.resolve(arrival)
    return new Promise((resolve) => this.#waiting.push({ wanted, resolve }))
  }

  /** Requests that arrived and that nobody has taken. */
  get untaken(): number {
    return this.#arrived.length
  }

  get openConnections(): number {
    return this.#sockets.size
  }

  /** Resolves when no connection is open. */
  quiet(): Promise<void> {
    if (this.#sockets.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#onQuiet.push(resolve))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    await this.#dir[Symbol.asyncDispose]()
  }

  #take(arrival: Arrival): void {
    if (arrival.path === '/v1/health' && this.answersHealth) {
      return arrival.answer(200, { ...HEALTH, ...this.health })
    }
    const index = this.#waiting.findIndex(({ wanted }) => matches(arrival, wanted))
    const [waiter] = index === -1 ? [] : this.#waiting.splice(index, 1)
    if (waiter === undefined) this.#arrived.push(arrival)
    else waiter.resolve(arrival)
    return undefined
  }
}

function matches(arrival: Arrival, wanted: string): boolean {
  return `${arrival.request.method} ${arrival.path}`.startsWith(wanted)
}

/** An honest health answer. */
export const HEALTH = {
  status: 'healthy',
  version: '0.1.0',
  instance_id: 'i-1',
  pid: 1,
  epoch: 'e1',
  principal: '~alice',
  started_at: '2026-11-20T10:00:00.000Z',
  uptime_ms: 1,
  sessions: 0,
  subscriptions: 0,
  ring: null,
  details: [],
}
