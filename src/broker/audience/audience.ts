/**
 * Who one frame or envelope reaches: the expansion of its scope, or whoever hears for its entity, after filters.
 *
 * Frames of one sender, kind and scope reach the same audience until somebody comes or goes, so an audience
 * is worked out once and shared; a broadcast to a hundred subscribers then costs one look-up.
 */
import { SERVICE_ENTITY } from '../../aee/envelope/entity.ts'
import { AgentdError, unreachable } from '../../core/errors.ts'
import { filterAdmits } from '../../protocol/frame/filter.ts'
import type { Entities } from './entities.ts'
import type { BrokerLimits } from '../quota/limits.ts'
import { hears } from '../stream/hearing.ts'
import { entityLane, scopeLane, type Awaiting } from '../mail/lanes.ts'
import { NO_MAIL, type MailEntry, type Reach } from '../ring/delivery.ts'
import type { RetainedEnvelope, RetainedFrame } from '../ring/retained.ts'
import { ScopeIndex } from './scope-index.ts'
import type { Mailbox } from '../session/mailbox.ts'
import type { Session } from '../session/session.ts'
import type { SessionObserver } from '../session/sessions-parts.ts'
import type { Subscription } from '../stream/subscription.ts'

export interface Audience {
  readonly subscriptions: readonly Subscription[]
  /** Sessions with a mailbox that hold no stream just now. */
  readonly absent: readonly Session[]
  /** The same by address, each once, and what is written down for mailboxes: what any of its senders reaches. */
  readonly reach: Reach & { readonly mail: MailEntry }
  /** The mailboxes that read its lane although they are not queued for: their stream took it, or nobody empties them. */
  readonly spared: readonly Mailbox[]
  readonly passedOver: ReadonlySet<Mailbox>
  /** The mailboxes it waits in. */
  readonly queuedIn: ReadonlySet<Awaiting>
}

type Decisive = 'type' | 'scope' | 'scopeText' | 'kind' | 'senderHandle' | 'tool'

/** What an expansion depends on. */
export type AudienceFacts = Pick<RetainedFrame, Decisive> | Pick<RetainedEnvelope, Decisive>

/** Characters of a key that is remembered: the name of an entity nobody registered may fill an envelope. */
export const MAX_KEY_LENGTH = 2_048

/** Audiences remembered at the most; a sender that names ever new scopes cannot grow the map. */
export const MAX_REMEMBERED_AUDIENCES = 1_024

/** The audience of what is for `service.agentd`. */
const THE_DAEMON: Audience = {
  subscriptions: [],
  absent: [],
  reach: { emittedTo: [SERVICE_ENTITY], queuedTo: [], recipientCount: 1, mail: NO_MAIL },
  spared: [],
  passedOver: new Set(),
  queuedIn: new Set(),
}

export class Audiences implements SessionObserver {
  readonly #index = new ScopeIndex()
  readonly #entities: Entities
  readonly #limits: Pick<BrokerLimits, 'fanOut'>
  #remembered = new Map<string, Audience>()
  /** The last one asked for: most frames are followed by another of the same sender, kind and scope. */
  #last: { readonly facts: Omit<AudienceFacts, 'scope'>; readonly audience: Audience } | undefined

  constructor(entities: Entities, limits: Pick<BrokerLimits, 'fanOut'>) {
    this.#entities = entities
    this.#limits = limits
  }

