/**
 * What the daemon answers. The schemas are published under `/v1/schemas`, typed for the server, and read
 * tolerantly by the client: an older client ignores members it does not know.
 */
import * as z from 'zod'
import { Frame } from '../frame/frame.ts'
import { Delivery } from './requests.ts'

const EventId = z.string()
const OptionalText = z.string().nullable()

/** The durability an answer stands for. */
export const Ack = z.enum(['memory', 'process', 'disk'])
export type Ack = z.infer<typeof Ack>

/** 201 and 200 of `POST /v1/sessions`. */
export const SessionReply = z.object({
  address: z.string(),
  handle: z.string(),
  instrument: z.string(),
  session_id: z.string(),
  tool: z.string(),
  token: z.string(),
  event_id: EventId,
  expires_at: z.string(),
})
export type SessionReply = z.infer<typeof SessionReply>

/** One session of a roster. */
export const RosterEntry = z.object({
  address: z.string(),
  instrument: z.string(),
  session_id: z.string(),
  tool: z.string(),
  title: OptionalText,
  cwd: OptionalText,
  repository: OptionalText,
  worktree: OptionalText,
  branch: OptionalText,
  /** Who it speaks and hears for besides itself; absent from a daemon that does not say. */
  entities: z.array(z.string()).optional(),
  /** How it says it can be reached; null when it does not say. */
  delivery: Delivery.nullable().optional(),
  started_at: z.string(),
  last_seen_at: z.string(),
  subscriptions: z.int(),
  mailbox: z.object({ unread: z.int() }).nullable(),
})
export type RosterEntry = z.infer<typeof RosterEntry>

export const RosterReply = z.object({ handle: z.string(), sessions: z.array(RosterEntry) })
export type RosterReply = z.infer<typeof RosterReply>

/** `GET /v1/sessions/self`: the session's own entry, and who it speaks as. */
export const SelfReply = RosterEntry.extend({
  handle: z.string(),
  drafted_with: z.string(),
  expires_at: z.string(),
})
export type SelfReply = z.infer<typeof SelfReply>

/** 200 of a submission (docs/http.md §5, AC-138, ACQ-24). */
export const SubmissionReply = z.object({
  frame_id: z.string(),
  event_id: EventId,
  recipient_count: z.int(),
  queued_count: z.int(),
  ack: Ack,
  duplicate: z.boolean().optional(),
})
export type SubmissionReply = z.infer<typeof SubmissionReply>

/** A verb's answer: the submission's, the frame it made, and the id it minted. */
export const VerbReply = SubmissionReply.extend({
  frame: Frame,
  query_id: z.string().optional(),
  lease_id: z.string().optional(),
  diagnostic_id: z.string().optional(),
})
export type VerbReply = z.infer<typeof VerbReply>

/** What the daemon noticed about an envelope it took all the same. */
export const Warning = z.object({ code: z.string(), field: z.string().optional(), message: z.string() })
export type Warning = z.infer<typeof Warning>

