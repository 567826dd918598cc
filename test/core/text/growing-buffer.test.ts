import { expect, test } from 'vitest'
import { GrowingBuffer } from '../../../src/core/text/growing-buffer.ts'

test('octets that come one by one are in one piece, and cost less than twice what they are (HD-09)', () => {
  const buffer = new GrowingBuffer(100_000)
  const octets = Buffer.from(Array.from({ length: 100_000 }, (_, i) => i % 251))
  const rooms = new Set<number>()

  for (let i = 0; i < octets.length; i += 1) {
    buffer.append(octets.subarray(i, i + 1))
    rooms.add(buffer.room)
  }

  expect(buffer.room).toBe(100_000)
  expect(rooms.size).toBeLessThan(12)
  expect(buffer.take().equals(octets)).toBe(true)
  expect([buffer.length, buffer.room]).toEqual([0, 0])
})

test('what was taken is not written over by what comes next (HD-09)', () => {
  const buffer = new GrowingBuffer(1_000)
  buffer.append(Buffer.from('first'))
  const first = buffer.take()

  buffer.append(Buffer.from('other'))

  expect([first.toString(), buffer.take().toString()]).toEqual(['first', 'other'])
})
