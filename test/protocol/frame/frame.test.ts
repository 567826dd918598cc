/**
 * The frame around a payload, and which of several faults is reported (AC-001…AC-042, AC-159…AC-176, ACQ-07…ACQ-19,
 * ACQ-26, ACQ-39, ACQ-40).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Frame, expiresAtMs, parseFrame } from '../../../src/protocol/frame/frame.ts'
import { KINDS, KIND_NAMES } from '../../../src/protocol/frame/kinds.ts'
import {
  ALICE,
  arbitraryFrame,
  brokenFrame,
  validFrame,
  validPayload,
  withMembers,
} from '../../support/frames.ts'
import { refusalOf } from '../../support/refusals.ts'
import {
  INSTRUMENT_HANDLES,
  free,
  handle,
  integer,
  list,
  oneOf,
  optional,
  sovereign,
  timestamp,
  uuid,
  type Member,
} from './values.ts'

/** AC-005, in its order; `envelope_version`, `kind` and `payload` have codes of their own. */
const MEMBERS: Readonly<Record<string, Member>> = {
  frame_id: uuid('AC-008, ACQ-19'),
  sender_handle: handle('AC-012, ACQ-10, ACQ-13'),
  recipient_handle: handle('AC-014, ACQ-02, ACQ-10'),
  created_at: timestamp('AC-016, ACQ-26'),
  ttl_ms: optional(integer('AC-018, ACQ-15', 0)),
  acted_by: sovereign('AC-021, ACQ-11'),
  drafted_with: handle('AC-022, ACQ-11'),
  provenance_compute_location: oneOf('AC-024', 'server-active', 'server-aggregate', 'local-only'),
  provenance_method: withoutEmpty(list('AC-026, ACQ-14')),
  provenance_return_ref: optional(free('AC-027, ACQ-14')),
  provenance_context_check: oneOf('AC-028', 'passed', 'skipped'),
  provenance_basis: free('AC-029, ACQ-14'),
}

/** All fifteen, in the order in which faults are reported (ACQ-08). */
const ALL_NAMES = [
  'envelope_version',
  'frame_id',
  'kind',
  'sender_handle',
  'recipient_handle',
  'created_at',
  'ttl_ms',
  'payload',
  'acted_by',
  'drafted_with',
  'provenance_compute_location',
  'provenance_method',
  'provenance_return_ref',
  'provenance_context_check',
  'provenance_basis',
]

const OPTIONAL_NAMES = new Set(['ttl_ms', 'provenance_return_ref'])

function withoutEmpty(member: Member): Member {
  const valid = member.valid.filter((value) => !(Array.isArray(value) && value.length === 0))
  return { ...member, valid, invalid: [...member.invalid, [[]]] }
}

function refusalWith(faults: Readonly<Record<string, unknown>>) {
  return refusalOf(() => parseFrame(brokenFrame('agent_advisory', faults)))
}

describe.each(Object.entries(MEMBERS))('%s', (name, { id, optional: isOptional, valid, invalid }) => {
  test(`takes every value within its constraints (${id})`, () => {
    for (const value of valid) expect(refusalWith({ [name]: value }), JSON.stringify(value)).toBeUndefined()
  })

  test(`refuses every value outside them (${id}, AC-003, ACQ-09)`, () => {
    for (const [value, at = ''] of invalid) {
      const refusal = { code: 'field-invalid', field: `${name}${at}` }
      expect(refusalWith({ [name]: value }), String(value).slice(0, 80)).toEqual(refusal)
    }
  })

  test(`${isOptional ? 'may' : 'may not'} be absent (${id}, AC-002, AC-005)`, () => {
    const refusal = isOptional ? undefined : { code: 'field-missing', field: name }

    expect(refusalWith({ [name]: undefined })).toEqual(refusal)
  })
})

test('any frame of any kind is taken, and comes back member for member (AC-001…AC-042)', () => {
  fc.assert(
    fc.property(arbitraryFrame(), (frame) => {
      expect(parseFrame(frame)).toEqual(frame)
      expect(Frame.safeParse(frame).success).toBe(true)
    }),
    { numRuns: 300 },
  )
})

