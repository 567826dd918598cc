/**
 * A question and its answers: subscribes first, then asks, and knows when nobody listens.
 *
 * @see memo §5 "agent_query", AC-069…AC-077; PD-01
 */
import { AgentdError } from '../core/errors.ts'
import type { Clock } from '../core/clock.ts'
import { newUuid } from '../core/ids.ts'
import type { FrameOf } from '../protocol/frame/frame.ts'
import { orAborted, toError } from './http/backoff.ts'
import type { Message, SendOptions } from './outgoing.ts'
import type { Receipt, Receipts, SubmissionResult } from './reply/results.ts'
import type { AgentdStream } from './stream/stream.ts'
import type { StreamItem, StreamOptions } from './stream/options.ts'

/** Which answers are waited for. */
export type Collect =
  /** The first one. */
  | 'first'
  /** One of every recipient. */
  | 'all'
  /** Whatever comes until the deadline. */
  | 'deadline'

export interface AskOptions extends SendOptions {
  /** Default `first`. */
  readonly collect?: Collect | undefined
  /** How long answers are waited for, in milliseconds; default one minute. The question is stale after it. */
  readonly timeoutMs?: number | undefined
  /** Rejects with the signal's reason; the question itself cannot be taken back. */
  readonly signal?: AbortSignal | undefined
  /** Called for each answer as it comes. */
  readonly onResponse?: ((response: AgentResponse) => void) | undefined
}

/** One answer. */
export interface AgentResponse {
  readonly eventId: string
  readonly text: string
  /** Address of the recipient that answered; its handle, when it was none of the known recipients. */
  readonly from: string
  readonly frame: FrameOf<'agent_response'>
}

export interface AskResult {
  /**
   * `no-listener`: nobody but the asker was reached. `deadline`: the time was over before the first answer,
   * or with `collect: 'all'` before the last. `answered`: everything that was waited for came.
   */
  readonly outcome: 'answered' | 'no-listener' | 'deadline'
  readonly queryId: string
  readonly responses: readonly AgentResponse[]
  readonly recipientCount: number
  readonly queuedCount: number
  /** Addresses the question reached or waits for, the asker's own left out. */
  readonly recipients: readonly string[]
}

/** What asking needs of whoever asks. */
export interface Asker {
  readonly clock: Clock
  /** A subscription of the asker's own, and the address that names exactly it. */
  openReplies(options: StreamOptions): { readonly stream: AgentdStream; readonly address: string }
  send(message: Message<'agent_query'>): Promise<SubmissionResult>
  receipts(frameId: string): Promise<Receipts>
}

/** A collection window when nobody says otherwise, as of the daemon's own verb. */
const DEFAULT_TIMEOUT_MS = 60_000

/** The time is over; never leaves this file. */
class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed'
}

/** @throws AgentdError when the question is refused, or the signal's reason */
export async function ask(asker: Asker, text: string, options: AskOptions): Promise<AskResult> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, signal } = options
  const bound = new AbortController()
  const abort = (): void => bound.abort(toError(signal?.reason))
  const deadline = asker.clock.after(timeoutMs, () => bound.abort(new DeadlinePassed()))
  if (signal?.aborted === true) abort()
  signal?.addEventListener('abort', abort)
  const { stream, address } = asker.openReplies({
    filter: 'kind:agent_response',
    aside: true,
    signal: bound.signal,
  })
  const question = new Question(asker, address, options)
  try {
    await stream.opened
    await question.put(text, timeoutMs, bound.signal)
    if (question.isUnheard) return question.result('no-listener')
    for await (const item of stream) if (question.take(item)) return question.result('answered')
    return question.result('deadline')
  } catch (error) {
    if (!(error instanceof DeadlinePassed)) throw error
    return question.result(question.isSatisfiedLate ? 'answered' : 'deadline')
  } finally {
    deadline.cancel()
    signal?.removeEventListener('abort', abort)
    await stream.return()
  }
}

