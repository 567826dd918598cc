/**
 * Submissions as NDJSON: one line in, one line out, in order, while the request is still being sent (docs/http.md
 * §§5, 9).
 *
 * This is the throughput path: a turn's answers go out in one write.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Timer } from '../../core/clock.ts'
import { AgentdError } from '../../core/errors.ts'
import { toErrorBody } from '../../protocol/refusal/error-codes.ts'
import { LineSplitter, LineTooLong } from '../../core/text/lines.ts'
import { MEDIA_NDJSON } from '../../protocol/http/media.ts'
import { TAKEN, type RouteAnswer } from '../request/answer.ts'
import type { BodyBound } from '../request/body.ts'
import type { RequestContext } from '../request/context.ts'
import { LineAnswers } from './line-answers.ts'
import { LineTurns } from './line-turns.ts'
import { OVER_QUOTA_MS, cutUnlessTaken, linger } from '../request/problem.ts'

/** How long one line may take to arrive, in milliseconds. A sender between lines may rest as it likes. */
const LINE_TIMEOUT_MS = 30_000

/** What is done with the lines of a route; the bound is that of one line. */
export interface LineTaker extends BodyBound {
  /**
   * Takes one line.
   *
   * @throws AgentdError at once when it is refused
   */
  take(line: Buffer, respond: (outcome: object) => void): void
}

/** One NDJSON request. */
class LineSession {
  readonly #context: RequestContext
  readonly #taker: LineTaker
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #lines: LineSplitter
  readonly #turns: LineTurns
  readonly #answers = new LineAnswers()
  /** Set while an unfinished line is waited for; cleared by its end, and while the sender is not read from. */
  #slowLine: Timer | undefined
  /** Lines that were complete when the timer was set; with one more, it is another line that is waited for. */
  #slowLineAfter = 0
  /** Ends the bound on answers that wait to be read; set while there are some, cleared when they are taken. */
  #taken: (() => void) | undefined
  /** Set while a sender over its quota is not read from; cleared when its time is over, or it is gone. */
  #penalty: NodeJS.Timeout | undefined
  #flushing = false
  /** The sender has sent everything; there may be lines of it for later turns. */
  #isWhole = false
  #ended = false

  constructor(context: RequestContext, taker: LineTaker) {
    this.#context = context
    this.#taker = taker
    this.#lines = new LineSplitter(taker.maxOctets, 'refuse')
    this.#turns = new LineTurns(this.#lines)
    this.#request = context.request
    this.#response = context.response
  }

