/**
 * What a reader that follows the sequence is put together from.
 */
import type { Clock } from '../../core/clock.ts'
import type { BrokerLimits } from '../quota/limits.ts'
import type { Background } from '../ring/background.ts'
import type { Counters } from '../ring/counters.ts'
import type { Ring } from '../ring/ring.ts'
import type { Sink } from './sink.ts'

/** What follows the sequence is built from. */
export interface FollowingParts {
  readonly ring: Ring
  readonly clock: Clock
  readonly limits: Pick<BrokerLimits, 'subscriptionBytes' | 'slowConsumerMs' | 'keepAliveMs'>
  readonly sink: Sink
  readonly counters: Counters
  /** Where the steps of a long replay wait for their turn. */
  readonly background: Background
}
