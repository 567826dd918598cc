/**
 * The fifteen payload shapes against the table of docs/requirements.md §5.3 (AC-041, AC-050…AC-113).
 */
import { expect, describe, test } from 'vitest'
import { Frame, parseFrame } from '../../../src/protocol/frame/frame.ts'
import { KINDS, KIND_NAMES, isKind, type Kind } from '../../../src/protocol/frame/kinds.ts'
import { brokenFrame, validFrame, validPayload, withMembers } from '../../support/frames.ts'
import { refusalOf } from '../../support/refusals.ts'
import { PAYLOAD_TABLE, stepsOf, withValueAt, type Row } from './payload-table.ts'

const ROWS = KIND_NAMES.flatMap((kind) => PAYLOAD_TABLE[kind].map((row): [Kind, ...Row] => [kind, ...row]))

/** Kind → its required members alone. */
function leastPayload(kind: Kind): Record<string, unknown> {
  const names = PAYLOAD_TABLE[kind].filter(([path, { optional }]) => optional && stepsOf(path).length === 1)
  return { ...withMembers(validPayload(kind), Object.fromEntries(names.map(([path]) => [path, undefined]))) }
}

/** A frame of the kind around a payload; its attribution pair agrees with an intent's (ACQ-16). */
function frameAround(kind: Kind, payload: Readonly<Record<string, unknown>>) {
  const names = kind === 'intent_declare' ? ['acted_by', 'drafted_with'] : []
  const pair = Object.fromEntries(names.map((name) => [name, payload[name] ?? `~${name.replace('_', '-')}`]))
  return brokenFrame(kind, { ...pair, payload })
}

function refusalAt(kind: Kind, path: string, value: unknown) {
  const payload = withValueAt(validPayload(kind), path, value)
  return refusalOf(() => parseFrame(brokenFrame(kind, { payload })))
}

/** A short form of a value, for messages. */
function show(value: unknown): string {
  const json = typeof value === 'number' ? String(value) : JSON.stringify(value)
  return json.length > 60 ? `${json.slice(0, 60)}… (${json.length})` : json
}

test('a frame may be of every kind of the catalogue, and of no other (AC-031)', () => {
  expect(Frame.options.map((option) => option.shape.kind.value)).toEqual(KIND_NAMES)
})

test('the catalogue is exactly the fifteen kinds, in the order of the memo (AC-031, AC-176, ACQ-01)', () => {
  expect(KIND_NAMES).toEqual([
    'agent_advisory',
    'agent_broadcast',
    'agent_handover',
    'agent_lock_request',
    'agent_lock_release',
    'agent_lease_extend',
    'agent_query',
    'agent_response',
    'agent_return_event',
    'agent_binding_moment',
    'peer_diagnostic_request',
    'peer_diagnostic_response',
    'intent_declare',
    'intent_withdraw',
    'flush_executed',
  ])
})

test('a name outside the catalogue is not a kind, whatever objects inherit (AC-011, ACQ-40)', () => {
  const strangers = ['', 'agent', 'Agent_query', 'agent_query ', 'agent_roster', 'work_offer', 'toString']

  expect([...strangers, '__proto__', 'constructor', 'hasOwnProperty'].filter(isKind)).toEqual([])
})

describe.each(ROWS)('%s: %s', (kind, path, { id, optional, valid, invalid }) => {
  test(`takes every value within its bounds (${id}, AC-042)`, () => {
    for (const value of valid) {
      const payload = withValueAt(validPayload(kind), path, value)
      const refusal = refusalOf(() => parseFrame(frameAround(kind, payload)))
      expect(refusal, show(value)).toBeUndefined()
    }
  })

  test(`refuses every value outside them, naming the field (${id}, AC-003, AC-042, ACQ-09, ACQ-14)`, () => {
    for (const [value, at = ''] of invalid) {
      const refusal = { code: 'field-invalid', field: `payload.${path}${at}` }
      expect(refusalAt(kind, path, value), show(value)).toEqual(refusal)
    }
  })

  test(`${optional ? 'may' : 'may not'} be absent (${id}, AC-002)`, () => {
    const base = optional ? validPayload(kind) : leastPayload(kind)
    const refusal = optional ? undefined : { code: 'field-missing', field: `payload.${path}` }

    const payload = withValueAt(base, path, undefined)

    expect(refusalOf(() => parseFrame(brokenFrame(kind, { payload })))).toEqual(refusal)
  })
})

