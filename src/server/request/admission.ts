/**
 * Which connections are let in: those of this user, while there are descriptors for them.
 *
 * At the limit of descriptors the kernel would accept and close without a word, and a store could fail to open
 * its files; so a part of them is kept back, and who comes too late is told.
 */
import type { Socket } from 'node:net'
import { rawProblem } from './problem.ts'

export interface AdmissionRules {
  /** Connections held at once. */
  readonly maxConnections: number
  /** Connections that are being told that there is no room; they hold a descriptor while they are. */
  readonly maxTurnedAway?: number
  /** Whether the peer is the user this daemon serves. */
  readonly isOwner: (socket: Socket) => boolean
  /** Whether it is a connection inside this process, which takes no descriptor and is nobody's but the daemon's own. */
  readonly isInside?: (socket: Socket) => boolean
}

/** How many may be told at the same time, unless it is said otherwise. */
const DEFAULT_MAX_TURNED_AWAY = 64

/** How long somebody who was turned away has to read why, in milliseconds. */
const TURNED_AWAY_MS = 1_000

export class Admission {
  readonly #rules: AdmissionRules
  readonly #turnedAway = new Set<Socket>()
  #held = 0
  #refused = 0

  constructor(rules: AdmissionRules) {
    this.#rules = rules
  }

  /** Connections turned away so far. */
  get refused(): number {
    return this.#refused
  }

  /** @returns false when the connection was turned away; it must not be served */
  admit(socket: Socket, version: string): boolean {
    if (this.#rules.isInside?.(socket) === true) return true
    if (!this.#rules.isOwner(socket)) {
      this.#refused += 1
      socket.destroy()
      return false
    }
    if (this.#held >= this.#rules.maxConnections) {
      this.#refused += 1
      this.#turnAway(socket, version)
      return false
    }
    this.#held += 1
    socket.once('close', () => {
      this.#held -= 1
    })
    return true
  }

  /**
   * Says why, and leaves the other side a moment to read it: closed at once, a request that is still being
   * written would fail before the answer is looked at. Of too many such, the first has had its moment.
   */
  #turnAway(socket: Socket, version: string): void {
    const [first] = this.#turnedAway
    if (this.#turnedAway.size >= (this.#rules.maxTurnedAway ?? DEFAULT_MAX_TURNED_AWAY)) first?.destroy()
    this.#turnedAway.add(socket)
    const cut = setTimeout(() => socket.destroy(), TURNED_AWAY_MS)
    cut.unref()
    socket.once('close', () => {
      clearTimeout(cut)
      this.#turnedAway.delete(socket)
    })
    socket.on('error', () => socket.destroy())
    socket.end(busy(version))
    socket.resume()
  }
}

function busy(version: string): string {
  return rawProblem(version, {
    statusLine: '503 Service Unavailable',
    code: 'busy',
    message: 'The daemon holds as many connections as it may.',
    headers: ['retry-after: 1'],
  })
}
