/** What became of a frame or an envelope, in the words of the wire (docs/http.md §5). */
import type { ReceiptsReply } from '../../protocol/http/frame-replies.ts'
import type { RecipientState } from '../ring/delivery.ts'
import type { Retained } from '../ring/retained.ts'
import type { Ring } from '../ring/ring.ts'
import type { Session } from '../session/session.ts'
import { describeRecipient } from './recipient.ts'

/** Whose mailbox says what was handed over from it, and whether they live. */
export interface SessionsByAddress {
  find(address: string): Pick<Session, 'mailbox'> | undefined
  findLiving(address: string): unknown
}

/** Its receipts; its own name is for whoever answers to add. */
export function describeDelivery(
  retained: Retained,
  ring: Pick<Ring, 'eventId'>,
  sessions: SessionsByAddress,
): Omit<ReceiptsReply, 'frame_id'> {
  const { acceptedAtMs, delivery, seq } = retained
  return {
    event_id: ring.eventId(seq),
    accepted_at: new Date(acceptedAtMs).toISOString(),
    recipient_count: delivery.recipientCount,
    queued_count: delivery.queuedCount,
    ...(delivery.peopleCount > 0 && { people_count: delivery.peopleCount }),
    receipts: delivery.receipts().map((one) => describeRecipient(retained, withHandOver(one, seq, sessions))),
  }
}

/** What is held back from a mailbox as handed over stands in no frame; a former address only knows that it waits. */
function withHandOver(one: RecipientState, seq: number, sessions: SessionsByAddress): RecipientState {
  if (one.state !== 'queued') return one
  const item = sessions.find(one.address)?.mailbox?.handed.of(seq)
  // With whoever died it waits again, for who comes back (OP-09, OP-27).
  const isHeld = item !== undefined && sessions.findLiving(one.address) !== undefined
  return !isHeld ? one : { ...one, state: 'handed', atMs: item.atMs, via: item.via }
}
