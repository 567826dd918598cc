/**
 * The words of AEE that the principal and its sessions share: sending envelopes, fetching them back, and asking.
 *
 * @see docs/http.md §9
 */
import { hashOf } from '../../aee/envelope/canonical.ts'
import { decodeEnvelope, type DecodedEnvelope, type Envelope } from '../../aee/envelope/envelope.ts'
import type { Key } from '../../aee/keys/key.ts'
import { readLocator, type Reference } from '../../aee/thread/references.ts'
import { AgentdError, UsageError } from '../../core/errors.ts'
import { DEFAULT_WAIT_MS, MAX_ENVELOPE_OCTETS } from '../../core/limits.ts'
import {
  EnvelopeReceiptsReply,
  EnvelopeReply,
  LogReply,
  ThreadReply,
  ThreadsReply,
  type ThreadItem,
} from '../../protocol/http/envelope-replies.ts'
import { withSignal, type CallOptions } from '../http/call-options.ts'
import { MAX_ANSWER_OCTETS, type Call, type Connection } from '../http/connection.ts'
import { EnvelopeHashMismatch } from './errors.ts'
import { EnvelopeRequest, type RequestOptions, type TaskDraft } from './request.ts'
import { camelCased } from '../reply/camel-cased.ts'
import * as results from '../reply/envelope-results.ts'
import { AgentdUnknownAnswer } from '../http/errors.ts'
import { LinePipe } from '../pipe/line-pipe.ts'
import { composeEnvelope, encodeEnvelope, type EnvelopeDraft } from './outgoing-envelope.ts'
import type { ReceiptOptions, ThreadsOptions } from './participant-options.ts'
import { ReplyDesk } from './reply-desk.ts'
import type { AgentdStream } from '../stream/stream.ts'
import type { StreamOptions } from '../stream/options.ts'

/** How an envelope is sent. */
export interface EnvelopeOptions {
  /** Rejects with the signal's reason; an envelope that was written cannot be taken back. */
  readonly signal?: AbortSignal | undefined
  /** Signs it; the key has to be for the sender's entity. */
  readonly sign?: Key | undefined
}

/** A record for logs and telemetry only: MVE-5, and whatever else it carries (AEE-042). */
export interface LogDraft {
  /** The version of the form. */
  readonly v: '1'
  /** Names the record: 8 characters or more. */
  readonly id: string
  /** What it is: one of the five types of envelopes. */
  readonly type: string
  /** The entity it comes from. */
  readonly from: string
  /** What it is about, as a dotted name. */
  readonly intent: string
  /** Whatever else it carries. */
  readonly [name: string]: unknown
}

/** What a page of a thread may hold: envelopes of full size, and what the daemon says of each, in one answer. */
const PAGE_ITEMS = Math.floor(MAX_ANSWER_OCTETS / (MAX_ENVELOPE_OCTETS + 4_096))

/** Envelopes of one workflow that are fetched at most: as many as a ring of the default size retains. */
const MAX_FETCHED = 100_000

/** Whoever sends and receives envelopes. */
export abstract class Correspondent {
  protected readonly connection: Connection
  readonly #envelopes: LinePipe<EnvelopeReply>
  readonly #replies: ReplyDesk

