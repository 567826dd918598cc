/**
 * What the daemon and the bridge of one of its links say to each other, and what is told of links to whoever asks.
 *
 * The bridge is a carrier: nothing here is believed for its word (FED-45).
 *
 * @see docs/http.md §13; FED-07, FED-21, FED-26, FED-27
 */
import * as z from 'zod'
import { MAX_EVENT_ID_OCTETS, MAX_LINK_PRESENCE_OCTETS } from '../../core/limits.ts'
import { octets } from '../fields.ts'

/** An event id, of whichever daemon. */
const Place = octets(1, MAX_EVENT_ID_OCTETS)

/** Octets of a document of authority with room for the escapes of the JSON around it. */
const MAX_ESTATE_TEXT_OCTETS = 65_536

/** The lower-case label of a node, as it stands in lanes. */
const NodeLabel = octets(1, 64)

/** Numbers of the engine, which begins at 1; 0 is none. */
const Count = z.int().min(0)

/** Where a reader of the stream goes on: at that message, which has to be that node's, and the very one. */
export const LinkCursor = z.object({ seq: Count, node: z.string(), last: z.string().nullable() })
export type LinkCursor = z.infer<typeof LinkCursor>

/** A subject of the engine, or a filter over some. */
const Subject = octets(1, 512)

/** How far the engine has confirmed what this daemon published, and in which life of the stream (FED-21). */
export const Acknowledged = z.strictObject({
  last: Place.nullable(),
  reports: Count,
  stream_created: octets(1, 64),
  stream_seq: Count,
})
export type Acknowledged = z.infer<typeof Acknowledged>

/** Records that were not sent, in one `POST /v1/link/acknowledged`. */
export const MAX_UNSENT = 256

/** `POST /v1/link/acknowledged`: how far it is, and what was not sent for its size (FED-18). */
export const AcknowledgedRequest = Acknowledged.extend({
  /** Whose place it is; absent: the link's first. */
  lane: Subject.optional(),
  refused: z
    .array(z.strictObject({ e: Place, code: z.literal('envelope-too-large') }))
    .max(MAX_UNSENT)
    .optional(),
})
export type AcknowledgedRequest = z.infer<typeof AcknowledgedRequest>

/** `GET /v1/link/state`: what a bridge has to know when it begins, since it has no state of its own. */
export const LinkStateReply = z.object({
  realm: z.string(),
  node: z.string(),
  epoch: z.string(),
  first_event_id: z.string().nullable(),
  last_event_id: z.string().nullable(),
  cursor: LinkCursor.nullable(),
  marks: z.array(z.object({ lane: z.string(), epoch: z.string(), seq: z.int() })),
  acked: Acknowledged.nullable(),
  /** The place behind which a lane begins that holds nothing yet; null: the beginning of what is retained. */
  since: z.string().nullable(),
  /** Whether marks outlive the daemon (FED-34). */
  is_durable: z.boolean(),
  authority_epoch: z.int(),
  /** What is written, each with its own place; the first is the one above. */
  lanes: z.array(
    z.object({ lane: z.string(), acked: Acknowledged.nullable(), since: z.string().nullable() }),
  ),
  /** What is read, each with its own cursor; the first is the one above. */
  filters: z.array(z.object({ filter: z.string(), cursor: LinkCursor.nullable() })),
})
export type LinkStateReply = z.infer<typeof LinkStateReply>

/** `GET /v1/link/feed`: where it goes on; without `after`, at the beginning of what is retained. */
export const FeedQuery = z.strictObject({
  after: z.string().optional(),
  /** Which of the state's `lanes`; absent: the first. */
  lane: Subject.optional(),
  reports: z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .default(0),
})
export type FeedQuery = z.infer<typeof FeedQuery>

/** One line of `GET /v1/link/feed`. */
export const FeedLine = z.union([
  /** The ring does not hold what follows `after`; null for `next` where it holds nothing more. */
  z.object({ gap: z.object({ after: z.string(), next: z.string().nullable() }) }),
  /** A frame or an envelope that leaves, in the order of the ring. */
  z.object({ e: z.string(), digest: z.string(), line: z.string() }),
  /** What became here of what came from elsewhere; `r` counts them. */
  z.object({ r: z.int(), line: z.string() }),
  /** Who is here, as the text of a presence. */
  z.object({ presence: z.string() }),
])

