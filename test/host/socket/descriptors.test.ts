/**
 * Sharing out the descriptors (`host/socket/descriptors.ts`).
 *
 * @see R-30
 */
import { expect, test } from 'vitest'
import { descriptorLimit, shareDescriptors } from '../../../src/host/socket/descriptors.ts'

test.each([256, 1_024, 4_096, 20_000, 65_536, 1_048_576])(
  'of %i descriptors the store and its locks always have some, however many connections come at once (R-30)',
  (limit) => {
    const { connections, arrivals } = shareDescriptors(limit)

    expect(limit - connections - arrivals).toBeGreaterThanOrEqual(64)
    expect(connections).toBeGreaterThan(limit / 2)
    expect(arrivals).toBeGreaterThanOrEqual(16)
  },
)

test('an unlimited number is shared out as well', () => {
  expect(shareDescriptors(Number.MAX_SAFE_INTEGER).arrivals).toBe(4_096)
  expect(descriptorLimit()).toBeGreaterThan(0)
})
