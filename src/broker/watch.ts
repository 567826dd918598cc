/**
 * The open watches: what each of them is told, encoded once for all. Nothing is paid for them while nobody watches.
 *
 * @see docs/http.md §6; W-1, SEAT-06, SEAT-07
 */
import { AgentdError } from '../core/errors.ts'
import type { Clock } from '../core/clock.ts'
import type { Need } from '../protocol/http/need.ts'
import {
  EVENT_FORGOTTEN,
  EVENT_NEED,
  EVENT_RECEIPT,
  EVENT_SESSION,
  encodeAside,
} from '../protocol/sse/encoder.ts'
import type { Forgotten, NeedChange, ReceiptChange, SessionChange } from '../protocol/http/watch-events.ts'
import type { Run } from './mail/runs.ts'
import type { BrokerLimits } from './quota/limits.ts'
import type { Background, Defer } from './ring/background.ts'
import type { Counters } from './ring/counters.ts'
import type { RecipientOutcome, RecipientStep } from './ring/delivery.ts'
import type { Retained } from './ring/retained.ts'
import type { Ring } from './ring/ring.ts'
import { isoTime, rosterLine } from './roster-entry.ts'
import type { ReceiptBook } from './session/ledger.ts'
import type { Session } from './session/session.ts'
import type { SessionObserver } from './session/sessions-parts.ts'
import { findBeginning, type BeginningWish } from './stream/beginning.ts'
import { sendHome } from './stream/leaving.ts'
import type { Sink } from './stream/sink.ts'
import { Watcher, encodePassed } from './stream/watcher.ts'
import type { CommitBatch } from './submit/commit-batch.ts'
import { MAX_SEGMENT_LENGTH } from './submit/fan-out.ts'

/** Runs of places that one event tells of; more of them are more events. */
export const MAX_FORGOTTEN_RUNS = 1_000

/** What watches are opened with. */
export interface WatchersParts {
  readonly ring: Ring
  readonly clock: Clock
  readonly limits: BrokerLimits
  readonly background: Background
  readonly counters: Counters
  readonly defer: Defer
  readonly batch: Pick<CommitBatch, 'observeTurns'>
  readonly sessions: { all(): Iterable<Session> }
}

/** Who watches, and where it begins. */
export interface WatchWish extends BeginningWish {
  /** The session that watches; undefined for the principal itself. */
  readonly address: string | undefined
  /** How everything is, as the event in front of all others. */
  readonly snapshot: string
}

export class Watchers implements SessionObserver {
  readonly #parts: WatchersParts
  readonly #open = new Set<Watcher>()
  /** Those whom somebody who watches has been told of; empty while nobody does. */
  readonly #known = new Set<Session>()
  /** What became of sessions this turn: told at its end, each once. */
  readonly #changes = new Map<Session, SessionChange['change']>()
  #stopObserving = (): void => {}

  constructor(parts: WatchersParts) {
    this.#parts = parts
  }

  get count(): number {
    return this.#open.size
  }

