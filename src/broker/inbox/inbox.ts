/**
 * The inbox of a session that lives turn by turn: what came while it held no stream, handed over once.
 *
 * @see docs/http.md §7, PD-03, PD-06, PD-09
 */
import { AgentdError } from '../../core/errors.ts'
import type { Clock } from '../../core/clock.ts'
import { foreignHandle } from '../../protocol/address/foreign.ts'
import { isAddressedTo } from '../../protocol/address/scope.ts'
import type { Authority } from '../authority/authority.ts'
import type { DrainRequest } from '../../protocol/http/requests.ts'
import type { Gap } from '../../protocol/sse/encoder.ts'
import { octetLength } from '../../core/text/octets.ts'
import { clipLine, digestFence, digestLine } from './digest.ts'
import { coalesce, type Candidate } from './coalesce.ts'
import { leaveForeign, type LeftForeign } from './foreign.ts'
import { holeGap } from '../stream/gaps.ts'
import { isAnswered } from '../stream/hearing.ts'
import type { Hole } from '../origins/origins.ts'
import type { Mailbox } from '../session/mailbox.ts'
import { priorityOf, type Retained } from '../ring/retained.ts'
import type { Ring } from '../ring/ring.ts'
import type { Session } from '../session/session.ts'
import { startWait } from './wait.ts'

/**
 * Items one drain looks at, twice what it may hand over: each has to be read and parsed, and a mailbox that was
 * left alone for days must not hold everybody up. What lies beyond remains for the next drain.
 */
export const MAX_DRAIN_WINDOW = 2_048

/** Text one drain looks at, for the same reason: two thousand envelopes can be two gigabytes. */
export const MAX_DRAIN_LENGTH = 8 * 1024 * 1024

/** What a drain finds: the places, and what is at them, oldest first. */
interface Looked {
  readonly window: readonly number[]
  readonly waiting: readonly Retained[]
  readonly foreign: readonly Retained[]
}

/** Whether something is looked at just now. */
type Admits = (retained: Retained) => boolean

/** What one drain comes to: what to hand over, and what has to be recorded unless it was a peek. */
export interface Drain {
  /** Oldest first. */
  readonly taken: readonly Retained[]
  readonly coalesced: number
  readonly remaining: number
  readonly gap: Gap | null
  /** What is missing of other nodes, one for each lane. */
  readonly holes: readonly Gap[]
  /** The digest, when that was asked for. */
  readonly text: string | undefined
  readonly atMs: number
  readonly seen: readonly number[]
  readonly expired: readonly number[]
  /** What something newer stood for, so that it was left out. */
  readonly dropped: readonly number[]
  /** Those of the taken that were handed over before, and perhaps shown (OP-09). */
  readonly again: ReadonlySet<number>
  /** What waits of other principals and was left out, where that was asked for (FED-64). */
  readonly foreign: LeftForeign
}

export class InboxReader {
  readonly #ring: Ring
  readonly #clock: Clock
  readonly #authority: Authority

  constructor(ring: Ring, clock: Clock, authority: Authority) {
    this.#ring = ring
    this.#clock = clock
    this.#authority = authority
  }

  /** The mailbox, in use from now on. @throws AgentdError `not-found` for a session that registered without one */
  require({ mailbox }: Session): Mailbox {
    mailbox?.use()
    if (mailbox !== undefined) return mailbox
    throw new AgentdError('not-found', 'This session has no mailbox; register it with "mailbox": true.', {
      field: 'mailbox',
    })
  }

