/**
 * What a drain of the inbox returns: the daemon's answer in camelCase, with its items validated one by one.
 *
 * @see docs/http.md §7; ACQ-37
 */
import type { z } from 'zod'
import type { Envelope } from '../../aee/envelope/envelope.ts'
import type { ForeignCount } from '../../protocol/address/foreign.ts'
import type { Frame } from '../../protocol/frame/frame.ts'
import type { LooseDrainReply } from '../../protocol/http/inbox-replies.ts'
import type { Gap } from '../../protocol/sse/encoder.ts'
import { camelCased, type CamelCased } from './camel-cased.ts'
import { findEnvelope } from './envelope-results.ts'
import { findFrame } from './results.ts'

/** A frame in the inbox. */
export interface InboxFrame {
  /** Its place in the daemon's one sequence. */
  readonly eventId: string
  /** How long ago the frame was made, in milliseconds. */
  readonly ageMs: number
  /** Address of the session it came from; null for the principal, undefined from a daemon that does not tell. */
  readonly sender: string | null | undefined
  /** The node that took it first; undefined for this one. */
  readonly node?: string | undefined
  /** It was handed over before, and nothing proved that it was shown. */
  readonly perhapsShown: boolean
  /** The frame. */
  readonly frame: Frame
  /** Never there: it tells the two apart. */
  readonly envelope?: undefined
}

/** An envelope in the inbox. */
export interface InboxEnvelope {
  /** Its place in the daemon's one sequence. */
  readonly eventId: string
  /** How long ago the envelope came to the daemon, in milliseconds. */
  readonly ageMs: number
  /** Address of the session it came from; null for the principal, undefined from a daemon that does not tell. */
  readonly sender: string | null | undefined
  /** The node that took it first; undefined for this one. */
  readonly node?: string | undefined
  /** It was handed over before, and nothing proved that it was shown. */
  readonly perhapsShown: boolean
  /** The envelope. */
  readonly envelope: Envelope
  /** Its own `priority`, or what the sender's quota left of it (AEQ-27). */
  readonly effectivePriority: string
  /** Its task had come to its end before (AEQ-26). */
  readonly late: boolean
  /** Never there: it tells the two apart. */
  readonly frame?: undefined
}

/** One item of the inbox. */
export type InboxItem = InboxFrame | InboxEnvelope

/** What a drain handed over (docs/http.md §7). */
export interface Drained {
  /** What waited, oldest first. */
  readonly items: readonly InboxItem[]
  /** How many items a newer one of the same sender about the same thing replaced. */
  readonly coalesced: number
  /** How many items wait still. */
  readonly remaining: number
  /** What the mailbox had to let go of before it was taken; null for nothing. */
  readonly gap: Gap | null
  /** The digest, when `format` was `text`. */
  readonly text: string | undefined
  /** What waits of other principals, where it was to be counted; undefined where there is none. */
  readonly foreign?: readonly ForeignCount[] | undefined
  /** How many items this library could not read, and left out (ACQ-37). */
  readonly unreadable: number
}

type LooseItem = CamelCased<z.infer<typeof LooseDrainReply>['items'][number]>

export function toDrained(reply: z.infer<typeof LooseDrainReply>): Drained {
  const { items: found, ...rest } = camelCased(reply)
  const items = found.flatMap((item) => toInboxItem(item) ?? [])
  return { ...rest, items, unreadable: found.length - items.length }
}

/** @returns undefined for what is neither a valid frame nor a valid envelope */
function toInboxItem(item: LooseItem): InboxItem | undefined {
  const { eventId, ageMs, sender, node } = item
  const perhapsShown = item.perhapsShown === true
  if (item.envelope === undefined) {
    const frame = findFrame(item.frame)
    return frame === undefined ? undefined : { eventId, ageMs, sender, node, perhapsShown, frame }
  }
  const envelope = findEnvelope(item.envelope)
  if (envelope === undefined) return undefined
  const { effectivePriority = envelope.priority, late } = item
  const facts = { eventId, ageMs, sender, node, perhapsShown }
  return { ...facts, envelope, effectivePriority, late: late === true }
}
