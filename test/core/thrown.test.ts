import { expect, test } from 'vitest'
import { AgentdError } from '../../src/core/errors.ts'
import { messageOf, orRefusal, systemErrorCode, unlessRefused } from '../../src/core/thrown.ts'

const REFUSAL = new AgentdError('busy', 'Too busy.')

function refuse(): number {
  throw REFUSAL
}

function fail(): number {
  throw new TypeError('a defect')
}

test('a refusal is a result, and a defect is still thrown', () => {
  expect(orRefusal(() => 1)).toBe(1)
  expect(orRefusal(refuse)).toBe(REFUSAL)
  expect(() => orRefusal(fail)).toThrow(TypeError)
  expect([unlessRefused(() => 1), unlessRefused(refuse)]).toEqual([1, undefined])
  expect(() => unlessRefused(fail)).toThrow(TypeError)
})

test('whatever was thrown says something', () => {
  expect([new Error('why'), 'why', undefined, 7].map((thrown) => messageOf(thrown))).toEqual([
    'why',
    'why',
    'undefined',
    '7',
  ])
})

test('only what the system raised has a code of the system', () => {
  const raised = Object.assign(new Error('no such file'), { code: 'ENOENT' })
  const odd = Object.assign(new Error('odd'), { code: 7 })

  expect(
    [raised, odd, new Error('plain'), { code: 'ENOENT' }].map((thrown) => systemErrorCode(thrown)),
  ).toEqual(['ENOENT', undefined, undefined, undefined])
})
