/**
 * Event ids `<epoch>-<seq>` (AC-141, ACQ-20, ACQ-21, ACQ-22).
 */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { newEpoch } from '../../../src/core/ids.ts'
import { formatEventId, readEventId } from '../../../src/protocol/address/event-id.ts'

test('an id comes back as the epoch and number it was made of (ACQ-21)', () => {
  const epoch = fc.stringMatching(/^[A-Za-z0-9]{1,32}$/).filter((text) => text.length <= 32)

  fc.assert(
    fc.property(epoch, fc.nat({ max: Number.MAX_SAFE_INTEGER }), (name, seq) => {
      expect(readEventId(formatEventId(name, seq))).toEqual({ epoch: name, seq })
    }),
  )
})

test('a new epoch makes ids that read back (ACQ-21)', () => {
  const epoch = newEpoch()

  expect(epoch).toMatch(/^[0-9a-f]{8}$/)
  expect(readEventId(formatEventId(epoch, 1))).toEqual({ epoch, seq: 1 })
})

test('the place before the first event is an id too (ACQ-21)', () => {
  expect(readEventId('6f1c-0')).toEqual({ epoch: '6f1c', seq: 0 })
})

test.each([
  '',
  '-',
  '6f1c',
  '6f1c-',
  '-1',
  '6f1c-01',
  '6f1c-00',
  '6f1c--1',
  '6f1c-1.0',
  '6f1c-1e3',
  '6f1c-1-2',
  '6f1c_1',
  ' 6f1c-1',
  '6f1c-1 ',
  '6f1c-1\n',
  '6f1c-١',
  'é-1',
  '6f-1c-1',
  '6f1c-0x1',
  '\x006f1c-1',
  '6f1c-1\0',
  '6f1c-9007199254740992',
  '6f1c-99999999999999999',
  `${'a'.repeat(33)}-1`,
  `a-${'1'.repeat(64)}`,
  '42',
])('%j is an id of no epoch (ACQ-22)', (text) => {
  expect(readEventId(text)).toBeUndefined()
})

test('an id is safe as a Server-Sent Events field, whatever the sequence number (SSE-12)', () => {
  expect(formatEventId(newEpoch(), Number.MAX_SAFE_INTEGER)).toMatch(/^[A-Za-z0-9-]{1,64}$/)
})
