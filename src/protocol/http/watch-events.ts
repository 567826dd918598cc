/**
 * What a watch says besides what passes: how everything is when it begins, and what becomes of it.
 *
 * @see docs/http.md §6, W-1
 */
import * as z from 'zod'
import { HealthReply } from './daemon-replies.ts'
import { ReceiptState } from './frame-replies.ts'
import { Need } from './need.ts'
import { RosterEntry } from './session-replies.ts'

/** The first event of every connection. Items up to `event_id` that follow are history. */
export const WatchSnapshot = z.object({
  event_id: z.string(),
  principal: z.string(),
  sessions: z.array(RosterEntry),
  needs: z.array(Need),
  health: HealthReply,
  /** Lists that are longer than it tells; the whole of each is at the roster or under `/v1/needs`. */
  cut: z.array(z.enum(['sessions', 'needs'])).optional(),
})
export type WatchSnapshot = z.infer<typeof WatchSnapshot>

/** `agentd_session`: somebody came, went, or is no longer what the roster said. */
export const SessionChange = z.object({ change: z.enum(['came', 'changed', 'went']), session: RosterEntry })
export type SessionChange = z.infer<typeof SessionChange>

/** `agentd_need`: what needs the person. */
export const NeedChange = z.object({ change: z.enum(['opened', 'changed', 'closed']), need: Need })
export type NeedChange = z.infer<typeof NeedChange>

/** `agentd_receipt`: what became at one recipient of something that the watching session or the principal sent. */
export const ReceiptChange = z.object({
  event_id: z.string(),
  address: z.string(),
  state: ReceiptState,
  at: z.string(),
})
export type ReceiptChange = z.infer<typeof ReceiptChange>

/** `agentd_forgotten`: places whose items are gone for good, as the person wanted; each run is its first place and its last. */
export const Forgotten = z.object({
  epoch: z.string(),
  runs: z.array(z.object({ first: z.int(), last: z.int() })),
})
export type Forgotten = z.infer<typeof Forgotten>

/** The last event of a stream or a watch that the daemon ends. */
export const ByeEvent = z.object({ reason: z.enum(['shutdown', 'slow-consumer', 'replaced', 'expired']) })
