/**
 * Bodies and query strings of requests: closed, and bounded (AC-157, ACQ-29…ACQ-31, docs/http.md §§4–7).
 */
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { requireShape } from '../../../src/protocol/refusal/refusal.ts'
import {
  ActivityRequest,
  DrainRequest,
  HistoryQuery,
  NoQuery,
  ReceiptsQuery,
  SeenRequest,
  SessionRequest,
  StreamQuery,
  WaitQuery,
} from '../../../src/protocol/http/requests.ts'
import type { Route } from '../../../src/protocol/routes/route.ts'
import { ROUTES } from '../../../src/protocol/routes/routes.ts'
import { textOfOctets } from '../../support/frames.ts'
import { refusalOf } from '../../support/refusals.ts'

const SHAPES: Readonly<Record<string, readonly [schema: z.ZodType, least: object]>> = {
  SessionRequest: [SessionRequest, { instrument: 'cc' }],
  ActivityRequest: [ActivityRequest, { state: 'idle' }],
  DrainRequest: [DrainRequest, {}],
  SeenRequest: [SeenRequest, { up_to: 'a-1' }],
  NoQuery: [NoQuery, {}],
  StreamQuery: [StreamQuery, {}],
  HistoryQuery: [HistoryQuery, {}],
  ReceiptsQuery: [ReceiptsQuery, {}],
  WaitQuery: [WaitQuery, {}],
}

function refusal(schema: z.ZodType, value: object) {
  return refusalOf(() => requireShape(schema, value, 'body'))
}

describe.each(Object.entries(SHAPES))('%s', (_name, [schema, least]) => {
  test('takes the least it needs', () => {
    expect(refusalOf(() => requireShape(schema, least, 'body'))).toBeUndefined()
  })

  test('refuses a member nobody knows: a misspelt filter would widen a stream (AC-157, ACQ-40)', () => {
    for (const name of ['fliter', '__proto__', 'constructor']) {
      const value = Object.fromEntries([...Object.entries(least), [name, 'x']])
      expect(refusalOf(() => requireShape(schema, value, 'body'))).toEqual({
        code: 'field-unknown',
        field: name,
      })
    }
  })
})

const SESSION: readonly (readonly [
  member: string,
  valid: readonly unknown[],
  invalid: readonly unknown[],
])[] = [
  ['instrument', ['a', 'cc-opus-4-6', 'a'.repeat(32)], ['', '~cc', 'Cc', 'a-', 'a'.repeat(33), null]],
  ['session_id', ['A.b_c:d-e', 'x'.repeat(128)], ['', 'a b', 'a@b', 'a/b', 'é', 'x'.repeat(129), 1, null]],
  ['tool', [null, 'cc', 'a'.repeat(32)], ['', '-a', 'CC', 'a_b', 'a'.repeat(33)]],
  ['handle', ['~alice'], ['alice', '~org', '~A', null]],
  ['drafted_with', [null, '~cc-x', '~tool'], ['cc-x', '~org', '~x@1']],
  ['title', [null, '', textOfOctets(256)], [textOfOctets(257), '\uD800']],
  ['cwd', [null, '', textOfOctets(4096)], [textOfOctets(4097)]],
  ['repository', [null, '', textOfOctets(4096)], [textOfOctets(4097)]],
  ['worktree', [null, '', textOfOctets(4096)], [textOfOctets(4097)]],
  ['branch', [null, '', textOfOctets(256)], [textOfOctets(257)]],
  ['pid', [null, 1, 2 ** 31 - 1], [0, -1, 1.5, 2 ** 31, '1']],
  ['mailbox', [null, true, false], ['true', 1]],
  [
    'successor_of',
    ['cc@s0', `a@${'x'.repeat(128)}`],
    ['cc', '@s0', 'cc@', 'cc@a@b', `cc@${'x'.repeat(129)}`, null],
  ],
]

