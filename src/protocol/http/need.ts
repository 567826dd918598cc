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

/** Who asks, as far as it is known; `present` is false for one that has gone. */
export const NeedSource = z.object({
  /** The session's address; null for the principal itself, and for an entity that no session has registered. */
  address: z.string().nullable(),
  title: z.string().nullable(),
  repository: z.string().nullable(),
  branch: z.string().nullable(),
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
  closed_by: z.string().optional(),
  from: NeedSource,
  text: z.string(),
  frame: Frame.optional(),
  envelope: z.record(z.string(), z.unknown()).optional(),
})
export type Need = z.infer<typeof Need>
