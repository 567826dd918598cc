/** Limits of a broker in this process. */
import type { BrokerLimits } from '../../src/broker/quota/limits.ts'

/** Room enough for whatever a test does that is not about one of them; times and shares as of a daemon. */
export const ROOMY_LIMITS: BrokerLimits = {
  submissionsPerSecond: 1_000_000,
  submissionBurst: 1_000_000,
  sendersAtOnce: 8,
  sharePercent: 25,
  protectMs: 3_600_000,
  fanOut: 10_000,
  subscriptions: 10_000,
  watchers: 16,
  sessions: 10_000,
  subscriptionBytes: 64 * 1024,
  slowConsumerMs: 30_000,
  leaseMs: 1_800_000,
  mailboxMs: 604_800_000,
  keepAliveMs: 15_000,
  strictTime: true,
  limitRates: true,
  dedupEnvelopes: true,
  priorityPerMinute: 60,
  priorityBurst: 60,
}