  /** Every expansion may be another one now. */
  sessionChanged(session: Session, isPresent: boolean): void {
    // In the index exactly while a scope can reach it: by a stream or by a mailbox.
    const isReachable = session.subscriptions.size > 0 || session.mailbox !== undefined
    if (isPresent && isReachable) this.#index.add(session)
    else this.#index.remove(session)
    this.#entities.update(session, isPresent)
    this.#last = undefined
    if (this.#remembered.size > 0) this.#remembered = new Map()
  }

  /**
   * @param field - what names the recipients
   * @returns how many there are
   * @throws AgentdError `fanout-too-large` when it reaches more than one submission may (AC-180)
   */
  requireFanOut(facts: AudienceFacts, field: string): number {
    const { fanOut } = this.#limits
    const { subscriptions, absent } = this.of(facts)
    const recipients = subscriptions.length + absent.length
    if (recipients <= fanOut) return recipients
    throw new AgentdError('fanout-too-large', `This reaches more than ${fanOut} subscriptions; narrow it.`, {
      field,
    })
  }

  of(facts: AudienceFacts): Audience {
    if (this.#last !== undefined && haveOneAudience(this.#last.facts, facts)) return this.#last.audience
    const audience = this.#find(facts)
    const { type, scopeText, kind, senderHandle, tool } = facts
    // Not the facts themselves, which may be a whole frame.
    this.#last = { facts: { type, scopeText, kind, senderHandle, tool }, audience }
    return audience
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
  #named(facts: Pick<RetainedFrame, Decisive>): Audience {
    const reached = new Reached(scopeLane(facts.scope), (mailbox) => mailbox.readsFrames)
    for (const session of this.#index.expand(facts.scope)) {
      const isEmitted = reached.emit(session, (subscription) => filterAdmits(subscription.filter, facts))
      if (!isEmitted && !session.isListening) reached.queue(session)
    }
    return reached.audience
  }

  /** Whoever hears for an entity; what none of a session's streams takes waits in its mailbox. */
  #hearers(facts: Pick<RetainedEnvelope, Decisive>): Audience {
    if (facts.scopeText === SERVICE_ENTITY) return THE_DAEMON
    const { scopeText } = facts
    const reached = new Reached(entityLane(scopeText), (mailbox) => mailbox.readsEntity(scopeText))
    for (const session of this.#entities.hearersOf(facts.scopeText)) {
      const isEmitted = reached.emit(session, (subscription) => hears(subscription, session, facts))
      if (!isEmitted && session.entities.includes(facts.scopeText)) reached.queue(session)
    }
    return reached.audience
  }
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

/** An audience while it is gathered. */
class Reached {
  readonly #lane: string
  readonly #reads: (mailbox: Mailbox) => boolean
  readonly #subscriptions: Subscription[] = []
  readonly #addresses: string[] = []
  readonly #absent: Session[] = []
  readonly #spared: Mailbox[] = []
  readonly #direct: Mailbox[] = []
  readonly #passedOver = new Set<Mailbox>()

  /**
   * @param lane - where it stands for mailboxes
   * @param reads - whether one finds it there
   */
  constructor(lane: string, reads: (mailbox: Mailbox) => boolean) {
    this.#lane = lane
    this.#reads = reads
  }

  /** @returns whether any of the session's streams takes it */
  emit(session: Session, takes: (subscription: Subscription) => boolean): boolean {
    const before = this.#subscriptions.length
    for (const subscription of session.subscriptions) {
      if (takes(subscription)) this.#subscriptions.push(subscription)
    }
    if (this.#subscriptions.length === before) return false
    this.#addresses.push(session.address)
    const { mailbox } = session
    if (mailbox !== undefined && this.#reads(mailbox)) this.#spared.push(mailbox)
    return true
  }

  queue(session: Session): void {
    const { mailbox } = session
    if (mailbox === undefined) return
    if (mailbox.isPassedOver) {
      this.#passedOver.add(mailbox)
      return
    }
    this.#absent.push(session)
    if (!this.#reads(mailbox)) this.#direct.push(mailbox)
  }

  get audience(): Audience {
    const absent = this.#absent
    const isRead = absent.length > this.#direct.length || this.#passedOver.size > 0
    const spared = isRead ? this.#spared : []
    // Made when it is asked for: mostly nobody does.
    let queuedIn: ReadonlySet<Awaiting> | undefined
    return {
      subscriptions: this.#subscriptions,
      absent,
      reach: {
        emittedTo: this.#addresses,
        queuedTo: absent.map(({ address }) => address),
        recipientCount: this.#subscriptions.length,
        mail: {
          lane: isRead ? this.#lane : undefined,
          spared: spared.map(({ address }) => address),
          direct: this.#direct.map(({ address }) => address),
        },
      },
      spared,
      passedOver: this.#passedOver,
      get queuedIn() {
        return (queuedIn ??= new Set(absent.flatMap(({ mailbox }) => mailbox ?? [])))
      },
    }
  }
}
