/**
 * How the link is, as `agentd link status` shows it: told to the daemon when it changes, and its figures now and then.
 *
 * @see FED-65
 */
import type { Clock, Timer } from '../core/clock.ts'
import type { Door } from './daemon/door.ts'
import type { HubFault } from './hub/faults.ts'
import type { Hub } from './hub/hub.ts'
import type { HubMessage } from './hub/message.ts'
import { TRUSTED_MS } from './kept.ts'

export type LinkCondition = 'up' | 'away' | 'fenced' | 'refused'

/** How often figures are told at most. */
const FIGURES_MS = 2_000

/** Longer words say no more. */
const MAX_WHY = 500

/** Readings that are told of; those that are furthest behind go first. */
const MAX_READINGS = 256

/** Of the last message of a reading: how many come behind it, and when the engine took it. */
type Read = Pick<HubMessage, 'pending' | 'engineAtMs'>

export class Condition {
  readonly #door: Pick<Door, 'post'>
  readonly #clock: Clock
  /** What the daemon has been told; undefined while it was told nothing. */
  #told: string | undefined
  #hub: Pick<Hub, 'server' | 'maxPayload'> | undefined
  #connections = 0
  #sent = 0
  #received = 0
  /** Filter → how far its reading is. */
  readonly #readings = new Map<string, Read>()
  readonly #ready = new Set<string>()
  /** Whether the engine did not keep what it was given; whatever else it answers, the link is not up. */
  #isDoubted = false
  /** Until a round is trusted in which nothing was kept. */
  #trusting: Timer | undefined
  /** How many ways there are in this round. */
  #ways = Infinity
  /** Whether figures will be told by themselves. */
  #isDue = false

  constructor(door: Pick<Door, 'post'>, clock: Clock) {
    this.#door = door
    this.#clock = clock
  }

  /** Whether all ways were open in this round. */
  get isUp(): boolean {
    return !this.#isDoubted && this.#ready.size >= this.#ways
  }

  /** @param ways - lanes that are written and filters that are read */
  connected(hub: Pick<Hub, 'server' | 'maxPayload'>, ways: number): void {
    this.#hub = hub
    this.#connections += 1
    this.#ready.clear()
    this.#readings.clear()
    this.#ways = ways
    // There may be nothing to keep any more.
    if (this.#isDoubted) this.#trusting = this.#clock.after(TRUSTED_MS, () => this.kept())
  }

  /** One of the ways is open, a lane or a filter; the link is up when all are. */
  ready(way: string): void {
    const wasUp = this.isUp
    this.#ready.add(way)
    if (this.isUp && !wasUp) this.#tellSoon('up')
  }

  /** The engine did not keep what it was given: the next rounds are not up before it does. */
  doubted(): void {
    this.#isDoubted = true
  }

  /** The engine keeps what it is given. */
  kept(): void {
    const wasUp = this.isUp
    this.#isDoubted = false
    if (this.isUp && !wasUp) this.#tellSoon('up')
  }

  sent(records: number): void {
    this.#sent += records
    this.#figuresChanged()
  }

  /** @param filter - of the reading @param message - the one that they were in, whether or not they are for this node */
  received(filter: string, records: number, { pending, engineAtMs }: Read): void {
    this.#received += records
    this.#readings.set(filter, { pending, engineAtMs })
    this.#figuresChanged()
  }

  /** The round goes on, and what it waits for is known. */
  waits({ state, message }: HubFault): void {
    if (!this.isUp) this.#tellWhy(state, message).catch(() => undefined)
  }

  /** The round is over. @throws DaemonAway, DaemonRefusal */
  async down(state: Exclude<LinkCondition, 'up'>, why: string): Promise<void> {
    this.#trusting?.cancel()
    this.#ready.clear()
    await this.#tellWhy(state, why)
  }

  async #tellWhy(state: Exclude<LinkCondition, 'up'>, why: string): Promise<void> {
    const told = `${state} ${why}`
    if (told === this.#told) return
    await this.#tell(state, why)
    this.#told = told
  }

  #figuresChanged(): void {
    if (this.#isDue || !this.isUp) return
    this.#isDue = true
    this.#clock.after(FIGURES_MS, () => {
      this.#isDue = false
      if (this.isUp) this.#tellSoon('up')
    })
  }

  /** A daemon that does not hear it is noticed by whoever needs its answer. */
  #tellSoon(state: LinkCondition): void {
    this.#told = state
    this.#tell(state).catch(() => undefined)
  }

  /** How far each reading is behind. */
  get #behind(): { readonly filter: string; readonly behind: number; readonly lag_ms: number }[] {
    const nowMs = Math.floor(this.#clock.nowMs())
    const all = [...this.#readings].map(([filter, { pending: behind, engineAtMs }]) => ({
      filter,
      behind,
      lag_ms: behind === 0 ? 0 : Math.max(0, nowMs - engineAtMs),
    }))
    return all.toSorted((a, b) => b.behind - a.behind)
  }

  async #tell(state: LinkCondition, why?: string): Promise<void> {
    const readings = this.#behind
    await this.#door.post('/v1/link/condition', {
      state,
      ...(why !== undefined && { why: why.slice(0, MAX_WHY) }),
      ...(this.#hub !== undefined && { server: this.#hub.server, max_payload: this.#hub.maxPayload }),
      reconnects: Math.max(0, this.#connections - 1),
      sent: this.#sent,
      received: this.#received,
      behind: readings.reduce((sum, { behind }) => sum + behind, 0),
      lag_ms: Math.max(0, ...readings.map(({ lag_ms: lagMs }) => lagMs)),
      readings: readings.slice(0, MAX_READINGS),
    })
  }
}
