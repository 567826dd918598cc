/**
 * What the daemon answers about a mailbox: what was in it, what is missing, and what counts as seen.
 */
import * as z from 'zod'
import { Frame } from '../frame/frame.ts'
import { Elsewhere, Sender } from './frame-replies.ts'

/** What a reader cannot be given any more; `missed` is null where nobody can count it. */
export const GapReply = z.object({
  reason: z.enum(['trimmed', 'epoch', 'unknown-id', 'overflow', 'rollback', 'corrupt', 'remote']),
  requested: z.string(),
  oldest: z.string().nullable(),
  missed: z.int().nullable(),
  /** Of what another node sent (`remote`): that node, the last event of it that is here, and the last that is missing. */
  node: z.string().optional(),
  from: z.string().nullable().optional(),
  to: z.string().optional(),
})

/** Set for what was handed over before, when nothing proved that it was shown (OP-09). */
const PerhapsShown = z.boolean().optional()

/** What a drain hands over (docs/http.md §7). */
export const DrainReply = z.object({
  items: z.array(
    z.union([
      z.object({
        event_id: z.string(),
        age_ms: z.int(),
        ...Elsewhere,
        sender: Sender,
        perhaps_shown: PerhapsShown,
        frame: Frame,
      }),
      z.object({
        event_id: z.string(),
        age_ms: z.int(),
        ...Elsewhere,
        sender: Sender,
        perhaps_shown: PerhapsShown,
        envelope: z.record(z.string(), z.unknown()),
        effective_priority: z.string(),
        late: z.boolean(),
      }),
    ]),
  ),
  coalesced: z.int(),
  remaining: z.int(),
  gap: GapReply.nullable(),
  /** Every hole in what other nodes sent, where there is one; the first is the `gap` unless that says what was trimmed. */
  holes: z.array(GapReply).optional(),
  text: z.string().optional(),
  /** What waits of other principals, where it was to be counted and there is any. */
  foreign: z.array(z.object({ handle: z.string(), count: z.int() })).optional(),
})
export type DrainReply = z.infer<typeof DrainReply>

/** As {@link LooseHistoryReply}; an item without a frame is of a kind this version does not know. */
export const LooseDrainReply = DrainReply.extend({
  items: z.array(
    z.object({
      event_id: z.string(),
      age_ms: z.int(),
      ...Elsewhere,
      sender: Sender,
      perhaps_shown: PerhapsShown,
      frame: z.unknown().optional(),
      envelope: z.unknown().optional(),
      effective_priority: z.string().optional(),
      late: z.boolean().optional(),
    }),
  ),
})

/** How many items wait. */
export const UnreadReply = z.object({ unread: z.int() })
export type UnreadReply = z.infer<typeof UnreadReply>

/** How many items that was news about. */
export const SeenReply = z.object({ seen: z.int() })
export type SeenReply = z.infer<typeof SeenReply>