  /** Works out what to hand over; records nothing. @param admits - see `Broker.drain` */
  drain(session: Session, request: DrainRequest, admits: Admits = () => true): Drain {
    const mailbox = this.require(session)
    const holes = toGaps(mailbox.holes, this.#ring)
    const gap = this.#gap(mailbox, request.peek) ?? holes[0] ?? null
    if (!request.peek) mailbox.passHoles()
    const nowMs = this.#clock.nowMs()
    const { window, waiting, foreign } = this.#look(mailbox, session, request.foreign === 'count')
    const beyond = mailbox.unread - window.length
    const there = new Set([...waiting, ...foreign].map(({ seq }) => seq))
    // What was forgotten while it waited goes with what has expired: it must not count as unread for ever.
    const gone = window.filter((seq) => !there.has(seq))
    const isFresh = ({ expiresAtMs }: Retained): boolean => expiresAtMs > nowMs
    const expired = [...waiting, ...foreign].filter((one) => !isFresh(one))
    const fresh = coalesce(waiting.filter((one) => isFresh(one) && admits(one)))
    const candidates = mailbox.fairness.order(fresh, ({ retained }) => priorityOf(retained))
    const { taken: chosen, text } =
      request.format === 'text'
        ? this.#fillText(candidates, request, { beyond, handed: mailbox.handed })
        : fillJson(candidates, request)
    const taken = bySeq(chosen).map(({ retained }) => retained)
    if (!request.peek) mailbox.fairness.served(taken, waiting)
    return {
      taken,
      coalesced: chosen.reduce((sum, { replaced }) => sum + replaced.length, 0),
      remaining: candidates.length - taken.length + beyond,
      gap,
      holes,
      text,
      atMs: nowMs,
      seen: chosen.map(({ retained }) => retained.seq),
      expired: [...gone, ...expired.map(({ seq }) => seq)],
      dropped: chosen.flatMap(({ replaced }) => replaced),
      foreign: leaveForeign(foreign.filter(isFresh), this.#authority),
      again: new Set(taken.map(({ seq }) => seq).filter((seq) => mailbox.handed.wasReturned(seq))),
    }
  }

  /**
   * Calls back once with what is unread: as soon as that is more than nothing, when the session is over or has
   * the mailbox no longer, or at the deadline.
   *
   * @returns a function that gives the wait up
   */
  wait(session: Session, timeoutMs: number, done: (unread: number) => void): () => void {
    const mailbox = this.require(session)
    return startWait({
      clock: this.#clock,
      timeoutMs,
      isOver: () => session.isOver || session.mailbox !== mailbox || mailbox.unread > 0,
      onChange: (wake) => mailbox.onArrival(wake),
      done: () => done(mailbox.unread),
    })
  }

  /** The places a drain looks at, and what is there; apart, what other principals sent, where that is to be left out. */
  #look(mailbox: Mailbox, session: Session, leavesForeign: boolean): Looked {
    const window: number[] = []
    const waiting: Retained[] = []
    const foreign: Retained[] = []
    let length = 0
    // In the order they should go: what is large and urgent must not keep the rest from being looked at.
    const { reading } = mailbox
    const there = reading.window(MAX_DRAIN_WINDOW).filter((seq) => !mailbox.handed.has(seq))
    for (const seq of mailbox.fairness.order(there, reading.priorityAt)) {
      if (length >= MAX_DRAIN_LENGTH) break
      window.push(seq)
      const retained = this.#ring.get(seq)
      if (retained === undefined || !this.#isStillFor(retained, session)) continue
      if (leavesForeign && this.#foreignNode(retained) !== undefined) {
        // Nobody reads it now: it takes the room of nothing that is read.
        foreign.push(retained)
        continue
      }
      waiting.push(retained)
      length += retained.text.length
    }
    return { window, waiting: waiting.toSorted(byPlace), foreign: foreign.toSorted(byPlace) }
  }

  /** Who was a member when it was sent and is none any more gets it no more: it goes as what was forgotten does. */
  #isStillFor(retained: Retained, session: Session): boolean {
    const { scope } = retained
    if (scope?.form !== 'org' && scope?.form !== 'accord') return true
    return isAnswered(session, retained) || isAddressedTo({ ...retained, scope }, session, this.#authority)
  }

  #gap(mailbox: Mailbox, peek: boolean): Gap | null {
    const requested = this.#ring.eventId(mailbox.cursor)
    const missed = peek ? mailbox.lost : mailbox.takeLost()
    return missed === 0 ? null : { reason: 'trimmed', requested, oldest: this.#ring.oldestEventId, missed }
  }

  #fillText(
    candidates: readonly Candidate[],
    request: DrainRequest,
    { beyond, handed }: { readonly beyond: number; readonly handed: Mailbox['handed'] },
  ): { taken: readonly Candidate[]; text: string } {
    const fence = digestFence()
    const taken: (Candidate & { readonly line: string })[] = []
    let left = request.max_bytes - octetLength(fence.frame([], candidates.length + beyond))
    for (const candidate of candidates.slice(0, request.max_items)) {
      const { retained } = candidate
      const line = digestLine(fence, {
        ageMs: this.#ageMs(candidate),
        retained,
        foreignNode: this.#foreignNode(retained),
        isPerhapsKnown: handed.wasReturned(retained.seq),
      })
      const fits = octetLength(line) + 1 <= left
      if (!fits && taken.length > 0) break
      // The first item is handed over even where it does not fit, cut: a budget must not block a mailbox.
      taken.push({ ...candidate, line: fits ? line : clipLine(fence, line, left) })
      left -= octetLength(line) + 1
    }
    const remaining = candidates.length - taken.length + beyond
    const lines = bySeq(taken).map(({ line }) => line)
    return { taken, text: taken.length === 0 ? '' : fence.frame(lines, remaining) }
  }

  #foreignNode({ origin }: Retained): string | undefined {
    const isForeign = foreignHandle(origin?.node, this.#authority) !== undefined
    return isForeign ? origin?.node : undefined
  }

  #ageMs({ retained }: Candidate): number {
    return Math.max(0, this.#clock.nowMs() - retained.acceptedAtMs)
  }
}

/** Of several holes of one lane one, from the first to the last. */
function toGaps(holes: readonly Hole[], ring: Ring): readonly Gap[] {
  const byLane = new Map<string, Hole>()
  for (const hole of holes) {
    const lane = `${hole.realm} ${hole.lane}`
    const first = byLane.get(lane)
    byLane.set(lane, first === undefined ? hole : { ...first, to: hole.to })
  }
  return [...byLane.values()].map((hole) => holeGap(ring, hole))
}

function byPlace(a: Retained, b: Retained): number {
  return a.seq - b.seq
}

/** What goes over, oldest first, whatever order it was chosen in. */
function bySeq<T extends { readonly retained: Retained }>(chosen: readonly T[]): readonly T[] {
  return chosen.toSorted((a, b) => a.retained.seq - b.retained.seq)
}

/** Octets of JSON up to the budget; the first item goes whatever its size, or it would wait for ever. */
function fillJson(
  candidates: readonly Candidate[],
  request: DrainRequest,
): { taken: readonly Candidate[]; text: undefined } {
  let left = request.max_bytes
  const within = candidates.slice(0, request.max_items)
  const end = within.findIndex(({ retained }, i) => {
    left -= octetLength(retained.text)
    return left < 0 && i > 0
  })
  return { taken: end === -1 ? within : within.slice(0, end), text: undefined }
}
