/**
 * What the daemon answers about frames: what became of one, what is retained, and where to listen.
 */
import * as z from 'zod'
import { Frame } from '../frame/frame.ts'

/** The durability an answer stands for. */
export const Ack = z.enum(['memory', 'process', 'disk'])
export type Ack = z.infer<typeof Ack>

/** A session that the one who wrote a scope may have meant. */
export const NearSession = z.object({ name: z.string(), address: z.string() })
export type NearSession = z.infer<typeof NearSession>

/** What the daemon noticed about a frame or an envelope that it took all the same. */
export const Warning = z.object({ code: z.string(), field: z.string().optional(), message: z.string() })
export type Warning = z.infer<typeof Warning>

/**
 * Whom something names on other nodes, by rosters not older than 30 s: knowledge, no delivery, and in no other count.
 * Absent without a link, and of what stays on this node (FED-50).
 */
export const RemoteCount = z.object({
  sessions: z.int(),
  /** Nodes that these sessions are on. */
  nodes: z.array(z.string()),
  /** Nodes heard of longer ago, whose sessions are not counted; what is sent waits for them. */
  away: z.array(z.string()),
  /** Nodes that are there and do not say who is: what is sent goes there, and may be heard. Absent where there is none. */
  untold: z.array(z.string()).optional(),
  /** As of when; null where no other node was ever heard of. */
  as_of: z.string().nullable(),
})
export type RemoteCount = z.infer<typeof RemoteCount>

/** 200 of a submission (docs/http.md §5, AC-138, ACQ-24). */
export const SubmissionReply = z.object({
  frame_id: z.string(),
  event_id: z.string(),
  recipient_count: z.int(),
  queued_count: z.int(),
  /** Of both counts together, those at the person's own seats; absent where there is none of them. */
  people_count: z.int().optional(),
  /** Of both counts together, terminals; absent where there is none of them. */
  terminal_count: z.int().optional(),
  /**
   * Of a frame to an organisation: members that the scope names, and those reached here. Of other members than the sender
   * the counts above say one for each, however many sessions (AC-187).
   */
  org: z.object({ members: z.int(), reached: z.int() }).optional(),
  ack: Ack,
  remote: RemoteCount.optional(),
  duplicate: z.boolean().optional(),
  /** Where the scope names nobody there is, and others are near it. */
  near: z.array(NearSession).optional(),
  /** Absent where there is nothing to be noticed. */
  warnings: z.array(Warning).optional(),
})
export type SubmissionReply = z.infer<typeof SubmissionReply>

/** A verb's answer: the submission's, the frame it made, and the id it minted. */
export const VerbReply = SubmissionReply.extend({
  frame: Frame,
  query_id: z.string().optional(),
  lease_id: z.string().optional(),
  diagnostic_id: z.string().optional(),
  /** The file in which the text of a handover stands that fits into no frame (HO-07). */
  kept: z.object({ path: z.string(), octets: z.int() }).optional(),
})
export type VerbReply = z.infer<typeof VerbReply>

/**
 * What became of a frame at one recipient here; only the receiving side says `seen`. `handed` is written to whoever shows it,
 * and nothing proves yet that it was shown (OP-09).
 */
export type HereState = 'emitted' | 'queued' | 'handed' | 'seen' | 'expired' | 'dropped'

/**
 * As {@link HereState}, wherever the recipient is. What leaves for another node is `remote-waiting` until a hub has it,
 * `remote-handed` until that node tells, and then what the node says, `refused` among it (FED-52).
 */
export const ReceiptState = z.enum([
  'emitted',
  'queued',
  'handed',
  'seen',
  'expired',
  'dropped',
  'remote-waiting',
  'remote-handed',
  'refused',
])
export type ReceiptState = z.infer<typeof ReceiptState>

