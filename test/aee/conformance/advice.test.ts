/**
 * Advice on valid envelopes, and what the strict profile makes of it (AEQ-03, AEQ-06, AEQ-09, AEQ-10, AEQ-17, AEE-029,
 * AEE-069, AEE-089).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  adviceOn,
  isReservedIntent,
  needsApproval,
  requireFresh,
  timeoutMsOf,
} from '../../../src/aee/conformance/advice.ts'
import { parseEnvelope } from '../../../src/aee/envelope/envelope.ts'
import { refusalOf } from '../../support/refusals.ts'
import { E0, E0_ERROR, E0_RESULT, SAMPLES } from '../samples.ts'

const NOW_MS = Date.parse('2025-12-14T03:45:12Z')
const SECOND_MS = 1_000
const HOUR_MS = 3_600_000

/** What is said about E0 with some members changed: each advice in three words. */
function adviceWith(members: Readonly<Record<string, unknown>>, base: object = E0): string[] {
  return adviceOn(parseEnvelope({ ...base, ...members })).map(
    ({ code, field, isStrict }) => `${code} ${field} ${isStrict ? 'strict' : 'lenient'}`,
  )
}

test.each(SAMPLES.filter(([name]) => name !== 'the barest envelope'))(
  'there is nothing to say about %s (AEE-C01)',
  (_name, sample) => {
    expect(adviceOn(parseEnvelope(sample))).toEqual([])
  },
)

test('an advice is a sentence that names the member', () => {
  const advice = adviceOn(parseEnvelope({ ...E0, ts: 'about noon', requires: { timeout_ms: '30s' } }))

  expect(advice).toEqual([
    {
      code: 'field-invalid',
      field: 'ts',
      message: '"ts" should be an RFC 3339 timestamp or an ISO date, such as 2025-12-14T03:45:12Z.',
      isStrict: true,
    },
    {
      code: 'field-invalid',
      field: 'requires.timeout_ms',
      message: '"requires.timeout_ms" must be a number of milliseconds, 0 or more.',
      isStrict: true,
    },
  ])
})

describe('ts', () => {
  test.each([
    '2025-12-14T03:45:12Z',
    '2025-12-14t03:45:12.123456789z',
    '2025-12-14T04:45:12+01:00',
    '2025-12-14T03:45:12.5-00:00',
    '2025-12-14',
  ])('%s is a time (AEE-007, AEQ-06)', (ts) => {
    expect(adviceWith({ ts })).toEqual([])
  })

  test.each([
    'about noon',
    '2025-12-14T03:45:12',
    '2025-12-14 03:45:12Z',
    '2025-02-29',
    '2025-13-01',
    '2025-12-32T00:00:00Z',
    '1765683912',
    '20251214T034512Z',
    ` ${E0.ts}`,
    `${E0.ts}\n`,
    `2025-12-14T03:45:12.${'0'.repeat(100)}Z`,
  ])('%j is not, which the strict profile refuses (AEQ-06)', (ts) => {
    expect(adviceWith({ ts })).toEqual(['field-invalid ts strict'])
  })
})

function freshAt(ts: string, nowMs: number) {
  return refusalOf(() => requireFresh(parseEnvelope({ ...E0, ts }), nowMs))
}

