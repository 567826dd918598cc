/**
 * The inbox of a session that lives turn by turn: what came while it held no stream, handed over once.
 *
 * @see design/wire.md §7, product demands 3, 6 and 9
 */
import { AgentdError } from '../core/errors.ts'
import type { Clock } from '../core/clock.ts'
import type { Frame } from '../protocol/frame.ts'
import type { DrainReply } from '../protocol/replies.ts'
import type { DrainRequest } from '../protocol/requests.ts'
import type { Gap } from '../protocol/sse.ts'
import { octetLength } from '../protocol/text.ts'
import { clipLine, digestFence, digestLine, type DigestItem } from './digest.ts'
import type { Ledger } from './ledger.ts'
import type { Mailbox } from './mailbox.ts'
import { frameOf, type RetainedFrame, type Ring } from './ring.ts'
import type { Session } from './session.ts'
import { startWait } from './wait.ts'

/**
 * Items one drain looks at, twice what it may hand over: each has to be read and parsed, and a mailbox that was
 * left alone for days must not hold everybody up. What lies beyond remains for the next drain.
 */
export const MAX_DRAIN_WINDOW = 2_048

/** What one drain comes to: the answer, and what has to be recorded unless it was a peek. */
export interface Drain {
  readonly reply: DrainReply
  readonly seen: readonly number[]
  readonly expired: readonly number[]
}

/** An item that a drain would hand over, and older ones that it stands for. */
interface Candidate {
  readonly retained: RetainedFrame
  readonly frame: Frame
  /** What collapses with it; undefined for what never does. */
  readonly topic: string | undefined
  readonly replaced: readonly number[]
}

export class Inbox {
  readonly #ring: Ring
  readonly #ledger: Ledger
  readonly #clock: Clock

  constructor(ring: Ring, ledger: Ledger, clock: Clock) {
    this.#ring = ring
    this.#ledger = ledger
    this.#clock = clock
  }

  /** @throws AgentdError `not-found` for a session that registered without a mailbox */
  require(session: Session): Mailbox {
    if (session.mailbox !== undefined) return session.mailbox
    throw new AgentdError('not-found', 'This session has no mailbox; register it with "mailbox": true.', {
      field: 'mailbox',
    })
  }

  /** Works out what to hand over; records nothing. */
  drain(session: Session, request: DrainRequest): Drain {
    const mailbox = this.require(session)
    const gap = this.#gap(session, mailbox, request.peek)
    const nowMs = this.#clock.nowMs()
    const window = mailbox.peek().slice(0, MAX_DRAIN_WINDOW)
    const beyond = mailbox.peek().length - window.length
    const waiting = window.flatMap((seq) => this.#ring.get(seq) ?? [])
    const there = new Set(waiting.map(({ seq }) => seq))
    // What was forgotten while it waited goes with what has expired: it must not count as unread for ever.
    const gone = window.filter((seq) => !there.has(seq))
    const expired = waiting.filter(({ expiresAtMs }) => expiresAtMs <= nowMs)
    const candidates = coalesce(waiting.filter(({ expiresAtMs }) => expiresAtMs > nowMs))
    const { taken, text } =
      request.format === 'text' ? this.#fillText(candidates, request, beyond) : fillJson(candidates, request)
    const coalesced = taken.reduce((sum, { replaced }) => sum + replaced.length, 0)
    return {
      reply: {
        items: taken.map(({ retained, frame }) => ({
          event_id: this.#ring.eventId(retained.seq),
          age_ms: Math.max(0, nowMs - retained.acceptedAtMs),
          frame,
        })),
        coalesced,
        remaining: candidates.length - taken.length + beyond,
        gap,
        ...(text !== undefined && { text }),
      },
      seen: taken.flatMap(({ retained, replaced }) => [...replaced, retained.seq]),
      expired: [...gone, ...expired.map(({ seq }) => seq)],
    }
  }

  /**
   * Calls back once with what is unread: as soon as that is more than nothing, or at the deadline.
   *
   * @returns a function that gives the wait up
   */
  wait(session: Session, timeoutMs: number, done: (unread: number) => void): () => void {
    const mailbox = this.require(session)
    return startWait({
      clock: this.#clock,
      timeoutMs,
      isOver: () => mailbox.unread > 0,
      onChange: (wake) => mailbox.onArrival(wake),
      done: () => done(mailbox.unread),
    })
  }

  #gap({ address }: Session, mailbox: Mailbox, peek: boolean): Gap | null {
    const requested = this.#ring.eventId(mailbox.cursor)
    const missed = peek ? mailbox.lost : mailbox.takeLost()
    if (missed > 0 && !peek) this.#ledger.lossTold(address)
    return missed === 0 ? null : { reason: 'trimmed', requested, oldest: this.#ring.oldestEventId, missed }
  }

  #fillText(
    candidates: readonly Candidate[],
    request: DrainRequest,
    beyond: number,
  ): { taken: readonly Candidate[]; text: string } {
    const fence = digestFence()
    const lines: string[] = []
    const taken: Candidate[] = []
    let left = request.max_bytes - octetLength(fence.frame([], candidates.length + beyond))
    for (const candidate of candidates.slice(0, request.max_items)) {
      const line = digestLine(fence, this.#digestItem(candidate))
      const fits = octetLength(line) + 1 <= left
      if (!fits && taken.length > 0) break
      // The first item is handed over even where it does not fit, cut: a budget must not block a mailbox.
      lines.push(fits ? line : clipLine(fence, line, left))
      taken.push(candidate)
      left -= octetLength(line) + 1
    }
    return {
      taken,
      text: taken.length === 0 ? '' : fence.frame(lines, candidates.length - taken.length + beyond),
    }
  }

  #digestItem({ retained, frame }: Candidate): DigestItem {
    const from = retained.senderAddress ?? `${frame.sender_handle} (${frame.drafted_with})`
    return { ageMs: Math.max(0, this.#clock.nowMs() - retained.acceptedAtMs), from, frame }
  }
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

/** Advisories of one sender about the same files collapse to the newest, at the newest one's place. */
function coalesce(waiting: readonly RetainedFrame[]): readonly Candidate[] {
  const byTopic = new Map<string, Candidate>()
  const candidates = waiting.map((retained): Candidate => {
    const frame = frameOf(retained)
    const topic = topicOf(retained, frame)
    const older = topic === undefined ? undefined : byTopic.get(topic)
    const replaced = older === undefined ? [] : [...older.replaced, older.retained.seq]
    const candidate = { retained, frame, topic, replaced }
    if (topic !== undefined) byTopic.set(topic, candidate)
    return candidate
  })
  return candidates.filter((one) => one.topic === undefined || byTopic.get(one.topic) === one)
}

function topicOf(retained: RetainedFrame, frame: Frame): string | undefined {
  if (frame.kind !== 'agent_advisory') return undefined
  const { file_refs: files = [] } = frame.payload
  if (files.length === 0) return undefined
  return JSON.stringify([retained.senderAddress ?? frame.drafted_with, ...files.toSorted()])
}
