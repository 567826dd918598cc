/**
 * Which of what passes is shown, and by what name: worked out from what a watch says, which filters nothing itself.
 */
import type { PassedEnvelope, PassedFrame, RosterSession } from '../../../client/index.ts'
import { BoundedMap } from '../../../core/collections/bounded.ts'
import { readEventId } from '../../../protocol/address/event-id.ts'
import { filterAdmits, type Filter } from '../../../protocol/frame/filter.ts'
import { EVENT_ENVELOPE } from '../../../protocol/sse/encoder.ts'

/** A frame or an envelope that passed. */
export type Passed = PassedFrame | PassedEnvelope

/** What is asked for. */
export interface PassingWish {
  readonly filter: Filter
  /** Entities whose envelopes are shown; undefined for those of all. */
  readonly entities: readonly string[] | undefined
  /** How many of the newest to begin with. */
  readonly replay: number | undefined
  readonly principal: string
}

/** Sessions remembered, those that have gone too: what they sent may still be shown. */
const REMEMBERED = { most: 4_096, atOnce: 256 }

export class Passing {
  readonly #wish: PassingWish
  /** Address → the session. */
  readonly #senders = new BoundedMap<string, RosterSession>(REMEMBERED)
  /** History that is to be shown, the newest so many of it; undefined once it has been. */
  #history: Passed[] | undefined
  /** The place of the newest item when the watch began. */
  #historyEnd: number | undefined

  constructor(wish: PassingWish) {
    this.#wish = wish
    this.#history = wish.replay === undefined || wish.replay === 0 ? undefined : []
  }

  /** Somebody is there, or was. */
  meet(session: RosterSession): void {
    this.#senders.set(session.address, session)
  }

  /** A connection begins; what comes up to this place is history. */
  begin(eventId: string): void {
    this.#historyEnd ??= readEventId(eventId)?.seq
  }

  /** @returns undefined for the principal itself, and for a session of which nothing is known */
  nameOf({ sender }: Passed): string | undefined {
    return sender === null ? undefined : this.#senders.get(sender)?.name
  }

  /** What is to be shown now that this has passed: nothing before all of the history is there. */
  take(item: Passed): readonly Passed[] {
    const own = this.#admits(item) ? [item] : []
    const history = this.#history
    if (history === undefined) return own
    history.push(...own)
    if (history.length > (this.#wish.replay ?? 0)) history.shift()
    const seq = readEventId(item.eventId)?.seq ?? Infinity
    if (seq < (this.#historyEnd ?? 0)) return []
    this.#history = undefined
    return history
  }

  #admits(item: Passed): boolean {
    const { filter, entities, principal } = this.#wish
    const { sender, scope: scopeText } = item
    const senderHandle = sender === null ? principal : sender.slice(0, sender.indexOf('/'))
    const tool = sender === null ? undefined : this.#senders.get(sender)?.tool
    if (item.type === 'frame')
      return filterAdmits(filter, { kind: item.frame.kind, senderHandle, tool, scopeText })
    const facts = { kind: EVENT_ENVELOPE, senderHandle, tool, scopeText }
    if (entities === undefined) return filterAdmits(filter, facts)
    // What is asked for by name is shown whatever kind of frame the filter wants (docs/http.md §6).
    const clauses = filter.filter(({ axis }) => axis !== 'kind')
    return entities.includes(item.scope) && filterAdmits(clauses, facts)
  }
}
