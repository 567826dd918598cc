/**
 * Who sent what a stream yields, by name. A frame says its instrument only; the daemon's history knows the session.
 *
 * @see docs/http.md §§4, 5
 */
import { AgentdError } from '../../../core/errors.ts'
import { AgentdUnreachable, type FrameItem, type Participant } from '../../../client/index.ts'
import { BoundedMap, BoundedSet } from '../../../core/collections/bounded.ts'
import { formatEventId, readEventId } from '../../../protocol/address/event-id.ts'
import { readSessionNames, type SessionNames } from '../../run/session-names.ts'

/** Frames asked about at once: of a burst, the first one asks for all. */
export const FRAMES_PER_LOOK = 100

/** Senders of frames that are still to come, and addresses that nobody is called by. */
const MAX_REMEMBERED = 1_024

export class SenderNames {
  readonly #participant: Participant
  /** Event id → address of the sender; '' for the principal itself. */
  readonly #senders = new BoundedMap<string, string>({ most: MAX_REMEMBERED, atOnce: FRAMES_PER_LOOK })
  /** Looked for on the roster, and not on it. */
  readonly #nameless = new BoundedSet<string>({ most: MAX_REMEMBERED, atOnce: FRAMES_PER_LOOK })
  #names: SessionNames = new Map()

  constructor(participant: Participant) {
    this.#participant = participant
  }

  /** @returns undefined for the principal itself, for a session that is gone, and where the daemon does not say */
  async nameOf({ eventId }: FrameItem): Promise<string | undefined> {
    try {
      const sender = this.#senders.get(eventId) ?? (await this.#lookUp(eventId))
      return sender === '' ? undefined : await this.#call(sender)
    } catch (error) {
      // A name is not worth the frame: what goes on when the daemon is back goes on without one.
      if (error instanceof AgentdError || error instanceof AgentdUnreachable) return undefined
      throw error
    }
  }

  async #lookUp(eventId: string): Promise<string> {
    const place = readEventId(eventId)
    if (place === undefined) return ''
    const after = formatEventId(place.epoch, place.seq - 1)
    const { handle } = this.#participant
    const { items } = await this.#participant.history({ handle, after, limit: FRAMES_PER_LOOK })
    for (const { eventId: id, sender } of items) this.#senders.set(id, sender ?? '')
    return this.#senders.get(eventId) ?? ''
  }

  async #call(address: string): Promise<string | undefined> {
    const name = this.#names.get(address)
    if (name !== undefined || this.#nameless.has(address)) return name
    this.#names = await readSessionNames(this.#participant)
    if (!this.#names.has(address)) this.#nameless.add(address)
    return this.#names.get(address)
  }
}
