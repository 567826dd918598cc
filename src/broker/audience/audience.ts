/**
 * Who one frame or envelope reaches: the expansion of its scope, or whoever hears for its entity, after filters.
 *
 * Frames of one sender, kind and scope reach the same audience until somebody comes or goes, so an audience
 * is worked out once and shared; a broadcast to a hundred subscribers then costs one look-up.
 */
import { SERVICE_ENTITY } from '../../aee/envelope/entity.ts'
import { AgentdError, unreachable } from '../../core/errors.ts'
import { readScope, type Scope } from '../../protocol/address/scope.ts'
import { filterAdmits } from '../../protocol/frame/filter.ts'
import type { Authority } from '../authority/authority.ts'
import type { Entities } from './entities.ts'
import type { BrokerLimits } from '../quota/limits.ts'
import { hears, takes } from '../stream/hearing.ts'
import { entityLane, scopeLane } from '../mail/lanes.ts'
import { NO_MAIL } from '../ring/delivery.ts'
import type { RetainedEnvelope, RetainedFrame } from '../ring/retained.ts'
import { Reached, type Audience } from './reached.ts'
import { ScopeIndex } from './scope-index.ts'
import type { Asker, OpenQueries } from './open-queries.ts'
import type { Heirs } from '../kinship/heirs.ts'
import type { Lifelines } from '../kinship/lifelines.ts'
import type { Session } from '../session/session.ts'
import type { SessionObserver } from '../session/sessions-parts.ts'

type Decisive = 'type' | 'scope' | 'scopeText' | 'kind' | 'senderHandle' | 'tool'

/** What an expansion depends on. Under a grant also from where it came, and what it answers. */
export type AudienceFacts =
  | (Pick<RetainedFrame, Decisive> & Partial<Pick<RetainedFrame, 'origin' | 'text'>>)
  | Pick<RetainedEnvelope, Decisive>

type FrameFacts = Extract<AudienceFacts, { type: 'frame' }>

/** Characters of a key that is remembered: the name of an entity nobody registered may fill an envelope. */
export const MAX_KEY_LENGTH = 2_048

/** Audiences remembered at the most; a sender that names ever new scopes cannot grow the map. */
export const MAX_REMEMBERED_AUDIENCES = 1_024

/** The audience of what is for `service.agentd`. */
const THE_DAEMON: Audience = {
  subscriptions: [],
  absent: [],
  reach: { emittedTo: [SERVICE_ENTITY], queuedTo: [], recipientCount: 1 },
  mail: NO_MAIL,
  spared: [],
  passedOver: new Set(),
  queuedIn: new Set(),
  watch: { holders: [], lookedAtMs: 0 },
}

/** What audiences are worked out from. */
interface AudiencesParts {
  readonly entities: Entities
  readonly limits: Pick<BrokerLimits, 'fanOut'>
  readonly heirs: Pick<Heirs<Session>, 'of'>
  readonly lifelines: Pick<Lifelines<Session>, 'look'>
  readonly authority: Pick<Authority, 'actorOf' | 'membersOf' | 'reachedBy' | 'onChange'>
  readonly queries: Pick<OpenQueries, 'addresseeOf'>
}

export class Audiences implements SessionObserver {
  readonly #index: ScopeIndex
  readonly #parts: AudiencesParts
  #remembered = new Map<string, Audience>()
  /** The last one asked for: most frames are followed by another of the same sender, kind and scope. */
  #last: { readonly facts: Omit<AudienceFacts, 'scope'>; readonly audience: Audience } | undefined