/** The first line of `POST /v1/link/records`; behind it stand the lines of one batch as they came. */
export const RecordsHead = z
  .strictObject({
    subject: octets(0, 512),
    stream_seq: Count,
    engine_at_ms: Count,
    signature: octets(0, 512),
    /** Which of the state's `filters` brought it; absent: the first. */
    filter: Subject.optional(),
    /**
     * The node begins with this message: what it says of its lane's last record counts, and no record of it. Without a
     * subject: the stream is empty so far, and is read on behind `stream_seq`.
     */
    joins: z.literal(true).optional(),
    /** A lane before it is stopped: this one is taken, and the cursor stays where that one is. */
    holds_cursor: z.literal(true).optional(),
  })
  .refine(({ subject, joins }) => subject !== '' || joins === true, {
    message: 'must not be empty',
    path: ['subject'],
  })
export type RecordsHead = z.infer<typeof RecordsHead>

/** What became of a batch: an answer for each of its records, in order. */
export const RecordsReply = z.object({
  answers: z.array(
    z.object({
      /** The record's event id at its origin; null for one that has none. */
      e: z.string().nullable(),
      outcome: z.enum(['applied', 'repeat', 'refused', 'skipped']),
      code: z.string().optional(),
    }),
  ),
  /** Nothing of it was taken, and the lane waits: for a newer agentd, or for the document that the batch names. */
  stopped: z.enum(['unknown-version', 'unknown-estate']).optional(),
  cursor: LinkCursor.nullable(),
})
export type RecordsReply = z.infer<typeof RecordsReply>

/** Other nodes of one request: as many as an estate names. */
export const MAX_PRESENCES_BESIDE = 256

const PresenceOfNode = {
  node: NodeLabel,
  /** Whose node it is; absent: the person's own. */
  handle: octets(1, 64).optional(),
  /** In an accord: of which of the two organisations. */
  org: octets(1, 64).optional(),
  engine_at_ms: Count,
  signature: octets(1, 512),
  text: octets(1, MAX_LINK_PRESENCE_OCTETS),
}

/** `POST /v1/link/presence`: who is there on another node, in the words that it signed; and on others, which said nothing new. */
export const LinkPresenceRequest = z.strictObject({
  ...PresenceOfNode,
  others: z.array(z.strictObject(PresenceOfNode)).max(MAX_PRESENCES_BESIDE).optional(),
})
export type LinkPresenceRequest = z.infer<typeof LinkPresenceRequest>

/** `POST /v1/link/estate`: which nodes the person has. */
export const EstateRequest = z.strictObject({ text: octets(1, MAX_ESTATE_TEXT_OCTETS) })
export const EstateReply = z.object({ authority_epoch: z.int() })
export type EstateReply = z.infer<typeof EstateReply>

/** `GET /v1/link/digest` (FED-22). */
export const DigestQuery = z.strictObject({ event_id: Place })
export const DigestReply = z.object({
  digest: z.string().nullable(),
  /** As it leaves over a link that is sealed (FED-46). */
  sealed_digest: z.string().nullable(),
})
export type DigestReply = z.infer<typeof DigestReply>

/** Readings that a bridge tells of. */
const MAX_READINGS = 256

/** `POST /v1/link/condition`: how a link is, as its bridge sees it; figures are counted from the bridge's start. */
export const ConditionRequest = z.strictObject({
  state: z.enum(['up', 'away', 'fenced', 'refused']),
  why: octets(1, 1_024).optional(),
  server: octets(1, 256).optional(),
  /** Octets of a message that the server takes at the most. */
  max_payload: Count.optional(),
  reconnects: Count.optional(),
  /** Records. */
  sent: Count.optional(),
  received: Count.optional(),
  /** Messages that the engine has and this daemon has not, and how long ago the engine took the last that it has. */
  behind: Count.optional(),
  lag_ms: Count.optional(),
  /** The same of each reading; one that is not named is not behind. */
  readings: z
    .array(z.strictObject({ filter: Subject, behind: Count, lag_ms: Count }))
    .max(MAX_READINGS)
    .optional(),
})
export type ConditionRequest = z.infer<typeof ConditionRequest>
