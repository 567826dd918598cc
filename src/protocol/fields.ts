/**
 * The field types that frames and requests are made of, each with its published bound (AC-042, ACQ-14).
 */
import * as z from 'zod'
import { withinOctets } from '../core/text/octets.ts'
import { readTimestampMs } from '../core/text/timestamp.ts'

const LINE_BREAK = /[\r\n]/

/**
 * A string of `min` to `max` UTF-8 octets, both inclusive.
 *
 * `maxLength` in the published JSON Schema counts code points, so it is a necessary condition only; the
 * exact bound stands beside it as `x-max-octets`.
 */
export function octets(min: number, max: number) {
  return (
    z
      .string()
      .refine((text) => withinOctets(text, min, max), `must be ${min} to ${max} UTF-8 octets long`)
      // A lone half of a surrogate pair: JSON can spell it, UTF-8 cannot carry it.
      .refine((text) => text.isWellFormed(), 'must be well-formed Unicode')
      .meta({ ...(min > 0 && { minLength: 1 }), maxLength: max, 'x-min-octets': min, 'x-max-octets': max })
  )
}

/** As {@link octets}, on one line. */
export function oneLine(min: number, max: number) {
  return octets(min, max).refine((text) => !LINE_BREAK.test(text), 'must be a single line')
}

/** A string of `pattern`, published with it. */
export function matching(pattern: RegExp, message: string) {
  return z.string().regex(pattern, message)
}

/** A list of at most `max` strings of the given schema. */
export function listOf(item: z.ZodType<string>, max: number) {
  return z.array(item).max(max, `must hold at most ${max} items`)
}

/** A version-4 UUID, either case (ACQ-19); spelled out, since a published pattern has no flags. */
export const UuidV4 = matching(
  /^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$/,
  'must be a version-4 UUID',
)

/** An RFC 3339 timestamp with a zone. */
export const Timestamp = z
  .string()
  .max(64, 'must be an RFC 3339 timestamp with a time zone')
  .refine((text) => readTimestampMs(text) !== undefined, 'must be an RFC 3339 timestamp with a time zone')
  .meta({ format: 'date-time' })
