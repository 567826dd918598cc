/**
 * What a seat knows: fed with the events of a watch, read by the page and the terminal alike.
 *
 * It draws nothing and sends nothing. Whoever shows it compares the counts of {@link SeatModel.versions} with those of its
 * last paint.
 *
 * @see SEAT-20, SEAT-33…SEAT-38
 */
import type { Clock } from '../../core/clock.ts'
import { BoundedMap } from '../../core/collections/bounded.ts'
import { unreachable } from '../../core/errors.ts'
import type { BoardEntry } from '../../protocol/board/board-frame.ts'
import { Board } from '../../protocol/board/board.ts'
import { inOrder } from '../../protocol/need-order.ts'
import { findCollisions, type Collision } from './here/collisions.ts'
import { listHere, type HereList, type LastWord } from './here/here-list.ts'
import type { SeatSession } from './here/session.ts'
import type { SeatNeed } from './needs/need.ts'
import { isBehind, type PassedItem } from './passing/passed.ts'
import { MAX_ROWS, Rows } from './passing/rows.ts'
import type { Passing, Receipt, WatchEvent } from './watch-event.ts'

/** How the watch goes. `over`: it ended for a reason that is not mended by waiting. */
export type LinkState = 'connecting' | 'live' | 'lost' | 'over'

/** The link as it is, and why. */
export interface Link {
  readonly state: LinkState
  /** A code of the wire, or what `agentd_bye` gave; '' where there is none. */
  readonly reason: string
  /** Since when, in wall time. */
  readonly sinceMs: number
}

/** What became of something the person sent: by address the newest state. */
export type Outcome = ReadonlyMap<string, Receipt>

/** A number for each part of a seat, which grows when that part changes. */
export interface Versions {
  rows: number
  needs: number
  here: number
  receipts: number
  threads: number
  link: number
}

/** Items of the person's own whose receipts are remembered. */
const MAX_OUTCOMES = 1_000

/** Needs that are remembered after they closed, so that a card that is open can say by whom. */
const MAX_CLOSED = 100

/** Sessions whose last announcement is remembered; more than the roster of a daemon holds. */
const MAX_LAST_WORDS = 4_096

/** The kind that says what a session is doing. */
const DOING = 'advisory'

/** The kinds that name a lease by nothing but its id. */
const LATER_OF_LEASE: ReadonlySet<string> = new Set(['lock release', 'lease extend'])

/** One seat's knowledge. */
export class SeatModel {
  readonly rows: Rows
  readonly versions: Versions = { rows: 0, needs: 0, here: 0, receipts: 0, threads: 0, link: 0 }
  readonly #clock: Pick<Clock, 'nowMs'>
  readonly #board: Board
  readonly #sessions = new Map<string, SeatSession>()
  readonly #needs = new Map<string, SeatNeed>()
  readonly #closed = new BoundedMap<string, SeatNeed>({ most: MAX_CLOSED, atOnce: 0 })
  readonly #outcomes = new BoundedMap<string, Map<string, Receipt>>({ most: MAX_OUTCOMES, atOnce: 0 })
  readonly #lastWords = new BoundedMap<string, LastWord>({ most: MAX_LAST_WORDS, atOnce: 0 })
  #principal = '~'
  #link: Link
  #newest = ''

  constructor(clock: Pick<Clock, 'nowMs'>, capacity: number = MAX_ROWS) {
    this.#clock = clock
    this.rows = new Rows(capacity)
    // Whether one session carries on another is the daemon's to know.
    this.#board = new Board({ clock, carriesOn: () => false })
    this.#link = { state: 'connecting', reason: '', sinceMs: clock.nowMs() }
  }

