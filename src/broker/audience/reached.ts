/**
 * An audience, and how it is gathered: one session after the other, by a stream or else by a mailbox.
 */
import { isPersonInstrument, isTerminalInstrument } from '../../protocol/address/handle.ts'
import type { Watch } from '../kinship/lifelines.ts'
import type { Awaiting } from '../mail/lanes.ts'
import type { MailEntry, Reach } from '../ring/delivery.ts'
import type { Mailbox } from '../session/mailbox.ts'
import type { Session } from '../session/session.ts'
import type { Subscription } from '../stream/subscription.ts'

/** Whoever one frame or envelope reaches. */
export interface Audience {
  readonly subscriptions: readonly Subscription[]
  /** Sessions with a mailbox that hold no stream just now. */
  readonly absent: readonly Session[]
  /** The same by address, each once: what any of its senders reaches. And what is written down for mailboxes. */
  readonly reach: Reach
  readonly mail: MailEntry
  /** The mailboxes that read its lane although they are not queued for: their stream took it, or nobody empties them. */
  readonly spared: readonly Mailbox[]
  readonly passedOver: ReadonlySet<Mailbox>
  /** The mailboxes it waits in. */
  readonly queuedIn: ReadonlySet<Awaiting>
  /** Those it reaches whose lives hang on a process: looked at before they count as reached (OP-27). */
  readonly watch: Watch<Session>
}

/** An audience while it is gathered. */
export class Reached {
  readonly #lane: string | undefined
  readonly #reads: (mailbox: Mailbox) => boolean
  readonly #subscriptions: Subscription[] = []
  readonly #addresses: string[] = []
  readonly #absent: Session[] = []
  readonly #spared: Mailbox[] = []
  readonly #direct: Mailbox[] = []
  readonly #passedOver = new Set<Mailbox>()
  readonly #hanging: Session[] = []
  readonly #isOwn: (handle: string) => boolean
  /** Other handles than the sender's: those a stream took it for, and those it only waits for. */
  readonly #others = new Set<string>()
  readonly #awaitedOthers = new Set<string>()
  #emitted = 0
  #queued = 0
  #people = 0
  #terminals = 0

  /**
   * @param lane - where it stands for mailboxes; undefined where none reads one for it
   * @param reads - whether one finds it there
   * @param isOwn - whose sessions are counted one by one; of everybody else's handles each counts once at the most, however
   *   many sessions it has here (AC-187, ACQ-24). Absent: all are
   */
  constructor(
    lane: string | undefined,
    reads: (mailbox: Mailbox) => boolean,
    isOwn: (handle: string) => boolean = () => true,
  ) {
    this.#lane = lane
    this.#reads = reads
    this.#isOwn = isOwn
  }

  /** @returns whether any of the session's streams takes it */
  emit(session: Session, takes: (subscription: Subscription) => boolean): boolean {
    const before = this.#subscriptions.length
    for (const subscription of session.subscriptions) {
      if (takes(subscription)) this.#subscriptions.push(subscription)
    }
    const taken = this.#subscriptions.length - before
    if (taken === 0) return false
    const isOwn = this.#isOwn(session.handle)
    if (isOwn) this.#emitted += taken
    else this.#others.add(session.handle)
    if (isOwn) this.#countPeople(session.instrument, taken)
    this.#addresses.push(session.address)
    if (session.lifeline?.endsSession === true) this.#hanging.push(session)
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
    const isOwn = this.#isOwn(session.handle)
    if (isOwn) this.#queued += 1
    else this.#awaitedOthers.add(session.handle)
    if (isOwn) this.#countPeople(session.instrument, 1)
    if (session.lifeline?.endsSession === true) this.#hanging.push(session)
    if (!this.#reads(mailbox)) this.#direct.push(mailbox)
  }

  /** Whether there was nobody for it, nor anybody who only looks too seldom. */
  get isEmpty(): boolean {
    return this.#subscriptions.length + this.#absent.length + this.#passedOver.size === 0
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
        recipientCount: this.#emitted + this.#others.size,
        queuedCount: this.#queued + [...this.#awaitedOthers].filter((one) => !this.#others.has(one)).length,
        peopleCount: this.#people,
        terminalCount: this.#terminals,
      },
      mail: {
        lane: isRead ? this.#lane : undefined,
        spared: spared.map(({ address }) => address),
        direct: this.#direct.map(({ address }) => address),
      },
      spared,
      passedOver: this.#passedOver,
      watch: { holders: this.#hanging, lookedAtMs: -Infinity },
      get queuedIn() {
        return (queuedIn ??= new Set(absent.flatMap(({ mailbox }) => mailbox ?? [])))
      },
    }
  }
  /** Who is no agent, whatever else is reached. */
  #countPeople(instrument: string, count: number): void {
    if (isPersonInstrument(instrument)) this.#people += count
    else if (isTerminalInstrument(instrument)) this.#terminals += count
  }
}