  /** @throws AgentdError `busy` when as many watch as may; to be asked before any byte is sent */
  requireRoom(): void {
    if (this.#open.size < this.#parts.limits.watchers) return
    const message = 'As many watch as the daemon may be watched by; close one, or raise "limits.watchers".'
    throw new AgentdError('busy', message, { retryAfterMs: 1_000 })
  }

  open({ address, snapshot, ...wish }: WatchWish, sink: Sink): Watcher {
    const { ring, sessions, batch, counters } = this.#parts
    const beginning = findBeginning(ring, wish)
    const onGone = (gone: Watcher): void => this.#gone(gone)
    const watcher = new Watcher({ ...this.#parts, address, sink, onGone }, beginning)
    if (this.#open.size === 0) {
      for (const session of sessions.all()) this.#known.add(session)
      this.#stopObserving = batch.observeTurns((turn) => this.#passed(turn))
    }
    this.#open.add(watcher)
    counters.streamsOpened += 1
    watcher.start(beginning, snapshot)
    return watcher
  }

  /** Tells everybody who watches that something needs the person, or does no more. */
  announceNeed(change: NeedChange['change'], need: Need): void {
    if (this.#open.size === 0) return
    const told: NeedChange = { change, need }
    this.#tell(encodeAside(EVENT_NEED, JSON.stringify(told)))
  }

  /** Tells everybody who watches what is gone for good: what it was stands nowhere any more. */
  forgot(runs: Iterable<Run>): void {
    if (this.#open.size === 0) return
    const { epoch } = this.#parts.ring
    const all = [...runs]
    for (let at = 0; at < all.length; at += MAX_FORGOTTEN_RUNS) {
      const told: Forgotten = { epoch, runs: all.slice(at, at + MAX_FORGOTTEN_RUNS) }
      this.#tell(encodeAside(EVENT_FORGOTTEN, JSON.stringify(told)))
    }
  }

  /** Somebody came, went, or is no longer what the roster said. */
  sessionChanged(session: Session, isPresent: boolean): void {
    if (this.#open.size === 0) return
    const isKnown = this.#known.has(session)
    if (!isKnown && !isPresent) return
    if (this.#changes.size === 0) this.#parts.defer(() => this.#tellSessions())
    const isNew = !isKnown || this.#changes.get(session) === 'came'
    if (isPresent) {
      this.#known.add(session)
      this.#changes.set(session, isNew ? 'came' : 'changed')
      return
    }
    this.#known.delete(session)
    // Who came and went within a turn was never told of.
    if (isNew) this.#changes.delete(session)
    else this.#changes.set(session, 'went')
  }

  /** A book that tells those who watch of each receipt that is written down, and of what comes before one. */
  overhear(book: ReceiptBook): ReceiptBook {
    return {
      concluded: (seqs, address, outcome) => {
        book.concluded(seqs, address, outcome)
        if (this.#open.size > 0) this.#tellReceipts(seqs, address, outcome)
      },
      stepped: (seqs, address, step) => {
        book.stepped(seqs, address, step)
        if (this.#open.size === 0) return
        // As receipts have it: what came to a former address only waits there.
        const { ring } = this.#parts
        const own = seqs.filter((seq) => ring.get(seq)?.delivery.reached(address) === true)
        this.#tellReceipts(own, address, step)
      },
    }
  }

  /** The ring began anew: every open watch is told, and goes on from the new beginning. */
  restart(reason: 'corrupt', previousEpoch: string): void {
    for (const watcher of this.#open) watcher.restart(reason, previousEpoch)
  }

  /** As `Streams.tellHoles`. */
  tellHoles(): void {
    for (const watcher of this.#open) watcher.tellHoles()
  }

  /** Ends every watch; readers come back spread over a few seconds. */
  shutdown(): void {
    sendHome(this.#open)
  }

  #gone(watcher: Watcher): void {
    if (!this.#open.delete(watcher) || this.#open.size > 0) return
    this.#stopObserving()
    this.#known.clear()
    this.#changes.clear()
  }

  /** What a turn has brought: the same octets for everybody who keeps up, and none where nobody does. */
  #passed(turn: readonly Retained[]): void {
    const { ring } = this.#parts
    const live = [...this.#open].filter((watcher) => watcher.isLive)
    if (live.length === 0) return
    let text = ''
    turn.forEach((retained, i) => {
      text += encodePassed(ring.eventId(retained.seq), retained)
      if (text.length < MAX_SEGMENT_LENGTH && i < turn.length - 1) return
      const segment = Buffer.from(text)
      for (const watcher of live) watcher.offer(segment, retained.seq)
      text = ''
    })
    for (const watcher of live) watcher.flush()
  }

  #tellSessions(): void {
    const changes = [...this.#changes]
    this.#changes.clear()
    const events = changes.map(([session, change]) => {
      const told: SessionChange = { change, session: rosterLine(session) }
      return encodeAside(EVENT_SESSION, JSON.stringify(told))
    })
    if (events.length > 0) this.#tell(events.join(''))
  }

  #tellReceipts(
    seqs: readonly number[],
    address: string,
    { state, atMs }: RecipientOutcome | RecipientStep,
  ): void {
    const { ring } = this.#parts
    const receipts = seqs.flatMap((seq) => {
      const retained = ring.get(seq)
      if (retained === undefined) return []
      const told: ReceiptChange = { event_id: ring.eventId(seq), address, state, at: isoTime(atMs) }
      return [{ retained, event: encodeAside(EVENT_RECEIPT, JSON.stringify(told)) }]
    })
    for (const watcher of this.#open) {
      const own = receipts.filter(({ retained }) => watcher.isSenderOf(retained))
      if (own.length > 0) watcher.tell(Buffer.from(own.map(({ event }) => event).join('')))
    }
  }

  #tell(events: string): void {
    const octets = Buffer.from(events)
    for (const watcher of this.#open) watcher.tell(octets)
  }
}