test('every one of the fifteen names is known, thirteen of them required (AC-005)', () => {
  const full = { ...validFrame('agent_advisory', { ttl_ms: 1, provenance_return_ref: 'x' }) }

  expect(Object.keys(full).toSorted()).toEqual(ALL_NAMES.toSorted())
  expect(refusalOf(() => parseFrame(full))).toBeUndefined()
  for (const name of ALL_NAMES) {
    const refusal = OPTIONAL_NAMES.has(name) ? undefined : { code: 'field-missing', field: name }
    expect(
      refusalOf(() => parseFrame(withMembers(full, { [name]: undefined }))),
      name,
    ).toEqual(refusal)
  }
})

test('the order of the members does not matter (AC-001)', () => {
  const entries = Object.entries(validFrame())

  for (let i = 0; i < entries.length; i += 1) {
    const turned = Object.fromEntries([...entries.slice(i), ...entries.slice(0, i)])
    expect(refusalOf(() => parseFrame(turned))).toBeUndefined()
  }
})

test.each([null, true, 0, 'x', '{}', [], [validFrame()], undefined])(
  'a frame is an object, not %j (AC-001, ACQ-39)',
  (value) => {
    expect(refusalOf(() => parseFrame(value))).toEqual({ code: 'field-invalid', field: 'frame' })
  },
)

test('an empty object misses its version first (ACQ-08)', () => {
  expect(refusalOf(() => parseFrame({}))).toEqual({ code: 'field-missing', field: 'envelope_version' })
})

describe('envelope_version', () => {
  test.each(['', '1', '1.0.0', '1.00', ' 1.0', '1.0 ', '1.0\n', '2.0', '1.1', 'v1.0', '__proto__'])(
    '%j is another version, and nothing else is looked at (AC-007, AC-160)',
    (envelope_version) => {
      const refusal = { code: 'envelope-version-unsupported', field: 'envelope_version' }

      expect(refusalWith({ envelope_version })).toEqual(refusal)
      expect(refusalOf(() => parseFrame({ envelope_version, anything: 1 }))).toEqual(refusal)
    },
  )

  test.each([null, 1, 1.0, true, ['1.0'], { '1.0': 1 }])(
    '%j is not even a string (AC-006)',
    (envelope_version) => {
      expect(refusalWith({ envelope_version })).toEqual({ code: 'field-invalid', field: 'envelope_version' })
    },
  )
})

describe('kind', () => {
  test.each([
    '',
    'agent',
    'AGENT_QUERY',
    'agent_query ',
    'agent_roster',
    '__proto__',
    'constructor',
    'toString',
  ])('%j is outside the catalogue (AC-010, AC-011, AC-161, ACQ-40)', (kind) => {
    expect(refusalWith({ kind })).toEqual({ code: 'kind-unknown', field: 'kind' })
  })

  test.each([null, 1, true, ['agent_query'], {}])('%j is not even a string (AC-010)', (kind) => {
    expect(refusalWith({ kind })).toEqual({ code: 'field-invalid', field: 'kind' })
  })

  test('says of every kind whose payload a frame has (AC-041)', () => {
    for (const kind of KIND_NAMES) expect(parseFrame(validFrame(kind)).kind).toBe(kind)
  })
})

test.each([null, true, 0, 'x', '{}', [], [validPayload('agent_advisory')]])(
  'a payload is an object, not %j (AC-020, ACQ-07)',
  (payload) => {
    expect(refusalWith({ payload })).toEqual({ code: 'field-invalid', field: 'payload' })
  },
)

test.each([
  'recipient_scope',
  'scope',
  'Kind',
  'kind ',
  'ledger_kind',
  'iai_provenance',
  'content_type',
  '',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
])('%j is no name of a frame (AC-004, AC-174, ACQ-02, ACQ-40)', (name) => {
  const frame = JSON.parse(`{"${name}":{"x":1},${JSON.stringify(validFrame()).slice(1)}`)

  expect(refusalOf(() => parseFrame(frame))).toEqual({ code: 'field-unknown', field: name })
})

test("the author's command line is refused: its scope in recipient_handle, its old names (ACQ-02)", () => {
  expect(refusalWith({ recipient_handle: '~alice/*' })?.field).toBe('recipient_handle')
  expect(refusalWith({ iai_stream_basis: 'x' })?.code).toBe('field-unknown')
})

