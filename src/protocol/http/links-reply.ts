/**
 * How the links of a daemon are, for whoever asks.
 *
 * @see docs/http.md §13; FED-61, FED-65
 */
import * as z from 'zod'

/** One link, for whoever wants to know how it is. */
export const LinkReply = z.object({
  name: z.string(),
  realm: z.string(),
  node: z.string(),
  state: z.enum(['starting', 'up', 'away', 'fenced', 'refused']),
  why: z.string().nullable(),
  /** Since when it is in that state. */
  since_ms: z.int(),
  /** One sentence for people. */
  what_leaves: z.string(),
  /** What the hub sees is sealed; absent: it is not (FED-46). */
  seal: z.literal('realm').optional(),
  /** Where it is sealed: machines of the person's that have no key to open it. */
  unsealed_for: z.array(z.string()).optional(),
  /** Records that may leave and are not confirmed by the engine. */
  waiting: z.int(),
  lag_ms: z.int().nullable(),
  /** Messages that the hub has and this machine has not read, and how long ago the hub took the last that it has read. */
  behind: z.int(),
  behind_ms: z.int(),
  /** What waits, by the lanes that this machine writes; `for` says in a word whom each is for, such as `r-dev`. */
  lanes: z.array(z.object({ lane: z.string(), for: z.string(), waiting: z.int(), lag_ms: z.int() })),
  /** What was not read yet, by the filters that this machine reads. */
  readings: z.array(z.object({ filter: z.string(), for: z.string(), behind: z.int(), behind_ms: z.int() })),
  server: z.string().nullable(),
  /** Octets that the hub takes at once; null while nobody has said. */
  max_payload: z.int().nullable(),
  authority_epoch: z.int(),
  is_durable: z.boolean(),
  nodes: z.array(
    z.object({
      node: z.string(),
      state: z.enum(['here', 'away', 'left']),
      as_of: z.string(),
      sessions: z.int(),
      /** Whether it does not say who is there; absent: it does. */
      untold: z.literal(true).optional(),
      /** How far its clock is ahead of the engine's, in milliseconds. */
      offset_ms: z.int().nullable(),
    }),
  ),
  figures: z.object({
    records_out: z.int(),
    records_in: z.int(),
    repeats: z.int(),
    refused: z.int(),
    skipped: z.int(),
    holes: z.int(),
    gaps: z.int(),
    reconnects: z.int(),
  }),
})
export type LinkReply = z.infer<typeof LinkReply>

/** `GET /v1/links`. */
export const LinksReply = z.object({ links: z.array(LinkReply) })
export type LinksReply = z.infer<typeof LinksReply>
