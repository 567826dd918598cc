/**
 * The one error class: what it carries, and where it says it was made.
 */
import { afterEach, expect, test } from 'vitest'
import { AgentdError } from '../../src/core/errors.ts'

afterEach(() => {
  AgentdError.maxStackCalls = undefined
})

test('it names the calls it was made in, as any error does', () => {
  const error = new AgentdError('field-invalid', 'No.')

  expect(error.stack).toContain('errors.test.ts')
})

test('a process that only answers with it asks for no stack, and other errors keep theirs', () => {
  AgentdError.maxStackCalls = 0
  const before = Error.stackTraceLimit

  const error = new AgentdError('field-invalid', 'No.', { field: 'kind' })

  expect(error.stack).toBe('AgentdError: No.')
  expect(error).toMatchObject({ name: 'AgentdError', code: 'field-invalid', field: 'kind', message: 'No.' })
  expect(Error.stackTraceLimit).toBe(before)
  expect(new Error('defect').stack).toContain('errors.test.ts')
})
