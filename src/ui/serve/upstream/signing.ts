/**
 * Approvals, signed in the person's name where there is a key: here, so that no page ever holds one.
 *
 * @see SEAT-05, W-9; docs/ui.md "What the listener allows"
 */
import { parseEnvelope } from '../../../aee/envelope/envelope.ts'
import { APPROVAL_INTENT } from '../../../aee/intents/approval.ts'
import { signEnvelope } from '../../../client/aee.ts'
import { HostRefusal, type Key } from '../../../client/index.ts'
import { jsonAnswer, type SeatAnswer } from '../entry/answer.ts'
import type { JsonBody } from '../entry/body.ts'
import { refusal, type SeatRefusal } from '../entry/refusal.ts'
import { humanEntity } from './human.ts'

/** The key that signs for an entity now; undefined where there is none. @throws HostRefusal where others can reach the keys */
export type FindKey = (entity: string) => Key | undefined

/** What goes to the daemon. */
export interface Signed {
  readonly bytes: Buffer
  /** Undefined for what is not signed here at all. */
  readonly isSigned?: boolean
}

export class Signing {
  readonly #findKey: FindKey
  readonly #entity: string

  constructor(findKey: FindKey, principal: string) {
    this.#findKey = findKey
    this.#entity = humanEntity(principal)
  }

  /** Whether an answer would be signed now. @throws HostRefusal where others can reach the keys */
  get hasKey(): boolean {
    return this.#findKey(this.#entity) !== undefined
  }

  /** What a page says before the person does: the id of the key that would sign now. */
  tell(): (SeatAnswer & { readonly kind?: undefined }) | SeatRefusal {
    try {
      return jsonAnswer({ signed_with: this.#findKey(this.#entity)?.kid ?? null })
    } catch (error) {
      if (error instanceof HostRefusal) return keysRefused(error)
      throw error
    }
  }

  /**
   * Signs the answer to an approval. Anything else keeps its octets, and so does what somebody has signed.
   *
   * @param body - an envelope from the person
   * @throws HostRefusal where others can reach the keys, AgentdError for what is no envelope
   */
  sign({ bytes, value }: JsonBody): Signed {
    const { type, intent, sig } = value
    if (type !== 'result' || intent !== APPROVAL_INTENT || (sig ?? null) !== null) return { bytes }
    const key = this.#findKey(this.#entity)
    if (key === undefined) return { bytes, isSigned: false }
    const envelope = parseEnvelope(value)
    const signed = { ...envelope, sig: signEnvelope(envelope, key) }
    return { bytes: Buffer.from(JSON.stringify(signed)), isSigned: true }
  }
}

/** Nothing was sent: whether it is to go unsigned is not for this process to say. */
export function keysRefused({ message }: HostRefusal): SeatRefusal {
  return refusal('keys-refused', message)
}
