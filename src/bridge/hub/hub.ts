/**
 * One connection to the hub, for as long as it lasts. It is never mended: when it breaks it is over, and whoever used it
 * begins anew, since nothing that was believed of a hub holds when it comes back (FED-23).
 */
import { constants } from 'node:buffer'
import type { JetStreamClient, JetStreamManager, OrderedConsumerOptions } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Failure } from '../../core/errors.ts'
import { HEADER_SIGNATURE } from '../../link/batch.ts'
import type { LinkFile } from '../../link/link-file.ts'
import { bucketStream, kvSubject, streamName } from '../../link/realm.ts'
import { faultOf, faultOfBatch, HubFault, isUnanswered, LaneMoved, stuckEngine } from './faults.ts'
import { ofConsumer, ofDirect, type HubMessage } from './message.ts'
import { loadPackages, openHub, REQUEST_MS, type Opened, type Packages } from './opened.ts'

/** How long a batch may be without an acknowledgement (FED-18). */
const ACKNOWLEDGED_MS = 30_000

/** How long a batch that is refused in any case may be without an answer. */
const ANSWERED_MS = 10_000

/** How long the server may take to say that it is there, where its engine has not answered. */
const HEARD_MS = 2_000

/** What the engine never gives a message: it counts in what a double holds, and no stream has lived that long. */
const NO_SEQUENCE = Number.MAX_SAFE_INTEGER

/** How long one pull stays open; at its end the next one is made. */
const PULL_MS = 10_000

/** What the engine says of the stream of lanes. */
export interface StreamState {
  readonly created: string
  readonly firstSeq: number
  readonly lastSeq: number
  /** How many there are. */
  readonly messages: number
}

/** Where a reading of the lanes begins. */
export type ReadingStart = { readonly atSeq: number } | 'last-of-each-lane'

/** A reading of the lanes, or of the bucket, in the order of the hub, pull by pull. */
export interface Reading {
  /** How many messages there are to read, before the first is pulled. @throws HubFault */
  waiting(): Promise<number>
  /** The next messages: at most so many, as they come; none when nothing came for a while. */
  pull(maxMessages: number): AsyncIterable<HubMessage>
  close(): Promise<void>
}

export class Hub {
  readonly server: string
  readonly maxPayload: number
  readonly #packages: Packages
  readonly #connection: NatsConnection
  readonly #link: LinkFile
  readonly #engine: JetStreamClient
  readonly #manager: JetStreamManager
  /** Whether the connection was given up because nothing came over it any more. */
  #wasSilent = false

  private constructor(packages: Packages, { connection, engine, manager }: Opened, link: LinkFile) {
    this.#packages = packages
    this.#connection = connection
    this.#link = link
    this.#engine = engine
    this.#manager = manager
    this.server = connection.info?.version ?? ''
    this.maxPayload = connection.info?.max_payload ?? constants.MAX_LENGTH
    this.#noteSilence().catch(() => {})
  }

  /** @param requestMs - how long the engine may be without an answer @throws HubFault, NotInstalled */
  static async connect(link: LinkFile, requestMs = REQUEST_MS): Promise<Hub> {
    const packages = await loadPackages()
    try {
      return new Hub(packages, await openHub(packages, link, requestMs), link)
    } catch (error) {
      throw faultOf(error)
    }
  }

  /** Resolves when the connection is over, with why; it never rejects. */
  async closed(): Promise<HubFault> {
    const error = await this.#connection.closed()
    const fault = error === undefined ? undefined : faultOf(error)
    if (fault instanceof HubFault) return fault
    const why = this.#wasSilent ? 'The hub says nothing any more.' : 'The connection to the hub broke.'
    return new HubFault('away', why)
  }

