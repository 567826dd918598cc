/**
 * The field types that frames and requests are made of: what the memo says of each, and no bound besides (AC-042). What
 * has none of its own is bounded by the frame around it (ACQ-14).
 */
import * as z from 'zod'
import { withinOctets } from '../core/text/octets.ts'
import { readTimestampMs } from '../core/text/timestamp.ts'

const LINE_BREAK = /[\r\n]/

/** No lone half of a surrogate pair: JSON can spell it, UTF-8 cannot carry it. */
export function isWellFormed(text: string): boolean {
  return text.isWellFormed()
}

/** Any string at all that is well-formed. */
export const FreeText = z.string().refine(isWellFormed, 'must be well-formed Unicode')

/** As {@link FreeText}, with something in it. */
export const SomeText = FreeText.refine((text) => text !== '', 'must not be empty').meta({ minLength: 1 })

/** As {@link FreeText}, on one line, which may be empty. */
export const OneLine = FreeText.refine((text) => !LINE_BREAK.test(text), 'must be a single line')

/**
 * A string of `min` to `max` UTF-8 octets, both inclusive.
 *
 * `maxLength` in the published JSON Schema counts code points, so it is a necessary condition only; the
 * exact bound stands beside it as `x-max-octets`.
 */
export function octets(min: number, max: number) {
  return z
    .string()
    .refine((text) => withinOctets(text, min, max), `must be ${min} to ${max} UTF-8 octets long`)
    .refine(isWellFormed, 'must be well-formed Unicode')
    .meta({ ...(min > 0 && { minLength: 1 }), maxLength: max, 'x-min-octets': min, 'x-max-octets': max })
}

/** A string of `pattern`, published with it. */
export function matching(pattern: RegExp, message: string) {
  return z.string().regex(pattern, message)
}

/** A version-4 UUID, either case (ACQ-19); spelled out, since a published pattern has no flags. */
export const UuidV4 = matching(
  /^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$/,
  'must be a version-4 UUID',
)

/** An RFC 3339 timestamp with a zone. */
export const Timestamp = z
  .string()
  .refine((text) => readTimestampMs(text) !== undefined, 'must be an RFC 3339 timestamp with a time zone')
  .meta({ format: 'date-time' })
