/**
 * What a realm is to this machine: who has a say in it, what each may send, for whom something of ours is there, and what this
 * machine says of itself.
 *
 * @see FED-24, FED-41, FED-55, FED-56, FED-69
 */
import type { Retained } from '../../broker/ring/retained.ts'
import type { Audience } from '../../link/audience.ts'
import type { LaneAt } from '../../link/realm.ts'
import type { RecordRules } from '../in/record-rules.ts'
import type { Speaker, SpeakerAt, Voucher } from '../in/voucher.ts'

export interface Side {
  readonly voucher: Voucher
  /** Whether all machines in it are the person's. */
  readonly isOwnRealm: boolean
  /** This machine, as others call it: `box`, `~alice/box`. */
  readonly ownNode: string
  /** Why it has no say any more, where {@link isNamed} is false, for people. */
  readonly lostPlace: string
  /** How long a lane waits for a document, in milliseconds. */
  readonly waitMs: number
  rulesFor(speaker: Speaker, lane: LaneAt): RecordRules
  /** The other principal whose machine speaks; undefined for one's own. */
  strangerOf(speaker: Speaker): string | undefined
  /** What all frames of a lane together may be in a minute; undefined: as many as their sender may (FED-63). */
  perMinuteOf(lane: LaneAt): number | undefined
  /** Whether what a machine tells of its sessions is for here: under an accord that of the other side alone. */
  isAcross(at: SpeakerAt): boolean
  /** For whom something accepted here is in this realm; none: it stays here, as far as this realm goes. */
  destinationsOf(retained: Retained): readonly Audience[]
  /** Whether a machine is one of the realm still. */
  names(at: SpeakerAt): boolean
  /** Whether this machine may speak in it at all. */
  readonly isNamed: boolean
  /** Takes a newer document of the realm. @returns the epoch in force then @throws AgentdError where it does not count */
  noteDocument(text: string): number
  /** Takes what a machine says of its person's machines, beside who is there. @throws AgentdError where it does not count */
  noteStanding(at: SpeakerAt, estate: string): void
  /** What this machine tells beside who is here; undefined: nothing. */
  readonly ownStanding: string | undefined
  /** Members that a handle names; undefined for a handle that is nobody's there (FED-55). */
  membersNamed(handle: string): number | undefined
  /** Whether the documents name an entity as somebody else's (FED-69). */
  knowsEntity(name: string): boolean
}
