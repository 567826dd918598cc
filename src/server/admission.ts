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
  /** Whether the peer is the user this daemon serves. */
  readonly isOwner: (socket: Socket) => boolean
}

/** How long somebody who was turned away has to read why, in milliseconds. */
const TURNED_AWAY_MS = 1_000

export class Admission {
  readonly #rules: AdmissionRules
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
    if (!this.#rules.isOwner(socket)) {
      this.#refused += 1
      socket.destroy()
      return false
    }
    if (this.#held >= this.#rules.maxConnections) {
      this.#refused += 1
      turnAway(socket, version)
      return false
    }
    this.#held += 1
    socket.once('close', () => {
      this.#held -= 1
    })
    return true
  }
}

function turnAway(socket: Socket, version: string): void {
  const problem = rawProblem(version, {
    statusLine: '503 Service Unavailable',
    code: 'busy',
    message: 'The daemon holds as many connections as it may.',
    headers: ['retry-after: 1'],
  })
  socket.on('error', () => socket.destroy())
  socket.end(problem)
  socket.resume()
  const cut = setTimeout(() => socket.destroy(), TURNED_AWAY_MS)
  cut.unref()
  socket.once('close', () => clearTimeout(cut))
}
