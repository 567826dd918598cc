/**
 * What the hooks of all sessions remember, in memory, and written down behind it.
 *
 * Who a session is stands on disk before it is answered; what it was shown a moment ago may be lost with a kill, and is
 * then shown again.
 *
 * @see docs/http.md §12; OP-03, OP-05
 */
import type { Clock, Timer } from '../../core/clock.ts'
import { bounded, formatHookState, parseHookState } from './hook-state-text.ts'
import type { HookRecords } from './hook-records.ts'
import { keyOf, stateKey, type HookState } from './hook-state.ts'

/** Sessions that are remembered; a machine has tens. */
export const MAX_STATES = 512

/** How long a session is remembered that nothing was heard of; as long as its handovers are. */
const KEEP_MS = 7 * 86_400_000

/** How long a change may stand in memory alone, in milliseconds. */
const WRITE_BEHIND_MS = 250

/** How far a session is followed from one id to the next. */
const MAX_HEIRS = 16

export class HookMemory {
  readonly #records: HookRecords
  readonly #clock: Pick<Clock, 'nowMs' | 'after'>
  readonly #states = new Map<string, HookState>()
  readonly #unwritten = new Set<string>()
  #timer: Timer | undefined
  #epoch: string
  #isClosed = false

  constructor(records: HookRecords, clock: Pick<Clock, 'nowMs' | 'after'>) {
    this.#records = records
    this.#clock = clock
    this.#epoch = records.epoch
    for (const text of records.all()) {
      const state = parseHookState(text)
      if (state !== undefined) this.#states.set(keyOf(state), state)
    }
  }

  /** Takes over what earlier versions have left; what was written since is newer. */
  adopt(texts: readonly string[]): void {
    for (const text of texts) {
      const state = parseHookState(text)
      if (state === undefined) continue
      this.update(keyOf(state), (known) => known ?? state)
    }
    this.flush()
  }

  read(key: string): HookState | undefined {
    return this.#states.get(key)
  }

  /** Every session of which something is remembered. */
  list(): Iterable<HookState> {
    return this.#states.values()
  }

  /** What is remembered of a session or of whoever carries it on. */
  find(runtime: string, sessionId: string): HookState | undefined {
    let state = this.read(stateKey(runtime, sessionId))
    for (let step = 0; state?.heir !== undefined && step < MAX_HEIRS; step += 1)
      state = this.read(stateKey(runtime, state.heir))
    return state
  }

  /**
   * The session of an id that is still there: of this runtime, or else of any other; undefined where two others have one of
   * that id.
   */
  findLive(runtime: string, sessionId: string): HookState | undefined {
    const own = this.read(stateKey(runtime, sessionId))
    // Mostly it is; then nobody else's are looked at.
    if (own !== undefined && own.endedMs === undefined) return own
    const found = [...this.#states.values()].filter(
      (state) => state.sessionId === sessionId && state.endedMs === undefined,
    )
    return found.length === 1 ? found[0] : undefined
  }

  /** Ids of the registered sessions of a runtime that live in one of some processes. */
  livingIn(runtime: string, isThere: (pid: number) => boolean): readonly string[] {
    const living = [...this.#states.values()].filter(
      ({ endedMs, heir, pid, runtime: own, token }) =>
        own === runtime &&
        endedMs === undefined &&
        heir === undefined &&
        token !== undefined &&
        pid !== undefined &&
        isThere(pid),
    )
    return living.map(({ sessionId }) => sessionId)
  }

  /** The session that goes, or went, by an address. */
  byAddress(address: string): HookState | undefined {
    for (const state of this.#states.values()) if (state.address === address) return state
    return undefined
  }

  /** Whether the session of one address carries on that of another, under whatever ids between them. */
  carriesOn(address: string, predecessor: string): boolean {
    return this.byAddress(address)?.formers.includes(predecessor) === true
  }

  /**
   * Changes what is remembered.
   *
   * @param change - gets what is there; what it gives is kept, undefined leaves it alone
   * @param isLasting - it has to outlive a daemon that is killed the next moment
   * @returns what is there afterwards
   */
  update(
    key: string,
    change: (state: HookState | undefined) => HookState | undefined,
    isLasting = false,
  ): HookState | undefined {
    const before = this.#states.get(key)
    const after = change(before)
    if (after === undefined || after === before) return before
    if (before === undefined) this.#makeRoom()
    const kept = bounded(after)
    this.#states.set(key, kept)
    if (this.#isClosed) return kept
    this.#unwritten.add(key)
    if (isLasting) this.flush()
    else this.#timer ??= this.#clock.after(WRITE_BEHIND_MS, () => this.flush())
    return kept
  }

  /** Writes down whatever is not. */
  flush(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    if (this.#records.epoch !== this.#epoch) for (const key of this.#states.keys()) this.#unwritten.add(key)
    this.#epoch = this.#records.epoch
    const texts = [...this.#unwritten].flatMap((key) => {
      const state = this.#states.get(key)
      return state === undefined ? [] : [[key, formatHookState(state)] as const]
    })
    this.#unwritten.clear()
    if (texts.length > 0) this.#records.save(texts)
  }

  /** Writes down what is not, and nothing from then on. */
  close(): void {
    this.flush()
    this.#isClosed = true
  }

  /** Forgets sessions of which nothing was heard for too long. There is no better moment than the start of another. */
  sweep(): void {
    const beforeMs = this.#clock.nowMs() - KEEP_MS
    for (const [key, { atMs }] of this.#states) if (atMs < beforeMs) this.#forget(key)
  }

  /** The one that ended first goes first, then the one nothing was heard of for longest. */
  #makeRoom(): void {
    if (this.#states.size < MAX_STATES) return
    const oldest = [...this.#states].toSorted(([, a], [, b]) => {
      return Number(a.endedMs === undefined) - Number(b.endedMs === undefined) || a.atMs - b.atMs
    })
    // A part of them at once: one at a time would sort them at every start.
    for (const [key] of oldest.slice(0, MAX_STATES / 8)) this.#forget(key)
  }

  #forget(key: string): void {
    this.#states.delete(key)
    this.#unwritten.delete(key)
    if (!this.#isClosed) this.#records.remove(key)
  }
}