  start(): void {
    this.#response.writeHead(200, { 'content-type': MEDIA_NDJSON })
    this.#response.flushHeaders()
    this.#request.on('data', (chunk: Buffer) => this.#read(chunk))
    this.#request.once('end', () => {
      this.#isWhole = true
      if (!this.#turns.isBusy) this.#finish()
    })
    this.#response.on('drain', () => {
      this.#taken?.()
      this.#taken = undefined
      this.#context.charge.owe(this.#heldOctets)
      this.#goOn()
    })
    const { closing } = this.#context
    const goodbye = (): void => this.#end()
    closing.addEventListener('abort', goodbye)
    this.#response.once('close', () => {
      closing.removeEventListener('abort', goodbye)
      this.#slowLine?.cancel()
      clearTimeout(this.#penalty)
      this.#turns.drop()
    })
  }

  /** Reads on, unless there is still a reason not to. */
  #goOn(): void {
    if (this.#taken !== undefined || this.#penalty !== undefined) return
    if (this.#turns.isBusy) return this.#takeLines()
    this.#request.resume()
    this.#watchLine()
  }

  /** A sender over its quota is not read from for a while: what it sends meanwhile waits with it. */
  #slowDown(): void {
    if (this.#penalty !== undefined || this.#ended) return
    this.#request.pause()
    this.#waitForNoLine()
    this.#penalty = setTimeout(() => {
      this.#penalty = undefined
      this.#goOn()
    }, OVER_QUOTA_MS)
    this.#penalty.unref()
  }

  /** The daemon goes: what was accepted is answered, and the connection does not hold it up. */
  #end(): void {
    this.#ended = true
    this.#turns.drop()
    if (!this.#request.complete) linger(this.#response)
    this.#flushLater()
  }

  #read(chunk: Buffer): void {
    if (this.#ended) return
    this.#context.caller.session?.touch(this.#context.clock)
    this.#turns.feed(chunk)
    this.#takeLines()
  }

  /** The lines of this turn; while there are more, nothing is read, and it goes on after the flush. */
  #takeLines(): void {
    this.#unlessTooLong(() => {
      for (let next = this.#turns.next(); next !== undefined; next = this.#turns.next())
        this.#submit(next.line, next.number)
    })
    this.#weigh()
    if (this.#turns.isBusy) this.#request.pause()
    else if (this.#isWhole) this.#finish()
    else if (this.#request.isPaused() && !this.#ended) this.#goOn()
    this.#watchLine()
    this.#flushLater()
  }

  #unlessTooLong(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!(error instanceof LineTooLong)) throw error
      this.#abandon(this.#taker.tooLarge())
    }
  }

  /** What this sender has others wait for: a line that is not finished, answers that it does not take (HD-09). */
  get #heldOctets(): number {
    const unread = this.#turns.heldOctets + this.#lines.heldBytes
    return unread + this.#answers.length + this.#response.writableLength
  }

  /** Beyond what may wait in memory, nothing more is taken from a sender. */
  #weigh(): void {
    if (this.#ended) return
    try {
      this.#context.charge.hold(this.#heldOctets)
    } catch (error) {
      if (!(error instanceof AgentdError)) throw error
      this.#abandon(error)
    }
  }

  #finish(): void {
    if (this.#ended) return
    this.#unlessTooLong(() => {
      const last = this.#lines.end()
      if (last !== undefined) this.#submit(last.line, last.number)
    })
    this.#ended = true
    this.#slowLine?.cancel()
    this.#flushLater()
  }

  #submit(line: Buffer, number: number): void {
    const give = this.#answers.open()
    try {
      this.#taker.take(line, (outcome) => {
        give(outcome instanceof AgentdError ? toErrorBody(outcome, number) : outcome)
        this.#flushLater()
      })
    } catch (error) {
      if (!(error instanceof AgentdError)) throw error
      give(toErrorBody(error, number))
      this.#turns.refuse()
      if (error.code === 'rate-limited') this.#slowDown()
    }
  }

  /** Ends the request with a last error line; what follows a broken line cannot be told apart. */
  #abandon(error: AgentdError): void {
    this.#answers.open()(toErrorBody(error, this.#lines.count + 1))
    this.#ended = true
    this.#turns.drop()
    this.#slowLine?.cancel()
    if (!this.#request.complete) linger(this.#response)
  }

  #watchLine(): void {
    const { count, pendingBytes } = this.#lines
    if (pendingBytes === 0 || this.#ended || count !== this.#slowLineAfter) this.#waitForNoLine()
    if (pendingBytes === 0 || this.#ended) return
    this.#slowLineAfter = count
    this.#slowLine ??= this.#context.clock.after(LINE_TIMEOUT_MS, () => {
      this.#abandon(
        new AgentdError('field-invalid', `A line did not arrive within ${LINE_TIMEOUT_MS} ms.`, {
          field: this.#taker.field,
        }),
      )
      this.#flushLater()
    })
  }

  #waitForNoLine(): void {
    this.#slowLine?.cancel()
    this.#slowLine = undefined
  }

  #flushLater(): void {
    if (this.#flushing) return
    this.#flushing = true
    this.#context.defer(() => {
      this.#flushing = false
      this.#flush()
      this.#turns.renew()
      if (this.#turns.isBusy) this.#goOn()
    })
  }

  /** Writes every answer that is ready and has no unready one before it. */
  #flush(): void {
    const text = this.#answers.take()
    // A sender that does not read its answers is not read from either: neither side's queue can grow.
    if (text !== '' && !this.#response.write(text)) {
      this.#taken ??= cutUnlessTaken(this.#response)
      if (!this.#ended) this.#request.pause()
      this.#waitForNoLine()
    }
    this.#context.charge.owe(this.#heldOctets)
    if (this.#ended && this.#answers.isEmpty) this.#response.end()
  }
}

export function answerLines(context: RequestContext, taker: LineTaker): RouteAnswer {
  new LineSession(context, taker).start()
  return TAKEN
}
