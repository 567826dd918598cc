/**
 * One life of the pipe's request: writes lines, hands on what comes back, and does not outstay its use.
 */
import type { ClientRequest } from 'node:http'
import type { Clock } from '../../core/clock.ts'
import { LineTooLong } from '../../core/text/lines.ts'
import { LongExchange, type Ending, type Receiver } from '../http/long-exchange.ts'
import { Silence } from '../http/silence.ts'

/** What the pipe does with answers, and whether it waits for any. */
export interface LinkOwner extends Receiver {
  /** Whether lines were written that are not answered yet. */
  isOwed(): boolean
}

/**
 * Silence that ends a link: it is idle when nothing is owed, and lost when something is. Long enough for a
 * slow disk; a repeated line does no harm.
 */
export const LINK_SILENCE_MS = 15_000

export class LineLink implements Receiver {
  readonly media: string
  /** Settles once, and never rejects: from then on nothing can be written. */
  readonly ended: Promise<Ending>
  /** Settles when the socket is free as well. */
  readonly closed: Promise<Ending>
  readonly #request: ClientRequest
  readonly #owner: LinkOwner
  readonly #exchange: LongExchange
  readonly #silence: Silence
  /** Settles `ended` as finished; undefined once it has. */
  #finish: ((ending: Ending) => void) | undefined

  constructor(request: ClientRequest, clock: Clock, owner: LinkOwner) {
    this.media = owner.media
    this.#request = request
    this.#owner = owner
    this.#exchange = new LongExchange(request, this)
    this.closed = this.#exchange.ended
    const finished = new Promise<Ending>((resolve) => {
      this.#finish = resolve
    })
    this.ended = Promise.race([finished, this.closed])
    this.#silence = new Silence(clock, LINK_SILENCE_MS, () => this.#onSilence())
    this.#silence.heard()
    void this.closed.then(() => this.#silence.stop())
  }

  get isOpen(): boolean {
    return this.#finish !== undefined && this.#exchange.isOpen
  }

  /** @param lines - any number of whole lines */
  write(lines: string): void {
    this.#silence.heard()
    this.#request.socket?.ref()
    this.#request.write(lines)
  }

  /** Says that no more lines come; the daemon ends its answer and the connection. */
  finish(): void {
    if (!this.isOpen) return
    this.#finish?.({ kind: 'over' })
    this.#finish = undefined
    this.#request.end()
  }

  /** Keeps the process alive until the socket is free: somebody waits for that. */
  hold(): void {
    this.#request.socket?.ref()
  }

  /** Frees the socket at once. */
  cut(): void {
    this.#exchange.end({ kind: 'over' })
  }

  onChunk(chunk: Buffer): Ending | undefined {
    // Nothing was owed when it was finished; what comes now must not be taken for a later link's answer.
    if (!this.isOpen) return undefined
    this.#silence.heard()
    const ending = this.#feed(chunk)
    // An idle link never keeps the process alive.
    if (!this.#owner.isOwed()) this.#request.socket?.unref()
    return ending
  }

  #feed(chunk: Buffer): Ending | undefined {
    try {
      return this.#owner.onChunk(chunk)
    } catch (cause) {
      if (cause instanceof LineTooLong) return { kind: 'lost', cause }
      throw cause
    }
  }

  #onSilence(): void {
    // Finished before, and the daemon has not hung up.
    if (!this.isOpen) return this.cut()
    if (!this.#owner.isOwed()) return this.finish()
    const cause = new Error(`no answer came within ${LINK_SILENCE_MS} ms`)
    return this.#exchange.end({ kind: 'lost', cause })
  }
}
