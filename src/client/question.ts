/**
 * One question: what is asked, who answers, and when nothing more is waited for.
 *
 * @see memo §5 "agent_query", "agent_return_event", AC-069…AC-077; PD-01, SEAT-12
 */
import { AgentdError } from '../core/errors.ts'
import type { Clock } from '../core/clock.ts'
import { newUuid } from '../core/ids.ts'
import { isTerminalAddress } from '../protocol/address/handle.ts'
import type { FrameOf } from '../protocol/frame/frame.ts'
import type { Kind } from '../protocol/frame/kinds.ts'
import { orAborted } from './http/backoff.ts'
import type { Message, SendOptions } from './outgoing.ts'
import type { AgentResponse, AskResult, Dismissal } from './reply/ask-results.ts'
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

/** How a question is asked, and which answers are waited for. */
export interface AskOptions extends SendOptions {
  /** Which answers are waited for; default `first`. */
  readonly collect?: Collect | undefined
  /**
   * True: where terminals alone were reached no answer is waited for, as where nobody was; default false.
   */
  readonly agentsOnly?: boolean | undefined
  /** How long answers are waited for, in milliseconds; default one minute. The question is stale after it. */
  readonly timeoutMs?: number | undefined
  /** Rejects with the signal's reason; the question itself cannot be taken back. */
  readonly signal?: AbortSignal | undefined
  /** Called for each answer as it comes. */
  readonly onResponse?: ((response: AgentResponse) => void) | undefined
}

/** Where replies come in. */
export interface Replies {
  readonly streams: readonly AgentdStream[]
  readonly address: string
}

/** What asking needs of whoever asks. */
export interface Asker {
  readonly clock: Clock
  /** A subscription of the asker's own for each of some kinds, and the address that names exactly them. */
  openReplies(kinds: readonly Kind[], options: StreamOptions): Replies
  send(message: Message<'agent_query'>): Promise<SubmissionResult>
  receipts(frameId: string): Promise<Receipts>
}

/** One question, from its being put to its last answer. */
export class Question {
  readonly #asker: Asker
  readonly #address: string
  readonly #options: AskOptions
  readonly #queryId = newUuid()
  readonly #responses: AgentResponse[] = []
  readonly #recipients = new Set<string>()
  /** Other nodes that have said whom they gave it to. */
  readonly #reporting = new Set<string>()
  /** Who carries on which of them, and answers under its own name. */
  readonly #carriers = new Map<string, string>()
  /** Who has answered: addresses, or handles of those that cannot be told apart. */
  readonly #answered = new Set<string>()
  /** Undefined until the daemon has taken the question. */
  #sent: SubmissionResult | undefined
  /** Undefined until somebody says that no answer comes. */
  #dismissal: Dismissal | undefined

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
    if (this.#reached + this.#elsewhere === 0 && !this.#isUntold) return
    await this.learnRecipients(signal)
  }

  /** Whether others than those known by now may still be found to have been reached: other nodes report whom they gave it to. */
  get awaitsReports(): boolean {
    return this.#options.collect === 'all' && (this.#elsewhere > 0 || this.#isUntold)
  }

  /** Whom the daemon knows to have been reached by now. */
  async learnRecipients(signal: AbortSignal): Promise<void> {
    if (this.#sent === undefined) return
    for (const receipt of await orAborted(this.#receipts(this.#sent.frameId), signal)) {
      const { address, carriedOnBy, node, state } = receipt
      if (state === 'remote-waiting' || state === 'remote-handed') continue
      if (node !== undefined) this.#reporting.add(node)
      // What a node refused, nobody there was given.
      if (state !== 'refused') this.#recipients.add(address)
      if (carriedOnBy !== undefined) this.#carriers.set(carriedOnBy, address)
    }
  }

  /** Whether nobody but the asker itself was reached who may answer, and other nodes say that they have nobody that it names (FED-53). */
  get isUnheard(): boolean {
    if (this.#elsewhere > 0 || this.#isUntold) return false
    if (this.#reached === 0) return true
    const others = this.#others()
    if (this.#recipients.size > 0 && others.length === 0) return true
    return this.#options.agentsOnly === true && others.length > 0 && others.every(isTerminalAddress)
  }

  get isDismissed(): boolean {
    return this.#dismissal !== undefined
  }

  /** Whether nothing more is waited for. */
  get isOver(): boolean {
    return this.isDismissed || this.#isComplete()
  }

  /** How it stands when nothing more is waited for. */
  get outcome(): 'answered' | 'dismissed' | 'deadline' {
    // The end of the time is an answer when that was what was waited for.
    const isSatisfied = this.#options.collect === 'deadline' && this.#responses.length > 0
    if (isSatisfied || this.#isComplete()) return 'answered'
    return this.isDismissed ? 'dismissed' : 'deadline'
  }

  /** Whether it is an answer from somebody who is not known to have been reached, and may have been on another node. */
  isFromStranger(item: StreamItem): boolean {
    if (
      (this.#elsewhere === 0 && !this.#isUntold) ||
      item.type !== 'frame' ||
      item.frame.kind !== 'agent_response'
    )
      return false
    return this.#isAbout(item.frame.payload.query_id) && this.#addressOf(item.frame) === undefined
  }

  take(item: StreamItem): void {
    if (item.type !== 'frame') return
    const { frame, eventId } = item
    if (frame.kind === 'agent_response') this.#takeResponse(frame, eventId)
    if (frame.kind !== 'agent_return_event' || !this.#isAbout(frame.payload.query_id)) return
    this.#dismissal ??= { eventId, summary: frame.payload.summary, frame }
  }

  result(outcome: AskResult['outcome']): AskResult {
    return {
      outcome,
      queryId: this.#queryId,
      responses: this.#responses,
      dismissal: this.#dismissal,
      isTaken: this.#sent !== undefined,
      recipientCount: this.#sent?.recipientCount ?? 0,
      queuedCount: this.#sent?.queuedCount ?? 0,
      remote: this.#sent?.remote,
      recipients: this.#others(),
    }
  }

  get #reached(): number {
    return this.#sent === undefined ? 0 : this.#sent.recipientCount + this.#sent.queuedCount
  }

  /** Sessions of other nodes that it names. */
  get #elsewhere(): number {
    return this.#sent?.remote?.sessions ?? 0
  }

  /** Whether it went where nobody says who is there: how many have it is never known then. */
  get #isUntold(): boolean {
    return (this.#sent?.remote?.untold ?? []).length > 0
  }

  #others(): readonly string[] {
    return [...this.#recipients].filter((address) => address !== this.#address)
  }

  #takeResponse(frame: FrameOf<'agent_response'>, eventId: string): void {
    if (this.#isComplete() || !this.#isAbout(frame.payload.query_id)) return
    const from = this.#addressOf(frame) ?? frame.sender_handle
    const response = { eventId, text: frame.payload.response_text, from, frame }
    this.#responses.push(response)
    this.#answered.add(from)
    this.#options.onResponse?.(response)
  }

  #isAbout(queryId: string | undefined): boolean {
    return queryId?.toLowerCase() === this.#queryId
  }

  #isComplete(): boolean {
    const { collect = 'first' } = this.#options
    if (collect !== 'all') return collect === 'first' && this.#responses.length > 0
    if (this.#isUntold) return false
    const nodes = this.#sent?.remote?.nodes ?? []
    if (nodes.some((node) => !this.#reporting.has(node))) return false
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