test.each(SESSION)(
  'a session takes a %s within its bounds and no other (ACQ-29, ACQ-30, ACQ-31)',
  (member, valid, invalid) => {
    const refusalWith = (value: unknown) => refusal(SessionRequest, { instrument: 'cc', [member]: value })

    for (const value of valid) expect(refusalWith(value), String(value).slice(0, 40)).toBeUndefined()
    for (const value of invalid) {
      expect(refusalWith(value), String(value).slice(0, 40)).toEqual({ code: 'field-invalid', field: member })
    }
  },
)

test('a session speaks for at most 64 entities', () => {
  const entities = Array.from({ length: 65 }, (_, i) => `agent.e${i}`)
  const session = { instrument: 'cc', entities }

  expect(refusal(SessionRequest, { ...session, entities: entities.slice(1) })).toBeUndefined()
  expect(refusal(SessionRequest, session)?.field).toBe('entities')
  expect(refusal(SessionRequest, { ...session, entities: [''] })?.field).toBe('entities[0]')
})

test.each([
  [StreamQuery, 'replay', 0, 1_000],
  [HistoryQuery, 'limit', 1, 1_000],
  [ReceiptsQuery, 'timeout_ms', 0, 600_000],
  [WaitQuery, 'timeout_ms', 0, 600_000],
] as const)('a count in a query is a whole number within its bounds: %#', (schema, name, min, max) => {
  const read = (text: string) =>
    requireShape<Readonly<Record<string, unknown>>>(schema, { [name]: text }, 'query')[name]

  expect([read(String(min)), read(String(max)), read('007')]).toEqual([min, max, 7])
  for (const text of [
    String(min - 1),
    String(max + 1),
    '',
    ' 1',
    '1.5',
    '1e2',
    '0x1',
    '+1',
    '\u0661',
    '9'.repeat(20),
  ]) {
    expect(
      refusalOf(() => read(text)),
      text,
    ).toEqual({ code: 'field-invalid', field: name })
  }
})

test('a drain is small unless its caller says otherwise, and bounded then', () => {
  expect(requireShape(DrainRequest, {}, 'body')).toEqual({
    max_items: 20,
    max_bytes: 4_000,
    format: 'json',
    peek: false,
    state: 'seen',
    via: 'inbox',
  })
  expect(
    refusal(DrainRequest, {
      max_items: 1_000,
      max_bytes: 1_048_576,
      format: 'text',
      peek: true,
      via: 'hook',
    }),
  ).toBeUndefined()
  for (const faults of [{ max_items: 0 }, { max_items: 1_001 }, { max_bytes: 0 }, { max_bytes: 1_048_577 }]) {
    expect(refusal(DrainRequest, faults)?.field).toBe(Object.keys(faults)[0])
  }
})

test('what was seen is named in one of two ways, never both or neither', () => {
  const ids = Array.from({ length: 1_001 }, (_, i) => `a-${i}`)

  expect(refusal(SeenRequest, { event_ids: ids.slice(1) })).toBeUndefined()
  expect(refusal(SeenRequest, { event_ids: ids })?.field).toBe('event_ids')
  expect(refusal(SeenRequest, {})).toEqual({ code: 'field-missing', field: 'up_to' })
  expect(refusal(SeenRequest, { up_to: 'a-1', event_ids: [] })).toEqual({
    code: 'field-invalid',
    field: 'up_to',
  })
})

test('an absent filter is the empty one (AC-148, AC-150)', () => {
  expect(StreamQuery.parse({}).filter).toBe('')
  expect(HistoryQuery.parse({})).toMatchObject({ filter: '', limit: 100 })
})

/** To end the daemon nothing has to be said; it is a POST because it does something (HD-20). */
const BODILESS_POSTS: readonly string[] = ['/v1/stop']

function shouldTakeBody({ method, path }: Route): boolean {
  return method === 'POST' && !BODILESS_POSTS.includes(path)
}

test('no two routes share a method and a path, and a body is taken only by POST', () => {
  const routes = Object.values(ROUTES)

  expect(new Set(routes.map(({ method, path }) => `${method} ${path}`)).size).toBe(routes.length)
  expect(routes.filter((route) => shouldTakeBody(route) !== route.takes.length > 0)).toEqual([])
})
