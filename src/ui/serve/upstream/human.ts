/**
 * What the seat says in the person's name, made to say so (SEAT-05).
 *
 * @see docs/http.md §§8, 9
 */
import { isJsonObject } from '../../../core/text/json-object.ts'
import { refusal, type SeatRefusal } from '../entry/refusal.ts'
import type { JsonBody } from '../entry/body.ts'

/** What a frame says it rests on when a person wrote it. */
const PERSON_BASIS = 'person'

/** The entity of a principal: `human.alice` of `~alice`. */
export function humanEntity(principal: string): string {
  return `human.${principal.replace(/^~/, '')}`
}

/** The arguments of a verb as the daemon is to have them: what the frame rests on, and who drafted it, are not a page's to say. */
export function asPerson({ value }: JsonBody): Buffer {
  const { provenance, drafted_with: _, ...rest } = value
  const said = isJsonObject(provenance) ? provenance : {}
  return Buffer.from(JSON.stringify({ ...rest, provenance: { ...said, basis: PERSON_BASIS } }))
}

/** An envelope is the person's own or nobody's; its octets stay as they are, since signatures hang on them. */
export function envelopeFault({ value }: JsonBody, principal: string): SeatRefusal | undefined {
  const own = humanEntity(principal)
  if (value['from'] === own) return undefined
  return refusal('sender-identity-mismatch', `From here an envelope is from ${own}.`, {
    more: { field: 'from' },
  })
}
