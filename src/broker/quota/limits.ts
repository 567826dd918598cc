/**
 * The broker's bounds. They are read where they are applied, every time, so that a reload of the configuration
 * reaches everything at once. All are configuration; the names say the unit and the comments what they protect.
 */
export interface BrokerLimits {
  /** Submissions per second and sender, over any length of time (AC-179). */
  readonly submissionsPerSecond: number
  /** Submissions one sender may save up. */
  readonly submissionBurst: number
  /** How many senders' rates all of them share (HD-05). */
  readonly sendersAtOnce: number
  /** What one sender may hold of a full ring, and one process of the streams, in hundredths (HD-05). */
  readonly sharePercent: number
  /** How long what others sent is not pushed out of the ring by who holds more than its share, in milliseconds (HD-05). */
  readonly protectMs: number
  /** Subscriptions and mailboxes one frame may reach (AC-180). */
  readonly fanOut: number
  /** Streams open at once. */
  readonly subscriptions: number
  /** Watches open at once: each is written everything. */
  readonly watchers: number
  /** Registered sessions. */
  readonly sessions: number
  /** Bytes waiting in one subscriber's socket before it reads from the ring instead. */
  readonly subscriptionBytes: number
  /** How long a subscriber may take nothing before it is cut, in milliseconds. */
  readonly slowConsumerMs: number
  /** How long a session without a stream or a living process is remembered, in milliseconds. */
  readonly leaseMs: number
  /** How long a mailbox nobody looks into is queued for, in milliseconds of the daemon's running time. */
  readonly mailboxMs: number
  /** Silence after which a stream gets a keep-alive, in milliseconds. */
  readonly keepAliveMs: number
  /** Envelopes of one sender treated as `high` or `urgent` in a minute; the rest are `normal` (AEE-094). */
  readonly priorityPerMinute: number
  /** How many of them one sender may save up. */
  readonly priorityBurst: number
  /** Whether `created_at` and `ts` must be plausible and rates are limited; off in the conformance profile. */
  readonly strictTime: boolean
  readonly limitRates: boolean
  /** Whether an envelope id is taken once only; off in the conformance profile (docs/http.md §1). */
  readonly dedupEnvelopes: boolean
}