/** 200 of an envelope (docs/http.md §9). */
export const EnvelopeReply = z.object({
  id: z.string(),
  event_id: EventId,
  recipient_count: z.int(),
  queued_count: z.int(),
  ack: Ack,
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

export const ReceiptState = z.enum(['emitted', 'queued', 'seen', 'expired'])
export type ReceiptState = z.infer<typeof ReceiptState>

export const ReceiptsReply = z.object({
  frame_id: z.string(),
  event_id: EventId,
  accepted_at: z.string(),
  recipient_count: z.int(),
  queued_count: z.int(),
  receipts: z.array(
    z.object({ address: z.string(), state: ReceiptState, at: z.string(), via: z.string().optional() }),
  ),
})
export type ReceiptsReply = z.infer<typeof ReceiptsReply>

/** As {@link ReceiptsReply}, of an envelope. */
export const EnvelopeReceiptsReply = ReceiptsReply.omit({ frame_id: true }).extend({ id: z.string() })
export type EnvelopeReceiptsReply = z.infer<typeof EnvelopeReceiptsReply>

/** Who rejected an envelope as context, and why (`aee.context.refute`). */
export const Refutation = z.object({ by: z.string(), reason: z.string(), at: z.string(), id: z.string() })
export type Refutation = z.infer<typeof Refutation>

/** One envelope of a thread. The envelope itself is what was submitted, byte for byte. */
export const ThreadItem = z.object({
  event_id: EventId,
  accepted_at: z.string(),
  effective_priority: z.string(),
  late: z.boolean(),
  refuted: z.array(Refutation),
  recipient_count: z.int(),
  queued_count: z.int(),
  envelope: z.record(z.string(), z.unknown()),
})
export type ThreadItem = z.infer<typeof ThreadItem>

export const ThreadReply = z.object({
  corr: z.string(),
  items: z.array(ThreadItem),
  next: EventId.nullable(),
})
export type ThreadReply = z.infer<typeof ThreadReply>

/** The session it came from, which a frame itself does not say; null when the principal itself sent it. */
const Sender = z.string().nullable().optional()

export const HistoryItem = z.object({
  event_id: EventId,
  sender: Sender,
  scope: z.string(),
  accepted_at: z.string(),
  frame: Frame,
})
export type HistoryItem = z.infer<typeof HistoryItem>

export const HistoryReply = z.object({ items: z.array(HistoryItem), next: EventId.nullable() })
export type HistoryReply = z.infer<typeof HistoryReply>

export const ForgetReply = z.object({ forgotten: z.int() })
export type ForgetReply = z.infer<typeof ForgetReply>

export const GapReply = z.object({
  reason: z.enum(['trimmed', 'epoch', 'unknown-id', 'overflow', 'rollback', 'corrupt']),
  requested: z.string(),
  oldest: EventId.nullable(),
  missed: z.int().nullable(),
})

export const DrainReply = z.object({
  items: z.array(
    z.union([
      z.object({ event_id: EventId, age_ms: z.int(), sender: Sender, frame: Frame }),
      z.object({
        event_id: EventId,
        age_ms: z.int(),
        sender: Sender,
        envelope: z.record(z.string(), z.unknown()),
        effective_priority: z.string(),
        late: z.boolean(),
      }),
    ]),
  ),
  coalesced: z.int(),
  remaining: z.int(),
  gap: GapReply.nullable(),
  text: z.string().optional(),
})
export type DrainReply = z.infer<typeof DrainReply>

/**
 * A page as a client reads it: the frames are not yet looked at, because one that cannot be read must not cost
 * the others.
 */
export const LooseHistoryReply = HistoryReply.extend({
  items: z.array(HistoryItem.extend({ frame: z.unknown().optional() })),
})

/** As {@link LooseHistoryReply}; an item without a frame is of a kind this version does not know. */
export const LooseDrainReply = DrainReply.extend({
  items: z.array(
    z.object({
      event_id: EventId,
      age_ms: z.int(),
      sender: Sender,
      frame: z.unknown().optional(),
      envelope: z.unknown().optional(),
      effective_priority: z.string().optional(),
      late: z.boolean().optional(),
    }),
  ),
})

export const UnreadReply = z.object({ unread: z.int() })
export type UnreadReply = z.infer<typeof UnreadReply>

export const SeenReply = z.object({ seen: z.int() })
export type SeenReply = z.infer<typeof SeenReply>

/** The answer of `agent_subscribe`: where to read, and as whom. */
export const SubscribeReply = z.object({
  url: z.string(),
  address: z.string(),
  token: z.string().optional(),
})
export type SubscribeReply = z.infer<typeof SubscribeReply>

export const HealthReply = z.object({
  status: z.enum(['healthy', 'degraded', 'unhealthy']),
  version: z.string(),
  instance_id: z.string(),
  pid: z.int(),
  epoch: z.string(),
  principal: z.string(),
  started_at: z.string(),
  uptime_ms: z.int(),
  sessions: z.int(),
  subscriptions: z.int(),
  /** Whether the kernel is asked who connects, besides the modes of directory and socket. */
  peer_credentials: z.enum(['checked', 'unavailable']).optional(),
  ring: z
    .object({
      enabled: z.boolean(),
      ack: Ack,
      frames: z.int(),
      bytes: z.int(),
      oldest_event_id: EventId.nullable(),
      newest_event_id: EventId.nullable(),
      sqlite_version: z.string().nullable(),
      synchronous: z.string().nullable(),
      /** What is kept at most; whichever bound is met first trims (AC-192). */
      retention: z.object({ max_frames: z.int(), max_bytes: z.int(), max_age_ms: z.int() }).optional(),
    })
    .nullable(),
  details: z.array(z.string()),
})
export type HealthReply = z.infer<typeof HealthReply>

/** Any refusal (AC-159). `code` is read as a string: a newer daemon may know more of them. */
export const ErrorReply = z.object({
  code: z.string(),
  field: z.string().optional(),
  message: z.string(),
  retry_after_ms: z.int().optional(),
  line: z.int().optional(),
})
