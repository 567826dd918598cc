import { readFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { expect, test } from 'vitest'
import { errorFields } from '../../src/core/debug.ts'
import { AgentdError } from '../../src/core/errors.ts'

const SECRET = 'hush-5f2c'

function thrownBy(act: () => unknown): unknown {
  try {
    return act()
  } catch (error) {
    return error
  }
}

test.each<[string, () => unknown]>([
  ['text that is no JSON', () => JSON.parse(`{"a": ${SECRET}}`)],
  ['an argument that Node refuses', () => Reflect.apply(createConnection, undefined, [{ port: SECRET }])],
  ['a URL', () => new URL(SECRET)],
  ['a path with a zero octet', () => readFileSync(`${SECRET}\0`)],
  [
    'a refusal of ours',
    () => {
      throw new AgentdError('field-invalid', `${SECRET} is no scope.`, { field: SECRET })
    },
  ],
  [
    'a name that is text',
    () => {
      throw Object.assign(new Error(SECRET), { name: `${SECRET} and more`, code: `${SECRET}!` })
    },
  ],
  [
    'what is no error',
    () => {
      throw SECRET
    },
  ],
  [
    'a message of several lines',
    () => {
      throw new Error(`first\n    ${SECRET}\nlast`)
    },
  ],
])('an error about %s is told without quoting it (R-10)', (_, act) => {
  const error = thrownBy(act)

  const fields = errorFields(error)

  expect(String(error)).toContain(
    error instanceof Error && error.message === 'Invalid URL' ? 'Invalid URL' : SECRET,
  )
  expect(JSON.stringify(fields)).not.toContain(SECRET)
  expect(fields['error']).toMatch(/^[A-Za-z]+$/)
})

test('where an error came from is told, and what the system or the program said', () => {
  const missing = errorFields(thrownBy(() => readFileSync('/nowhere/at/all')))
  const slip = errorFields(thrownBy(() => Reflect.get(Object(undefined), 'a').b))

  expect(missing).toMatchObject({
    error: 'Error',
    code: 'ENOENT',
    message: expect.stringContaining('/nowhere/at/all'),
  })
  expect(slip).toMatchObject({ error: 'TypeError', message: expect.stringContaining("reading 'b'") })
  expect(slip['stack']).toContain('debug.test.ts')
})

test('a long stack and a long message are cut', () => {
  const error = new TypeError('m'.repeat(10_000))
  error.stack = `TypeError\n${`    at ${'p'.repeat(500)}\n`.repeat(100)}`

  const { message, stack } = errorFields(error)

  expect(String(message)).toHaveLength(500)
  expect(String(stack)).toHaveLength(4_000)
})
