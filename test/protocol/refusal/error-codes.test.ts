/**
 * The error codes, and how an error looks on the wire (AC-159…AC-170, ACQ-06, ACQ-39, docs/http.md §3).
 */
import { describe, expect, test } from 'vitest'
import { AgentdError, isErrorCode } from '../../../src/core/errors.ts'
import { ERROR_CODES, toErrorBody } from '../../../src/protocol/refusal/error-codes.ts'
import { describeIssues, formatPath, requireShape } from '../../../src/protocol/refusal/refusal.ts'
import { SessionRequest } from '../../../src/protocol/http/requests.ts'
import { ErrorReply } from '../../../src/protocol/http/daemon-replies.ts'
import { refusalOf } from '../../support/refusals.ts'

/** AC-160…AC-170, in the memo's order and spelling. */
const MEMO_CODES = [
  'envelope-version-unsupported',
  'kind-unknown',
  'payload-kind-mismatch',
  'field-missing',
  'field-invalid',
  'field-unknown',
  'sender-identity-mismatch',
  'scope-unauthorised',
  'scope-unimplemented',
  'filter-axis-unknown',
  'filter-value-invalid',
]

/** The table of docs/http.md §3, as far as it concerns frames. */
const STATUS: Readonly<Record<number, readonly string[]>> = {
  400: [
    'envelope-version-unsupported',
    'kind-unknown',
    'payload-kind-mismatch',
    'field-missing',
    'field-invalid',
    'field-unknown',
    'filter-axis-unknown',
    'filter-value-invalid',
  ],
  401: ['unauthenticated'],
  403: ['sender-identity-mismatch', 'scope-unauthorised'],
  404: ['not-found'],
  405: ['method-not-allowed'],
  409: ['session-exists'],
  413: ['frame-too-large'],
  415: ['media-type-unsupported'],
  422: ['scope-unimplemented', 'fanout-too-large'],
  429: ['rate-limited'],
  503: ['closing', 'busy'],
}

const ROWS = Object.entries(STATUS).flatMap(([status, codes]) =>
  codes.map((code) => [code, Number(status)] as const),
)

test('every code of the memo exists, in its spelling (AC-160…AC-170)', () => {
  expect(MEMO_CODES.filter((code) => !isErrorCode(code))).toEqual([])
})

test('the table holds the codes of the wire and no other (ACQ-06)', () => {
  const known = new Set(ROWS.map(([code]) => code))
  // Codes of the envelopes and of the store join the table with them.
  const later = ['envelope-malformed', 'version-unsupported', 'signature-invalid', 'signature-unverifiable']
  const others = [
    'signature-required',
    'intent-reserved',
    'recipient-unknown',
    'duplicate-id',
    'envelope-too-large',
  ]
  const rest = new Set([...later, ...others, 'timestamp-stale', 'payload-invalid', 'store-full'])

  expect([...known].filter((code) => !isErrorCode(code))).toEqual([])
  expect(Object.keys(ERROR_CODES).filter((code) => !known.has(code) && !rest.has(code))).toEqual([])
})

test.each(ROWS)('%s is answered with %i (ACQ-06, docs/http.md §3)', (code, status) => {
  expect(isErrorCode(code) && ERROR_CODES[code].status).toBe(status)
})

test.each(Object.entries(ERROR_CODES))('%s has a meaning that is a sentence', (_code, { meaning }) => {
  expect(meaning).toMatch(/^[A-Z].*\.$/)
})

test('no inherited name is a code (ACQ-40)', () => {
  expect(
    ['', '__proto__', 'constructor', 'toString', 'Field-Invalid', 'internal'].filter(isErrorCode),
  ).toEqual([])
})

describe('an error on the wire', () => {
  test('has a code, a message, and a field where one applies (AC-159, ACQ-39)', () => {
    const named = toErrorBody(new AgentdError('field-invalid', 'No.', { field: 'payload.x' }))
    const unnamed = toErrorBody(new AgentdError('closing', 'Bye.'))

    expect(named).toEqual({ code: 'field-invalid', field: 'payload.x', message: 'No.' })
    expect(unnamed).toEqual({ code: 'closing', message: 'Bye.' })
    expect(Object.keys(unnamed)).not.toContain('field')
  })

  test('says when to try again, and which line it is about (ACQ-06)', () => {
    const error = new AgentdError('rate-limited', 'Wait.', { retryAfterMs: 0, cause: new Error('secret') })

    expect(toErrorBody(error, 3)).toEqual({
      code: 'rate-limited',
      message: 'Wait.',
      retry_after_ms: 0,
      line: 3,
    })
    expect(JSON.stringify(toErrorBody(error))).not.toContain('secret')
  })

  test('is what a client reads, from a newer daemon too', () => {
    const body = { code: 'not-invented-yet', message: 'No.', hint: 'x' }

    expect(ErrorReply.parse(body)).toEqual({ code: 'not-invented-yet', message: 'No.' })
  })
})

describe('a path', () => {
  test.each([
    [['payload', 'question', 'options', 1, 'label'], 'payload.question.options[1].label'],
    [['payload', 'file_refs', 0], 'payload.file_refs[0]'],
    [['ttl_ms'], 'ttl_ms'],
    [['a b', '__proto__', 'é'], 'a b.__proto__.é'],
    [[], ''],
  ])('%j is written %s (ACQ-39)', (path, written) => {
    expect(formatPath(path)).toBe(written)
  })

  test('that is empty stands for the whole, and where the whole has no name there is none (ACQ-39)', () => {
    expect(refusalOf(() => requireShape(SessionRequest, 1, 'body'))).toEqual({
      code: 'field-invalid',
      field: 'body',
    })
    const issues = SessionRequest.safeParse(1).error?.issues ?? []
    expect(describeIssues(issues, 1, '').field).toBeUndefined()
  })
})
