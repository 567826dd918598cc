/**
 * What calls about envelopes return: the daemon's answers in camelCase, with envelopes validated one by one.
 *
 * @see docs/http.md §9; ACQ-37
 */
import { unlessRefused } from '../../core/thrown.ts'
import { parseEnvelope, type Envelope } from '../../aee/envelope/envelope.ts'
import { causalOrder } from '../../aee/thread/thread.ts'
import type { EnvelopeReply, ThreadItem } from '../../protocol/http/envelope-replies.ts'
import type { Ack } from '../../protocol/http/frame-replies.ts'
import { camelCased } from './camel-cased.ts'
import { toRemoteReach, toWarning, type Receipt, type RemoteReach, type Warning } from './results.ts'

/** What became of an envelope at the moment it was accepted. */
export interface SentEnvelope {
  /** The envelope. */
  readonly id: string
  /** Its place in the daemon's one sequence. */
  readonly eventId: string
  /** Live subscriptions the envelope was emitted to. */
  readonly recipientCount: number
  /** Mailboxes of sessions that hold no stream just now. */
  readonly queuedCount: number
  /** Of both, those at the person's own seats. */
  readonly peopleCount: number
  /** Of both, terminals. */
  readonly terminalCount: number
  /** As of a frame: sessions of other nodes that speak for the entity. */
  readonly remote?: RemoteReach | undefined
  /** The durability this answer stands for. */
  readonly ack: Ack
  /** Its own `priority`, or what the sender's quota left of it (AEQ-27). */
  readonly effectivePriority: string
  /** What departs from a recommendation; empty for nothing. */
  readonly warnings: readonly Warning[]
  /** Its task had come to its end before (AEQ-26). */
  readonly late: boolean
  /** True when the daemon had the envelope already; the counts are then those of the first time (AEQ-16). */
  readonly duplicate: boolean
}

/** As {@link SentEnvelope}, of an envelope that was composed here. */
export interface ComposedEnvelope extends SentEnvelope {
  /** The envelope, as it was sent. */
  readonly envelope: Envelope
}

/** What each recipient did with an envelope. */
export interface EnvelopeReceipts {
  /** The envelope. */
  readonly id: string
  /** Its place in the daemon's one sequence. */
  readonly eventId: string
  /** When it was accepted, RFC 3339. */
  readonly acceptedAt: string
  /** Live subscriptions it was emitted to. */
  readonly recipientCount: number
  /** Mailboxes it was kept in. */
  readonly queuedCount: number
  /** Of both, those at the person's own seats; absent where there is none, and once the daemon began anew. */
  readonly peopleCount?: number | undefined
  /** Of both, terminals; absent as `peopleCount`. */
  readonly terminalCount?: number | undefined
  /** A line for each recipient. */
  readonly receipts: readonly Receipt[]
  /** Nodes that are not heard of just now; undefined where there is none. */
  readonly away?: readonly string[] | undefined
}

/** Who rejected an envelope as context, and why (AEE-063). */
export interface EnvelopeRefutation {
  /** The entity that rejected it. */
  readonly by: string
  /** Why, in its words. */
  readonly reason: string
  /** When, RFC 3339. */
  readonly at: string
  /** The envelope that says so. */
  readonly id: string
}

/** A retained envelope of one workflow. */
export interface ThreadEnvelope {
  /** Its place in the daemon's one sequence. */
  readonly eventId: string
  /** When it was accepted, RFC 3339. */
  readonly acceptedAt: string
  /** Its own `priority`, or what the sender's quota left of it. */
  readonly effectivePriority: string
  /** Its task had come to its end before. */
  readonly late: boolean
  /** Who rejected it as context; empty for nobody. */
  readonly refuted: readonly EnvelopeRefutation[]
  /** Live subscriptions it was emitted to. */
  readonly recipientCount: number
  /** Mailboxes it was kept in. */
  readonly queuedCount: number
  /** The envelope. */
  readonly envelope: Envelope
}

/** A workflow: what was said under one `corr`. */
export interface Thread {
  /** What names the workflow. */
  readonly corr: string
  /** Every envelope after the one it answers. */
  readonly items: readonly ThreadEnvelope[]
  /** How many items this library could not read, and left out (ACQ-37). */
  readonly unreadable: number
}

/** One workflow in a list of them. */
export interface ThreadSummary {
  /** What names it. */
  readonly corr: string
  /** When its first retained envelope was accepted, RFC 3339. */
  readonly firstAt: string
  /** When its newest was accepted, RFC 3339. */
  readonly lastAt: string
  /** How many envelopes of it are retained. */
  readonly envelopes: number
  /** Entities that sent or were sent to; of very many the first. */
  readonly participants: readonly string[]
  /** The intent of the first envelope. */
  readonly intent: string
  /** How many tasks have no result and no error from who was asked. */
  readonly openTasks: number
  /** Type of the newest envelope. */
  readonly lastType: string
}

/** A page of workflows, that with the newest envelope first. */
export interface ThreadPage {
  /** The workflows. */
  readonly items: readonly ThreadSummary[]
  /** Cursor of the page after this one; null at the end. */
  readonly next: string | null
}

/** By hand, as `toSubmissionResult`. */
export function toSentEnvelope(reply: EnvelopeReply): SentEnvelope {
  const { event_id, recipient_count, queued_count, effective_priority, warnings, ...rest } = reply
  return {
    id: rest.id,
    eventId: event_id,
    recipientCount: recipient_count,
    queuedCount: queued_count,
    peopleCount: rest.people_count ?? 0,
    terminalCount: rest.terminal_count ?? 0,
    remote: toRemoteReach(rest.remote),
    ack: rest.ack,
    effectivePriority: effective_priority,
    warnings: warnings.map((one) => toWarning(one)),
    late: rest.late === true,
    duplicate: rest.duplicate === true,
  }
}

/** @param found - the items of all pages, in the order they came */
export function toThread(corr: string, found: readonly ThreadItem[]): Thread {
  const links = found.flatMap((item, seq) => {
    const envelope = findEnvelope(item.envelope)
    return envelope === undefined
      ? []
      : [
          {
            seq,
            id: envelope.id,
            replyTo: envelope.reply_to ?? null,
            item: { ...camelCased(item), envelope },
          },
        ]
  })
  // Each page is in causal order by itself; two pages together need not be.
  const items = causalOrder(links).map(({ item }) => item)
  return { corr, items, unreadable: found.length - items.length }
}

/** @returns undefined for what is no valid envelope */
export function findEnvelope(value: unknown): Envelope | undefined {
  return unlessRefused(() => parseEnvelope(value))
}