describe('freshness', () => {
  const STALE = { code: 'timestamp-stale', field: 'ts' }

  test('is 24 hours back and 5 minutes ahead, to the millisecond (AEE-081, AEQ-06)', () => {
    expect(freshAt(E0.ts, NOW_MS)).toBeUndefined()
    expect(freshAt(E0.ts, NOW_MS + 24 * HOUR_MS)).toBeUndefined()
    expect(freshAt(E0.ts, NOW_MS + 24 * HOUR_MS + 1)).toEqual(STALE)
    expect(freshAt(E0.ts, NOW_MS - 300 * SECOND_MS)).toBeUndefined()
    expect(freshAt(E0.ts, NOW_MS - 300 * SECOND_MS - 1)).toEqual(STALE)
  })

  test.each([
    ['2025-12-14T04:45:12+01:00'],
    ['2025-12-13t22:15:12.000-05:30'],
    ['2025-12-14T03:45:12.000000z'],
    ['2025-12-14T03:45:12+00:00'],
  ])('of %s is that of its instant, whatever the offset', (ts) => {
    expect(freshAt(ts, NOW_MS + 24 * HOUR_MS)).toBeUndefined()
    expect(freshAt(ts, NOW_MS + 24 * HOUR_MS + 1)).toEqual(STALE)
  })

  test('of a date is that of its whole day in UTC', () => {
    const midnightMs = Date.parse('2025-12-14T00:00:00Z')

    expect(freshAt('2025-12-14', midnightMs - 300 * SECOND_MS)).toBeUndefined()
    expect(freshAt('2025-12-14', midnightMs - 300 * SECOND_MS - 1)).toEqual(STALE)
    expect(freshAt('2025-12-14', midnightMs + 48 * HOUR_MS - 1)).toBeUndefined()
    expect(freshAt('2025-12-14', midnightMs + 48 * HOUR_MS)).toEqual(STALE)
  })

  test.each(['about noon', '1765683912000', '2001-02-29', '2001-01-01T00:00:00', '1999-99-99T00:00:00Z'])(
    'of %j cannot be told, so it passes (AEQ-06)',
    (ts) => {
      expect(freshAt(ts, NOW_MS)).toBeUndefined()
    },
  )

  test('refused says what to do', () => {
    expect(() => requireFresh(parseEnvelope(E0), NOW_MS + 25 * HOUR_MS)).toThrow(
      '"ts" is more than 24 hours old; make the envelope anew, with the time of now and an id of its own.',
    )
    expect(() => requireFresh(parseEnvelope(E0), NOW_MS - HOUR_MS)).toThrow(
      '"ts" lies more than 5 minutes ahead;',
    )
  })
})

describe('the intent', () => {
  test.each([
    'aee.status.ping',
    'aee.status.health',
    'aee.spec.query',
    'aee.capability.list',
    'aee.context.fetch',
    'aee.context.refute',
    'aee.validate.payload',
    'aee.protocol.explainer',
    'aee.ext.acme.thing.do',
    'aeex.status.ping',
    'aee',
    'AEE.status.ping',
    'ops.aee.status.ping',
  ])('%s is nobody else’s (AEQ-17)', (intent) => {
    expect(adviceWith({ intent })).toEqual([])
    expect(isReservedIntent(intent)).toBe(false)
  })

  test.each([
    'aee.',
    'aee.x',
    'aee.ext',
    'aee.status.ping2',
    'aee.status.Ping',
    'aee.toString',
    'aee.protocol.x',
  ])('%s lies where nobody may, which the strict profile refuses (AEE-066, AEQ-17)', (intent) => {
    expect(adviceWith({ intent })).toEqual(['intent-reserved intent strict'])
    expect(isReservedIntent(intent)).toBe(true)
  })
})

test('a reply_to that can be nobody’s id is a slip, any other is lineage (AEE-014, AEE-C11, AEQ-03)', () => {
  for (const type of ['task', 'event', 'stream']) {
    for (const replyTo of [null, 'eight888', E0.id])
      expect(adviceWith({ type, reply_to: replyTo })).toEqual([])
    for (const replyTo of ['', 'seven77', '😀😀😀😀']) {
      expect(adviceWith({ type, reply_to: replyTo })).toEqual(['field-invalid reply_to lenient'])
    }
  }
})

