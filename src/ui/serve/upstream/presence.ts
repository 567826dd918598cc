/**
 * The person's session: there exactly while a page is, and for a moment longer, so that a reload is nobody's going.
 *
 * It holds one ordinary stream, which is what makes it somebody who is listening: what is sent to the person counts it, and
 * `ask` waits for an answer. What comes over that stream is not read: pages have a stream of their own for everything.
 *
 * @see SEAT-01, SEAT-02, SEAT-03; docs/http.md §4
 */
import { AgentdError } from '../../../core/errors.ts'
import type { Timer } from '../../../core/clock.ts'
import type { Logger } from '../../../core/log.ts'
import { newSessionId } from '../../../core/ids.ts'
import { messageOf } from '../../../core/thrown.ts'
import type { AgentdClient, AgentdSession } from '../../../client/index.ts'
import { Backoff, pause } from '../../../client/http/backoff.ts'
import type { Connection } from '../../../client/http/connection.ts'
import { LongExchange } from '../../../client/http/long-exchange.ts'
import { MEDIA_SSE } from '../../../protocol/http/media.ts'
import { humanEntity } from './human.ts'

/** How long the session outlives its last page, in milliseconds. */
export const LINGER_MS = 5_000

/** Waits between two tries for the stream, in milliseconds. */
const STREAM_BACKOFF = { baseMs: 100, capMs: 2_000 }

/** How long the daemon may take to hear that the session is over, in milliseconds; it finds out by itself otherwise. */
const FAREWELL_MS = 500

/** What a presence is made from. */
export interface PresenceParts {
  /** Speaks for the person. */
  readonly client: AgentdClient
  /** The same, without a token. */
  readonly connection: Connection
  readonly log: Logger
  /** The process the session lives and dies with. */
  readonly pid: number
}

/** The session of the moment, and its stream. */
interface Sitting {
  readonly session: Promise<AgentdSession>
  /** Ends its stream. */
  readonly stopping: AbortController
}

export class Presence {
  readonly #parts: PresenceParts
  /** One for the life of the process, so that the person has one address however often they look away. */
  readonly #sessionId = newSessionId()
  #pages = 0
  /** Undefined while nobody sits here. */
  #sitting: Sitting | undefined
  /** Set between the last page and the end of the session. */
  #leaving: Timer | undefined
  #isOver = false

  constructor(parts: PresenceParts) {
    this.#parts = parts
  }

  /** A page is connected; @returns to be called, once, when it no longer is. */
  enter(): () => void {
    this.#pages += 1
    this.#leaving?.cancel()
    let isThere = true
    return () => {
      if (!isThere) return
      isThere = false
      this.#pages -= 1
      if (this.#pages === 0) this.#leaveSoon()
    }
  }

  /**
   * The session's token, registering it where there is none.
   *
   * @throws AgentdError for a refusal, AgentdUnreachable when the daemon does not answer
   */
  async token(): Promise<string> {
    const sitting = (this.#sitting ??= this.#sit())
    try {
      const { token } = await sitting.session
      if (this.#pages === 0) this.#leaveSoon()
      return token
    } catch (error) {
      this.#forget(sitting)
      throw error
    }
  }

  /** The daemon does not know a token any more, as after a restart without a store. */
  async lost(token: string): Promise<void> {
    const sitting = this.#sitting
    if (sitting === undefined) return
    const known = await sitting.session.then(
      (session) => session.token,
      () => undefined,
    )
    if (known === token) this.#forget(sitting)
  }

  /** Ends the session for good. */
  async close(): Promise<void> {
    this.#isOver = true
    this.#leaving?.cancel()
    await this.#leave()
  }

  #sit(): Sitting {
    const { client, pid } = this.#parts
    const stopping = new AbortController()
    const session = client.session({
      instrument: 'human',
      tool: 'human',
      sessionId: this.#sessionId,
      entities: [humanEntity(client.principal)],
      pid,
      mailbox: false,
    })
    const sitting = { session, stopping }
    session.then(
      ({ token }) => void this.#listen(sitting, token),
      () => this.#forget(sitting),
    )
    return sitting
  }

  /** Holds the stream until the session is over, however often it breaks. */
  async #listen(sitting: Sitting, token: string): Promise<void> {
    const { client, connection, log } = this.#parts
    const { signal } = sitting.stopping
    const backoff = new Backoff(STREAM_BACKOFF, connection.parts.random)
    while (!signal.aborted) {
      const call = { route: 'openStream', path: { handle: client.principal } } as const
      const request = connection.withToken(token).open(call, { accept: MEDIA_SSE })
      const exchange = new LongExchange(request, {
        media: MEDIA_SSE,
        onChunk() {
          backoff.reset()
          return undefined
        },
      })
      const end = (): void => exchange.end({ kind: 'over' })
      signal.addEventListener('abort', end, { once: true })
      request.end()
      const ending = await exchange.ended
      signal.removeEventListener('abort', end)
      if (ending.kind === 'refused') {
        log.warn('seat-stream-refused', { why: messageOf(ending.error) })
        if (ending.error instanceof AgentdError && ending.error.code === 'unauthenticated')
          return this.#forget(sitting)
      }
      await pause(connection.parts.clock, backoff.nextMs(), signal).catch(() => {})
    }
  }

  #forget(sitting: Sitting): void {
    sitting.stopping.abort()
    if (this.#sitting !== sitting) return
    this.#sitting = undefined
    // Somebody still sits here, and the daemon is there again, or will be: whoever asks next registers anew.
    if (this.#pages > 0 && !this.#isOver) this.#comeBack()
  }

  #comeBack(): void {
    this.#parts.connection.parts.clock.after(STREAM_BACKOFF.capMs, () => {
      if (this.#pages > 0 && !this.#isOver) this.token().catch(() => {})
    })
  }

  #leaveSoon(): void {
    this.#leaving?.cancel()
    this.#leaving = this.#parts.connection.parts.clock.after(LINGER_MS, () => {
      if (this.#pages === 0) void this.#leave()
    })
  }

  async #leave(): Promise<void> {
    const sitting = this.#sitting
    if (sitting === undefined) return
    this.#sitting = undefined
    sitting.stopping.abort()
    const { connection, log } = this.#parts
    const farewell = sitting.session.then((session) => session.close())
    const late = pause(connection.parts.clock, FAREWELL_MS)
    await Promise.race([farewell, late]).catch((error: unknown) => {
      log.warn('seat-farewell', { why: messageOf(error) })
    })
  }
}
