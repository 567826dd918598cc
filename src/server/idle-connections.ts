/**
 * Connections that say nothing, or say it too slowly: one timer each, only while one is needed.
 *
 * Node would look at all connections at an interval; a daemon that idles for days should not wake for that.
 *
 * @see R-35
 */
import type { Socket } from 'node:net'
import type { Clock, Timer } from '../core/clock.ts'

/** How long the head of a request may take to arrive, in milliseconds. */
const HEADERS_TIMEOUT_MS = 5_000

/** How long a connection may rest between two requests, in milliseconds. */
const REST_MS = 30_000

export class IdleConnections {
  readonly #clock: Clock
  readonly #timers = new WeakMap<Socket, Timer>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** A connection has come; a request has to follow. */
  arrived(socket: Socket): void {
    this.#arm(socket, HEADERS_TIMEOUT_MS)
    socket.once('close', () => this.#timers.get(socket)?.cancel())
  }

  /** A request is here; its handler has bounds of its own. */
  busy(socket: Socket): void {
    this.#timers.get(socket)?.cancel()
  }

  /** The request has been answered; the connection may be used again for a while. */
  rests(socket: Socket): void {
    if (!socket.destroyed) this.#arm(socket, REST_MS)
  }

  #arm(socket: Socket, delayMs: number): void {
    this.#timers.get(socket)?.cancel()
    this.#timers.set(
      socket,
      this.#clock.after(delayMs, () => socket.destroy()),
    )
  }
}