describe('requires', () => {
  test.each([
    ['timeout_ms', [0, 0.5, 30_000, 1e308], ['30s', -1, null, true, [], {}]],
    ['human_approval', [true, false], ['true', 1, null, {}]],
    ['evidence', [true, false], ['yes', 0, null]],
    ['format', ['', 'json'], [1, null, ['json']]],
    ['min_confidence', [0, 0.5, 1], [-0.01, 1.01, '0.5', null, []]],
  ])('%s is of its type, which the strict profile insists on (AEE-017, AEQ-09)', (key, good, bad) => {
    for (const value of good) expect(adviceWith({ requires: { [key]: value } })).toEqual([])
    for (const value of bad) {
      expect(adviceWith({ requires: { [key]: value } })).toEqual([`field-invalid requires.${key} strict`])
    }
  })

  test('may ask for the evidence of a decision, by the companion’s words (AEE-C09)', () => {
    for (const level of ['none', 'minimal', 'standard', 'full']) {
      expect(adviceWith({ requires: { decision_evidence: level } })).toEqual([])
    }
    for (const level of ['all', true, null, 'toString']) {
      expect(adviceWith({ requires: { decision_evidence: level } })).toEqual([
        'field-invalid requires.decision_evidence lenient',
      ])
    }
  })

  test('may hold what nobody here knows (AEE-018)', () => {
    expect(adviceWith({ requires: { max_cost: 'low', toString: 1, nested: { deep: [1, 2] } } })).toEqual([])
  })

  test('are an object’s own', () => {
    expect(adviceWith({ requires: Object.create({ timeout_ms: 'x', password: 'x' }) })).toEqual([])
    expect(adviceWith({ requires: JSON.parse('{"__proto__":{"timeout_ms":"x"}}') })).toEqual([])
  })
})

describe('secrets in requires', () => {
  const key = 'A1b2'.repeat(12)

  test.each([
    'password',
    'Password',
    'db_password',
    'dbPassword',
    'token',
    'access_token',
    'accessToken',
    'x-api-key',
    'apiKey',
    'API_KEY',
    'apikey',
    'client_secret',
    'Authorization',
    'private_key',
    'credentials',
    'passphrase',
    'pwd',
  ])('are told by the name %s (AEE-089)', (name) => {
    const found = [`field-invalid requires.${name} strict`]
    expect(adviceWith({ requires: { [name]: 'x' } })).toEqual(found)
    expect(adviceWith({ requires: { [name]: ['x'] } })).toEqual(found)
    for (const value of ['', '  ', null, true, 3, [], {}])
      expect(adviceWith({ requires: { [name]: value } })).toEqual([])
  })

  test.each([
    'max_tokens',
    'token_budget',
    'secret_name',
    'password_policy',
    'cache_key',
    'idempotency_key',
    'key',
    'monkey',
    'author',
  ])('are not told by the name %s', (name) => {
    expect(adviceWith({ requires: { [name]: 'x' } })).toEqual([])
  })

  test.each([
    `Bearer ${key}`,
    `sk-${key}`,
    `sk_live_${key}`,
    `ghp_${key}`,
    `github_pat_${key}`,
    `glpat-${key}`,
    `xoxb-${key}`,
    `AKIA${'A1B2'.repeat(4)}`,
    `AIza${key}`,
    `npm_${key}`,
    `eyJ${key}.eyJ${key}.sig`,
    `-----BEGIN RSA PRIVATE KEY-----\n${key}`,
    `postgres://me:${key}@db.lan/x`,
    `  \n sk-${key}`,
  ])('are told by their form, in whatever member: %s', (secret) => {
    const [advice, ...more] = adviceOn(parseEnvelope({ ...E0, requires: { hint: secret } }))

    expect(more).toEqual([])
    expect(advice).toMatchObject({ code: 'field-invalid', field: 'requires.hint', isStrict: true })
    expect(JSON.stringify(advice)).not.toContain(key)
    expect(JSON.stringify(advice)).not.toContain('A1B2')
  })

  test.each([
    'json',
    'https://example.org/a:b@c',
    'postgres://db.lan/x',
    'sk-SK',
    'basic markdown only',
    'the bearer of this',
    'eyJust a word',
    'ask-me-anything-about-the-database-of-the-moon',
  ])('are not told by %s', (text) => {
    expect(adviceWith({ requires: { hint: text } })).toEqual([])
  })

  test('are found at any depth, by their path', () => {
    expect(adviceWith({ requires: { auth: [{ kind: 'x' }, { login: { password: 'x' } }] } })).toEqual([
      'field-invalid requires.auth[1].login.password strict',
    ])
    const nested = JSON.parse(`${'{"a":'.repeat(61)}{"token":"x"}${'}'.repeat(61)}`)
    expect(adviceWith({ requires: nested })).toEqual([
      `field-invalid requires${'.a'.repeat(61)}.token strict`,
    ])
  })

  test('are looked for within bounds, and named in short', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`${at}_token`, 'x']))
    const late = [...Array.from({ length: 1_000 }, () => 0), { password: 'x' }]
    const long = adviceWith({ requires: { ['n'.repeat(100_000)]: { password: 'x' } } })

    expect(adviceWith({ requires: many })).toHaveLength(8)
    expect(adviceWith({ requires: { late } })).toEqual([])
    expect(long).toEqual([`field-invalid requires.${'n'.repeat(64)}….password strict`])
  })
})

