/**
 * How a link is: as its bridge sees it, or, before that has a word, as the daemon does.
 *
 * @see FED-65
 */
import type { Clock } from '../core/clock.ts'
import type { ConditionRequest } from '../protocol/http/link-exchange.ts'
import type { LinkReply } from '../protocol/http/links-reply.ts'

export class Condition {
  readonly #clock: Pick<Clock, 'nowMs'>
  #state: LinkReply['state'] = 'starting'
  #why: string | null = null
  #sinceMs: number
  #said: ConditionRequest | undefined
  /** Of bridges that have ended. */
  #reconnectsBefore = 0

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock
    this.#sinceMs = clock.nowMs()
  }

  get state(): LinkReply['state'] {
    return this.#state
  }

  get why(): string | null {
    return this.#why
  }

  get sinceMs(): number {
    return this.#sinceMs
  }

  get server(): string | null {
    return this.#said?.server ?? null
  }

  /** Octets that its hub takes at once; undefined while nobody has said. */
  get maxPayload(): number | undefined {
    return this.#said?.max_payload
  }

  /** Messages that the hub has and this machine has not; 0 while nobody has said. */
  get behind(): number {
    return this.#said?.behind ?? 0
  }

  /** How long ago the hub took the last that was read, by this machine's clock against the hub's, where there are more. */
  get behindMs(): number {
    return this.#said?.lag_ms ?? 0
  }

  /** As {@link behind} and {@link behindMs}, of one reading. @param filter - what it reads */
  behindOf(filter: string): { readonly behind: number; readonly behindMs: number } {
    const found = this.#said?.readings?.find((one) => one.filter === filter)
    return { behind: found?.behind ?? 0, behindMs: found?.lag_ms ?? 0 }
  }

  get reconnects(): number {
    return this.#reconnectsBefore + (this.#said?.reconnects ?? 0)
  }

  /** What the bridge says. */
  note(said: ConditionRequest): void {
    this.#said = { ...this.#said, ...said }
    this.become(said.state, said.why)
  }

  /** The bridge has gone. */
  bridgeEnded(): void {
    this.#reconnectsBefore = this.reconnects
    if (this.#said !== undefined) this.#said = { ...this.#said, reconnects: 0 }
  }

  /** @param why - the end of a sentence */
  become(state: LinkReply['state'], why?: string): void {
    if (state !== this.#state) this.#sinceMs = this.#clock.nowMs()
    this.#state = state
    this.#why = why ?? null
  }
}
