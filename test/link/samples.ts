/**
 * What the tests of the link stand on: a realm, keys, texts that somebody may really send.
 */
import * as fc from 'fast-check'
import type { BatchHead } from '../../src/link/batch.ts'

export const REALM = 'p.alice'
export const AT_MS = Date.parse('2026-11-23T12:00:00Z')

/** A head of `laptop`, as it is written. */
export function headOf(changes: Partial<BatchHead> = {}): BatchHead {
  return {
    v: 1,
    node: 'laptop',
    epoch: '6f1c',
    prev: '6f1c-40',
    last: '6f1c-57',
    digest: 'a1'.repeat(32),
    clean: true,
    reports: 912,
    sent_at: AT_MS,
    authority_epoch: 7,
    ...changes,
  }
}

/** Characters that some reader somewhere takes for the end of a line, a quote or nothing at all. */
const HOSTILE = [
  ...Array.from('"\\{}[]:, \u2028\u2029\u0085\u000b\ufeff\u202e\u200d\u0000é💥'),
  '\\u2028',
  '"t":"frame"',
]

/** Text that is awkward to carry, and well-formed. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary', maxLength: 8 })), {
    maxLength: 12,
  })
  .map((parts) => parts.join('').replaceAll(/\p{Surrogate}/gu, ''))

/** A JSON object as somebody else's program may have written it: white space, escapes, any names. */
export const hostileObject: fc.Arbitrary<string> = fc
  .tuple(
    fc.dictionary(hostileText, fc.oneof(hostileText, fc.jsonValue({ maxDepth: 2 })), { maxKeys: 6 }),
    fc.constantFrom('', ' ', '\t'),
  )
  .map(([value, space]) => JSON.stringify(value).replaceAll(/^\{/g, `{${space}`))