describe('an error', () => {
  test('should say code, message and whether to try again (AEE-029)', () => {
    expect(adviceWith({ payload: {} }, E0_ERROR)).toEqual([
      'field-invalid payload.code lenient',
      'field-invalid payload.message lenient',
      'field-invalid payload.retryable lenient',
    ])
    expect(adviceWith({ payload: { code: 5, message: 'x', retryable: true } }, E0_ERROR)).toEqual([
      'field-invalid payload.code lenient',
    ])
  })

  test('alone should', () => {
    expect(adviceWith({ payload: {} }, E0_RESULT)).toEqual([])
  })
})

test('a reference of a wrong shape is refused by the strict profile (AEE-070, AEE-072)', () => {
  expect(adviceWith({ payload: { references: [{ id: 'x' }] } })).toEqual([
    'field-invalid payload.references[0].type strict',
  ])
})

function withRequires(requires: unknown) {
  return parseEnvelope({ ...E0, requires })
}

describe('what requires asks for', () => {
  test('is a wait, when it is a number of milliseconds (AEQ-09)', () => {
    for (const value of [0, 1.5, 30_000]) expect(timeoutMsOf(withRequires({ timeout_ms: value }))).toBe(value)
    for (const value of ['30s', -1, null, true, [30], Number.POSITIVE_INFINITY, Number.NaN]) {
      expect(timeoutMsOf(withRequires({ timeout_ms: value }))).toBeUndefined()
    }
    for (const requires of [null, undefined, {}, Object.create({ timeout_ms: 1 })]) {
      expect(timeoutMsOf(withRequires(requires))).toBeUndefined()
    }
  })

  test('is a person’s consent, when it is true and nothing else (AEQ-10)', () => {
    expect(needsApproval(withRequires({ human_approval: true }))).toBe(true)
    for (const value of [false, 'true', 1, null, {}]) {
      expect(needsApproval(withRequires({ human_approval: value }))).toBe(false)
    }
    for (const requires of [null, undefined, {}, Object.create({ human_approval: true })]) {
      expect(needsApproval(withRequires(requires))).toBe(false)
    }
  })
})

test('advice on any valid envelope is a bounded list of sentences', () => {
  const members = fc.record(
    {
      ts: fc.string({ minLength: 10 }),
      intent: fc.string({ minLength: 3 }),
      requires: fc.dictionary(fc.string(), fc.jsonValue()),
      payload: fc.dictionary(fc.constantFrom('references', 'code', 'x'), fc.jsonValue()),
      type: fc.constantFrom('task', 'error', 'event'),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(members, (change) => {
      const said = adviceOn(parseEnvelope({ ...E0_ERROR, ...change }))
      expect(said.length).toBeLessThanOrEqual(24)
      for (const { field, message } of said) {
        expect(field).toBeDefined()
        expect(message).toMatch(/^["T].*\.$/s)
        expect(message.length).toBeLessThan(10_000)
      }
    }),
  )
})