describe.each(KIND_NAMES)('%s', (kind) => {
  const required = PAYLOAD_TABLE[kind].filter(([path, row]) => !row.optional && stepsOf(path).length === 1)
  const names = required.map(([path]) => path)

  test('takes its required members alone (AC-041)', () => {
    const payload = leastPayload(kind)

    expect(Object.keys(payload).toSorted()).toEqual(names.toSorted())
    expect(parseFrame(frameAround(kind, payload)).payload).toEqual(payload)
  })

  test('comes back as it went in, member for member (AC-041)', () => {
    const frame = validFrame(kind)

    expect(parseFrame(frame)).toEqual(frame)
    expect(JSON.stringify(parseFrame(frame))).toBe(JSON.stringify(frame))
  })

  test('misses its first required member when empty (ACQ-07)', () => {
    const refusal = refusalOf(() => parseFrame(brokenFrame(kind, { payload: {} })))

    expect(refusal).toEqual({ code: 'field-missing', field: `payload.${names[0]}` })
  })

  test('is a mismatch when none of its required members is there (AC-162, ACQ-07)', () => {
    const optionalOnly = Object.fromEntries(
      Object.entries(validPayload(kind)).filter(([name]) => !names.includes(name)),
    )
    const strangers = [{ stranger: 1 }, JSON.parse('{"__proto__":{}}'), { constructor: 1 }, optionalOnly]

    for (const payload of strangers.filter((value) => Object.keys(value).length > 0)) {
      const refusal = refusalOf(() => parseFrame(brokenFrame(kind, { payload })))
      expect(refusal, show(payload)).toEqual({ code: 'payload-kind-mismatch', field: 'payload' })
    }
  })

  test('refuses a member it does not have, the inherited names too (AC-004, AC-174, ACQ-40)', () => {
    for (const name of ['stranger', 'content_type', '__proto__', 'constructor', 'toString', '']) {
      const payload = withValueAt(validPayload(kind), 'x', 1)
      const renamed = Object.fromEntries(
        Object.entries(payload).map(([key, v]) => [key === 'x' ? name : key, v]),
      )
      const refusal = refusalOf(() => parseFrame(brokenFrame(kind, { payload: renamed })))
      expect(refusal, name).toEqual({ code: 'field-unknown', field: `payload.${name}` })
    }
  })

  test('has a positive horizon of its own (AC-018)', () => {
    expect(KINDS[kind].defaultTtlMs).toBeGreaterThan(0)
  })
})

test('a payload is told from the payload of every other kind it shares no member with (AC-162)', () => {
  for (const kind of KIND_NAMES) {
    const required = PAYLOAD_TABLE[kind].filter(([, row]) => !row.optional).map(([path]) => path)
    for (const other of KIND_NAMES) {
      const payload = validPayload(other)
      if (required.some((name) => Object.hasOwn(payload, name))) continue
      const refusal = refusalOf(() => parseFrame(brokenFrame(kind, { payload })))
      expect(refusal, `${other} in ${kind}`).toEqual({ code: 'payload-kind-mismatch', field: 'payload' })
    }
  }
})

test.each(['question', 'question.options[0]', 'question.options[1]', 'question.hatches'])(
  'the objects of a question are closed: %s (AC-086, AC-088, AC-174)',
  (path) => {
    for (const name of ['stranger', '__proto__', 'constructor']) {
      const field = `${path}.${name}`
      const refusal = refusalAt('agent_binding_moment', field, 1)
      expect(refusal, name).toEqual({ code: 'field-unknown', field: `payload.${field}` })
    }
  },
)

test('the recommendation names an option that is there, whatever their number (AC-087)', () => {
  for (const count of [2, 3, 4]) {
    const { question } = validPayload('agent_binding_moment')
    const options = Array.from({ length: count }, () => ({ label: 'a', reasoning: 'b' }))
    const at = (recommended_idx: number) =>
      refusalAt('agent_binding_moment', 'question', { ...question, options, recommended_idx })
    expect(at(count - 1)).toBeUndefined()
    expect(at(count)).toEqual({ code: 'field-invalid', field: 'payload.question.recommended_idx' })
  }
})

test('references are strings, never the things they refer to (AC-113)', () => {
  for (const [kind, path] of ROWS.filter(([, name]) => /_?refs?$/.test(name))) {
    const isList = path.endsWith('s')
    const value = isList ? [{ uri: 'x' }] : { uri: 'x' }
    const field = `payload.${path}${isList ? '[0]' : ''}`
    expect(refusalAt(kind, path, value)).toEqual({ code: 'field-invalid', field })
  }
})
