import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { UUID_WORDS, formatUuid, readUuid } from '../../../src/core/collections/uuid-words.ts'

test('a UUID is the same after it was four words', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.nat(3), (uuid, at) => {
      const words = new Int32Array(UUID_WORDS)
      expect(readUuid(uuid, words)).toBe(true)

      const among = new Int32Array(UUID_WORDS * 4)
      among.set(words, UUID_WORDS * at)
      expect(formatUuid(among, UUID_WORDS * at)).toBe(uuid)
    }),
  )
})

test.each([
  '',
  '123e4567-e89b-42d3-a456-42661417400',
  '123e4567-e89b-42d3-a456-4266141740000',
  '123E4567-e89b-42d3-a456-426614174000',
  '123e4567ae89b-42d3-a456-426614174000',
  '123e4567-e89b-42d3-a456-42661417400g',
  '123e4567-e89b-42d3-a456-42661417400é',
  '123e4567-e89b-42d3-a456-42661417400☕',
  '123e45678e89b942d39a4569426614174000',
  '123e4567-e89b-42d3-a456-4266141740-0',
])('%j is none', (text) => {
  expect(readUuid(text, new Int32Array(UUID_WORDS))).toBe(false)
})
