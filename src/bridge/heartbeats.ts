/**
 * What nodes say of who is there, handed to the daemon: at once where it is news, and else together with others. Of sixty nodes six
 * say every second that all is as it was, and a request for each costs more than the rest of an idle link.
 *
 * @see FED-51, L-06
 */
import type { Clock, Timer } from '../core/clock.ts'
import type { LinkPresenceRequest } from '../protocol/http/link-exchange.ts'
import type { Door } from './daemon/door.ts'

type PresenceOfNode = Omit<LinkPresenceRequest, 'others'>

/** How long a word that is no news may wait, in milliseconds: a small part of the 30 s for which it counts. */
export const HEARTBEAT_GATHER_MS = 5_000

/** Words that wait, and nodes of which is known what they said: fewer than one request may bring. */
export const MAX_GATHERED = 255

/** Characters of a word that is compared and may wait; all that wait fit into one request. */
export const MAX_GATHERED_LENGTH = 8_192

interface HeartbeatParts {
  readonly door: Pick<Door, 'post'>
  readonly clock: Clock
  /** The daemon has heard something. */
  readonly onHanded: () => void
}

export class Heartbeats {
  readonly #parts: HeartbeatParts
  /** Subject → what was said last and taken, but for when. */
  readonly #said = new Map<string, string>()
  /** Subject → what waits. */
  readonly #waiting = new Map<string, PresenceOfNode>()
  #timer: Timer | undefined

  constructor(parts: HeartbeatParts) {
    this.#parts = parts
  }

  /** Of how many nodes it is known what they said. */
  get nodes(): number {
    return this.#said.size
  }

  /** @param subject - whose key of the bucket it stood under @throws DaemonAway, DaemonRefusal */
  async take(subject: string, presence: PresenceOfNode): Promise<void> {
    const said = withoutTime(presence.text)
    if (said !== undefined && said === this.#said.get(subject)) return this.#gather(subject, presence)
    this.#said.delete(subject)
    await this.#hand(presence)
    if (said !== undefined && this.#said.size < MAX_GATHERED) this.#said.set(subject, said)
  }

  close(): void {
    this.#timer?.cancel()
  }

  #gather(subject: string, presence: PresenceOfNode): void {
    this.#waiting.set(subject, presence)
    this.#timer ??= this.#parts.clock.after(HEARTBEAT_GATHER_MS, () => {
      this.#handWaiting().catch(() => {
        // A daemon that does not hear it is noticed by whoever needs its answer; the next word of each is news again.
        this.#said.clear()
      })
    })
  }

  async #handWaiting(): Promise<void> {
    this.#timer = undefined
    const [first] = this.#waiting
    if (first === undefined) return
    this.#waiting.delete(first[0])
    await this.#hand(first[1])
  }

  /** What waits goes with it, and is older than it is. */
  async #hand(presence: PresenceOfNode): Promise<void> {
    const others = [...this.#waiting.values()]
    this.#waiting.clear()
    await this.#parts.door.post('/v1/link/presence', { ...presence, ...(others.length > 0 && { others }) })
    this.#parts.onHanded()
  }
}

/** @returns undefined for one that is too large to be compared */
function withoutTime(text: string): string | undefined {
  return text.length > MAX_GATHERED_LENGTH ? undefined : text.replace(/"sent_at":\d+/, '')
}
