import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { fingerprint } from '../../../src/runtimes/memory/fingerprint.ts'

test('says of any text what OpenSSL says', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      expect(fingerprint(text)).toBe(createHash('sha256').update(text).digest('hex'))
    }),
    { numRuns: 500 },
  )
})

test('is right at the ends of a block', () => {
  for (let length = 50; length < 140; length += 1) {
    const text = 'a'.repeat(length)

    expect(fingerprint(text), String(length)).toBe(createHash('sha256').update(text).digest('hex'))
  }
})
