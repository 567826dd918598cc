/**
 * Numbers that JavaScript would write back as other ones.
 */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { findInexactNumber } from '../../../src/protocol/refusal/json-numbers.ts'

test.each([
  '0',
  '-0',
  '0.0',
  '0e9',
  '0e-99999',
  '1',
  '-1',
  '10',
  '1.50',
  '0.1',
  '1e21',
  '1E+2',
  '100e-2',
  '1e23',
  '9007199254740991',
  '9007199254740992',
  '9007199254740994',
  '-9007199254740992',
  '9007199254740992.000',
  '1000000000000000000000000000000',
  '123456789012345680000',
  '1.7976931348623157e308',
  '5e-324',
  '0.30000000000000004',
  '0.10000000000000001',
  '2.2250738585072014e-308',
  '1e308',
  '123456789012.3456',
  '-1162588208112121.2',
  '1162588208112121.3',
  `1${'0'.repeat(30)}`,
  `0.${'0'.repeat(30)}1`,
])('%s is written back as it stands', (literal) => {
  expect(findInexactNumber(literal)).toBeUndefined()
  expect(findInexactNumber(`{"a":[${literal}]}`)).toBeUndefined()
})

test.each([
  '9007199254740993',
  '-9007199254740993',
  '9007199254740993.0',
  '9007199254740993e0',
  '90071992547409930e-1',
  '9223372036854775807',
  '18446744073709551615',
  '36028797018963968',
  '123456789012345678901234567890',
  '1e400',
  '-1e400',
  '1e99999999999999999999',
  '1e-400',
  '-1e-99999999999999999999',
  '1.2345e-320',
  '12345678901234.567',
  '0.123456789012345678',
  '3.14159265358979323846',
  '1.00000000000000000001',
])('%s is not', (literal) => {
  expect(findInexactNumber(literal)).toBe(literal)
  expect(findInexactNumber(` [ 1 , {"a" : ${literal} } , 1e500 ] `)).toBe(literal)
})

test('what stands in a string or a name is no number', () => {
  expect(findInexactNumber('{"1e400":"1e400","\\"":"\\\\\\" 9007199254740993","a":true}')).toBeUndefined()
  expect(findInexactNumber('["\\\\",9007199254740993]')).toBe('9007199254740993')
})

test('what JavaScript has written is never found, however it is spaced', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      expect(findInexactNumber(JSON.stringify(value))).toBeUndefined()
      expect(findInexactNumber(JSON.stringify(value, null, 1))).toBeUndefined()
    }),
  )
})

test('an integer is found exactly when it is written back as another one', () => {
  // Below 10^21, from where on JSON.stringify writes an exponent that BigInt does not read.
  const limit = 10n ** 21n - 10n ** 6n
  const integers = fc.oneof(
    fc.bigInt({ min: -limit, max: limit }),
    fc.bigInt({ min: 2n ** 53n - 64n, max: 2n ** 54n }),
  )
  fc.assert(
    fc.property(integers, (integer) => {
      const writtenBack = BigInt(JSON.stringify(Number(integer)))
      expect(findInexactNumber(`${integer}`)).toBe(writtenBack === integer ? undefined : `${integer}`)
    }),
    { numRuns: 500 },
  )
})

test('a mebibyte of anything is one pass', () => {
  const zeros = '0'.repeat(1_000_000)
  const nines = '9'.repeat(1_000_000)

  expect(findInexactNumber(`["${'a\\"'.repeat(350_000)}"]`)).toBeUndefined()
  expect(findInexactNumber(`[${'1,'.repeat(500_000)}1e400]`)).toBe('1e400')
  expect(findInexactNumber(`1.${zeros}`)).toBeUndefined()
  for (const literal of [`0.${zeros}1`, `1${zeros}`, nines, `1.${zeros}1`]) {
    expect(findInexactNumber(literal) === literal).toBe(true)
  }
})
