/**
 * What the daemon answers about envelopes, threads and log lines.
 */
import * as z from 'zod'
import { Ack, ReceiptsReply, RemoteCount, Warning } from './frame-replies.ts'

/** 200 of an envelope (docs/http.md §9). */
export const EnvelopeReply = z.object({
  id: z.string(),
  event_id: z.string(),
  recipient_count: z.int(),
  queued_count: z.int(),
  /** As of a frame: those at the person's own seats. */
  people_count: z.int().optional(),
  terminal_count: z.int().optional(),
  ack: Ack,
  /** As of a frame: sessions of other nodes that speak for the entity. */
  remote: RemoteCount.optional(),
  /** What it is treated as: its own priority, or what the sender's quota leaves of it (AEQ-27). */
  effective_priority: z.string(),
  warnings: z.array(Warning),
  /** Its task had come to its end before (AEQ-26). */
  late: z.boolean().optional(),
  duplicate: z.boolean().optional(),
})
export type EnvelopeReply = z.infer<typeof EnvelopeReply>

/** 200 of a log line: it was taken, and goes nowhere (AEE-C19). */
export const LogReply = z.object({ id: z.string(), logged: z.literal(true) })
export type LogReply = z.infer<typeof LogReply>

/** As {@link ReceiptsReply}, of an envelope. */
export const EnvelopeReceiptsReply = ReceiptsReply.omit({ frame_id: true }).extend({ id: z.string() })
export type EnvelopeReceiptsReply = z.infer<typeof EnvelopeReceiptsReply>

/** Who rejected an envelope as context, and why (`aee.context.refute`). */
export const Refutation = z.object({ by: z.string(), reason: z.string(), at: z.string(), id: z.string() })
export type Refutation = z.infer<typeof Refutation>

/** One envelope of a thread. The envelope itself is what was submitted, byte for byte. */
export const ThreadItem = z.object({
  event_id: z.string(),
  accepted_at: z.string(),
  effective_priority: z.string(),
  late: z.boolean(),
  refuted: z.array(Refutation),
  recipient_count: z.int(),
  queued_count: z.int(),
  envelope: z.record(z.string(), z.unknown()),
})
export type ThreadItem = z.infer<typeof ThreadItem>

/** One page of a thread, in causal order; `next` is the cursor of the one after it. */
export const ThreadReply = z.object({
  corr: z.string(),
  items: z.array(ThreadItem),
  next: z.string().nullable(),
})
export type ThreadReply = z.infer<typeof ThreadReply>

/** One workflow in a list of them, worked out over all that is retained of it (W-5). */
export const ThreadSummary = z.object({
  corr: z.string(),
  first_at: z.string(),
  last_at: z.string(),
  envelopes: z.int(),
  /** Entities that sent or were sent to, in the order they came in; of very many the first. */
  participants: z.array(z.string()),
  /** Of the first envelope that is retained. */
  intent: z.string(),
  /** Tasks without a result or an error from who was asked. */
  open_tasks: z.int(),
  last_type: z.string(),
})
export type ThreadSummary = z.infer<typeof ThreadSummary>

/** A page of workflows, that with the newest envelope first; `next` is the cursor of the one after it. */
export const ThreadsReply = z.object({ items: z.array(ThreadSummary), next: z.string().nullable() })
export type ThreadsReply = z.infer<typeof ThreadsReply>
