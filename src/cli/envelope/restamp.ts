/**
 * Complete envelopes made anew: with the time of now and ids of their own, so that what was written long ago, such as the
 * examples of a draft, can be sent.
 *
 * Envelopes that belong together stay together: what names the id or the workflow of one that came before names the new
 * one. Nothing else of them is changed.
 *
 * @see AEE-080, AEQ-16
 */
import { AgentdError } from '../../core/errors.ts'
import { BoundedMap } from '../../core/collections/bounded.ts'
import { isJsonObject } from '../../core/text/json-object.ts'
import { newSessionId } from '../../core/ids.ts'
import { findInexactNumber } from '../../protocol/refusal/json-numbers.ts'
import { decodeEnvelopeText, type DecodedEnvelope } from '../../aee/envelope/envelope.ts'
import { quoteNumber } from '../input/json-object.ts'

/** Names that are remembered, so that later envelopes can say them; of more the oldest are forgotten. */
const MAX_NAMES = 65_536

export class Restamp {
  /** Old name → new one. An id and a workflow may be called the same, and then stay so. */
  readonly #names = new BoundedMap<string, string>({ most: MAX_NAMES, atOnce: 1_024 })

  /**
   * @param nowMs - wall time in milliseconds
   * @throws AgentdError `signature-invalid` for one that is signed, `field-invalid` for one with a number that would be
   *   rounded on the way
   */
  renew({ envelope, text }: DecodedEnvelope, nowMs: number): DecodedEnvelope {
    if (envelope.sig !== undefined && envelope.sig !== null) throw signed()
    const number = findInexactNumber(text)
    if (number !== undefined)
      throw new AgentdError('field-invalid', `The envelope holds ${quoteNumber(number)}.`, {
        field: 'envelope',
      })
    const { id, corr, reply_to: replyTo, payload } = envelope
    const renewed = {
      ...envelope,
      id: this.#rename(id),
      ts: new Date(nowMs).toISOString(),
      corr: this.#rename(corr),
      ...(typeof replyTo === 'string' && { reply_to: this.#known(replyTo) }),
      payload: this.#renewReferences(payload),
    }
    return decodeEnvelopeText(JSON.stringify(renewed))
  }

  #rename(name: string): string {
    const known = this.#names.get(name)
    if (known !== undefined) return known
    const renamed = newSessionId()
    this.#names.set(name, renamed)
    return renamed
  }

  /** What was written before is called by its new name; anything else by the one it has. */
  #known(name: string): string {
    return this.#names.get(name) ?? name
  }

  /** `payload.references` name other envelopes (AEE-069). */
  #renewReferences(payload: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const { references } = payload
    if (!Array.isArray(references)) return payload
    const renewed = references.map((one: unknown) => {
      if (!isJsonObject(one)) return one
      const names = ['id', 'corr'].filter((name) => typeof one[name] === 'string')
      return { ...one, ...Object.fromEntries(names.map((name) => [name, this.#known(String(one[name]))])) }
    })
    return { ...payload, references: renewed }
  }
}

function signed(): AgentdError {
  return new AgentdError(
    'signature-invalid',
    'The envelope is signed, and its signature is over the id and the time it has; --now would change both.',
    { field: 'sig' },
  )
}
