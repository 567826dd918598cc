/**
 * What the daemon knows of a link: the bridge keeps nothing, and asks for it whenever it begins.
 *
 * @see FED-21, FED-25
 */
import { listMember, numberOf, objectOf, textMember, type JsonObject } from '../../core/text/json-object.ts'
import type { Door } from './door.ts'

/** A place in a stream of the engine that the daemon has taken everything up to. */
export interface Cursor {
  readonly seq: number
  /** The node whose batch it is; empty where the stream was empty when it was joined. */
  readonly node: string
  readonly last: string | undefined
}

/** What the engine has confirmed of the own lane, as far as the daemon remembers. */
export interface Acked {
  readonly last: string | undefined
  readonly reports: number
  readonly streamCreated: string
  readonly streamSeq: number
}

/** A lane that this node writes, and where it goes on. */
export interface LaneState {
  readonly lane: string
  readonly acked: Acked | undefined
  readonly since: string | undefined
}

/** Lanes of others that this node reads, and where it goes on. */
export interface FilterState {
  readonly filter: string
  readonly cursor: Cursor | undefined
}

/** What the daemon knows of a link when a round begins. */
export interface LinkState {
  readonly epoch: string
  readonly firstEventId: string | undefined
  readonly lastEventId: string | undefined
  readonly lanes: readonly LaneState[]
  readonly filters: readonly FilterState[]
  readonly isDurable: boolean
  readonly authorityEpoch: number
}

/** @throws DaemonAway, DaemonRefusal */
export async function readLinkState(door: Door): Promise<LinkState> {
  const members = await door.get('/v1/link/state')
  return {
    epoch: textMember(members, 'epoch') ?? '',
    firstEventId: textMember(members, 'first_event_id'),
    lastEventId: textMember(members, 'last_event_id'),
    lanes: listMember(members, 'lanes').map((lane) => readLaneState(objectOf(lane))),
    filters: listMember(members, 'filters').map((filter) => readFilterState(objectOf(filter))),
    isDurable: members['is_durable'] === true,
    authorityEpoch: numberOf(members, 'authority_epoch') ?? 0,
  }
}

function readLaneState(members: JsonObject): LaneState {
  const acked = members['acked'] === null ? undefined : objectOf(members['acked'])
  return {
    lane: textMember(members, 'lane') ?? '',
    acked: acked && {
      last: textMember(acked, 'last'),
      reports: numberOf(acked, 'reports') ?? 0,
      streamCreated: textMember(acked, 'stream_created') ?? '',
      streamSeq: numberOf(acked, 'stream_seq') ?? 0,
    },
    since: textMember(members, 'since'),
  }
}

function readFilterState(members: JsonObject): FilterState {
  const cursor = members['cursor'] === null ? undefined : objectOf(members['cursor'])
  return {
    filter: textMember(members, 'filter') ?? '',
    cursor: cursor && {
      seq: numberOf(cursor, 'seq') ?? 0,
      node: textMember(cursor, 'node') ?? '',
      last: textMember(cursor, 'last'),
    },
  }
}

/**
 * What the ring has at a place; undefined where it has nothing there any more, or not yet.
 *
 * @param isSealed - as it leaves over a link that is sealed
 * @throws DaemonAway, DaemonRefusal
 */
export async function readDigest(
  door: Door,
  eventId: string,
  isSealed: boolean,
): Promise<string | undefined> {
  const query = new URLSearchParams({ event_id: eventId })
  const answer = await door.get(`/v1/link/digest?${query.toString()}`)
  return textMember(answer, isSealed ? 'sealed_digest' : 'digest')
}
