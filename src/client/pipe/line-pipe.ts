/**
 * All frames, or all envelopes, of one caller through one full-duplex request: a line out, a line back, in
 * order.
 *
 * Opened by the first line, closed after a silence, reopened by the next. A drop sends the same bytes again,
 * which is safe: the daemon knows a frame and an envelope by its id and answers with the first result
 * (ACQ-25, AEQ-16, R-14).
 *
 * @see docs/http.md §§5, 9 "application/x-ndjson"
 */
import type { z } from 'zod'
import { systemErrorCode } from '../../core/thrown.ts'
import { AgentdError } from '../../core/errors.ts'
import { LineSplitter } from '../../core/text/lines.ts'
import { ErrorReply } from '../../protocol/http/daemon-replies.ts'
import { MEDIA_NDJSON } from '../../protocol/http/media.ts'
import { type RouteName } from '../../protocol/routes/routes.ts'
import { Backoff, pause } from '../http/backoff.ts'
import type { Connection } from '../http/connection.ts'
import { AgentdUnknownAnswer } from '../http/errors.ts'
import { readReplyBody, toRefusal } from '../http/refusal.ts'
import { countFitting } from './in-flight.ts'
import { LineLink } from './line-link.ts'
import type { Ending } from '../http/long-exchange.ts'

/** One line, until it is answered. */
interface Entry<T> {
  readonly line: string
  resolve(reply: T): void
  reject(error: Error): void
}

/** Where the lines of a pipe go, and what is answered to each that is taken. */
export interface PipeEnd<T> {
  readonly route: RouteName
  readonly reply: z.ZodType<T>
}

/** Drops in a row, none of them with an answer in between, after which the lines are given up. */
export const MAX_DROPS = 8

/** Waits between two tries; eight of them last about three seconds, longer than a daemon takes to restart. */
const PIPE_BACKOFF = { baseMs: 50, capMs: 2_000 }

/** The longest `Retry-After` that is obeyed; the callers wait for it. */
const MAX_RETRY_AFTER_MS = 10_000

/** How long `close` waits for answers that are still owed, and for the daemon to hang up. */
const CLOSE_MS = 5_000

/** One answer line; an error message is a sentence. */
const MAX_LINE_OCTETS = 65_536

export class LinePipe<T> {
  readonly #connection: Connection
  readonly #end: PipeEnd<T>
  readonly #backoff: Backoff
  /** Not yet written: beyond the bound, or between two links. As long as its callers, who wait, are many. */
  #waiting: Entry<T>[] = []
  /** Written, in the order the answers come in. */
  #flight: Entry<T>[] = []
  /** Undefined between two links. */
  #link: LineLink | undefined
  /** True while links are made and followed. */
  #running = false
  /** True from the first line of a turn until the turn's lines are written in one piece. */
  #scheduled = false
  #closed: Promise<void> | undefined
  /** Tells `close` that nothing is owed any more. */
  #onEmpty: (() => void) | undefined
  readonly #stopping = new AbortController()

  constructor(connection: Connection, end: PipeEnd<T>) {
    this.#connection = connection
    this.#end = end
    this.#backoff = new Backoff(PIPE_BACKOFF, connection.parts.random)
  }

  /**
   * Sends one submission.
   *
   * @param line - the wrapper of docs/http.md §5, or the envelope, as one line of JSON without its line break; one
   *   over the daemon's bound would end the pipe for the lines behind it
   * @throws AgentdError when the daemon refuses the line or the caller, AgentdUnreachable when it is gone
   */
  send(line: string): Promise<T> {
    if (this.#closed !== undefined) return Promise.reject(closedError())
    return new Promise((resolve, reject) => {
      this.#waiting.push({ line, resolve, reject })
      this.#schedule()
    })
  }

  /** Waits for the answers that are owed, within a bound, and ends the request. */
  close(): Promise<void> {
    this.#closed ??= this.#closeOnce()
    return this.#closed
  }

  /** Lines of one turn go out as one write; a turn of answers brings a turn of sends. */
  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    process.nextTick(() => {
      this.#scheduled = false
      if (this.#link?.isOpen === true) this.#write(this.#link)
      else if (!this.#running) void this.#run()
    })
  }

  #write(link: LineLink): void {
    const entries = this.#waiting.splice(0, countFitting(this.#flight, this.#waiting))
    if (entries.length === 0) return
    for (const entry of entries) this.#flight.push(entry)
    link.write(entries.map(({ line }) => `${line}\n`).join(''))
  }

  /** Makes links until nothing waits or there is a reason not to. */
  async #run(): Promise<void> {
    this.#running = true
    while (this.#waiting.length > 0) {
      const ending = await this.#follow()
      // Ended as idle just when new lines came: nothing is wrong.
      if (ending.kind === 'over' && this.#flight.length === 0 && this.#closed === undefined) continue
      this.#waiting = [...this.#flight.splice(0), ...this.#waiting]
      if (this.#waiting.length === 0) break
      const reason = this.#giveUpReason(ending)
      if (reason !== undefined) this.#rejectAll(reason)
      else await this.#wait(ending)
    }
    this.#backoff.reset()
    this.#running = false
  }

  #follow(): Promise<Ending> {
    const lines = new LineSplitter(MAX_LINE_OCTETS, 'refuse')
    const { route } = this.#end
    const request = this.#connection.open({ route }, { 'content-type': MEDIA_NDJSON })
    const link = new LineLink(request, this.#connection.parts.clock, {
      media: MEDIA_NDJSON,
      onChunk: (chunk) => this.#answer(lines, chunk),
      isOwed: () => this.#flight.length > 0,
    })
    this.#link = link
    this.#write(link)
    return link.ended.finally(() => {
      this.#link = undefined
    })
  }

