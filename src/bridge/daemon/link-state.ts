/**
 * What the daemon knows of a link: the bridge keeps nothing, and asks for it whenever it begins.
 *
 * @see FED-21, FED-25
 */
import { numberOf, objectOf, textMember } from '../../core/text/json-object.ts'
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

/** What the daemon knows of a link when a round begins. */
export interface LinkState {
  readonly epoch: string
  readonly firstEventId: string | undefined
  readonly lastEventId: string | undefined
  readonly cursor: Cursor | undefined
  readonly acked: Acked | undefined
  readonly since: string | undefined
  readonly isDurable: boolean
  readonly authorityEpoch: number
}

/** @throws DaemonAway, DaemonRefusal */
export async function readLinkState(door: Door): Promise<LinkState> {
  const members = await door.get('/v1/link/state')
  const cursor = members['cursor'] === null ? undefined : objectOf(members['cursor'])
  const acked = members['acked'] === null ? undefined : objectOf(members['acked'])
  return {
    epoch: textMember(members, 'epoch') ?? '',
    firstEventId: textMember(members, 'first_event_id'),
    lastEventId: textMember(members, 'last_event_id'),
    cursor: cursor && {
      seq: numberOf(cursor, 'seq') ?? 0,
      node: textMember(cursor, 'node') ?? '',
      last: textMember(cursor, 'last'),
    },
    acked: acked && {
      last: textMember(acked, 'last'),
      reports: numberOf(acked, 'reports') ?? 0,
      streamCreated: textMember(acked, 'stream_created') ?? '',
      streamSeq: numberOf(acked, 'stream_seq') ?? 0,
    },
    since: textMember(members, 'since'),
    isDurable: members['is_durable'] === true,
    authorityEpoch: numberOf(members, 'authority_epoch') ?? 0,
  }
}

/** What the ring has at a place; undefined where it has nothing there any more, or not yet. @throws DaemonAway, DaemonRefusal */
export async function readDigest(door: Door, eventId: string): Promise<string | undefined> {
  const query = new URLSearchParams({ event_id: eventId })
  return textMember(await door.get(`/v1/link/digest?${query.toString()}`), 'digest')
}
