/**
 * One open stream of a session: a filter, the entities it names, and what follows the sequence for them.
 *
 * @see memo §7.2, AC-141…AC-145; docs/http.md §6
 */
import type { Groups } from '../../protocol/address/scope.ts'
import type { Filter } from '../../protocol/frame/filter.ts'
import type { Retained } from '../ring/retained.ts'
import type { Beginning } from './beginning.ts'
import { Following } from './following.ts'
import type { FollowingParts } from './following-parts.ts'
import { isFor, type Listener } from './hearing.ts'

/** What a subscription is built from. */
export interface SubscriptionParts extends FollowingParts {
  /** Whose stream it is: what a scope has to name, or an envelope. */
  readonly addressee: Listener
  /** Who is in an organisation, and whom a grant reaches now: what is read from the ring is judged as what passes is. */
  readonly groups: Groups
  readonly filter: Filter
  /** Entities the stream itself named, besides those of its session. */
  readonly entities: readonly string[]
  /** Whether what it does not take waits in the session's mailbox, as if there were no stream. */
  readonly isAside: boolean
  /** Whether it is shown no envelope. */
  readonly isFramesOnly: boolean
  readonly owner: SubscriptionOwner
}

/** Whoever holds the open subscriptions. */
export interface SubscriptionOwner {
  /** Called once, when a subscription is over for whatever reason. */
  subscriptionClosed(subscription: Subscription): void
}

export class Subscription extends Following {
  readonly filter: Filter
  readonly entities: readonly string[]
  readonly isAside: boolean
  readonly isFramesOnly: boolean
  readonly #addressee: Listener
  readonly #groups: Groups
  readonly #owner: SubscriptionOwner

  constructor(parts: SubscriptionParts, beginning: Beginning) {
    const { filter, isFramesOnly } = parts
    // A stream without a filter is shown most of what there is.
    super(
      parts,
      beginning,
      filter.length === 0 ? undefined : { filter, handle: undefined, withEnvelopes: !isFramesOnly },
    )
    this.filter = filter
    this.entities = parts.entities
    this.isAside = parts.isAside
    this.isFramesOnly = isFramesOnly
    this.#addressee = parts.addressee
    this.#groups = parts.groups
    this.#owner = parts.owner
  }

  protected override shows(retained: Retained): boolean {
    return isFor(this, this.#addressee, retained, this.#groups)
  }

  protected override gone(): void {
    this.#owner.subscriptionClosed(this)
  }
}
