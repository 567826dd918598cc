/**
 * A way to a hub that can be cut without a word, healed, and made slow: what a network does, on loopback.
 */
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** How long one piece waits when there is a rate; pieces are as large as the rate allows in that time. */
const TICK_MS = 20

export class CutProxy implements AsyncDisposable {
  readonly #server: Server
  readonly #targetPort: number
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  #isCut = false
  /** Octets per second each way; undefined: as fast as it goes. */
  #rate: number | undefined

  private constructor(server: Server, targetPort: number) {
    this.#server = server
    this.#targetPort = targetPort
    server.on('connection', (near) => this.#join(near))
  }

  static async start(targetPort: number): Promise<CutProxy> {
    const server = createServer({ pauseOnConnect: true })
    const proxy = new CutProxy(server, targetPort)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return proxy
  }

  get port(): number {
    return portOf(this.#server)
  }

  /** From now on nothing arrives, and nobody is told: what is open stays open, what is new hangs. */
  cut(): void {
    this.#isCut = true
    for (const pair of this.#pairs) for (const socket of pair) socket.pause()
  }

  /** What was underway is lost with its connections, as after a while without a network; new ones go through. */
  heal(): void {
    this.#isCut = false
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy()
  }

  /** Breaks every connection that there is, and lets new ones through. */
  drop(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy()
  }

  /** @param octetsPerSecond - each way */
  slow(octetsPerSecond: number | undefined): void {
    this.#rate = octetsPerSecond
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.drop()
    const closed = once(this.#server, 'close')
    this.#server.close()
    await closed
  }

  #join(near: Socket): void {
    const far = connect(this.#targetPort, '127.0.0.1')
    const pair = [near, far] as const
    this.#pairs.add(pair)
    this.#carry(near, far)
    this.#carry(far, near)
    for (const socket of pair) {
      socket.on('error', () => {})
      socket.on('close', () => {
        this.#pairs.delete(pair)
        for (const one of pair) one.destroy()
      })
      if (this.#isCut) socket.pause()
      else socket.resume()
    }
  }

  #carry(from: Socket, to: Socket): void {
    from.on('data', (chunk: Buffer) => {
      const rate = this.#rate
      if (rate === undefined) {
        if (!to.write(chunk)) from.pause()
        return
      }
      from.pause()
      this.#trickle(chunk, rate, from, to)
    })
    to.on('drain', () => {
      if (!this.#isCut) from.resume()
    })
  }

  #trickle(chunk: Buffer, rate: number, from: Socket, to: Socket): void {
    const size = Math.max(1, Math.floor((rate * TICK_MS) / 1_000))
    to.write(chunk.subarray(0, size))
    const rest = chunk.subarray(size)
    setTimeout(() => {
      if (to.destroyed || from.destroyed) return
      if (rest.length > 0) this.#trickle(rest, rate, from, to)
      else if (!this.#isCut) from.resume()
    }, TICK_MS)
  }
}

/** Where a server listens. */
export function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}
