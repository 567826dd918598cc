/**
 * The section of the configuration about links: what the person lets leave over each, and what they take from it.
 *
 * @see docs/configuration.md; FED-06, FED-61, FED-63
 */
import * as z from 'zod'

/** Links that rules are written for; as many as there may be links, and some that were taken away. */
const MAX_NAMED_LINKS = 64

/** Patterns of one list; each is looked at for every frame. */
const MAX_PATTERNS = 256

const Pattern = z.string().min(1).max(256)
const Patterns = z.array(Pattern).max(MAX_PATTERNS)

const AllowFile = z.strictObject({
  /** Kinds of frames; `*` is all of them. Envelopes go by `aee.boundary`. */
  kinds: Patterns.default([]),
  /** Own sessions: `cc-*` by the instrument, an address, or `repository:<id>`. */
  from: Patterns.default(['*']),
  /** Free-text members that are blacked out. */
  redact: Patterns.default([]),
  presence: z.enum(['none', 'addresses', 'full']).default('none'),
  /** Channels of envelopes. */
  bus: Patterns.default([]),
  /** Frames by where their inference ran. */
  compute: z
    .array(z.enum(['server-active', 'server-aggregate', 'local-only']))
    .default(['server-active', 'server-aggregate', 'local-only']),
})

const AcceptFile = z.strictObject({
  /** Absent: every kind of one's own machines, and of others what is not about one's own. */
  kinds: Patterns.optional(),
  from: Patterns.default(['*']),
  /** Absent: 2 000 of a machine of one's own, 50 of another principal. */
  per_second: z.int().positive().optional(),
})

/** What may leave over a link, and what may enter. */
export const LinkSection = z.strictObject({
  allow: AllowFile.prefault({}),
  accept: AcceptFile.prefault({}),
  /** What goes to the hub is sealed with the key of the realm, and nothing else is taken from it (FED-46); absent: plain. */
  seal: z.literal('realm').optional(),
})

/** Name of a link → what may leave over it, and what may enter. */
export const LinksFile = z
  .record(
    z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/, 'must be the name of a link'),
    LinkSection,
  )
  .refine(
    (links) => Object.keys(links).length <= MAX_NAMED_LINKS,
    `must name at most ${MAX_NAMED_LINKS} links`,
  )
export type LinksFile = z.infer<typeof LinksFile>
