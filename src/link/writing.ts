/**
 * Where writing goes on: where the engine's last message on the own lane says, and never where a file does. So a lost
 * acknowledgement, a hub that lost its disk and one that came back with an older disk are one case.
 *
 * @see FED-21, FED-22
 */
import { formatEventId, readEventId, type EventId } from '../protocol/address/event-id.ts'
import type { BatchHead } from './batch.ts'

/** What the daemon remembers that the engine has confirmed. */
export interface AckedPlace {
  readonly last: string | null | undefined
  readonly reports: number
  /** When the stream was made, as the engine says it: which stream it was. */
  readonly streamCreated: string
  /** The engine's number of that message. */
  readonly streamSeq: number
}

/** What the daemon's ring has. */
export interface WrittenRing {
  readonly epoch: string
  /** The oldest that is retained; undefined where nothing is. */
  readonly firstEventId: string | undefined
  /** The newest place ever given in this epoch; undefined before the first. */
  readonly lastEventId: string | undefined
  /** The digest of what is at {@link comparedPlace}; undefined where nothing is any more. */
  readonly digestAt: (eventId: string) => string | undefined
}

/** Everything that decides. */
export interface LaneFacts {
  /** The head of the last message on the own lane; undefined where the lane is empty. */
  readonly lane: BatchHead | undefined
  readonly stream: { readonly created: string; readonly firstSeq: number }
  readonly acked: AckedPlace | undefined
  readonly ring: WrittenRing
  /** Where an empty lane begins: what was accepted before does not leave. */
  readonly since: string | undefined
}

/** Where a lane goes on, or that it may not. */
export type Start =
  | {
      readonly go: 'on'
      /** The place that the feed is asked behind. */
      readonly after: string
      /** `prev` and `last` of the next head, as far as no record says otherwise. */
      readonly prev: string | null
      readonly last: string | null
      readonly digest: string | null
      /** The last report that is in the lane. */
      readonly reports: number
      /** Whether an epoch, or the lane, begins here and nothing is missing in front of it; of every later batch, false. */
      readonly clean: boolean
    }
  | { readonly go: 'fenced'; readonly why: string }

/**
 * The place whose digest tells whether the lane is ours: `last` itself, or the same number in the ring's own epoch. A store
 * that outlived a loss of power has its rows under a new one.
 *
 * @returns undefined where nothing is to be compared
 */
export function comparedPlace(lane: BatchHead | undefined, epoch: string): string | undefined {
  const last = placeOf(lane?.last)
  return last && formatEventId(epoch, last.seq)
}

/** Decides where to go on. It is asked again after every doubt; nothing of a former answer holds (FED-23). */
export function decideStart(facts: LaneFacts): Start {
  const { lane, stream, acked, ring } = facts
  if (lane !== undefined) return startOfLane(lane, facts)
  // The stream has only trimmed what was ours: it is the same one, and begins behind that.
  const isTrimmed = acked?.streamCreated === stream.created && stream.firstSeq > acked.streamSeq
  const last = isTrimmed ? placeOf(acked.last) : undefined
  if (acked === undefined || last === undefined) return startAnew(facts, isTrimmed ? acked.reports : 0)
  return goOnBehind(last, { digest: null, reports: acked.reports }, ring)
}

function startOfLane(lane: BatchHead, facts: LaneFacts): Start {
  const { ring, acked } = facts
  const { digest, reports } = lane
  const last = placeOf(lane.last)
  if (last === undefined) return startAnew(facts, reports)
  const here = ring.digestAt(formatEventId(ring.epoch, last.seq))
  if (last.epoch !== ring.epoch) {
    // Another life of the counter: the same record at the same number shows that the ring carries on from there.
    if (here !== undefined && here === digest)
      return goOnBehind(last, { digest, reports, isWhole: true }, ring)
    // What was remembered as acknowledged is older than the end that was lost, and belongs to the same rows.
    const former = placeOf(acked?.last)
    return former === undefined || former.epoch === ring.epoch
      ? startAnew(facts, reports)
      : goOnBehind(former, { digest: null, reports }, ring)
  }
  if (last.seq > lastSeqOf(ring))
    return { go: 'fenced', why: `the hub has ${lane.last} of this machine, which has not come that far` }
  if (here !== undefined && digest !== null && here !== digest)
    return { go: 'fenced', why: `the hub has another ${lane.last} of this machine than this machine has` }
  return goOnBehind(last, { digest, reports }, ring)
}

/** What is known of the place that a lane goes on behind. */
interface KnownPlace {
  readonly digest: string | null
  readonly reports: number
  /** Whether nothing of a former epoch is missing. */
  readonly isWhole?: boolean
}

/** Behind a number, in the ring's own epoch; or behind everything that the ring does not hold any more (FED-22). */
function goOnBehind(
  { seq }: EventId,
  { digest, reports, isWhole = false }: KnownPlace,
  ring: WrittenRing,
): Start {
  const lastSeq = lastSeqOf(ring)
  const gone = (placeOf(ring.firstEventId)?.seq ?? lastSeq + 1) - 1
  const isHeld = gone <= seq
  const after = formatEventId(ring.epoch, isHeld ? Math.min(seq, lastSeq) : gone)
  return {
    go: 'on',
    after,
    prev: after,
    last: after,
    digest: isHeld ? digest : null,
    reports,
    clean: isHeld && isWhole,
  }
}

/**
 * From where the link begins; marks drop what is known. Where something of the link's own time may be missing, `prev` names
 * the place before what comes now, and whoever has no mark that far tells a hole from it.
 */
function startAnew({ lane, acked, ring, since }: LaneFacts, reports: number): Start {
  const after = since ?? formatEventId(ring.epoch, 0)
  const sent = placeOf(lane?.last ?? acked?.last)
  const begin = placeOf(after)?.seq ?? 0
  // What the ring has of before the link's time shows that it has all of that time.
  const isHeld = begin === 0 || (placeOf(ring.firstEventId)?.seq ?? Infinity) <= begin
  const clean = isHeld && (sent === undefined || (lane === undefined && sent.epoch === ring.epoch))
  const prev = clean ? null : after
  return { go: 'on', after, prev, last: prev, digest: null, reports, clean }
}

/** The newest number that the ring has given in its epoch; 0 before the first. */
function lastSeqOf({ lastEventId }: WrittenRing): number {
  return placeOf(lastEventId)?.seq ?? 0
}

function placeOf(text: string | null | undefined): EventId | undefined {
  return text === null || text === undefined ? undefined : readEventId(text)
}
