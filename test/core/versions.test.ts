import { expect, test } from 'vitest'
import { isVersionAtLeast } from '../../src/core/versions.ts'

test.each([
  ['3.51.3', '3.51.3', true],
  ['3.51.2', '3.51.3', false],
  ['3.9.0', '3.51.3', false],
  ['4.0', '3.51.3', true],
  ['20.12.0', '20.12', true],
  ['20.9.1', '20.12', false],
  ['7', '7.55', false],
  ['', '7.55', false],
])('%s against %s, number by number: %s', (version, floor, isIt) => {
  expect(isVersionAtLeast(version, floor)).toBe(isIt)
})
