/**
 * How the daemon is, in the names of a program.
 *
 * @see docs/http.md §10
 */
import type { Ack } from '../../protocol/http/frame-replies.ts'

/** How the daemon is, and who it is (docs/http.md §10). */
export interface Health {
  /** `healthy`, unless something is off; `details` says what. */
  readonly status: 'healthy' | 'degraded' | 'unhealthy'
  /** The version of agentd. */
  readonly version: string
  /** Names this run of the daemon. */
  readonly instanceId: string
  /** Its process id. */
  readonly pid: number
  /** Names the sequence that event ids count in; another one, and cursors of before lead nowhere. */
  readonly epoch: string
  /** The handle of the user it runs for. */
  readonly principal: string
  /** When it started, RFC 3339. */
  readonly startedAt: string
  /** How long ago that is, in milliseconds. */
  readonly uptimeMs: number
  /** How many sessions are registered. */
  readonly sessions: number
  /** Of those, how many wait at a prompt of their own; undefined from a daemon that does not say. */
  readonly waiting: number | undefined
  /** How many streams are open. */
  readonly subscriptions: number
  /** Whether the kernel is asked who connects; undefined from a daemon that does not say. */
  readonly peerCredentials: 'checked' | 'unavailable' | undefined
  /** What it retains; null without a ring. */
  readonly ring: RingHealth | null
  /** Other nodes it is linked with; undefined without a link. */
  readonly links?:
    | {
        /** Heard of within 30 s. */
        readonly here: readonly string[]
        /** Not heard of lately: what is sent waits for them. */
        readonly away: readonly string[]
      }
    | undefined
  /** One sentence per thing that is off. */
  readonly details: readonly string[]
}

/** What the daemon retains, and how. */
export interface RingHealth {
  /** Whether what is retained outlives the daemon. */
  readonly enabled: boolean
  /** The durability that answers stand for. */
  readonly ack: Ack
  /** How many items are retained. */
  readonly frames: number
  /** How many octets of them. */
  readonly bytes: number
  /** The oldest of them; null for none. */
  readonly oldestEventId: string | null
  /** The newest of them; null for none. */
  readonly newestEventId: string | null
  /** The version of SQLite that keeps them; null without it. */
  readonly sqliteVersion: string | null
  /** Its setting of that name; null without it. */
  readonly synchronous: string | null
  /** What is kept at most; undefined from a daemon that does not say. */
  readonly retention: Retention | undefined
}

/** The bounds of what is kept; whichever is met first trims. */
export interface Retention {
  /** How many items. */
  readonly maxFrames: number
  /** How many octets of them. */
  readonly maxBytes: number
  /** How old they may be, in milliseconds. */
  readonly maxAgeMs: number
}
