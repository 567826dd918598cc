/**
 * The board: who has announced which file, and which leases are announced, worked out from the frames that say so.
 *
 * It is the recipients' own correlation. The daemon keeps no table of locks and refuses, delays and changes no frame
 * because of one, so whoever reads the frames has to judge them, and everybody does it by this one board: hooks, the MCP
 * server, the command.
 *
 * Only its holder extends or releases a lease, or whoever carries its session on: anybody may write a frame that names
 * it. An id that two have asked for is two leases. Of one sender, worktree and file the newest word counts. It does not
 * matter how many frames are read at a time.
 *
 * @see memo §4.4, AC-034…AC-038; PD-07
 */
import type { Clock } from '../../core/clock.ts'
import { SetMap } from '../../core/collections/set-map.ts'
import {
  readBoardFrame,
  type BoardEntry,
  type BoardNews,
  type BoardOrigin,
  type PassingFrame,
} from './board-frame.ts'
import { leaseKey } from './lease-key.ts'
import { isNamed, lookupName, plainPath, type NamedFile } from './resource-path.ts'

/**
 * How long a lease lives at the most, in milliseconds: the longest request (AC-063), and three hours of extensions in
 * sum. Who needs it for longer asks for it again, and others see that (HD-08).
 */
export const MAX_LEASE_LIFE_MS = 4 * 3_600_000

/** Entries of one board; beyond them the oldest go, and the board stays below 16 MiB whatever the frames say. */
export const MAX_BOARD_ENTRIES = 4_096

/** Entries of one sender: one that announces every file of a repository takes the place of nobody else's. */
export const MAX_SENDER_ENTRIES = 512

/** What goes at once where there is too much, as a part of what may be: one at a time would cost ten times as much. */
const SURPLUS_PART = 8

/** Whether the session of one address carries on that of another, as after `/clear`. */
export type CarriesOn = (address: string, predecessor: string) => boolean

/** What is known besides the frames. */
export interface BoardParts {
  readonly clock: Pick<Clock, 'nowMs'>
  /** Asked only about the sender of a frame that names a lease of somebody else. */
  readonly carriesOn: CarriesOn
  /** What {@link Board.entries} of an earlier board gave. */
  readonly entries?: readonly BoardEntry[] | undefined
}

/** A line of `GET /v1/frames`, under the names of the client library (docs/http.md §5). */
export interface HistoryFrame {
  readonly eventId: string
  readonly sender: string | null | undefined
  /** RFC 3339. */
  readonly acceptedAt: string
  readonly frame: unknown
  /** The node that took it first; absent for this one. */
  readonly node?: string | undefined
}

/** One recipient's board. A frame and a lookup cost the same however much is on it. */
export class Board {
  readonly #clock: Pick<Clock, 'nowMs'>
  readonly #carriesOn: CarriesOn
  /** By their keys, in the order in which they were announced. */
  readonly #entries = new Map<string, BoardEntry>()
  readonly #byName = new SetMap<string, string>()
  readonly #bySender = new SetMap<string, string>()
  readonly #byLease = new SetMap<string, string>()
  /** Senders of entries whose sessions have ended; one is taken out when it speaks again, or has no entry any more. */
  readonly #left = new Set<string>()

  constructor({ clock, carriesOn, entries = [] }: BoardParts) {
    this.#clock = clock
    this.#carriesOn = carriesOn
    for (const entry of entries) {
      this.#put(entry)
      this.#makeRoom({ from: entry.from, atMs: clock.nowMs() })
    }
  }

  /** Takes in a frame, whatever its kind; those that are about neither files nor leases change nothing. */
  observe(passing: PassingFrame): void {
    const news = readBoardFrame(passing)
    if (news === undefined) return
    this.#left.delete(news.origin.from)
    if (news.kind === 'announced') for (const entry of news.entries) this.#put(entry)
    else this.#follow(news)
    this.#makeRoom(news.origin)
  }

