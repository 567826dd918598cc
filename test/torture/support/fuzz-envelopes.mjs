/**
 * What envelopes are fuzzed from: one of every shape, and large ones that are made to cost time.
 */
import { createHash } from 'node:crypto'
import { makeEnvelope } from './envelopes.mjs'

const HASH = `sha256:${createHash('sha256').update('x').digest('hex')}`
const TRACE = { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736', span_id: '00f067aa0ba902b7', x: 1 }

export const INTENTS = [
  'aee.status.ping',
  'aee.status.health',
  'aee.spec.query',
  'aee.capability.list',
  'aee.context.fetch',
  'aee.context.refute',
  'aee.validate.payload',
]

/** Intent → a payload of a task with every member it may have. */
export const TASK_PAYLOADS = {
  'aee.status.ping': {},
  'aee.status.health': {},
  'aee.spec.query': {},
  'aee.capability.list': { namespace_filter: 'aee.status' },
  'aee.context.fetch': { id: 'x'.repeat(8), corr: 'c'.repeat(8), locator: 'store://envelopes/x', hash: HASH },
  'aee.context.refute': { id: 'x'.repeat(8), reason: 'wrong' },
  'aee.validate.payload': { intent: 'aee.status.ping', payload: { a: [1, { b: null }] }, type_hint: 'task' },
}

const REQUIRES = {
  timeout_ms: 1_000,
  human_approval: false,
  min_confidence: 0.5,
  language: 'en',
  capabilities: ['a'],
  api_key: 'sk-0123456789abcdef0123456789',
}

/** Members that make a shape of its own of an envelope; the rest is `makeEnvelope`'s. */
const SHAPES = [
  {},
  { type: 'result', reply_to: 'earlier-envelope' },
  {
    type: 'error',
    reply_to: 'earlier-envelope',
    payload: { code: 'E_X', message: 'no', retryable: false, details: {} },
  },
  { type: 'event', priority: 'low', trace: TRACE },
  { type: 'stream', priority: 'urgent', reply_to: 'earlier-envelope', payload: { seq: 1, chunk: 'a' } },
  { priority: 'high', requires: REQUIRES },
  {
    payload: {
      references: [
        { id: 'earlier-envelope', type: 'aee.envelope', locator: 'store://envelopes/a%2Fb', hash: HASH },
      ],
    },
  },
  { payload: { envelope: makeEnvelope() }, requires: {}, 'x-more': [1, 2] },
  { sig: { alg: 'ed25519', kid: 'k', value: 'A'.repeat(86) + '==', canon: 'aee-jcs-1' } },
  { sig: 'eyJhbGciOiJIUzI1NiIsImtpZCI6ImsifQ..AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' },
  { intent: 'aee.context.fetch', to: 'service.agentd', payload: TASK_PAYLOADS['aee.context.fetch'] },
]

/** A valid envelope of any shape. */
export function anyEnvelope(random) {
  return makeEnvelope(random.pick(SHAPES))
}

/** What a payload of one mebibyte is filled with; each is a way to make somebody walk over all of it. */
const FILLINGS = {
  text: (size) => ({ payload: { a: 'x'.repeat(size) } }),
  escapes: (size) => ({ payload: { a: '\u0001'.repeat(size / 6) } }),
  astral: (size) => ({ payload: { a: '😀'.repeat(size / 4) } }),
  numbers: (size) => ({ payload: { a: Array.from({ length: size / 2 }, () => 1) } }),
  objects: (size) => ({ payload: { a: Array.from({ length: size / 3 }, () => ({})) } }),
  members: (size) => ({ payload: withMembers(size / 13, () => 1) }),
  requires: (size) => ({ requires: withMembers(size / 40, () => 'sk-0123456789abcdef01234') }),
  secrets: (size) => ({ requires: withMembers(size / 1_100, () => `a://${'b:@'.repeat(350)}`) }),
  references: (size) => ({
    payload: {
      references: Array.from({ length: size / 40 }, () => ({ id: 'earlier1', type: 'aee.envelope' })),
    },
  }),
  id: (size) => ({ id: 'i'.repeat(size) }),
  from: (size) => ({ from: 'f.'.repeat(size / 2) }),
  intent: (size) => ({ intent: 'a.'.repeat(size / 2) }),
  reserved: (size) => ({ intent: `aee.${'a.'.repeat(size / 2)}` }),
  corr: (size) => ({ corr: '😀'.repeat(size / 4) }),
  ts: (size) => ({ ts: '1'.repeat(size) }),
  moment: (size) => ({ ts: `2026-11-20T00:00:00.${'0'.repeat(size)}Z` }),
  trace: (size) => ({ trace: { ...TRACE, ...withMembers(size / 13, () => 1) } }),
  sig: (size) => ({ sig: 'A.'.repeat(size / 2) }),
  value: (size) => ({ sig: { alg: 'HS256', kid: 'k', value: 'A'.repeat(size) } }),
  kid: (size) => ({ sig: { alg: 'HS256', kid: 'k'.repeat(size), value: 'AAAA' } }),
  unknown: (size) => withMembers(size / 13, () => 1),
  deep: (size) => ({ payload: { a: Array.from({ length: size / 130 }, () => nest(58)) } }),
}

/** Octets of a large envelope without what surrounds its filling. */
const LARGE = 1_048_576 - 4_096

export const FILLING_NAMES = Object.keys(FILLINGS)

/** A valid envelope as large as one may be. */
export function largeEnvelope(name) {
  return makeEnvelope(FILLINGS[name](LARGE))
}

function withMembers(count, make) {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, make(i)]))
}

function nest(levels) {
  let value = 1
  for (let i = 0; i < levels; i += 1) value = [value]
  return value
}
