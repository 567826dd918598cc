/** What became of a frame or an envelope, in the words of the wire (docs/http.md §5). */
import { handleOf } from '../../protocol/address/handle.ts'
import type { ReceiptState, ReceiptsReply } from '../../protocol/http/frame-replies.ts'
import type { Authority } from '../authority/authority.ts'
import { senderActor } from '../origins/owner.ts'
import type { RecipientState } from '../ring/delivery.ts'
import type { Retained } from '../ring/retained.ts'
import type { Ring } from '../ring/ring.ts'
import type { Caller } from '../session/caller.ts'
import type { Session } from '../session/session.ts'
import { remoteLines, type RemoteLinesParts } from '../remote/remote-lines.ts'
import { describeRecipient } from './recipient.ts'

/** Whose mailbox says what was handed over from it, and whether they live. */
export interface SessionsByAddress {
  find(address: string): Pick<Session, 'mailbox'> | undefined
  findLiving(address: string): unknown
}

/** Whom a handle acts for. */
export type Actors = Pick<Authority, 'actorOf'>

/** Receipts are their sender's: a session sees those of its own Sovereign's frames, the person all. */
export function mayLookUp(caller: Caller | undefined, retained: Retained, actors: Actors): boolean {
  return caller?.session === undefined || senderActor(retained, actors) === caller.principal
}

/** What it is described with. */
export interface DescriptionParts extends RemoteLinesParts {
  readonly ring: Pick<Ring, 'eventId'> & RemoteLinesParts['ring']
  readonly sessions: SessionsByAddress
  readonly authority: Actors
}

/** Its receipts; its own name is for whoever answers to add. */
export function describeDelivery(
  retained: Retained,
  parts: DescriptionParts,
): Omit<ReceiptsReply, 'frame_id'> {
  const { ring, sessions, authority, others } = parts
  const { acceptedAtMs, delivery, seq } = retained
  const away = others.isLinked ? others.awayFrom(retained) : []
  return {
    event_id: ring.eventId(seq),
    accepted_at: new Date(acceptedAtMs).toISOString(),
    recipient_count: delivery.recipientCount,
    queued_count: delivery.queuedCount,
    ...(delivery.peopleCount > 0 && { people_count: delivery.peopleCount }),
    ...(delivery.terminalCount > 0 && { terminal_count: delivery.terminalCount }),
    receipts: [
      ...ownAndOthers(
        delivery.receipts().map((one) => describeRecipient(retained, withHandOver(one, seq, sessions))),
        retained,
        authority,
      ),
      ...remoteLines(retained, parts),
    ],
    ...(away.length > 0 && { away: [...away] }),
  }
}

/** How far a frame has come, the furthest in front. */
const FURTHEST: readonly ReceiptState[] = ['seen', 'handed', 'emitted', 'queued', 'dropped', 'expired']

/**
 * Of a frame: the sender's own sessions one by one, and of every other Sovereign one line, for the session that has come
 * furthest. How many sessions others have is not the sender's to know, nor which, but for the one that it named itself
 * (AC-187, AC-188, FED-59).
 */
function ownAndOthers(
  lines: ReceiptsReply['receipts'],
  retained: Retained,
  actors: Actors,
): ReceiptsReply['receipts'] {
  if (retained.scope === undefined) return lines
  const actor = senderActor(retained, actors)
  const isOwn = ({ address }: ReceiptsReply['receipts'][number]): boolean =>
    actors.actorOf(handleOf(address)) === actor || address === retained.scopeText
  const others = new Map<string, ReceiptsReply['receipts'][number]>()
  for (const line of lines.filter((one) => !isOwn(one))) {
    const handle = handleOf(line.address)
    const known = others.get(handle)
    const isFurther = known === undefined || FURTHEST.indexOf(line.state) < FURTHEST.indexOf(known.state)
    if (isFurther) others.set(handle, { ...line, address: handle })
  }
  return [...lines.filter(isOwn), ...others.values()]
}

/** What is held back from a mailbox as handed over stands in no frame; a former address only knows that it waits. */
function withHandOver(one: RecipientState, seq: number, sessions: SessionsByAddress): RecipientState {
  if (one.state !== 'queued') return one
  const item = sessions.find(one.address)?.mailbox?.handed.of(seq)
  // With whoever died it waits again, for who comes back (OP-09, OP-27).
  const isHeld = item !== undefined && sessions.findLiving(one.address) !== undefined
  return !isHeld ? one : { ...one, state: 'handed', atMs: item.atMs, via: item.via }
}