  /** Takes in one event. One that was taken in before, as after a new connection, changes nothing. */
  feed(event: WatchEvent): void {
    switch (event.type) {
      case 'snapshot':
        return this.#begin(event)
      case 'passed':
        return this.#pass(event.item, event.passing)
      case 'session':
        return this.#session(event.session, event.hasGone)
      case 'need':
        return this.#need(event.need, event.isClosed)
      case 'receipt':
        return this.#receipt(event.receipt)
      case 'forgotten':
        this.rows.forget(event.epoch, event.runs)
        return this.#rowsChanged()
      case 'gap':
        this.rows.addGap(event.says, this.#clock.nowMs())
        return this.#rowsChanged()
      case 'bye':
        return this.setLink('lost', event.reason)
      default:
        return unreachable(event)
    }
  }

  /** Whoever holds the connection tells how it goes; the same again changes nothing. */
  setLink(state: LinkState, reason = ''): void {
    if (this.#link.state === state && this.#link.reason === reason) return
    this.#link = { state, reason, sinceMs: this.#clock.nowMs() }
    this.versions.link += 1
  }

  get link(): Link {
    return this.#link
  }

  /** Whose daemon it is; `~` until the first snapshot. */
  get principal(): string {
    return this.#principal
  }

  /** The cursor to go on from; '' before anything came. */
  get newestEventId(): string {
    return this.#newest
  }

  /** By address. */
  get sessions(): ReadonlyMap<string, SeatSession> {
    return this.#sessions
  }

  /** What is open, in the order of SEAT-09. */
  needs(): readonly SeatNeed[] {
    return inOrder(this.#needs.values(), this.#clock.nowMs())
  }

  /** A need that is open, or closed not long ago. */
  findNeed(needId: string): SeatNeed | undefined {
    return this.#needs.get(needId) ?? this.#closed.get(needId)
  }

  /** Who is here. */
  here(): HereList {
    return listHere(this.#sessions.values(), (address) => this.#lastWords.get(address))
  }

  /** Which files two sessions are at. */
  collisions(): readonly Collision[] {
    return findCollisions(this.#board.entries(), this.#sessions, this.#clock.nowMs())
  }

  /** What a session has announced and not taken back: its leases and the files it is at. */
  announcedBy(address: string): readonly BoardEntry[] {
    return this.#board.entries().filter(({ from }) => from === address)
  }

  /** What became of an item that the person sent; undefined of any other. */
  outcomeOf(eventId: string): Outcome | undefined {
    return this.#outcomes.get(eventId)
  }

  #rowsChanged(): void {
    this.versions.rows += 1
    this.versions.threads += 1
  }

  #begin({ principal, sessions, needs }: Extract<WatchEvent, { type: 'snapshot' }>): void {
    this.#principal = principal
    this.#sessions.clear()
    for (const session of sessions) this.#sessions.set(session.address, session)
    const before = [...this.#needs.values()]
    this.#needs.clear()
    for (const need of needs) this.#needs.set(need.needId, need)
    for (const need of before) if (!this.#needs.has(need.needId)) this.#closed.set(need.needId, need)
    this.versions.needs += 1
    this.versions.here += 1
    this.setLink('live')
  }

  #pass(item: PassedItem, passing: Passing): void {
    if (!isBehind(item.eventId, this.#newest)) return
    this.#newest = item.eventId
    this.rows.add(this.#withResource(item))
    this.versions.rows += 1
    if (passing.frame === undefined) {
      this.versions.threads += 1
      return
    }
    this.#board.observe({ sender: passing.sender, acceptedAtMs: passing.acceptedAtMs, frame: passing.frame })
    if (item.kind !== DOING) return
    const { text = item.text } = passing
    this.#lastWords.set(item.from, { text, atMs: item.atMs })
    this.versions.here += 1
  }

  /** What becomes of a lease may be said by its id alone: what it is on was said when it was announced. */
  #withResource(item: PassedItem): PassedItem {
    if (!LATER_OF_LEASE.has(item.kind)) return item
    const lease = this.#board.entries().find(({ leaseId }) => leaseId === item.thread)
    if (lease === undefined || item.text.startsWith(lease.resource)) return item
    return { ...item, text: `${lease.resource} ${item.text}`.trimEnd() }
  }

  #session(session: SeatSession, hasGone: boolean): void {
    const { address } = session
    if (hasGone) {
      this.#sessions.delete(address)
      this.#lastWords.delete(address)
      this.#board.sessionEnded(address)
    } else this.#sessions.set(address, session)
    this.versions.here += 1
  }

  #need(need: SeatNeed, isClosed: boolean): void {
    if (isClosed || need.state === 'closed') {
      this.#needs.delete(need.needId)
      this.#closed.set(need.needId, need)
    } else this.#needs.set(need.needId, need)
    this.versions.needs += 1
  }

  #receipt(receipt: Receipt): void {
    const known = this.#outcomes.get(receipt.eventId) ?? new Map<string, Receipt>()
    known.set(receipt.address, receipt)
    this.#outcomes.set(receipt.eventId, known)
    this.versions.receipts += 1
  }
}
