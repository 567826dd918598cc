/**
 * Whoever speaks and listens: the principal itself, or one of its sessions. Both do it with the same words.
 */
import type { Kind } from '../protocol/frame/kinds.ts'
import { HealthReply } from '../protocol/http/daemon-replies.ts'
import { ask } from './ask.ts'
import type { CallOptions } from './http/call-options.ts'
import type { HistoryOptions, ReceiptOptions } from './envelopes/participant-options.ts'
import { readLeases, type HeldLease } from './reading/leases.ts'
import { readHistory, readReceipts } from './reading/past.ts'
import type { AskOptions, Asker, Replies } from './question.ts'
import type { AskResult } from './reply/ask-results.ts'
import { camelCased } from './reply/camel-cased.ts'
import type { TakeOver } from './reply/handover-results.ts'
import type { Health } from './reply/health-results.ts'
import type { HistoryPage, Receipts } from './reply/results.ts'
import type { RosterPage, RosterSession } from './reply/roster-results.ts'
import { readRoster, readRosterPage, type RosterOptions } from './reading/roster.ts'
import { Speaker } from './speaker.ts'
import { AgentdStream } from './stream/stream.ts'
import type { StreamOptions } from './stream/options.ts'
import { AgentdWatch } from './stream/watch.ts'
import type { WatchOptions } from './stream/watch-items.ts'
import { takeOver, type TakeOverOptions } from './takeover.ts'

/**
 * The words that the principal and its sessions share.
 *
 * Whatever a method throws is of the class Failure, save the reason of a signal: an AgentdError is the daemon's,
 * AgentdUnreachable says that nobody answers, and AgentdUnknownAnswer that only a newer client understands.
 */
export abstract class Participant extends Speaker implements AsyncDisposable {
  readonly #streams = new Set<AgentdStream | AgentdWatch>()

  /** The socket of the daemon. */
  get socketPath(): string {
    return this.connection.socketPath
  }

  /** Takes over what another session has handed over: the whole of it, and claimed with a frame that says so. */
  takeOver(options: TakeOverOptions = {}): Promise<TakeOver> {
    const { connection, handle, identity } = this
    return takeOver(this, { connection, handle, sessionId: identity.sessionId }, options)
  }

  /** Asks, and collects answers. */
  ask(text: string, options: AskOptions = {}): Promise<AskResult> {
    const asker: Asker = {
      clock: this.connection.parts.clock,
      openReplies: (kinds, streamOptions) => this.openReplies(kinds, streamOptions),
      send: (message) => this.send(message),
      receipts: (frameId) => this.receipts(frameId),
    }
    return ask(asker, text, options)
  }

  /** Who is there: the sessions a scope of this handle would expand to. */
  roster(handle = this.handle, options: CallOptions = {}): Promise<readonly RosterSession[]> {
    return readRoster(this.connection, handle, options)
  }

  /** As {@link Participant.roster}, a page of it, and how many there are. */
  rosterPage(options: RosterOptions = {}): Promise<RosterPage> {
    return readRosterPage(this.connection, { ...options, handle: options.handle ?? this.handle })
  }

  /** Every lease that lives, whoever holds it, the one that ends first in front. */
  leases(options: CallOptions = {}): Promise<readonly HeldLease[]> {
    return readLeases(this.connection, { ...options, handle: this.handle, address: this.identity.address })
  }

  /** Retained frames, oldest first. */
  history(options: HistoryOptions = {}): Promise<HistoryPage> {
    return readHistory(this.connection, options)
  }

  /** What became of a frame at each recipient. */
  receipts(frameId: string, options: ReceiptOptions = {}): Promise<Receipts> {
    return readReceipts(this.connection, frameId, options)
  }

  /** Everything that passes, without being a recipient of it. */
  watch(options: WatchOptions = {}): AgentdWatch {
    return this.#hold((onEnd) => new AgentdWatch(this.connection, options, onEnd))
  }

  /** How the daemon is, and who it is. */
  async health({ signal }: CallOptions = {}): Promise<Health> {
    return camelCased(await this.connection.call({ route: 'getHealth', signal }, HealthReply))
  }

  /** Closes what is open on this side, once what was said has been answered. */
  abstract close(options?: CallOptions): Promise<void>

  /** Closes it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** A subscription for each of some kinds, and the address that names exactly them. */
  protected abstract openReplies(kinds: readonly Kind[], options: StreamOptions): Replies

  protected openStream(
    options: StreamOptions,
    query: Readonly<Record<string, string | undefined>>,
  ): AgentdStream {
    const { handle = this.handle } = options
    return this.#hold((onEnd) => new AgentdStream(this.connection, { handle, query, onEnd }, options))
  }

  protected override async release(): Promise<void> {
    await Promise.all([super.release(), ...[...this.#streams].map((stream) => stream.return())])
  }

  #hold<Stream extends AgentdStream | AgentdWatch>(open: (onEnd: () => void) => Stream): Stream {
    const stream: Stream = open(() => this.#streams.delete(stream))
    this.#streams.add(stream)
    return stream
  }
}
