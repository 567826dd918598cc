/**
 * The open streams: how one begins, where it begins, and how all of them end.
 *
 * @see memo §7.2, docs/http.md §6
 */
import { AgentdError } from '../core/errors.ts'
import type { Clock } from '../core/clock.ts'
import type { Groups } from '../protocol/address/scope.ts'
import type { Filter } from '../protocol/frame/filter.ts'
import type { Background } from './ring/background.ts'
import type { Counters } from './ring/counters.ts'
import type { Entities } from './audience/entities.ts'
import type { BrokerLimits } from './quota/limits.ts'
import type { Ring } from './ring/ring.ts'
import { sourceOf, type Asking, type Source } from './quota/source.ts'
import type { Session } from './session/session.ts'
import type { Sessions } from './session/sessions.ts'
import { findBeginning, type BeginningWish } from './stream/beginning.ts'
import { sendHome } from './stream/leaving.ts'
import type { Sink } from './stream/sink.ts'
import { Subscription, type SubscriptionOwner } from './stream/subscription.ts'

/** Where a stream begins, and whose it is. */
export interface StreamStart extends BeginningWish {
  /** Entities to hear for besides those of the session (docs/http.md §6, `entities`). */
  readonly entities?: readonly string[] | undefined
  /** Who holds it, as {@link sourceOf} says: what one of them may hold is bounded (HD-05). */
  readonly source?: Source | undefined
  /** Whether it stands beside the mailbox instead of in front of it (`aside`). */
  readonly isAside?: boolean | undefined
  /** Whether it is shown no envelope, which the session then gets elsewhere (`profile=memo`). */
  readonly isFramesOnly?: boolean | undefined
}

interface StreamsParts {
  readonly ring: Ring
  readonly clock: Clock
  readonly limits: BrokerLimits
  readonly sessions: Sessions
  readonly entities: Entities
  readonly counters: Counters
  readonly background: Background
  readonly groups: Groups
}

/** Streams that a process or a session may hold, however few there may be. */
export const LEAST_SHARE_STREAMS = 16

export class Streams implements SubscriptionOwner {
  readonly #parts: StreamsParts
  readonly #open = new Map<Subscription, { readonly session: Session; readonly source: Source }>()
  /** Streams of each source that holds any. */
  readonly #held = new Map<Source, number>()

  constructor(parts: StreamsParts) {
    this.#parts = parts
  }

  get count(): number {
    return this.#open.size
  }

  /** @throws AgentdError `busy` when as many streams are open as may be; to be asked before any byte is sent */
  requireRoom(): void {
    if (this.#open.size < this.#parts.limits.subscriptions) return
    throw noRoom('There are as many streams as the daemon may hold.')
  }

  /**
   * As {@link requireRoom}, within the share that one process or session may hold (HD-05).
   *
   * @param caller - whoever is to hold it
   * @throws AgentdError `busy`
   */
  requireShare(caller: Asking): void {
    if ((this.#held.get(sourceOf(caller)) ?? 0) < this.#shareOf(caller)) return
    throw noRoom('One process, or one session, holds as many streams as its share of them is.')
  }

  /** Opens a stream for a session; it stands on the roster from now on. */
  open(session: Session, filter: Filter, start: StreamStart, sink: Sink): Subscription {
    const { ring, clock, limits, sessions, counters } = this.#parts
    const beginning = findBeginning(ring, start)
    const subscription = new Subscription(
      {
        addressee: session,
        filter,
        entities: start.entities ?? [],
        isAside: start.isAside ?? false,
        isFramesOnly: start.isFramesOnly ?? false,
        ring,
        clock,
        limits,
        sink,
        counters,
        background: this.#parts.background,
        groups: this.#parts.groups,
        owner: this,
      },
      beginning,
    )
    const source = start.source ?? session.address
    this.#open.set(subscription, { session, source })
    this.#held.set(source, (this.#held.get(source) ?? 0) + 1)
    session.subscriptions.add(subscription)
    this.#parts.entities.streamOpened(session, subscription)
    sessions.streamOpened(session)
    counters.streamsOpened += 1
    subscription.start(beginning)
    return subscription
  }

  subscriptionClosed(subscription: Subscription): void {
    const held = this.#open.get(subscription)
    if (held === undefined) return
    const { session, source } = held
    this.#open.delete(subscription)
    const left = (this.#held.get(source) ?? 0) - 1
    if (left > 0) this.#held.set(source, left)
    else this.#held.delete(source)
    session.subscriptions.delete(subscription)
    this.#parts.entities.streamClosed(session, subscription)
    this.#parts.sessions.streamClosed(session)
  }

  /** The ring began anew: every open stream is told, and goes on from the new beginning. */
  restart(reason: 'corrupt', previousEpoch: string): void {
    for (const subscription of this.#open.keys()) subscription.restart(reason, previousEpoch)
  }

  /** Everybody whom it may concern: any session of whoever the lane speaks to (FED-28). */
  tellHoles(): void {
    for (const [subscription, { session }] of this.#open) {
      // What stands in front of a mailbox is told in its place.
      if (subscription.isLive && !subscription.isAside) session.mailbox?.passHoles()
      subscription.tellHoles()
    }
  }

  /** Ends every stream; readers come back spread over a few seconds. */
  shutdown(): void {
    sendHome(this.#open.keys())
  }

  /** Who has neither process nor session is everybody without: all of them leave one share to the others. */
  #shareOf({ peerPid, session }: Asking): number {
    const { sharePercent, subscriptions } = this.#parts.limits
    const isAnybody = peerPid === undefined && session === undefined
    const percent = isAnybody ? 100 - sharePercent : sharePercent
    return Math.max(LEAST_SHARE_STREAMS, Math.floor((percent / 100) * subscriptions))
  }
}

function noRoom(message: string): AgentdError {
  return new AgentdError('busy', message, { retryAfterMs: 1_000 })
}