  constructor(parts: AudiencesParts) {
    this.#parts = parts
    this.#index = new ScopeIndex(parts.authority.membersOf)
    parts.authority.onChange(() => this.#forget())
  }

  /** Every expansion may be another one now. */
  sessionChanged(session: Session, isPresent: boolean): void {
    // In the index exactly while a scope can reach it: by a stream or by a mailbox.
    const isReachable = session.subscriptions.size > 0 || session.mailbox !== undefined
    if (isPresent && isReachable) this.#index.add(session)
    else this.#index.remove(session)
    this.#parts.entities.update(session, isPresent)
    this.#forget()
  }

  /**
   * To be asked when a submission comes, before it is in the turn: who is found dead ends here.
   *
   * @param field - what names the recipients
   * @returns how many there are
   * @throws AgentdError `fanout-too-large` when it reaches more than one submission may (AC-180)
   */
  requireFanOut(facts: AudienceFacts, field: string): number {
    const { limits, lifelines } = this.#parts
    const { fanOut } = limits
    const found = this.of(facts)
    const isOther = found.watch.holders.length > 0 && lifelines.look(found.watch)
    const { subscriptions, absent } = isOther ? this.of(facts) : found
    const recipients = subscriptions.length + absent.length
    if (recipients <= fanOut) return recipients
    throw new AgentdError('fanout-too-large', `This reaches more than ${fanOut} subscriptions; narrow it.`, {
      field,
    })
  }

  of(facts: AudienceFacts): Audience {
    // A grant ends by itself, without anything having changed.
    if (facts.scopeText.startsWith('accord:') && facts.type === 'frame') return this.#named(facts)
    if (this.#last !== undefined && haveOneAudience(this.#last.facts, facts)) return this.#last.audience
    const audience = this.#find(facts)
    const { type, scopeText, kind, senderHandle, tool } = facts
    // Not the facts themselves, which may be a whole frame.
    this.#last = { facts: { type, scopeText, kind, senderHandle, tool }, audience }
    return audience
  }

  #forget(): void {
    this.#last = undefined
    if (this.#remembered.size > 0) this.#remembered = new Map()
  }

  #find(facts: AudienceFacts): Audience {
    // Everything a filter looks at, and last what may hold a space: an entity is any string.
    const key = `${facts.kind} ${facts.senderHandle} ${facts.tool ?? ''} ${facts.scopeText}`
    const known = this.#remembered.get(key)
    if (known !== undefined) return known
    const audience = this.#expand(facts)
    if (key.length > MAX_KEY_LENGTH) return audience
    if (this.#remembered.size >= MAX_REMEMBERED_AUDIENCES) this.#remembered.clear()
    this.#remembered.set(key, audience)
    return audience
  }

  #expand(facts: AudienceFacts): Audience {
    switch (facts.type) {
      case 'frame':
        return this.#named(facts)
      case 'envelope':
        return this.#hearers(facts)
      default:
        return unreachable(facts)
    }
  }

  /** Whoever a scope names; where a session holds no stream, its mailbox. */
  #named(facts: FrameFacts): Audience {
    const reached = this.#reachedBy(facts)
    for (const session of this.#sessionsOf(facts)) {
      const isEmitted = reached.emit(session, (subscription) => filterAdmits(subscription.filter, facts))
      if (!isEmitted && !session.isListening) reached.queue(session)
    }
    if (!reached.isEmpty || facts.scope.form !== 'session') return reached.audience
    return this.#carriedOn(facts, this.#parts.heirs.of(facts.scopeText), this.#isOwn(facts))
  }

  #sessionsOf(facts: FrameFacts): Iterable<Session> {
    const { scope } = facts
    if (scope.form !== 'accord') return this.#index.expand(scope)
    const { authority, queries } = this.#parts
    const asker = queries.addresseeOf(facts)
    if (asker === undefined) return this.#index.ofHandles(authority.reachedBy(scope, facts))
    return asker.origin === undefined ? this.#index.expand(scopeOf(asker)) : []
  }

  /** Who is a member changes, and no lane with it: what is for an organisation stands in each mailbox by itself. */
  #reachedBy({ scope, senderHandle }: Pick<RetainedFrame, Decisive>): Reached {
    const isOwn = this.#isOwn({ senderHandle })
    if (scope.form !== 'org' && scope.form !== 'accord')
      return new Reached(scopeLane(scope), (mailbox) => mailbox.readsFrames, isOwn)
    return new Reached(undefined, () => false, isOwn)
  }

  /** Whose sessions a sender may count: also an answer to another Sovereign tells it no more than that there is one. */
  #isOwn({ senderHandle }: Pick<AudienceFacts, 'senderHandle'>): (handle: string) => boolean {
    const { authority } = this.#parts
    const actor = authority.actorOf(senderHandle)
    return (handle) => authority.actorOf(handle) === actor
  }

  /** Whoever hears for an entity; what none of a session's streams takes waits in its mailbox. */
  #hearers(facts: Pick<RetainedEnvelope, Decisive>): Audience {
    if (facts.scopeText === SERVICE_ENTITY) return THE_DAEMON
    const { scopeText } = facts
    const reached = new Reached(entityLane(scopeText), (mailbox) => mailbox.readsEntity(scopeText))
    const { entities } = this.#parts
    for (const session of entities.hearersOf(scopeText)) {
      const isEmitted = reached.emit(session, (subscription) => hears(subscription, session, facts))
      if (!isEmitted && session.entities.includes(scopeText)) reached.queue(session)
    }
    return reached.isEmpty ? this.#carriedOn(facts, entities.carrierOf(scopeText)) : reached.audience
  }

  /** Nobody answers there: it is for who carries that on, and waits in a lane of its own (OP-27). */
  #carriedOn(facts: AudienceFacts, heir: Session | undefined, isOwn?: (handle: string) => boolean): Audience {
    const reached = new Reached(undefined, () => false, isOwn)
    if (heir === undefined) return reached.audience
    const isEmitted = reached.emit(heir, (subscription) => takes(subscription, facts))
    if (!isEmitted && (facts.type === 'envelope' || !heir.isListening)) reached.queue(heir)
    return reached.audience
  }
}

/** The session that asked, or whoever speaks for the person who did without one. */
function scopeOf({ senderAddress, senderHandle: handle }: Asker): Scope {
  const session = senderAddress === undefined ? undefined : readScope(senderAddress)
  return session ?? { form: 'all', handle }
}

/** Whether everything an expansion and a filter look at is the same; the text says all that a scope does. */
function haveOneAudience(a: Omit<AudienceFacts, 'scope'>, b: AudienceFacts): boolean {
  return (
    a.scopeText === b.scopeText &&
    a.type === b.type &&
    a.kind === b.kind &&
    a.senderHandle === b.senderHandle &&
    a.tool === b.tool
  )
}
