import { expect, test } from 'vitest'
import { formatAge, formatDuration, formatSpan, readDurationMs } from '../../../src/core/text/durations.ts'

test.each([
  ['500ms', 500],
  ['30s', 30_000],
  ['5m', 300_000],
  ['1h', 3_600_000],
  ['7d', 604_800_000],
  ['0s', 0],
  ['5', 5_000],
  ['0', 0],
  ['90s', 90_000],
  ['5m30s', 330_000],
  ['1h30m', 5_400_000],
  ['1m500ms', 60_500],
  ['1d2h3m4s5ms', 93_784_005],
])('%s is %i milliseconds', (text, ms) => {
  expect(readDurationMs(text)).toBe(ms)
})

test.each([
  [''],
  ['s'],
  ['-5'],
  ['-5s'],
  ['1.5'],
  ['1.5s'],
  ['5 s'],
  ['5S'],
  ['30m1h'],
  ['1m1m'],
  ['5m30'],
  ['9999999999s'],
  ['9999999999'],
])('"%s" is no duration', (text) => {
  expect(readDurationMs(text)).toBeUndefined()
})

test.each([
  [-5_000, 'now'],
  [0, 'now'],
  [999, 'now'],
  [1_000, '1s'],
  [59_999, '59s'],
  [60_000, '1m'],
  [3_599_999, '59m'],
  [3_600_000, '1h'],
  [86_399_999, '23h'],
  [86_400_000, '1d'],
  [864_000_000, '10d'],
])('an age of %i ms is said as %s', (ageMs, age) => {
  expect(formatAge(ageMs)).toBe(age)
})

test('a span is said in its two largest units', () => {
  expect(formatSpan(42)).toBe('0s')
  expect(formatSpan(604_800_000)).toBe('7d')
  expect(formatSpan(11_520_000)).toBe('3h 12m')
  expect(formatSpan(3_605_000)).toBe('1h')
})

test.each([
  [0, '0ms'],
  [12.4, '12ms'],
  [999, '999ms'],
  [1_000, '1.0s'],
  [59_999, '60.0s'],
  [61_000, '1m 1s'],
  [-1_500, '-1.5s'],
])('%d ms is %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})