  protected constructor(connection: Connection) {
    this.connection = connection
    this.#envelopes = new LinePipe(connection, { route: 'submitEnvelope', reply: EnvelopeReply })
    this.#replies = new ReplyDesk({
      open: (options) => this.stream(options),
      thread: (corr) => this.thread(corr),
      nowMs: () => connection.parts.clock.nowMs(),
    })
  }

  /**
   * Composes a complete envelope and sends it.
   *
   * @throws AgentdError for a draft that is no valid envelope, and for a refusal by the daemon
   */
  async sendEnvelope(
    draft: EnvelopeDraft,
    { signal, sign }: EnvelopeOptions = {},
  ): Promise<results.ComposedEnvelope> {
    signal?.throwIfAborted()
    const envelope = composeEnvelope(draft, this.connection.parts.clock.nowMs(), sign)
    return { ...(await this.submitEnvelope(envelope, { signal })), envelope }
  }

  /** Sends a complete envelope as it is; a text goes out as it was written, save for its line breaks. */
  async submitEnvelope(
    envelope: Envelope | string,
    { signal }: CallOptions = {},
  ): Promise<results.SentEnvelope> {
    signal?.throwIfAborted()
    const line = encodeEnvelope(envelope)
    return results.toSentEnvelope(await withSignal(signal, () => this.#envelopes.send(line)))
  }

  /**
   * Sends a task and collects what comes of it. The way for replies is open before the task is sent.
   *
   * @throws AgentdError, at once, for a draft that is no valid envelope; UsageError for a time that is none
   */
  request(task: TaskDraft, options: RequestOptions = {}): EnvelopeRequest {
    const { clock } = this.connection.parts
    return new EnvelopeRequest(task, options, {
      clock,
      desk: this.#replies,
      submit: (envelope) => this.submitEnvelope(envelope),
    })
  }

  /** A retained envelope. @throws AgentdError `not-found` */
  async envelope(id: string, signal?: AbortSignal): Promise<DecodedEnvelope> {
    const { status, body } = await this.connection.perform({ route: 'getEnvelope', path: { id }, signal })
    try {
      return decodeEnvelope(body)
    } catch (cause) {
      if (!(cause instanceof AgentdError)) throw cause
      throw new AgentdUnknownAnswer(status, 'The peer answered getEnvelope with no envelope.', { cause })
    }
  }

  /** Everything that is retained of one workflow, in causal order. */
  async thread(corr: string, signal?: AbortSignal): Promise<results.Thread> {
    const found: ThreadItem[] = []
    let after: string | undefined
    do {
      const call: Call = { route: 'getThread', path: { corr }, query: { after, limit: PAGE_ITEMS }, signal }
      const page = await this.connection.call(call, ThreadReply)
      found.push(...page.items)
      after = page.next ?? undefined
      // A page without items cannot bring the end any nearer.
      if (page.items.length === 0) break
    } while (after !== undefined && found.length < MAX_FETCHED)
    return results.toThread(corr, found)
  }

  /** The workflows that are retained, that with the newest envelope first. */
  async threads({ open, signal, ...page }: ThreadsOptions = {}): Promise<results.ThreadPage> {
    const call: Call = { route: 'getThreads', query: { ...page, open: open && 'true' }, signal }
    return camelCased(await this.connection.call(call, ThreadsReply))
  }

  /** What became of an envelope at each recipient. */
  async envelopeReceipts(id: string, options: ReceiptOptions = {}): Promise<results.EnvelopeReceipts> {
    const { wait, timeoutMs = wait === undefined ? undefined : DEFAULT_WAIT_MS, signal } = options
    const query = { wait, timeout_ms: timeoutMs }
    const call: Call = { route: 'getEnvelopeReceipts', path: { id }, query, signal, holdMs: timeoutMs }
    return camelCased(await this.connection.call(call, EnvelopeReceiptsReply))
  }

  /**
   * The envelope that a reference, or a locator `store://envelopes/<id>`, points to.
   *
   * @throws UsageError for a locator of any other place
   * @throws AgentdError `not-found`
   * @throws EnvelopeHashMismatch when it is not the one referred to, or its hash is of another kind
   */
  async resolve(reference: Reference | string, signal?: AbortSignal): Promise<DecodedEnvelope> {
    const isLocator = typeof reference === 'string'
    const id = isLocator ? readLocator(reference) : reference.id
    if (id === undefined) throw new UsageError('A locator that agentd can follow is store://envelopes/<id>.')
    const decoded = await this.envelope(id, signal)
    const expected = isLocator ? undefined : reference.hash
    if (expected === undefined) return decoded
    const actual = hashOf(decoded.envelope)
    if (actual !== expected.toLowerCase()) throw new EnvelopeHashMismatch(id, expected, actual)
    return decoded
  }

  /** Leaves a record that is delivered to nobody (AEE-C19). */
  async log(line: LogDraft, signal?: AbortSignal): Promise<void> {
    await this.connection.call({ route: 'submitLog', body: line, signal }, LogReply)
  }

  /** Listens. The stream connects at once and comes back by itself until it is ended. */
  abstract stream(options?: StreamOptions): AgentdStream

  /** Closes what is open on this side; the daemon is told nothing. */
  protected async release(): Promise<void> {
    await Promise.all([this.#replies.close(), this.#envelopes.close()])
  }
}