/** One question, from its being put to its last answer. */
class Question {
  readonly #asker: Asker
  readonly #address: string
  readonly #options: AskOptions
  readonly #queryId = newUuid()
  readonly #responses: AgentResponse[] = []
  readonly #recipients = new Set<string>()
  /** Who carries on which of them, and answers under its own name. */
  readonly #carriers = new Map<string, string>()
  /** Who has answered: addresses, or handles of those that cannot be told apart. */
  readonly #answered = new Set<string>()
  /** Undefined until the daemon has taken the question. */
  #sent: SubmissionResult | undefined

  constructor(asker: Asker, address: string, options: AskOptions) {
    this.#asker = asker
    this.#address = address
    this.#options = options
  }

  async put(text: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
    const { scope, to, recipientHandle, ttlMs = timeoutMs, provenance, draftedWith } = this.#options
    const payload = {
      query_text: text,
      query_id: this.#queryId,
      response_scope: this.#address,
      timeout_ms: timeoutMs,
    }
    const common = { scope, to, recipientHandle, ttlMs, provenance, draftedWith }
    this.#sent = await orAborted(this.#asker.send({ kind: 'agent_query', payload, ...common }), signal)
    if (this.#reached === 0) return
    for (const { address, carriedOnBy } of await orAborted(this.#receipts(this.#sent.frameId), signal)) {
      this.#recipients.add(address)
      if (carriedOnBy !== undefined) this.#carriers.set(carriedOnBy, address)
    }
  }

  /** Whether nobody but the asker itself was reached. */
  get isUnheard(): boolean {
    if (this.#reached === 0) return true
    const others = this.#recipients.size - (this.#recipients.has(this.#address) ? 1 : 0)
    return this.#recipients.size > 0 && others === 0
  }

  /** Whether the end of the time is an answer: only when that was what was waited for. */
  get isSatisfiedLate(): boolean {
    return this.#options.collect === 'deadline' && this.#responses.length > 0
  }

  /** @returns whether everything that is waited for has come */
  take(item: StreamItem): boolean {
    if (item.type !== 'frame' || item.frame.kind !== 'agent_response') return false
    const { frame, eventId } = item
    if (frame.payload.query_id.toLowerCase() !== this.#queryId) return false
    const from = this.#addressOf(frame) ?? frame.sender_handle
    const response = { eventId, text: frame.payload.response_text, from, frame }
    this.#responses.push(response)
    this.#answered.add(from)
    this.#options.onResponse?.(response)
    return this.#isComplete()
  }

  result(outcome: AskResult['outcome']): AskResult {
    return {
      outcome,
      queryId: this.#queryId,
      responses: this.#responses,
      recipientCount: this.#sent?.recipientCount ?? 0,
      queuedCount: this.#sent?.queuedCount ?? 0,
      recipients: this.#others(),
    }
  }

  get #reached(): number {
    return this.#sent === undefined ? 0 : this.#sent.recipientCount + this.#sent.queuedCount
  }

  #others(): readonly string[] {
    return [...this.#recipients].filter((address) => address !== this.#address)
  }

  #isComplete(): boolean {
    const { collect = 'first' } = this.#options
    if (collect !== 'all') return collect === 'first'
    const others = this.#others()
    if (others.length === 0) return this.#answered.size >= this.#reached
    return others.every((address) => this.#answered.has(address))
  }

  /** Who was reached; empty when the daemon keeps no receipts of the frame. */
  async #receipts(frameId: string): Promise<readonly Receipt[]> {
    try {
      return (await this.#asker.receipts(frameId)).receipts
    } catch (error) {
      if (error instanceof AgentdError && error.code === 'not-found') return []
      throw error
    }
  }

  /** The recipient that an answer says it is from. */
  #addressOf(frame: FrameOf<'agent_response'>): string | undefined {
    const { responder_session_id: sessionId } = frame.payload
    const found = [...this.#recipients, ...this.#carriers.keys()].find(
      (address) => address.startsWith(`${frame.sender_handle}/`) && address.endsWith(`@${sessionId}`),
    )
    return found === undefined ? undefined : (this.#carriers.get(found) ?? found)
  }
}