/** What became of a frame at everybody it was for. */
export const ReceiptsReply = z.object({
  frame_id: z.string(),
  event_id: z.string(),
  accepted_at: z.string(),
  recipient_count: z.int(),
  queued_count: z.int(),
  /** As of the submission, while the daemon that took it runs. */
  people_count: z.int().optional(),
  terminal_count: z.int().optional(),
  receipts: z.array(
    z.object({
      address: z.string(),
      state: ReceiptState,
      at: z.string(),
      via: z.string().optional(),
      /** The session that got it, where it was sent to an address which that one carries on (OP-27). */
      carried_on_by: z.string().optional(),
      /**
       * The node that this is about; absent for this one. Until that node tells, the address is what was written to: a
       * scope, or an entity.
       */
      node: z.string().optional(),
      /** Why the node refused it. */
      code: z.string().optional(),
    }),
  ),
  /** Nodes that are not heard of just now, for whom `wait=all` does not wait; absent where there is none. */
  away: z.array(z.string()).optional(),
})
export type ReceiptsReply = z.infer<typeof ReceiptsReply>

/** `GET /v1/frames/{frame_id}/text`: the text of a handover, whole. */
export const FrameTextReply = z.object({ frame_id: z.string(), octets: z.int(), text: z.string() })
export type FrameTextReply = z.infer<typeof FrameTextReply>

/** The session it came from, which a frame itself does not say; null when the principal itself sent it. */
export const Sender = z.string().nullable().optional()

/** The node that accepted it first, and its event id there; absent for what was accepted here (FED-31). */
export const Elsewhere = {
  node: z.string().optional(),
  origin: z.object({ realm: z.string(), event_id: z.string() }).optional(),
}

/** A retained frame. */
export const HistoryItem = z.object({
  event_id: z.string(),
  ...Elsewhere,
  sender: Sender,
  scope: z.string(),
  accepted_at: z.string(),
  frame: Frame,
})
export type HistoryItem = z.infer<typeof HistoryItem>

/**
 * What passed: a frame with its frame, an envelope with the other three. Neither is looked into here, because one that
 * cannot be read must not cost what stands beside it.
 */
export const PassedItem = z.object({
  ...Elsewhere,
  sender: z.string().nullable(),
  /** An envelope's `to`. */
  scope: z.string(),
  accepted_at: z.string(),
  recipient_count: z.int(),
  queued_count: z.int(),
  frame: z.record(z.string(), z.unknown()).optional(),
  envelope: z.record(z.string(), z.unknown()).optional(),
  effective_priority: z.string().optional(),
  late: z.boolean().optional(),
})

/** `GET /v1/events`: a page; `next` is the cursor of the one after it, in the direction that was asked for. */
export const EventsReply = z.object({
  items: z.array(PassedItem.extend({ event_id: z.string() })),
  next: z.string().nullable(),
})

/** `GET /v1/events/{event_id}`: one item, and what became of it. */
export const EventReply = PassedItem.extend({
  event_id: z.string(),
  receipts: ReceiptsReply.shape.receipts,
})

/** One page, oldest first; `next` is the cursor of the one after it. */
export const HistoryReply = z.object({ items: z.array(HistoryItem), next: z.string().nullable() })
export type HistoryReply = z.infer<typeof HistoryReply>

/** How many frames were forgotten for good; of a dry run how many would be, all of them up to a place. */
export const ForgetReply = z.object({
  forgotten: z.int(),
  would_forget: z.int().optional(),
  up_to: z.string().nullable().optional(),
  /** Of them, how many are on the person's other machines too, and which these are; only where there is a link to one (FED-33). */
  elsewhere: z.object({ items: z.int(), nodes: z.array(z.string()) }).optional(),
})
export type ForgetReply = z.infer<typeof ForgetReply>

/**
 * A page as a client reads it: the frames are not yet looked at, because one that cannot be read must not cost
 * the others.
 */
export const LooseHistoryReply = HistoryReply.extend({
  items: z.array(HistoryItem.extend({ frame: z.unknown().optional() })),
})

/** The answer of `agent_subscribe`: where to read, and as whom. */
export const SubscribeReply = z.object({
  url: z.string(),
  address: z.string(),
  token: z.string().optional(),
})
export type SubscribeReply = z.infer<typeof SubscribeReply>