describe('the attribution pair', () => {
  test('names two different handles (AC-023, ACQ-11)', () => {
    expect(refusalWith({ drafted_with: ALICE })).toEqual({ code: 'field-invalid', field: 'drafted_with' })
  })

  test.each(['~agentd-cli', '~some-tool', '~alice-bot'])(
    '%s may draft: a prefix is only customary (ACQ-11, ACQ-12)',
    (name) => {
      expect(refusalWith({ drafted_with: name })).toBeUndefined()
    },
  )

  test.each(['~alter-cli@1.2.3', '~cc-opus-4-6@1', '~reviewer.bot'])('%s may not draft (ACQ-11)', (name) => {
    expect(refusalWith({ drafted_with: name })).toEqual({ code: 'field-invalid', field: 'drafted_with' })
  })

  test.each(INSTRUMENT_HANDLES)(
    '%s may send and act as far as the frame goes: what tier it is of is declared, not spelled (ACQ-11, ACQ-13)',
    (name) => {
      expect(refusalWith({ sender_handle: name })).toBeUndefined()
      expect(refusalWith({ acted_by: name, drafted_with: '~another-one' })).toBeUndefined()
    },
  )

  test('says the same in an intent as around it (AC-101, ACQ-16)', () => {
    const payload = validPayload('intent_declare')
    const refusal = (faults: object) =>
      refusalOf(() => parseFrame(brokenFrame('intent_declare', { payload: { ...payload, ...faults } })))

    expect(refusal({})).toBeUndefined()
    expect(refusal({ acted_by: '~bob' })).toEqual({ code: 'field-invalid', field: 'payload.acted_by' })
    expect(refusal({ drafted_with: '~cc-x' })).toEqual({
      code: 'field-invalid',
      field: 'payload.drafted_with',
    })
    expect(refusal({ acted_by: '~bob', drafted_with: '~cc-x' })?.field).toBe('payload.acted_by')
  })
})

describe('ttl_ms', () => {
  test.each(['0', '-0', '1e3', '1000.0', '9007199254740991', '60000'])(
    '%s is an integer in JSON (AC-018, ACQ-15)',
    (json) => {
      expect(refusalWith({ ttl_ms: JSON.parse(json) })).toBeUndefined()
    },
  )

  test.each(['-1', '0.5', '9007199254740992', '1e16', '1e400'])(
    '%s is out of range or no integer (AC-018, ACQ-15)',
    (json) => {
      expect(refusalWith({ ttl_ms: JSON.parse(json) })).toEqual({ code: 'field-invalid', field: 'ttl_ms' })
    },
  )

  test('is the horizon of its frame, and absent the kind says one (AC-018, AC-183)', () => {
    const created_at = '2026-11-20T12:00:00Z'
    const createdMs = Date.parse(created_at)

    expect(expiresAtMs(validFrame('agent_query', { created_at, ttl_ms: 0 }))).toBe(createdMs)
    expect(expiresAtMs(validFrame('agent_query', { created_at, ttl_ms: 5_000 }))).toBe(createdMs + 5_000)
    for (const kind of KIND_NAMES) {
      const expiresMs = expiresAtMs(parseFrame(brokenFrame(kind, { created_at })))
      const impliedMs = kind === 'intent_declare' ? validPayload(kind).ttl : KINDS[kind].defaultTtlMs
      expect(expiresMs, kind).toBe(createdMs + impliedMs)
    }
  })

  test.each([
    ['when its frame was made', '2026-11-20T12:00:30Z', '2026-11-20T12:01:30Z'],
    ['later', '2026-11-20T12:00:40Z', '2026-11-20T12:01:40Z'],
    ['long before its frame, from which it counts then', '2026-01-01T00:00:00Z', '2026-11-20T12:01:30Z'],
  ])('of an intent ends no later than its window, if declared %s (AC-103)', (_, declared_at, closes) => {
    const created_at = '2026-11-20T12:00:30Z'
    const payload = { ...validPayload('intent_declare'), declared_at, ttl: 60_000 }
    const expiries = [undefined, 10_000, 60_000, 90_000].map((ttl_ms) =>
      expiresAtMs(
        validFrame('intent_declare', { created_at, payload, ...(ttl_ms !== undefined && { ttl_ms }) }),
      ),
    )

    const [windowMs, createdMs] = [Date.parse(closes), Date.parse(created_at)]
    expect(expiries).toEqual([
      windowMs,
      createdMs + 10_000,
      createdMs + 60_000,
      Math.min(windowMs, createdMs + 90_000),
    ])
  })
})

function refusalAt(ms: number, check: { nowMs?: number }) {
  const frame = validFrame('agent_query', { created_at: new Date(ms).toISOString() })
  return refusalOf(() => parseFrame(frame, check))
}

