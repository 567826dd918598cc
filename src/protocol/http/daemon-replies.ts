/**
 * What the daemon answers about itself, and what every refusal looks like.
 */
import * as z from 'zod'
import { Ack } from './frame-replies.ts'

/** `GET /v1/health` (docs/http.md §10). */
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
  /** Of those, how many wait at a prompt of their own (W-4). */
  waiting: z.int().optional(),
  subscriptions: z.int(),
  /** Whether the kernel is asked who connects, besides the modes of directory and socket. */
  peer_credentials: z.enum(['checked', 'unavailable']).optional(),
  /** Whether a `pid` counts only as the kernel shows it, or any that runs does for a while (HD-04). */
  peer_processes: z.enum(['checked', 'unavailable']).optional(),
  ring: z
    .object({
      enabled: z.boolean(),
      ack: Ack,
      frames: z.int(),
      bytes: z.int(),
      oldest_event_id: z.string().nullable(),
      newest_event_id: z.string().nullable(),
      sqlite_version: z.string().nullable(),
      synchronous: z.string().nullable(),
      /** What is kept at most; whichever bound is met first trims (AC-192). */
      retention: z.object({ max_frames: z.int(), max_bytes: z.int(), max_age_ms: z.int() }).optional(),
    })
    .nullable(),
  /** What waits in memory over all connections, in octets, and how much may (HD-09). */
  memory: z.object({ waiting_bytes: z.int(), max_waiting_bytes: z.int() }).optional(),
  /** Other nodes this one is linked with: heard of within 30 s, and not; absent without a link. */
  links: z.object({ here: z.array(z.string()), away: z.array(z.string()) }).optional(),
  details: z.array(z.string()),
})
export type HealthReply = z.infer<typeof HealthReply>

/** Where a daemon is to be asked: what the pointer files say (docs/http.md §1). */
export const Pointer = z.object({
  socket: z.string(),
  principal: z.string(),
  version: z.string(),
  /** Paths on the socket. */
  stream: z.string(),
  frames: z.string(),
  mcp: z.string(),
})
export type Pointer = z.infer<typeof Pointer>

/** `GET /.well-known/mcp/server-card.json` (docs/http.md §10). */
export const ServerCard = Pointer.extend({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  /** Handles of the organisations that whoever asks is a member of, by charters in force here; absent: none (FED-60). */
  organisations: z.array(z.string()).optional(),
})
export type ServerCard = z.infer<typeof ServerCard>

/** `POST /v1/stop` (docs/http.md §10): who is about to end. */
export const StopReply = z.object({ pid: z.int() })

/** Any refusal (AC-159). `code` is read as a string: a newer daemon may know more of them. */
export const ErrorReply = z.object({
  code: z.string(),
  field: z.string().optional(),
  message: z.string(),
  retry_after_ms: z.int().optional(),
  line: z.int().optional(),
})