  /**
   * Takes in the end of a session that nobody carries on: what it has announced is known, and holds nobody back (HD-08).
   *
   * @param address - of the session; one that has nothing on the board changes nothing
   */
  sessionEnded(address: string): void {
    if (this.#bySender.of(address).size > 0) this.#left.add(address)
  }

  /** Whether the session that announced it has ended and said nothing since. */
  hasLeft({ from, node }: Pick<BoardEntry, 'from' | 'node'>): boolean {
    // The same address on another node is somebody else (FED-54).
    return node === undefined && this.#left.has(from)
  }

  /** What is announced just now, oldest first. */
  entries(): readonly BoardEntry[] {
    return this.#live(this.#entries.values())
  }

  /** The leases among {@link entries}. */
  leases(): readonly BoardEntry[] {
    return this.entries().filter(({ leaseId }) => leaseId !== undefined)
  }

  /** What is announced just now of a file of this name, oldest first, in whatever repository: see `placed.ts`. */
  naming(file: NamedFile): readonly BoardEntry[] {
    const keys = [lookupName(file.path), lookupName(file.absolute)].flatMap((name) => [
      ...this.#byName.of(name),
    ])
    const found = keys.map((key) => this.#entries.get(key)).filter((entry) => entry !== undefined)
    return this.#live(found.filter(({ resource }) => isNamed(resource, file)))
  }

  #live(entries: Iterable<BoardEntry>): readonly BoardEntry[] {
    const nowMs = this.#clock.nowMs()
    return [...entries].filter(({ untilMs }) => untilMs > nowMs).toSorted((a, b) => a.sinceMs - b.sinceMs)
  }

  #put(entry: BoardEntry): void {
    const { leaseId, from, resource, untilMs } = entry
    const key = keyOf(entry)
    // Behind those announced before, though it replaces one of them.
    this.#remove(key)
    // A lease that is over may have been extended by a frame that is still to be read.
    if (leaseId === undefined && untilMs <= this.#clock.nowMs()) return
    this.#entries.set(key, entry)
    this.#byName.add(lookupName(resource), key)
    this.#bySender.add(from, key)
    if (leaseId !== undefined) this.#byLease.add(leaseId.toLowerCase(), key)
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    const { leaseId, from, resource } = entry
    this.#entries.delete(key)
    this.#byName.delete(lookupName(resource), key)
    this.#bySender.delete(from, key)
    if (leaseId !== undefined) this.#byLease.delete(leaseId.toLowerCase(), key)
    if (this.#bySender.of(from).size === 0) this.#left.delete(from)
  }

  /** An extension of what was over by then changes nothing. */
  #follow(news: Exclude<BoardNews, { readonly kind: 'announced' }>): void {
    const key = this.#findLease(news.leaseId, news.origin.from)
    const lease = key === undefined ? undefined : this.#entries.get(key)
    if (key === undefined || lease === undefined) return
    if (news.kind === 'released') this.#remove(key)
    else if (lease.untilMs > news.origin.atMs) {
      const wishedMs = lease.untilMs + news.additionalMs
      this.#entries.set(key, { ...lease, untilMs: Math.min(wishedMs, lease.sinceMs + MAX_LEASE_LIFE_MS) })
    }
  }

  /** The key of its sender's own lease of that id, or of one of a session that the sender carries on. */
  #findLease(leaseId: string, from: string): string | undefined {
    const own = leaseKey(leaseId, from)
    if (this.#entries.has(own)) return own
    return [...this.#byLease.of(leaseId.toLowerCase())].find((key) => {
      const holder = this.#entries.get(key)?.from
      return holder !== undefined && this.#carriesOn(from, holder)
    })
  }

  /** What was over when the newest frame was sent goes first, then what is oldest. */
  #makeRoom({ from, atMs }: BoardOrigin): void {
    const own = this.#bySender.of(from)
    if (own.size > MAX_SENDER_ENTRIES) this.#drop(own, surplusOf(own.size, MAX_SENDER_ENTRIES))
    if (this.#entries.size <= MAX_BOARD_ENTRIES) return
    for (const [key, { untilMs }] of this.#entries) if (untilMs <= atMs) this.#remove(key)
    this.#drop(this.#entries.keys(), surplusOf(this.#entries.size, MAX_BOARD_ENTRIES))
  }

  #drop(keys: Iterable<string>, count: number): void {
    let dropped = 0
    for (const key of keys) {
      if (dropped >= count) return
      this.#remove(key)
      dropped += 1
    }
  }
}

/** What tells one entry from another; whoever writes a NUL into a path mixes up nobody's but its own. */
function keyOf({ leaseId, from, node = '', worktree = '', resource }: BoardEntry): string {
  return leaseId === undefined
    ? `${from}\0${node}\0${worktree}\0${plainPath(resource)}`
    : leaseKey(leaseId, from)
}

function surplusOf(size: number, most: number): number {
  return size - (most - most / SURPLUS_PART)
}

/** Takes in frames of a history, whatever their order: as they came. */
export function observePast(board: Board, frames: readonly HistoryFrame[]): void {
  for (const { sender, acceptedAt, frame, node } of bySequence(frames))
    board.observe({ sender, acceptedAtMs: Date.parse(acceptedAt), frame, node })
}

/** Oldest first, by their places in the sequence of the daemon. */
export function bySequence<Item extends { readonly eventId: string }>(
  items: readonly Item[],
): readonly Item[] {
  return items
    .map((item) => ({ item, seq: seqOf(item.eventId) }))
    .toSorted((a, b) => a.seq - b.seq)
    .map(({ item }) => item)
}

/** The number in an event id, which the daemon has formed; 0 where there is none. */
function seqOf(eventId: string): number {
  return Number(eventId.slice(eventId.lastIndexOf('-') + 1)) || 0
}