describe('created_at', () => {
  const nowMs = Date.UTC(2026, 10, 20, 12)

  test('may be five minutes ahead and a day behind, and not a millisecond more (AC-017, ACQ-26)', () => {
    const refusal = { code: 'field-invalid', field: 'created_at' }

    expect(refusalAt(nowMs, { nowMs })).toBeUndefined()
    expect(refusalAt(nowMs + 300_000, { nowMs })).toBeUndefined()
    expect(refusalAt(nowMs + 300_001, { nowMs })).toEqual(refusal)
    expect(refusalAt(nowMs - 86_400_000, { nowMs })).toBeUndefined()
    expect(refusalAt(nowMs - 86_400_001, { nowMs })).toEqual(refusal)
  })

  test('may be any time at all where nobody gives the time (ACQ-26)', () => {
    expect(refusalAt(0, {})).toBeUndefined()
    expect(refusalAt(Date.UTC(9999, 0), {})).toBeUndefined()
  })

  test('that is implausible comes before a faulty payload, after a faulty form (ACQ-08)', () => {
    const late = new Date(nowMs + 300_001).toISOString()
    const refusal = (faults: object) =>
      refusalOf(() => parseFrame(brokenFrame('agent_advisory', { created_at: late, ...faults }), { nowMs }))

    expect(refusal({ payload: {} })).toEqual({ code: 'field-invalid', field: 'created_at' })
    expect(refusal({ stranger: 1 })).toEqual({ code: 'field-unknown', field: 'stranger' })
    expect(refusal({ acted_by: undefined })).toEqual({ code: 'field-missing', field: 'acted_by' })
  })
})

test('a message is a sentence that names the field (AC-159)', () => {
  const broken = [
    { kind: 'x' },
    { envelope_version: '2' },
    { x: 1 },
    { acted_by: 1 },
    { payload: {} },
    { payload: { x: 1 } },
  ]

  for (const faults of broken) {
    let message = ''
    try {
      parseFrame(brokenFrame('agent_advisory', faults))
    } catch (error) {
      message = error instanceof Error ? error.message : ''
    }
    expect(message).toMatch(/^.{10,}\.$/s)
  }
})

/** What may be wrong with one frame at once. Every list may be empty. */
interface Faults {
  readonly version: undefined | 'missing' | 'type' | 'unsupported'
  readonly kind: undefined | 'missing' | 'type' | 'unknown'
  readonly unknown: readonly string[]
  readonly missing: readonly string[]
  readonly invalid: readonly string[]
  readonly payload: Readonly<Record<string, unknown>>
  readonly payloadRefusal: { code: string; field: string } | undefined
}

const PAYLOAD_FAULTS: readonly Pick<Faults, 'payload' | 'payloadRefusal'>[] = [
  { payload: { resource: 'a', lease_id: 'x', ttl_ms: 1 }, payloadRefusal: invalidAt('lease_id') },
  { payload: { zz: 1, aa: 1 }, payloadRefusal: { code: 'payload-kind-mismatch', field: 'payload' } },
  { payload: { intent: '' }, payloadRefusal: { code: 'payload-kind-mismatch', field: 'payload' } },
  { payload: {}, payloadRefusal: { code: 'field-missing', field: 'payload.resource' } },
  { payload: { resource: '', zz: 1, aa: 1 }, payloadRefusal: { code: 'field-unknown', field: 'payload.aa' } },
  {
    payload: { resource: '', intent: 1 },
    payloadRefusal: { code: 'field-missing', field: 'payload.lease_id' },
  },
  { payload: { ttl_ms: 0 }, payloadRefusal: { code: 'field-missing', field: 'payload.resource' } },
  {
    payload: { ...validPayload('agent_lock_request'), ttl_ms: 0, intent: 1 },
    payloadRefusal: invalidAt('ttl_ms'),
  },
  { payload: { ...validPayload('agent_lock_request') }, payloadRefusal: undefined },
]

function invalidAt(name: string) {
  return { code: 'field-invalid', field: `payload.${name}` }
}

const SOME_NAMES = ALL_NAMES.filter((name) => name !== 'envelope_version' && name !== 'kind')