  /** Matches answers with lines. */
  #answer(lines: LineSplitter, chunk: Buffer): Ending | undefined {
    for (const { line } of lines.feed(chunk)) {
      const entry = this.#flight.shift()
      const answer = this.#read(line)
      if (entry === undefined || answer === undefined) {
        if (entry !== undefined) this.#flight.unshift(entry)
        const error = new AgentdUnknownAnswer(
          200,
          `The peer answered ${this.#end.route} outside the contract.`,
        )
        return { kind: 'refused', error }
      }
      this.#backoff.reset()
      if (answer instanceof Error) entry.reject(answer)
      else entry.resolve(answer)
    }
    if (this.#waiting.length > 0) this.#schedule()
    else if (this.#flight.length === 0) this.#onEmpty?.()
    return undefined
  }

  /** @returns undefined for a line outside the contract */
  #read(line: Buffer): T | Error | undefined {
    const value = readReplyBody(line)
    const reply = this.#end.reply.safeParse(value)
    if (reply.success) return reply.data
    const refusal = ErrorReply.safeParse(value)
    return refusal.success ? toRefusal(refusal.data, 200) : undefined
  }

  /** @returns undefined when the lines that are left are worth another link */
  #giveUpReason(ending: Ending): Error | undefined {
    if (this.#stopping.signal.aborted) return closedError()
    if (ending.kind === 'refused') return ending.error
    const cause = ending.kind === 'lost' ? ending.cause : undefined
    const isFirst = this.#backoff.failures === 0
    if (isFirst && systemErrorCode(cause) === 'ENOENT') return this.#connection.unreachable(cause)
    if (this.#backoff.failures < MAX_DROPS) return undefined
    // The daemon's own words, when it had some: `busy` or `closing` all along.
    const isWorded = cause instanceof AgentdError || cause instanceof AgentdUnknownAnswer
    return isWorded ? cause : this.#connection.unreachable(cause)
  }

  async #wait(ending: Ending): Promise<void> {
    const askedMs = ending.kind === 'lost' ? (ending.retryAfterMs ?? 0) : 0
    const delayMs = Math.max(Math.min(askedMs, MAX_RETRY_AFTER_MS), this.#backoff.nextMs())
    try {
      await pause(this.#connection.parts.clock, delayMs, this.#stopping.signal)
    } catch (error) {
      if (!this.#stopping.signal.aborted) throw error
      this.#rejectAll(closedError())
    }
  }

  #rejectAll(error: Error): void {
    for (const entry of this.#waiting.splice(0)) entry.reject(error)
    this.#onEmpty?.()
  }

  async #closeOnce(): Promise<void> {
    if (this.#waiting.length + this.#flight.length > 0) await this.#emptied()
    this.#stopping.abort()
    const link = this.#link
    if (link === undefined) return
    if (this.#flight.length > 0) link.cut()
    const late = this.#connection.parts.clock.after(CLOSE_MS, () => link.cut())
    link.hold()
    link.finish()
    await link.closed
    late.cancel()
  }

  #emptied(): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#connection.parts.clock.after(CLOSE_MS, resolve)
      this.#onEmpty = () => {
        timer.cancel()
        resolve()
      }
    })
  }
}

function closedError(): AgentdError {
  return new AgentdError('closing', 'This client has been closed; connect again to send.')
}
