/**
 * Good values made bad in one place.
 */
import * as fc from 'fast-check'

/** What stands nowhere in a good value. */
export const oddities: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('', '~org', '~cc-x', '~Alice', 'x'.repeat(9_000), '\uD800', 'a\nb', '2026-02-30T00:00:00Z'),
  fc.constantFrom(0, -1, 0.5, 1e21, Number.MAX_SAFE_INTEGER, 2 ** 53, null, true, [], {}),
  fc.array(fc.string({ maxLength: 2 }), { minLength: 0, maxLength: 70 }),
)

/** Every place in a value, as the way to it. */
export function placesIn(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [[]]
  return [[], ...Object.entries(value).flatMap(([name, part]) => placesIn(part).map((way) => [name, ...way]))]
}

/** A copy in which one place is something else, or gone, or has one member more. */
export function changed(value: unknown, way: readonly string[], change: (part: unknown) => unknown): unknown {
  const [name, ...rest] = way
  if (name === undefined) return change(value)
  if (Array.isArray(value))
    return value.map((part, i) => (String(i) === name ? changed(part, rest, change) : part))
  const entries = Object.entries(value ?? {}).map(([key, part]): [string, unknown] =>
    key === name ? [key, changed(part, rest, change)] : [key, part],
  )
  return Object.fromEntries(entries.filter(([, part]) => part !== undefined))
}