const faultsOf: fc.Arbitrary<Faults> = fc
  .record({
    version: often(fc.constantFrom('missing', 'type', 'unsupported')),
    kind: often(fc.constantFrom('missing', 'type', 'unknown')),
    unknown: few(['zz', 'aa', 'Kind', 'recipient_scope', 'constructor', '__proto__', '']),
    missing: few(SOME_NAMES.filter((name) => !OPTIONAL_NAMES.has(name))),
    invalid: few(SOME_NAMES),
    payload: fc.constantFrom(...PAYLOAD_FAULTS),
  })
  .map(({ payload, ...others }) => ({ ...others, ...payload }))

/** Usually nothing, so that the later steps of the order are reached too. */
function often<T>(fault: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc
    .option(fault, { nil: undefined, freq: 1 })
    .chain((value) => fc.constantFrom(value, undefined, undefined))
}

function few(names: readonly string[]): fc.Arbitrary<readonly string[]> {
  return fc.oneof(fc.constant([]), fc.subarray([...names], { maxLength: 3 }))
}

/** The frame with all of the faults; where two touch one name, the graver one stays. */
function frameWith({ version, kind, unknown, missing, invalid, payload }: Faults): unknown {
  const versions = { missing: undefined, type: 1, unsupported: '2.0' }
  const kinds = { missing: undefined, type: ['agent_query'], unknown: 'agent_gossip' }
  const frame = brokenFrame('agent_lock_request', {
    payload,
    ...Object.fromEntries(invalid.map((name) => [name, null])),
    ...Object.fromEntries(missing.map((name) => [name, undefined])),
    ...(version !== undefined && { envelope_version: versions[version] }),
    ...(kind !== undefined && { kind: kinds[kind] }),
  })
  return Object.fromEntries([...unknown.map((name) => [name, { x: 1 }]), ...Object.entries(frame)])
}

/** Steps 2 to 7 of ACQ-08, as they are written there. */
function expectedRefusal({ version, kind, unknown, missing, invalid, payloadRefusal }: Faults) {
  const versionCodes = {
    missing: 'field-missing',
    type: 'field-invalid',
    unsupported: 'envelope-version-unsupported',
  }
  const kindCodes = { missing: 'field-missing', type: 'field-invalid', unknown: 'kind-unknown' }
  if (version !== undefined) return { code: versionCodes[version], field: 'envelope_version' }
  if (kind !== undefined) return { code: kindCodes[kind], field: 'kind' }
  const [stranger] = unknown.toSorted()
  if (stranger !== undefined) return { code: 'field-unknown', field: stranger }
  const absent = ALL_NAMES.find((name) => missing.includes(name))
  if (absent !== undefined) return { code: 'field-missing', field: absent }
  const wrong = ALL_NAMES.find((name) => invalid.includes(name))
  if (wrong !== undefined) return { code: 'field-invalid', field: wrong }
  return payloadRefusal
}

test('of any faults together the first by the order is reported (ACQ-07, ACQ-08, ACQ-39)', () => {
  fc.assert(
    fc.property(faultsOf, (faults) => {
      expect(refusalOf(() => parseFrame(frameWith(faults)))).toEqual(expectedRefusal(faults))
    }),
    { numRuns: 2_000 },
  )
})

test('what is wrong inside a payload never outweighs what is wrong around it (ACQ-08)', () => {
  for (const { payload } of PAYLOAD_FAULTS) {
    const refusal = refusalOf(() =>
      parseFrame(brokenFrame('agent_lock_request', { payload, drafted_with: ALICE })),
    )
    expect(refusal).toEqual({ code: 'field-invalid', field: 'drafted_with' })
  }
})

test('unknown members at any depth of a payload come before missing ones, those before wrong ones (ACQ-08)', () => {
  const payload = validPayload('agent_binding_moment')
  const question = {
    ...payload.question,
    stem: '',
    hatches: { zz: 1 },
    options: [{ label: '', x: 1 }, { label: '' }],
  }
  const refusal = (faults: object) =>
    refusalOf(() => parseFrame(brokenFrame('agent_binding_moment', { payload: { ...payload, ...faults } })))

  expect(refusal({ question, offer: undefined })).toEqual({
    code: 'field-unknown',
    field: 'payload.question.hatches.zz',
  })
  expect(
    refusal({ question: { ...question, hatches: {}, options: [{ label: '' }, { label: '' }] } }),
  ).toEqual({
    code: 'field-missing',
    field: 'payload.question.options[0].reasoning',
  })
  expect(refusal({ synopsis: '', question: { ...payload.question, stem: '' } })).toEqual({
    code: 'field-invalid',
    field: 'payload.synopsis',
  })
})
