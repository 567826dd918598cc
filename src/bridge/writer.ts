/**
 * Out: from what the daemon feeds to one of the own lanes. One message is on its way at a time, and each says which one it follows,
 * so that the engine refuses whatever a lost answer or a second writer would double (FED-20).
 *
 * @see FED-18, FED-20 … FED-23
 */
import { Failure } from '../core/errors.ts'
import { octetLength } from '../core/text/octets.ts'
import { formatEventId, readEventId } from '../protocol/address/event-id.ts'
import { BESIDE_RECORD_OCTETS, readHead } from '../link/batch.ts'
import { BatchSize } from '../link/batch-size.ts'
import { readNodeKey } from '../link/keys/node-key.ts'
import { comparedPlace, decideStart } from '../link/writing.ts'
import { HubFault, LaneMoved } from './hub/faults.ts'
import { readFeed, type Fed } from './daemon/feed.ts'
import { readDigest, readLinkState } from './daemon/link-state.ts'
import { isSealedDigest } from '../link/sealing/sealed-line.ts'
import { Outbox, type Outgoing } from './outbox.ts'
import type { RoundParts } from './round-parts.ts'
import { Sending, type SendingStart } from './sending.ts'

/** Somebody else writes in this node's name: nothing more is written (FED-22). */
export class Fenced extends Failure {
  override readonly name = 'Fenced'
  override readonly code = 'fenced'
}

/** A server whose power went may take batches, and find none of them by its lane; nothing would ever go on behind one. */
const DAMAGED =
  'The disk of the hub is damaged: it does not find what it has just taken. Stop it, take away the folder of its streams, and ' +
  'start it again; this machine sends anew what it still has.'

/** A lane that is refused this often in a row without one batch taken is not looked at again at once. */
const MAX_LOOKS = 8

export class Writer {
  readonly #parts: RoundParts
  readonly #lane: string
  readonly #key: ReturnType<typeof readNodeKey>['key']
  readonly #size = new BatchSize()
  /** How often the lane was looked at since a batch was taken. */
  #looks = 0
  /** Whether the hub lets this node write the lane. */
  #isWritable = false
  /** The place of the last batch that the hub took since this connection is; 0: none. */
  #tookSeq = 0

  /** @param lane - one of those that the daemon names */
  constructor(parts: RoundParts, lane: string) {
    this.#parts = parts
    this.#lane = lane
    this.#key = readNodeKey(parts.link.node_key).key
  }

  /** @throws Fenced, LaneMoved, HubFault, DaemonAway, DaemonRefusal; it ends in no other way */
  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      try {
        await this.#write(signal)
      } catch (error) {
        this.#looks += 1
        if (!(error instanceof LaneMoved) || this.#looks >= MAX_LOOKS) throw error
      }
    }
  }

  /** From a look at the lane to the first doubt. */
  async #write(signal: AbortSignal): Promise<never> {
    const { door, condition } = this.#parts
    const { start, after } = await this.#look()
    condition.ready(this.#lane)
    const ending = new AbortController()
    const ends = AbortSignal.any([signal, ending.signal])
    const outbox = new Outbox()
    const sending = this.#sendingFrom(start)
    try {
      const feed = readFeed(door, { lane: this.#lane, after, reports: start.reports, signal: ends })
      return await Promise.race([this.#fill(feed, outbox, sending), sending.run(outbox)])
    } finally {
      ending.abort()
    }
  }

  /** Where the lane is, by what the engine says of it and the ring has (FED-21, FED-22). @throws Fenced */
  async #look(): Promise<{ readonly start: SendingStart; readonly after: string }> {
    const { clock, door, hub } = this.#parts
    const state = await readLinkState(door)
    const askedMs = clock.monotonicMs()
    const stream = await hub.stream()
    this.#size.roundTrip(clock.monotonicMs() - askedMs)
    const message = await hub.lastOf(this.#lane)
    if (!this.#isWritable) await hub.requireWritable(this.#lane)
    this.#isWritable = true
    if (message === undefined && this.#tookSeq >= Math.max(1, stream.firstSeq))
      throw new HubFault('refused', DAMAGED)
    const own = state.lanes.find(({ lane }) => lane === this.#lane)
    if (own === undefined) throw new LaneMoved('This machine writes for others now.')
    const lane = message === undefined ? undefined : readHead(message.text.split('\n', 1)[0] ?? '')
    const isSealed = isSealedDigest(lane?.digest ?? '')
    const compared = comparedPlace(lane, state.epoch)
    const digest = compared === undefined ? undefined : await readDigest(door, compared, isSealed)
    const decided = decideStart({
      lane,
      stream,
      acked: own.acked,
      ring: { ...state, digestAt: (place) => (place === compared ? digest : undefined) },
      since: own.since,
    })
    if (decided.go === 'fenced') throw new Fenced(decided.why)
    const { after, ...place } = decided
    const at = { seq: message?.seq ?? 0, epoch: state.epoch, streamCreated: stream.created }
    return { after, start: { ...at, ...place } }
  }

  #sendingFrom(start: SendingStart): Sending {
    const { door, hub, clock, link, bucket, condition, onFault } = this.#parts
    return new Sending(
      {
        door,
        hub,
        clock,
        lane: this.#lane,
        node: link.node,
        key: this.#key,
        size: this.#size,
        authorityEpoch: () => bucket.authorityEpoch,
        onSent: (records, seq) => {
          this.#looks = 0
          this.#tookSeq = seq
          condition.kept()
          condition.sent(records)
        },
        onFault,
      },
      start,
    )
  }

  async #fill(feed: AsyncIterable<Fed>, outbox: Outbox, sending: Sending): Promise<never> {
    const { hub, bucket, onFault } = this.#parts
    const maxOctets = hub.maxPayload - BESIDE_RECORD_OCTETS
    let prev: string | undefined
    for await (const fed of feed) {
      if (fed.is === 'presence') bucket.say(fed.text, onFault)
      else if (fed.is === 'gap') prev = placeBefore(fed.next)
      else {
        const item = outgoingOf(fed, prev)
        if (item.octets > maxOctets && fed.is === 'record') sending.leaveOut(fed.e)
        else {
          prev = undefined
          await outbox.put(item, this.#size.octets)
        }
      }
    }
    throw new LaneMoved('The feed ended.')
  }
}

/** @param prev - the place it follows, where the ring does not hold what stood between */
function outgoingOf(fed: Exclude<Fed, { is: 'gap' | 'presence' }>, prev: string | undefined): Outgoing {
  const { line } = fed
  return {
    line,
    octets: octetLength(line) + 1,
    place: fed.is === 'record' ? { e: fed.e, digest: fed.digest } : undefined,
    reports: fed.is === 'report' ? fed.r : undefined,
    prev,
  }
}

/** The place before one, whether or not anything stood there. @param next - undefined: nothing comes that is known yet */
function placeBefore(next: string | undefined): string | undefined {
  const id = readEventId(next ?? '')
  return id === undefined ? undefined : formatEventId(id.epoch, Math.max(0, id.seq - 1))
}
