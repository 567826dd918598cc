/**
 * Connections that say nothing, or say it too slowly: one timer each, only while one is needed.
 *
 * Node would look at all connections at an interval; a daemon that idles for days should not wake for that.
 *
 * @see R-35
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock, Timer } from '../core/clock.ts'

/** How long the head of a request may take to arrive, in milliseconds. */
const HEADERS_TIMEOUT_MS = 5_000

/** How long a connection may rest between two requests, in milliseconds. */
const REST_MS = 30_000

export class IdleConnections {
  readonly #clock: Clock
  readonly #timers = new WeakMap<Socket, Timer>()
  /** Responses a connection owes; several, when requests are pipelined. */
  readonly #owed = new WeakMap<Socket, Set<ServerResponse>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** A connection has come; a request has to follow. */
  arrived(socket: Socket): void {
    this.#arm(socket, HEADERS_TIMEOUT_MS)
    socket.once('close', () => this.#timers.get(socket)?.cancel())
  }

  /** A request is here; its handler has bounds of its own. When all are answered, the connection rests. */
  busy(socket: Socket, response: ServerResponse): void {
    this.#timers.get(socket)?.cancel()
    const owed = this.#owed.get(socket) ?? new Set()
    this.#owed.set(socket, owed.add(response))
    response.once('close', () => {
      owed.delete(response)
      if (owed.size === 0 && !socket.destroyed) this.#arm(socket, REST_MS)
    })
  }

  /** Whether an answer is under way, in the middle of which nothing else may be written. */
  isAnswering(socket: Socket): boolean {
    return [...(this.#owed.get(socket) ?? [])].some(({ headersSent }) => headersSent)
  }

  #arm(socket: Socket, delayMs: number): void {
    this.#timers.get(socket)?.cancel()
    this.#timers.set(
      socket,
      this.#clock.after(delayMs, () => socket.destroy()),
    )
  }
}
