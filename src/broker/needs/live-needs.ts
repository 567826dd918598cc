/**
 * What needs the person just now, as the daemon has it: observing what passes, as any receiver does.
 *
 * The broker never reads it, and no frame is refused, delayed or changed by it. It is made when somebody asks for the first
 * time; what was asked before is read from the ring then, so nothing of it is written down.
 *
 * @see SEAT-08, SEAT-10; docs/http.md §7, W-3
 */
import { BoundedMap } from '../../core/collections/bounded.ts'
import { Observers } from '../../core/collections/observers.ts'
import type { Clock, Timer } from '../../core/clock.ts'
import type { Need } from '../../protocol/http/need.ts'
import { inOrder } from '../../protocol/need-order.ts'
import type { Broker } from '../broker.ts'
import type { Retained } from '../ring/retained.ts'
import type { Session } from '../session/session.ts'
import type { SessionObserver } from '../session/sessions-parts.ts'
import { describeNeed, describeNeeds } from './describe-need.ts'
import { NEED_MS, OpenNeeds, nextLookMs, type NeedChange, type NeedEnd } from './open-needs.ts'
import { findPastNeeds } from './past-needs.ts'
import { promptKey, readEnd, readOpening, readPrompt } from './readings.ts'

/** Answers kept that came while the past was read: they may be to something found only then. */
const KEPT_ANSWERS = { most: 4_096, atOnce: 256 }

interface NeedsParts {
  readonly broker: Broker
  readonly clock: Clock
}

/** How many there are. */
export interface NeedTotals {
  readonly you: number
  readonly anyone: number
  /** Since when the oldest waits, wall time in milliseconds; undefined where none does. */
  readonly oldestMs: number | undefined
  /** How many gave way to others. */
  readonly displaced: number
}

export class LiveNeeds implements SessionObserver {
  /** Settles when it knows the past as well; what is asked before then knows less. */
  readonly ready: Promise<void>
  readonly #parts: NeedsParts
  readonly #needs = new OpenNeeds((change) => this.#changed(change))
  readonly #observers = new Observers<[change: NeedChange['change'], need: Need]>()
  readonly #ignore: readonly (() => void)[]
  /** Until the past is known. */
  #answers: BoundedMap<string, NeedEnd> | undefined = new BoundedMap(KEPT_ANSWERS)
  #timer: Timer | undefined
  #timerMs = Infinity
  #isClosed = false

  constructor(parts: NeedsParts) {
    this.#parts = parts
    const { broker } = parts
    this.#ignore = [
      broker.observe((retained) => this.#passing(retained)),
      broker.forgetting.add(() => this.#dropForgotten()),
    ]
    broker.sessions.observeChanges(this)
    for (const session of broker.sessions.all()) this.sessionChanged(session, true)
    this.ready = this.#fill()
  }

  /** Everything that is open or late, in the order of SEAT-09. */
  list(): readonly Need[] {
    const nowMs = this.#look()
    return describeNeeds(inOrder(this.#needs.all(), nowMs), { ...this.#parts, nowMs })
  }

  /** Reads nothing. */
  count(): NeedTotals {
    this.#look()
    const counts = { you: 0, anyone: 0 }
    let oldestMs = Infinity
    for (const { addressed, askedAtMs } of this.#needs.all()) {
      counts[addressed] += 1
      oldestMs = Math.min(oldestMs, askedAtMs)
    }
    const { displaced } = this.#needs
    return { ...counts, oldestMs: oldestMs === Infinity ? undefined : oldestMs, displaced }
  }

  /** Tells of each that opens, is late, or closes, until the returned function is called. */
  observe(observer: (change: NeedChange['change'], need: Need) => void): () => void {
    return this.#observers.add(observer)
  }

  /** Observes nothing any more. */
  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
    for (const ignore of this.#ignore) ignore()
  }

  /** Whether it waits at a prompt of its own is all that counts here. */
  sessionChanged(session: Session, isPresent: boolean): void {
    if (this.#isClosed) return
    const prompt = isPresent ? readPrompt(session) : undefined
    // One that has waited for longer is what it was before.
    if (prompt !== undefined && this.#parts.clock.nowMs() - prompt.askedAtMs >= NEED_MS) return
    if (prompt === undefined) this.#needs.close(promptKey(session.address), isPresent ? 'activity' : 'left')
    else this.#needs.replace(prompt)
  }

  #passing(retained: Retained): void {
    const need = readOpening(retained, this.#parts.broker.principal)
    if (need !== undefined) this.#needs.open(need)
    // Nobody has to read an answer to nothing.
    if (this.#answers === undefined && this.#needs.size === 0) return
    const end = readEnd(retained)
    if (end === undefined) return
    this.#needs.answer(end)
    this.#answers?.set(`${end.key} ${end.entity ?? ''}`, end)
  }

  async #fill(): Promise<void> {
    const { broker, clock } = this.#parts
    const past = await findPastNeeds(broker, clock.nowMs())
    const answers = this.#answers
    this.#answers = undefined
    if (this.#isClosed) return
    this.#needs.openPast(past)
    for (const { key, asked } of past) {
      const end = answers?.get(`${key} ${asked ?? ''}`)
      if (end !== undefined) this.#needs.answer(end)
    }
    this.#dropForgotten()
  }

  /** What was forgotten for good is nobody's need any more. */
  #dropForgotten(): void {
    const { ring } = this.#parts.broker
    for (const { key, seq } of this.#needs.all())
      if (seq > 0 && ring.get(seq) === undefined) this.#needs.close(key, 'forgotten')
  }

  /** What time makes of them, and what the ring has trimmed. @returns the time of the look */
  #look(): number {
    const { broker, clock } = this.#parts
    const { firstSeq } = broker.ring
    for (const { key, seq } of this.#needs.all()) {
      if (seq > 0 && seq < firstSeq) this.#needs.close(key, 'forgotten')
    }
    const nowMs = clock.nowMs()
    this.#needs.look(nowMs)
    this.#armAt(this.#needs.nextLookMs)
    return nowMs
  }

  #changed(change: NeedChange): void {
    if (change.change === 'opened') this.#armAt(nextLookMs(change.need))
    if (this.#observers.isEmpty) return
    const by = change.change === 'closed' ? change.by : undefined
    const surroundings = { ...this.#parts, nowMs: this.#parts.clock.nowMs() }
    this.#observers.tell(change.change, describeNeed(change.need, surroundings, by))
  }

  /** One timer, for the next of them that time changes; it may find that nothing of it is left. */
  #armAt(nextMs: number): void {
    if (nextMs >= this.#timerMs || this.#isClosed) return
    this.#timer?.cancel()
    this.#timerMs = nextMs
    const { clock } = this.#parts
    this.#timer = clock.after(Math.max(0, nextMs - clock.nowMs()), () => {
      this.#timerMs = Infinity
      this.#look()
    })
  }
}