  /**
   * Publishes and waits until the engine has it.
   *
   * @param follows - the sequence that has to be the subject's last one; 0: it has none; absent: whatever it is
   * @returns its sequence
   * @throws LaneMoved where another one is, HubFault
   */
  async publish(subject: string, body: string, signature: string, follows?: number): Promise<number> {
    const headers = this.#packages.transport.headers()
    headers.set(HEADER_SIGNATURE, signature)
    const expect = follows === undefined ? {} : { expect: { lastSubjectSequence: follows } }
    try {
      const { seq } = await this.#engine.publish(inDomain(subject, this.#link.domain), body, {
        headers,
        timeout: ACKNOWLEDGED_MS,
        ...expect,
      })
      return seq
    } catch (error) {
      throw follows === undefined ? await this.#faultOf(error) : faultOfBatch(error)
    }
  }

  /**
   * Whether a lane may be written, found out without writing: a batch that follows what no lane has is refused for that alone.
   *
   * @throws HubFault where it may not, or nobody says
   */
  async requireWritable(lane: string): Promise<void> {
    const expect = { lastSubjectSequence: NO_SEQUENCE }
    try {
      await this.#engine.publish(lane, '', { timeout: ANSWERED_MS, expect })
    } catch (error) {
      const fault = await this.#faultOf(error)
      if (!(fault instanceof LaneMoved)) throw fault
    }
  }

  /** Whether the server answers, behind whatever it was sent before. */
  async isThere(): Promise<boolean> {
    const { deadline } = this.#packages.transport
    try {
      await deadline(this.#connection.flush(), HEARD_MS)
      return true
    } catch {
      return false
    }
  }

  /** The last message of a lane; undefined where it has none (any more). @throws HubFault */
  async lastOf(lane: string): Promise<HubMessage | undefined> {
    try {
      const found = await this.#manager.direct.getMessage(streamName(this.#link.realm), {
        last_by_subj: lane,
      })
      return found === null ? undefined : ofDirect(found)
    } catch (error) {
      throw await this.#faultOf(error)
    }
  }

  /** @throws HubFault */
  async stream(): Promise<StreamState> {
    try {
      const { created, state } = await this.#manager.streams.info(streamName(this.#link.realm))
      return { created, firstSeq: state.first_seq, lastSeq: state.last_seq, messages: state.messages }
    } catch (error) {
      throw await this.#faultOf(error)
    }
  }

  /** @param filter - of the lanes that are read @throws HubFault */
  read(filter: string, start: ReadingStart): Promise<Reading> {
    return this.#read(
      streamName(this.#link.realm),
      filter,
      start === 'last-of-each-lane' ? this.#lastOfEach() : { opt_start_seq: Math.max(1, start.atSeq) },
    )
  }

  /** What the bucket holds, then every change of it. @throws HubFault */
  readBucket(): Promise<Reading> {
    const { realm } = this.#link
    return this.#read(bucketStream(realm), kvSubject(realm, '>'), this.#lastOfEach())
  }

  #lastOfEach(): Pick<OrderedConsumerOptions, 'deliver_policy'> {
    return { deliver_policy: this.#packages.jetstream.DeliverPolicy.LastPerSubject }
  }

  async #read(stream: string, filter: string, start: Partial<OrderedConsumerOptions>): Promise<Reading> {
    const meaning = (error: unknown): Promise<Failure> => this.#faultOf(error)
    try {
      const consumer = await this.#engine.consumers.get(stream, { filter_subjects: filter, ...start })
      return {
        waiting: async () => {
          try {
            const { num_pending: pending, delivered } = await consumer.info()
            return pending + delivered.consumer_seq
          } catch (error) {
            throw await meaning(error)
          }
        },
        async *pull(maxMessages) {
          try {
            const messages = await consumer.fetch({ max_messages: maxMessages, expires: PULL_MS })
            for await (const message of messages) yield ofConsumer(message)
          } catch (error) {
            throw await meaning(error)
          }
        },
        close: async () => {
          await consumer.delete().catch(() => false)
        },
      }
    } catch (error) {
      throw await meaning(error)
    }
  }

  async #noteSilence(): Promise<void> {
    for await (const { type } of this.#connection.status()) this.#wasSilent ||= type === 'staleConnection'
  }

  /** As `faultOf`; where the engine has not answered, whether the server does makes the difference (FT-16). */
  async #faultOf(error: unknown): Promise<Failure> {
    if (!isUnanswered(error)) return faultOf(error)
    return (await this.isThere()) ? stuckEngine(error) : faultOf(error)
  }

  /** Ends it at once, with whatever is on its way. */
  async close(): Promise<void> {
    await this.#connection.close()
  }
}

/** Values of a bucket have another name behind a leaf node, which lets the plain one not through (FED-15). */
function inDomain(subject: string, domain: string | null): string {
  return domain === null || !subject.startsWith('$KV.') ? subject : `$JS.${domain}.API.${subject}`
}
