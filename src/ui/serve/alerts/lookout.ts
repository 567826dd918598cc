/**
 * An eye on what needs the person while no page tells them: a watch, which is no recipient and makes nobody present.
 *
 * @see SEAT-02, SEAT-41, SEAT-43
 */
import type { Clock, Timer } from '../../../core/clock.ts'
import type { Logger } from '../../../core/log.ts'
import { parseMembers } from '../../../core/text/json-object.ts'
import { messageOf } from '../../../core/thrown.ts'
import type { Connection } from '../../../client/http/connection.ts'
import { ResumingStream, type BlockReader } from '../../../client/stream/resuming.ts'
import { GATHER_MS, NeedAlerts } from '../../seat/alerts/need-alerts.ts'
import { SeatModel } from '../../seat/seat-model.ts'
import { readWatchEvent, type WatchEvent } from '../../seat/watch-event.ts'
import type { Desktop } from './desktop.ts'

/**
 * How long nothing is told after a watch began, in milliseconds: a page that was reloaded, or has lost its connection as
 * well, comes back within five seconds and tells it itself.
 */
export const PAGE_RETURN_MS = 6_000

/** Items of the past that are asked for: what passed between the end of a page and the begin of a watch is among them. */
const REPLAY_ITEMS = 64

const READER: BlockReader<WatchEvent> = {
  read: ({ event, lastEventId }, data) => readWatchEvent(event, parseMembers(data), lastEventId),
  weightOf: () => 1,
}

/** What it is made from. */
export interface LookoutParts {
  /** Speaks for the person. */
  readonly connection: Connection
  readonly desktop: Pick<Desktop, 'show' | 'withdraw' | 'clear'>
  readonly clock: Clock
  readonly log: Logger
}

export class Lookout {
  readonly #parts: LookoutParts
  readonly #model: SeatModel
  readonly #alerts: NeedAlerts
  #sinceMs = 0
  /** Undefined while a page tells them. */
  #stopping: AbortController | undefined
  /** Set while a page may still come back. */
  #quiet: Timer | undefined

  constructor(parts: LookoutParts) {
    this.#parts = parts
    const { clock, desktop } = parts
    this.#model = new SeatModel(clock, REPLAY_ITEMS)
    const sinceMs = (): number => this.#sinceMs
    this.#alerts = new NeedAlerts({
      clock,
      model: this.#model,
      get sinceMs() {
        return sinceMs()
      },
      isShown: () => false,
      tell: (alert) => desktop.show(alert),
      withdraw: (key) => desktop.withdraw(key),
    })
  }

  /** Nobody is told by a page any more. */
  begin(): void {
    if (this.#stopping !== undefined) return
    // What a page has had for no longer than that it has not told yet.
    this.#sinceMs = this.#parts.clock.nowMs() - GATHER_MS
    this.#stopping = new AbortController()
    void this.#watch(this.#stopping.signal)
  }

  /** Somebody is, who finds there what the system has told. */
  end(): void {
    this.stop()
    this.#parts.desktop.clear()
  }

  /** The process ends; what was told stays for whoever comes back. */
  stop(): void {
    this.#stopping?.abort()
    this.#stopping = undefined
    this.#quiet?.cancel()
    this.#alerts.stop()
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { connection, log } = this.#parts
    const place = { call: { route: 'openWatch' }, reader: READER, onEnd() {} } as const
    const options = { signal, replay: REPLAY_ITEMS }
    try {
      for await (const event of new ResumingStream<WatchEvent>(connection, place, options)) {
        if (signal.aborted) return
        if (!('gap' in event)) this.#take(event)
      }
    } catch (error) {
      if (!signal.aborted) log.warn('lookout-refused', { why: messageOf(error) })
    }
  }

  #take(event: WatchEvent): void {
    this.#model.feed(event)
    if (event.type === 'snapshot') {
      this.#quiet?.cancel()
      this.#quiet = this.#parts.clock.after(PAGE_RETURN_MS, () => {
        this.#quiet = undefined
        this.#alerts.look()
      })
    }
    if (this.#quiet === undefined) this.#alerts.look()
  }
}
