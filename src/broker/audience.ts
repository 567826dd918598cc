/**
 * Who one frame reaches: the expansion of its scope, after filters.
 *
 * Frames of one sender, kind and scope reach the same audience until somebody comes or goes, so an audience
 * is worked out once and shared; a broadcast to a hundred subscribers then costs one look-up.
 */
import { filterAdmits } from '../protocol/filter.ts'
import type { RetainedFrame } from './ring.ts'
import type { ScopeIndex } from './scope-index.ts'
import type { Session } from './session.ts'
import type { Subscription } from './subscription.ts'

export interface Audience {
  readonly subscriptions: readonly Subscription[]
  /** The addresses behind the subscriptions, each once. */
  readonly addresses: readonly string[]
  /** Sessions with a mailbox that hold no stream just now. */
  readonly absent: readonly Session[]
  readonly absentAddresses: readonly string[]
}

/** Audiences remembered at the most; a sender that names ever new scopes cannot grow the map. */
const MAX_REMEMBERED = 1_024

export class Audiences {
  readonly #index: ScopeIndex
  #remembered = new Map<string, Audience>()

  constructor(index: ScopeIndex) {
    this.#index = index
  }

  /** Somebody came or went: every expansion may be another one now. */
  forget(): void {
    if (this.#remembered.size > 0) this.#remembered = new Map()
  }

  /** @param key - the canonical scope and everything a filter looks at */
  of(facts: Pick<RetainedFrame, 'scope' | 'scopeText' | 'kind' | 'senderHandle' | 'tool'>): Audience {
    const key = `${facts.scopeText} ${facts.kind} ${facts.senderHandle} ${facts.tool ?? ''}`
    const known = this.#remembered.get(key)
    if (known !== undefined) return known
    const audience = this.#expand(facts)
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear()
    this.#remembered.set(key, audience)
    return audience
  }

  #expand(facts: Pick<RetainedFrame, 'scope' | 'kind' | 'senderHandle' | 'tool'>): Audience {
    const subscriptions: Subscription[] = []
    const addresses: string[] = []
    const absent: Session[] = []
    for (const session of this.#index.expand(facts.scope)) {
      if (session.subscriptions.size === 0) {
        if (session.mailbox !== undefined) absent.push(session)
        continue
      }
      const before = subscriptions.length
      for (const subscription of session.subscriptions) {
        if (filterAdmits(subscription.filter, facts)) subscriptions.push(subscription)
      }
      if (subscriptions.length > before) addresses.push(session.address)
    }
    return { subscriptions, addresses, absent, absentAddresses: absent.map(({ address }) => address) }
  }
}
