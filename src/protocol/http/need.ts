/**
 * What needs the person: a question, a decision, an approval, or a session that waits at a prompt of its own.
 *
 * @see docs/http.md §7, W-3
 */
import * as z from 'zod'
import { Frame } from '../frame/frame.ts'

/**
 * What kind of answer it waits for. `prompt` is asked at a session's own prompt, and can be answered nowhere else;
 * `task` and `approval` are AEE tasks to `human.*`.
 */
export const NeedType = z.enum(['question', 'decision', 'diagnostic', 'task', 'approval', 'prompt'])
export type NeedType = z.infer<typeof NeedType>

/**
 * What a need comes to its end by: an answer, a word that no answer comes, the result or the error of a task, the next
 * that a waiting session does, its end, time, or that it is retained no longer (`forgotten`) or one too many (`displaced`).
 */
export const NeedClosing = z.enum([
  'answer',
  'return',
  'result',
  'error',
  'activity',
  'left',
  'expired',
  'forgotten',
  'displaced',
])
export type NeedClosing = z.infer<typeof NeedClosing>

/** Who asks, as far as it is known; `present` is false for one that has gone. */
export const NeedSource = z.object({
  /** The session's address; null for the principal itself, and for an entity that no session has registered. */
  address: z.string().nullable(),
  /** What people call it; absent for one that is not there. */
  name: z.string().optional(),
  title: z.string().nullable(),
  repository: z.string().nullable(),
  branch: z.string().nullable(),
  cwd: z.string().nullable().optional(),
  present: z.boolean(),
})
export type NeedSource = z.infer<typeof NeedSource>

/** One need. Everything in `from`, `text`, `frame` and `envelope` is somebody else's words. */
export const Need = z.object({
  /** `query_id`, `frame_id`, `diagnostic_id`, the id of an envelope, or the address that waits at its prompt. */
  need_id: z.string(),
  type: NeedType,
  /** `you` where only a person can be meant, `anyone` where an agent may answer as well. */
  addressed: z.enum(['you', 'anyone']),
  /** The item that opened it; null for a prompt, which is none. */
  event_id: z.string().nullable(),
  asked_at: z.string(),
  /** Until when whoever asks waits; null where it does not say. */
  until: z.string().nullable(),
  /** `late`: the asker's window is over, and an answer still goes to it. */
  state: z.enum(['open', 'late', 'closed']),
  /** What closed it; only with `closed`. */
  closed_by: NeedClosing.optional(),
  from: NeedSource,
  /** What is asked, at most 2 048 characters; for a prompt what the session says it waits for. */
  text: z.string(),
  /** The whole of what was sent; left out of a listing that would be too long with it. */
  frame: Frame.optional(),
  envelope: z.record(z.string(), z.unknown()).optional(),
})
export type Need = z.infer<typeof Need>

/** How many there are, by whom they are addressed to. */
export const NeedCounts = z.object({ you: z.int(), anyone: z.int() })
export type NeedCounts = z.infer<typeof NeedCounts>

/** `GET /v1/needs`: all that are open or late, in the order of SEAT-09. */
export const NeedsReply = z.object({
  needs: z.array(Need),
  counts: NeedCounts,
  /** Needs that gave way to others since the daemon has kept them; they are retained, and answered as ever. */
  displaced: z.int(),
})
export type NeedsReply = z.infer<typeof NeedsReply>

/** As a client reads it: what was sent is not yet looked at, because one that cannot be read must not cost the others. */
export const LooseNeed = Need.extend({ frame: z.unknown().optional(), envelope: z.unknown().optional() })
export const LooseNeedsReply = NeedsReply.extend({ needs: z.array(LooseNeed) })

/** `GET /v1/summary`: what a prompt or a status line shows. */
export const SummaryReply = z.object({
  sessions: z.int(),
  /** Of those, how many wait at a prompt of their own. */
  waiting: z.int(),
  needs: NeedCounts,
  oldest_need_at: z.string().nullable(),
  last_event_id: z.string(),
})
export type SummaryReply = z.infer<typeof SummaryReply>
