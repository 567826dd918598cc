/**
 * Which payloads are held against their schema (AEE-020, AEE-056).
 */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { coversIntent, isIntentPattern } from '../../../src/aee/schemas/intent-pattern.ts'
import { PAYLOAD_POLICIES, policyFor } from '../../../src/aee/schemas/payload-policy.ts'

test('without a rule nothing is checked', () => {
  expect(policyFor({}, 'ops.backup.status.check')).toBe('off')
  expect(policyFor({ 'infra.*': 'enforce' }, 'ops.backup.status.check')).toBe('off')
})

test.each([
  ['ops.backup.status.check', 'off'],
  ['ops.backup.status.other', 'warn'],
  ['ops.backup.x', 'enforce'],
  ['ops.network', 'warn'],
  ['ops.backup', 'warn'],
  ['ops', 'enforce'],
  ['opsx.y', 'enforce'],
  ['toString', 'enforce'],
])('the name beats the longest prefix, which beats the star: %s is %s', (intent, policy) => {
  const rules = {
    '*': 'enforce',
    'ops.backup.status.*': 'warn',
    'ops.*': 'warn',
    'ops.backup.*': 'enforce',
    'ops.backup.status.check': 'off',
  } as const

  expect(policyFor(rules, intent)).toBe(policy)
})

test('the order of the rules does not matter', () => {
  const part = fc.constantFrom('a', 'b', 'c')
  const name = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.'))
  const pattern = fc.oneof(
    name,
    name.map((prefix) => `${prefix}.*`),
    fc.constant('*'),
  )
  const rules = fc.uniqueArray(fc.tuple(pattern, fc.constantFrom(...PAYLOAD_POLICIES)), {
    selector: ([key]) => key,
  })

  fc.assert(
    fc.property(rules, name, (entries, intent) => {
      const policy = policyFor(Object.fromEntries(entries), intent)

      expect(policyFor(Object.fromEntries(entries.toReversed()), intent)).toBe(policy)
      if (!entries.some(([key]) => coversIntent(key, intent))) expect(policy).toBe('off')
    }),
  )
})

test('a rule called like a member of every object is a rule like any other', () => {
  const rules = Object.fromEntries([['__proto__', 'enforce' as const]])

  expect(policyFor(rules, '__proto__')).toBe('enforce')
  expect(policyFor(rules, 'constructor')).toBe('off')
})

test('an intent of a mebibyte is decided at once', () => {
  const long = 'a.'.repeat(524_288)

  expect(policyFor({ 'a.*': 'warn', '*': 'off' }, long)).toBe('warn')
})

test.each([
  ['*', true],
  ['ops.*', true],
  ['ops.backup.status.check', true],
  ['x', true],
  ['', false],
  ['.*', false],
  ['**', false],
  ['ops*', false],
  ['*.check', false],
  ['ops.*.check', false],
  ['ops.*.*', false],
])('%j names intents: %s', (pattern, isOne) => {
  expect(isIntentPattern(pattern)).toBe(isOne)
})

test.each([
  ['ops.*', 'ops.x', true],
  ['ops.*', 'ops.x.y', true],
  ['ops.*', 'ops', false],
  ['ops.*', 'opsx.y', false],
  ['ops', 'ops.x', false],
  ['*', 'anything', true],
  ['Ops.x', 'ops.x', false],
])('%s covers %s: %s', (pattern, intent, covers) => {
  expect(coversIntent(pattern, intent)).toBe(covers)
})
