/**
 * Envelopes in the broker: in which order they are refused, who signed them, which were there before, and that
 * every byte of what was accepted comes out again (AEE-035, AEE-080…AEE-085, AEE-C02; docs/requirements.md §8).
 */
import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Envelope } from '../../../src/aee/envelope/envelope.ts'
import { readKey, type Key } from '../../../src/aee/keys/key.ts'
import { createKey, revokeKey, type NewKeyOptions } from '../../../src/aee/keys/new-key.ts'
import { SchemaRegistry } from '../../../src/aee/schemas/registry.ts'
import { boundBytes, signEnvelope } from '../../../src/aee/keys/signature.ts'
import { MemoryRing } from '../../../src/broker/ring/memory/memory-ring.ts'
import { AgentdError } from '../../../src/core/errors.ts'
import type { EnvelopeReply } from '../../../src/protocol/http/envelope-replies.ts'
import type { AnyEnvelope } from '../../support/envelopes.ts'
import { refusalOf } from '../../support/refusals.ts'
import { forgetAll } from '../../support/rings.ts'
import { Workbench } from '../workbench.ts'

const DAY_MS = 24 * 60 * 60_000

const SCHEMAS = new SchemaRegistry(
  ['task', 'result'].map((variant) => ({
    name: `ops.backup.check.${variant}.schema.json`,
    text: JSON.stringify({ type: 'object', required: ['cluster'] }),
  })),
)

function newKey(wish: Partial<NewKeyOptions> = {}): Key {
  return readKey(createKey({ alg: 'ed25519', entities: ['*'], nowMs: 0, ...wish }).text)
}

/** The same envelope with a signature. */
function signed<T extends Readonly<Record<string, unknown>>>(
  envelope: T,
  key: Key,
  form: 'object' | 'jws' = 'object',
): T & { readonly sig: unknown } {
  return { ...envelope, sig: signEnvelope(asEnvelope(envelope), key, { form }) }
}

/** Signing looks at members, and not at whether all of them are there. */
function asEnvelope(envelope: object): Envelope {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return envelope as Envelope
}

/** A ring that refuses while the test says so. */
class FullRing extends MemoryRing {
  isFull = false

  override append(batch: Parameters<MemoryRing['append']>[0]): void {
    if (this.isFull) throw new AgentdError('store-full', 'full', { retryAfterMs: 1_000 })
    super.append(batch)
  }
}

function onFullRing(): { bench: Workbench; ring: FullRing } {
  let made: FullRing | undefined
  const bench = new Workbench({ makeRing: (...args) => (made = new FullRing(...args)) })
  if (made === undefined) throw new Error('the bench made no ring')
  return { bench, ring: made }
}

type SigState = 'of an unknown key' | 'wrong' | 'none' | 'good'

/** Faults of one envelope, outermost first: what it is refused with, and what takes that fault away. */
const FAULTS: readonly (readonly [
  string,
  string | undefined,
  Readonly<Record<string, unknown>>,
  SigState?,
])[] = [
  ['version-unsupported', 'v', { v: '1' }],
  ['field-missing', 'corr', { corr: 'corr-other' }],
  ['field-missing', 'reply_to', { reply_to: 'task-0001' }],
  ['field-invalid', 'id', { id: 'result-0001' }],
  ['field-invalid', 'priority', { priority: 'normal' }],
  ['field-invalid', 'requires.timeout_ms', { requires: null }],
  ['sender-identity-mismatch', 'from', { from: 'agent.worker' }],
  ['signature-unverifiable', 'sig', {}, 'wrong'],
  ['signature-invalid', 'sig', {}, 'none'],
  ['signature-required', 'sig', {}, 'good'],
  ['timestamp-stale', 'ts', { ts: '2026-11-20T12:00:00Z' }],
  ['duplicate-id', 'id', { id: 'result-0002' }],
  ['field-invalid', 'reply_to', { to: 'agent.boss' }],
  ['field-invalid', 'corr', { corr: 'corr-0001' }],
  ['intent-reserved', 'intent', { intent: 'ops.backup.check' }],
  ['payload-invalid', 'payload', { payload: { cluster: 'node.lan' } }],
  ['rate-limited', undefined, { to: 'agent.bos', type: 'stream', reply_to: null, id: 'stream-001' }],
  ['recipient-unknown', 'to', { to: 'agent.boss' }],
]

test('of many faults the first in the order of docs/requirements.md §8 is told, until none is left', () => {
  const key = newKey()
  const bench = new Workbench({
    limits: { submissionsPerSecond: 1, submissionBurst: 1 },
    policy: {
      isStrict: true,
      signatures: 'require',
      keys: [key],
      payloads: { 'ops.*': 'enforce' },
      schemas: SCHEMAS,
    },
  })
  const worker = bench.session('cc', 'worker', { entities: ['agent.worker'] })
  const task = { id: 'task-0001', corr: 'corr-0001', from: 'agent.boss', to: 'agent.worker' }
  bench.publishEnvelope(signed(bench.envelope(task), key))
  // What the id will collide with; it uses up the quota of the session as well.
  const first = { id: 'result-0001', type: 'event', from: 'agent.worker' }
  bench.publishEnvelope(signed(bench.envelope(first), key), worker)
  let sigState: SigState = 'of an unknown key'
  const {
    corr: _,
    reply_to: __,
    ...faulty
  } = bench.envelope({
    v: '2',
    id: 'short',
    ts: '2026-11-19T11:59:59.999Z',
    type: 'result',
    from: 'agent.stranger',
    to: 'agent.bos',
    intent: 'aee.made.up',
    priority: 'whenever',
    requires: { timeout_ms: '30s' },
    payload: {},
  })
  let members: Readonly<Record<string, unknown>> = faulty
  const build = (): object => {
    const good = signed(members, key)
    if (sigState === 'good') return good
    if (sigState === 'none') return members
    if (sigState === 'of an unknown key') return { ...good, sig: { ...Object(good.sig), kid: 'nobody' } }
    return { ...good, sig: signed({ ...members, payload: { other: 1 } }, key).sig }
  }
  const count = bench.ring.count

  expect(refusalOf(() => bench.publishEnvelope(`${JSON.stringify(build())}}`, worker))).toEqual({
    code: 'envelope-malformed',
    field: 'envelope',
  })
  for (const [code, field, fix, sigFix] of FAULTS) {
    expect(refusalOf(() => bench.publishEnvelope(build(), worker))).toEqual({ code, field })
    members = { ...members, ...fix }
    sigState = sigFix ?? sigState
    if (code === 'rate-limited' || code === 'recipient-unknown') bench.clock.advance(1_000)
  }

  expect(bench.ring.count).toBe(count)
  expect(bench.publishEnvelope(build(), worker)).toMatchObject({ event_id: `e1-${count + 1}` })
  expect(bench.ring.count).toBe(count + 1)
})

describe('signatures (AEE-082…AEE-085, AEQ-13, AEQ-14, AEQ-15)', () => {
  const FROM = 'agent.signer'
  const key = newKey({ kid: 'good', entities: ['agent.*'] })
  const KEYS = [
    key,
    newKey({ kid: 'shared', alg: 'HS256' }),
    readKey(revokeKey(createKey({ alg: 'ed25519', kid: 'revoked', entities: ['*'], nowMs: 0 }).text)),
    newKey({ kid: 'narrow', entities: ['agent.other'] }),
    newKey({ kid: 'expired', notAfter: Date.UTC(2026, 10, 20, 11) }),
    newKey({ kid: 'later', notBefore: Date.UTC(2026, 10, 20, 13) }),
  ]

  /** Signs by the bytes alone, as somebody would whose key nobody trusts. */
  function claimOf(envelope: AnyEnvelope, kid: string, canon: 'aee-jcs-1' | 'aee-jcs-10' = 'aee-jcs-1') {
    const by = KEYS.find((one) => one.kid === kid) ?? key
    const value = by.sign(boundBytes(asEnvelope(envelope), canon)).toString('base64')
    return { ...envelope, sig: { alg: by.alg, kid, value, canon } }
  }

  const CASES: readonly (readonly [string, (plain: AnyEnvelope) => object, string | undefined])[] = [
    ['no signature', (plain) => plain, undefined],
    ['no member "sig" at all', (plain) => ({ ...plain, sig: undefined }), undefined],
    ['an object', (plain) => signed(plain, key), undefined],
    ['a detached JWS', (plain) => signed(plain, key, 'jws'), undefined],
    ['HS256', (plain) => claimOf(plain, 'shared'), undefined],
    [
      'a priority and a trace that changed on the way',
      (plain) => ({ ...signed(plain, key), priority: 'high', trace: {} }),
      undefined,
    ],
    [
      'another payload',
      (plain) => ({ ...signed(plain, key), payload: { cluster: 'other' } }),
      'signature-invalid',
    ],
    [
      'requires taken off',
      (plain) => ({ ...signed({ ...plain, requires: { human_approval: true } }, key), requires: null }),
      'signature-invalid',
    ],
    [
      'the algorithm of another key',
      (plain) => ({ ...plain, sig: { ...Object(signed(plain, key).sig), kid: 'shared' } }),
      'signature-invalid',
    ],
    [
      'a value that is cut',
      (plain) => ({ ...plain, sig: { alg: 'ed25519', kid: 'good', value: 'AAAA' } }),
      'signature-invalid',
    ],
    ['an unknown key', (plain) => claimOf(plain, 'nobody'), 'signature-unverifiable'],
    ['a revoked key', (plain) => claimOf(plain, 'revoked'), 'signature-unverifiable'],
    ['a key for somebody else', (plain) => claimOf(plain, 'narrow'), 'signature-unverifiable'],
    ['an expired key', (plain) => claimOf(plain, 'expired'), 'signature-unverifiable'],
    ['a key that does not hold yet', (plain) => claimOf(plain, 'later'), 'signature-unverifiable'],
    [
      'an unknown algorithm',
      (plain) => ({ ...plain, sig: { alg: 'none', kid: 'good', value: '' } }),
      'signature-unverifiable',
    ],
    ['an empty object', (plain) => ({ ...plain, sig: {} }), 'signature-unverifiable'],
    ['an empty string', (plain) => ({ ...plain, sig: '' }), 'signature-unverifiable'],
    ['a JWS with its payload', (plain) => ({ ...plain, sig: 'e30.e30.AAAA' }), 'signature-unverifiable'],
    ['only ten fields bound', (plain) => claimOf(plain, 'good', 'aee-jcs-10'), 'signature-unverifiable'],
  ]

  test.each(CASES)('%s', (_says, make, code) => {
    const UNSIGNED = ['no signature', 'no member "sig" at all']
    const benches = (['verify', 'require', 'relay'] as const).map(
      (signatures) => new Workbench({ policy: { signatures, keys: KEYS } }),
    )
    const outcomes = benches.map((bench) => {
      const envelope = make(bench.envelope({ from: FROM }))
      return refusalOf(() => bench.publishEnvelope(envelope))?.code
    })

    const required = UNSIGNED.includes(_says) ? 'signature-required' : code
    expect(outcomes).toEqual([code, required, undefined])
    // Refused means that nothing has happened.
    expect(benches.map(({ ring }) => ring.count)).toEqual(outcomes.map((one) => (one === undefined ? 1 : 0)))
  })

  test('a signature over ten fields is taken where the policy says so (AEQ-14)', () => {
    const bench = new Workbench({ policy: { keys: KEYS, allowTenFields: true } })

    expect(
      bench.publishEnvelope(claimOf(bench.envelope({ from: FROM }), 'good', 'aee-jcs-10')),
    ).toMatchObject({
      event_id: 'e1-1',
    })
  })

  test('a signature does not cover a number that no double holds (AEE-082, AEQ-13)', () => {
    const whole = 12_345_678_901_234_567_000
    const outcomes = ['12345678901234567000', '12345678901234567001'].map((number) => {
      const bench = new Workbench({ policy: { keys: KEYS } })
      const plain = signed(bench.envelope({ from: FROM, payload: { cluster: 'a', size: whole } }), key)
      const text = JSON.stringify(plain).replace(String(whole), number)
      // Both texts come to the same octets where JSON.parse has read them.
      expect(JSON.parse(text)).toEqual(plain)
      return refusalOf(() => bench.publishEnvelope(text))
    })

    expect(outcomes).toEqual([undefined, { code: 'signature-unverifiable', field: 'sig' }])
  })

  test('a key that is revoked while the daemon runs signs nothing from then on (AEE-086)', () => {
    const file = createKey({ alg: 'ed25519', kid: 'short-lived', entities: ['*'], nowMs: 0 }).text
    const keys = [readKey(file)]
    const bench = new Workbench({ policy: { keys } })
    const envelopes = [bench.envelope(), bench.envelope()].map((one) => signed(one, readKey(file)))
    bench.publishEnvelope(envelopes[0]!)

    keys[0] = readKey(revokeKey(file))

    expect(refusalOf(() => bench.publishEnvelope(envelopes[1]!))).toEqual({
      code: 'signature-unverifiable',
      field: 'sig',
    })
  })

  test('an id that was refused for its signature is free for whoever can sign (AEE-085, AEQ-16)', () => {
    const bench = new Workbench({ policy: { keys: KEYS } })
    const plain = bench.envelope({ from: FROM })
    expect(refusalOf(() => bench.publishEnvelope(claimOf(plain, 'revoked')))?.code).toBe(
      'signature-unverifiable',
    )

    expect(bench.publishEnvelope(signed(plain, key))).not.toHaveProperty('duplicate')
  })
})

test.each([
  ['2026-11-20T12:05:00Z', undefined],
  ['2026-11-20T12:05:00.001Z', 'timestamp-stale'],
  ['2026-11-19T12:00:00.000Z', undefined],
  ['2026-11-19T11:59:59.999Z', 'timestamp-stale'],
  ['2026-11-20T13:05:00+01:00', undefined],
  ['2026-11-20', undefined],
  ['2026-11-19', undefined],
  ['2026-11-18', 'timestamp-stale'],
  ['2026-11-21', 'timestamp-stale'],
  ['2025-12-23T12:00:00.123456+00:00', 'timestamp-stale'],
  ['the other day', undefined],
])('at noon of 2026-11-20 a "ts" of %s is refused with %s (AEE-081, AEQ-06)', (ts, code) => {
  const bench = new Workbench()

  expect(refusalOf(() => bench.tell({ ts }))).toEqual(code === undefined ? undefined : { code, field: 'ts' })
  // The conformance profile takes any time.
  expect(refusalOf(() => new Workbench({ limits: { strictTime: false } }).tell({ ts }))).toBeUndefined()
})

/** A bench with a session that hears for agent.b. */
function withReader() {
  const bench = new Workbench()
  const reader = bench.open(bench.session('cc', 'reader', { entities: ['agent.b'] }))
  return { bench, ...reader }
}

describe('repeats (AEE-080, AEQ-16)', () => {
  test('the same bytes again, in the same turn and later, are answered alike and delivered once', () => {
    const { bench, sink } = withReader()
    const envelope = bench.envelope({ to: 'agent.b', priority: 'high', reply_to: 'x' })
    const replies: unknown[] = []
    for (let i = 0; i < 3; i += 1) bench.submitEnvelope(envelope, { respond: (reply) => replies.push(reply) })
    bench.turn()

    const later = bench.publishEnvelope(envelope)

    const first = {
      id: envelope.id,
      event_id: 'e1-1',
      recipient_count: 1,
      queued_count: 0,
      ack: 'memory',
      effective_priority: 'high',
      warnings: [expect.objectContaining({ code: 'field-invalid', field: 'reply_to' })],
    }
    expect(replies).toEqual([first, { ...first, duplicate: true }, { ...first, duplicate: true }])
    expect(later).toEqual({ ...first, duplicate: true })
    expect(sink.envelopeIds).toEqual([envelope.id])
    expect(bench.broker.counters).toMatchObject({ envelopesAccepted: 1, envelopesDuplicate: 3 })
  })

  test.each([
    ['another payload', { payload: { cluster: 'other' } }],
    ['another recipient', { to: 'bus.ops' }],
    ['an added member', { x_note: 1 }],
  ])('an id that comes again with %s is refused, before and after the end of the turn', (_says, change) => {
    const { bench, sink } = withReader()
    const envelope = bench.envelope({ to: 'agent.b' })
    bench.submitEnvelope(envelope)
    const send = (): void => bench.submitEnvelope({ ...envelope, ...change })
    const refusal = { code: 'duplicate-id', field: 'id' }

    expect(refusalOf(send)).toEqual(refusal)
    bench.turn()
    expect(refusalOf(send)).toEqual(refusal)
    bench.turn()

    expect(sink.envelopeIds).toEqual([envelope.id])
  })

  test('other whitespace within is another text, around it and as line breaks it is not', () => {
    const { bench } = withReader()
    const text = JSON.stringify(bench.envelope())
    bench.publishEnvelope(text.replace(',', ', '))

    expect(refusalOf(() => bench.publishEnvelope(text))).toMatchObject({ code: 'duplicate-id' })
    expect(bench.publishEnvelope(` \r\n${text.replace(',', ',\n')}\n`)).toMatchObject({ duplicate: true })
  })

  test('an id in the other case is another id, and one that looks like a frame id collides with no frame', () => {
    const { bench } = withReader()
    const frame = bench.frame()
    bench.publishFrame(frame)
    const lower = bench.tell({ id: frame.frame_id.toLowerCase() })
    const upper = bench.tell({ id: frame.frame_id.toUpperCase() })

    expect([lower.event_id, upper.event_id]).toEqual(['e1-2', 'e1-3'])
    expect(bench.broker.receipts.require(frame.frame_id).seq).toBe(1)
    expect(bench.broker.receipts.requireEnvelope(frame.frame_id.toLowerCase()).seq).toBe(2)
  })

  test('an id is remembered for 24 hours after its envelope is gone, and not for ever', () => {
    const bench = new Workbench({ limits: { strictTime: false }, retention: { maxFrames: 1 } })
    const envelope = bench.envelope()
    const first = bench.publishEnvelope(envelope)
    bench.tell()
    expect(bench.ring.find(`aee:${envelope.id}`)).toBeUndefined()

    bench.clock.advance(DAY_MS - 1)
    expect(bench.publishEnvelope(envelope)).toEqual({ ...first, duplicate: true })
    expect(refusalOf(() => bench.publishEnvelope({ ...envelope, x: 1 }))?.code).toBe('duplicate-id')
    bench.clock.advance(2 * DAY_MS)

    expect(bench.publishEnvelope(envelope)).toMatchObject({ event_id: 'e1-3' })
  })

  test('an id whose envelope is retained is known after any time', () => {
    const bench = new Workbench({ limits: { strictTime: false }, retention: { maxAgeMs: 100 * DAY_MS } })
    const envelope = bench.envelope()
    const first = bench.publishEnvelope(envelope)
    bench.clock.advance(10 * DAY_MS)
    bench.tell()

    expect(bench.publishEnvelope(envelope)).toEqual({ ...first, duplicate: true })
    expect(refusalOf(() => bench.publishEnvelope({ ...envelope, x: 1 }))?.code).toBe('duplicate-id')
  })

  test('an id is remembered until 100 000 newer ones have come', () => {
    const bench = new Workbench({ retention: { maxFrames: 1 } })
    const envelope = bench.envelope()
    bench.publishEnvelope(envelope)
    const text = JSON.stringify(bench.envelope({ id: 'ID-ID-ID' }))
    for (let i = 0; i < 99_999; i += 1) bench.submitEnvelope(text.replace('ID-ID-ID', `newer-${i}-id`))
    bench.turn()

    expect(bench.publishEnvelope(envelope)).toMatchObject({ duplicate: true })
  })

  test('without dedup, as the conformance profile has it, every envelope is a new one', () => {
    const bench = new Workbench({ limits: { dedupEnvelopes: false } })
    const { sink } = bench.open(bench.session('cc', 'reader', { entities: ['agent.b'] }))
    const envelope = bench.envelope({ to: 'agent.b' })
    bench.submitEnvelope(envelope)

    const again = bench.publishEnvelope(envelope)
    const other = bench.publishEnvelope({ ...envelope, x: 1 })

    expect([again.event_id, other.event_id]).toEqual(['e1-2', 'e1-3'])
    expect(again).not.toHaveProperty('duplicate')
    expect(sink.envelopeIds).toEqual([envelope.id, envelope.id, envelope.id])
  })
})

/** What is a warning, and in the strict profile a refusal where the last column says so. */
const ADVICE: readonly (readonly [
  string,
  Readonly<Record<string, unknown>>,
  readonly [code: string, field: string],
  isStrict: boolean,
])[] = [
  [
    'AEQ-03 a short reply_to on an event',
    { type: 'event', reply_to: 'x' },
    ['field-invalid', 'reply_to'],
    false,
  ],
  [
    'AEQ-04 a result to what is no task',
    { ...answer(), reply_to: 'event-001' },
    ['field-invalid', 'reply_to'],
    true,
  ],
  [
    'AEQ-04 an error to a task of others',
    {
      ...answer(),
      type: 'error',
      from: 'agent.c',
      to: 'bus.ops',
      payload: { code: 'E_BUSY', message: 'no', retryable: true },
    },
    ['field-invalid', 'reply_to'],
    true,
  ],
  [
    'AEQ-05 a result in another workflow',
    { ...answer(), corr: 'corr-other' },
    ['field-invalid', 'corr'],
    true,
  ],
  [
    'AEQ-05 a result of another intent',
    { ...answer(), intent: 'ops.other.thing' },
    ['field-invalid', 'intent'],
    false,
  ],
  ['AEQ-06 a time that is none', { ts: 'some time ago' }, ['field-invalid', 'ts'], true],
  [
    'AEQ-09 a timeout in words',
    { requires: { timeout_ms: '30s' } },
    ['field-invalid', 'requires.timeout_ms'],
    true,
  ],
  [
    'AEQ-09 a confidence above one',
    { requires: { min_confidence: 1.01 } },
    ['field-invalid', 'requires.min_confidence'],
    true,
  ],
  [
    'AEE-089 a secret in requires',
    { requires: { api_key: 'sk-live-0123456789abcdef0123' } },
    ['field-invalid', 'requires.api_key'],
    true,
  ],
  ['AEQ-17 an unlisted intent of aee.*', { intent: 'aee.made.up' }, ['intent-reserved', 'intent'], true],
  ['AEQ-26 a second result', { ...answer(), reply_to: 'task-done' }, ['field-invalid', 'reply_to'], true],
]

function answer(): Record<string, unknown> {
  return { type: 'result', from: 'agent.b', to: 'agent.a', corr: 'corr-0001', reply_to: 'task-open' }
}

/** A bench with an open task, one that has its result, and an event. */
function withTasks(isStrict: boolean): Workbench {
  const bench = new Workbench({ policy: { isStrict } })
  const task = { from: 'agent.a', to: 'agent.b', corr: 'corr-0001' }
  bench.session('cc', 'b', { entities: ['agent.a', 'agent.b'], mailbox: true })
  bench.clock.advance(2_000_000)
  bench.session('cc', 'ops', { entities: ['bus.ops'], mailbox: true })
  bench.tell({ ...task, id: 'task-open' })
  bench.tell({ ...task, id: 'task-done' })
  bench.tell({ ...answer(), reply_to: 'task-done' })
  bench.tell({ ...task, id: 'event-001', type: 'event' })
  return bench
}

describe('strict or not', () => {
  test.each(ADVICE)('%s', (_says, changes, warning, isStrict) => {
    const lenient = withTasks(false).tell(changes)
    const strict = withTasks(true)
    const count = strict.ring.count
    const refusal = refusalOf(() => strict.tell(changes))

    const [code, field] = warning
    expect(lenient.warnings).toEqual([{ code, field, message: expect.stringMatching(/\.$/) }])
    expect(refusal).toEqual(isStrict ? { code, field } : undefined)
    expect(strict.ring.count).toBe(isStrict ? count : count + 1)
  })

  test.each(['aee.ext.agentd.note', 'aee.protocol.explainer', 'aee.status.ping'])(
    '%s is nobody else’s business, strict or not (AEQ-17)',
    (intent) => {
      expect(withTasks(true).tell({ intent, payload: {} }).warnings).toEqual([])
    },
  )

  test('the answer to an unknown task is taken, strict or not (AEQ-04)', () => {
    expect(withTasks(true).tell({ ...answer(), reply_to: 'never-seen' }).warnings).toEqual([])
  })

  test('what was refused as too strict is not remembered (AEQ-16)', () => {
    const bench = withTasks(true)
    const envelope = bench.envelope({ ...answer(), corr: 'corr-other' })
    expect(refusalOf(() => bench.publishEnvelope(envelope))?.field).toBe('corr')

    expect(bench.publishEnvelope({ ...envelope, corr: 'corr-0001' })).toMatchObject({ warnings: [] })
  })
})

describe('payloads against the schema of their intent (AEE-020, AEE-022, AEE-056)', () => {
  const BAD = { intent: 'ops.backup.check', payload: { pool: 1 } }

  test.each([
    ['off', { 'ops.*': 'off' } as const, BAD, [undefined, 0]],
    ['no rule', {}, BAD, [undefined, 0]],
    ['warn', { 'ops.*': 'warn' } as const, BAD, [undefined, 1]],
    ['enforce', { 'ops.*': 'enforce' } as const, BAD, ['payload-invalid', 0]],
    [
      'enforce, of a payload that fits',
      { '*': 'enforce' } as const,
      { ...BAD, payload: { cluster: 'x' } },
      [undefined, 0],
    ],
    ['enforce, of an event', { '*': 'enforce' } as const, { ...BAD, type: 'event' }, [undefined, 0]],
    [
      'enforce, of an intent without schema',
      { '*': 'enforce' } as const,
      { ...BAD, intent: 'ops.no.schema' },
      [undefined, 0],
    ],
    [
      'its own rule before the general one',
      { '*': 'enforce', 'ops.backup.check': 'off' } as const,
      BAD,
      [undefined, 0],
    ],
  ])('%s', (_says, payloads, changes, [code, warnings]) => {
    const bench = new Workbench({ policy: { payloads, schemas: SCHEMAS } })
    bench.session('cc', 'ops', { entities: ['bus.ops'], mailbox: true })
    let reply: EnvelopeReply | undefined
    const refusal = refusalOf(() => (reply = bench.tell(changes)))

    expect(refusal).toEqual(code === undefined ? undefined : { code, field: 'payload' })
    expect(reply?.warnings ?? []).toHaveLength(Number(warnings))
    for (const warning of reply?.warnings ?? []) {
      expect(warning).toEqual({
        code: 'payload-invalid',
        field: 'payload',
        message: expect.stringContaining('cluster'),
      })
    }
  })

  test('a refusal says what does not fit, and nothing of what the payload holds (AEE-090)', () => {
    const bench = new Workbench({ policy: { payloads: { '*': 'enforce' }, schemas: SCHEMAS } })
    const send = () => bench.tell({ ...BAD, payload: { pool: 'the-secret-pool' } })

    expect(send).toThrow(AgentdError)
    expect(send).not.toThrow(/the-secret-pool/)
  })
})

/** A bench with two sessions for agent.b: one reads a stream, one has a mailbox. */
function withBoth() {
  const made = new Workbench()
  const { sink } = made.open(made.session('cc', 'stream', { entities: ['agent.b'] }))
  const absent = made.session('cc', 'absent', { entities: ['agent.b'], mailbox: true })
  return { made, sink, absent }
}

describe('bytes (AEE-C02, AEE-038)', () => {
  test('unknown members, and numbers that no program holds, come out as they went in', () => {
    const { made, sink, absent } = withBoth()
    const known = JSON.stringify(made.envelope({ to: 'agent.b' }))
    const odd =
      '"x_big":12345678901234567890123, "x_float":1.0,"x_huge":1e400,"x_zero":-0.0,"x_exp":1E+2,' +
      '"x_esc":"\\u00e9\\/\\u2028 ☕\\ud83d\\ude00", "__proto__":{"a":1}, "x_lone":"\\ud800" , "" : [ 1.50 ,\t{ } ]'
    const text = `{ ${odd}, ${known.slice(1)}`

    made.publishEnvelope(text)

    expect(sink.envelopes).toEqual([text])
    expect(made.drainEnvelopes(absent)).toEqual([text])
    expect(made.ring.get(1)?.text).toBe(text)
    expect(made.broker.receipts.requireEnvelope(JSON.parse(known).id).text).toBe(text)
  })

  test('whatever whitespace and numbers an envelope has, it is delivered byte for byte on one line', () => {
    const blank = fc.constantFrom('', ' ', '\t', '\n', '\r\n', '  \n ')
    const value = fc.constantFrom(
      '1.0',
      '1e400',
      '-0',
      '9007199254740993',
      '"\\u0041\\n"',
      '[1.50,{}]',
      'null',
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(blank, value, blank), { maxLength: 8 }), (extra) => {
        const { made, sink, absent } = withBoth()
        const known = JSON.stringify(made.envelope({ to: 'agent.b' })).slice(1)
        const members = extra.map(
          ([before, raw, after], i) => `${before}"x_${i}"${after}:${before}${raw}${after},`,
        )
        const text = `{${members.join('')}${known}`

        made.publishEnvelope(`\n${text}\r\n`)

        const line = text.replaceAll(/[\r\n]/g, ' ')
        expect(sink.envelopes).toEqual([line])
        expect(made.drainEnvelopes(absent, { max_bytes: 100_000 })).toEqual([line])
      }),
      { numRuns: 100 },
    )
  })

  test('an envelope inside a payload is a record: it is not routed, found or threaded (AEE-077, AEE-078)', () => {
    const { made, sink } = withBoth()
    const inner = made.envelope({ to: 'agent.b', corr: 'corr-inner', id: 'inner-0001' })
    made.tell({ type: 'event', to: 'bus.archive', payload: { envelope: inner, list: [inner] } })

    expect(sink.envelopes).toEqual([])
    expect(made.ring.thread('corr-inner')).toEqual([])
    expect(made.ring.find('aee:inner-0001')).toBeUndefined()
    // Its id was never used.
    expect(made.publishEnvelope(inner)).not.toHaveProperty('duplicate')
    expect(sink.envelopeIds).toEqual(['inner-0001'])
  })

  test('what the daemon says beside an envelope stands in a comment of its event (AEQ-26, AEQ-27)', () => {
    const made = new Workbench({ limits: { priorityPerMinute: 0, priorityBurst: 0 } })
    const session = made.session('cc', 'stream', { entities: ['agent.a', 'agent.b'] })
    const { sink } = made.open(session)
    const task = { id: 'task-0001', corr: 'corr-0001', from: 'agent.b', to: 'agent.a' }
    const reply = {
      ...task,
      id: undefined,
      type: 'result',
      from: 'agent.a',
      to: 'agent.b',
      reply_to: task.id,
    }
    const tell = ({ id = randomUUID(), ...changes }: Record<string, unknown>): unknown =>
      made.tell({ id, ...changes }, session)
    tell({ ...task, priority: 'urgent' })
    tell({ ...reply, priority: 'low' })
    tell(reply)
    tell({ ...reply, type: 'stream', priority: 'high' })
    tell({ from: 'agent.a', to: 'agent.b', priority: 'urgent' })

    const events = sink.events.filter(({ event }) => event === 'aee_envelope')
    expect(events.map(({ comment }) => comment)).toEqual([
      'effective_priority=normal',
      undefined,
      'late=true',
      'effective_priority=normal late=true',
      'effective_priority=normal',
    ])
    expect(events.map(({ data }) => JSON.parse(data ?? '').priority)).toEqual([
      'urgent',
      'low',
      'normal',
      'high',
      'urgent',
    ])
  })
})

describe('a store that refuses, and one that begins anew (R-21, R-23)', () => {
  test('of a refused turn nothing is emitted, and everything may be sent again, other bytes included', () => {
    const { bench, ring } = onFullRing()
    const { sink } = bench.open(bench.session('cc', 'b', { entities: ['agent.b'] }))
    const absent = bench.session('cc', 'absent', { entities: ['agent.b'], mailbox: true })
    const envelope = bench.envelope({ to: 'agent.b' })
    const outcomes: unknown[] = []
    ring.isFull = true

    for (let i = 0; i < 2; i += 1)
      bench.submitEnvelope(envelope, { respond: (outcome) => outcomes.push(outcome) })
    bench.turn()

    expect(outcomes).toEqual([
      expect.objectContaining({ code: 'store-full' }),
      expect.objectContaining({ code: 'store-full' }),
    ])
    expect([sink.envelopes, bench.drainEnvelopes(absent), ring.count]).toEqual([[], [], 0])
    ring.isFull = false
    const changed = { ...envelope, payload: {} }
    expect(bench.publishEnvelope(changed)).toMatchObject({ event_id: 'e1-1', recipient_count: 1 })
    expect(sink.envelopeIds).toEqual([envelope.id])
    expect(refusalOf(() => bench.publishEnvelope(envelope))?.code).toBe('duplicate-id')
  })

  test('what a refused turn said of tasks is taken back: the result that is sent again is not late (AEQ-26)', () => {
    const { bench, ring } = onFullRing()
    const task = { id: 'task-0001', corr: 'corr-0001', to: 'bus.ops' }
    const result = { ...task, type: 'result', reply_to: 'task-0001', id: 'result-01' }
    bench.tell(task)
    ring.isFull = true
    expect(refusalOf(() => bench.tell(result))?.code).toBe('store-full')
    ring.isFull = false

    const [again, second] = [bench.tell(result), bench.tell({ ...result, id: 'result-02' })]

    expect(again).not.toHaveProperty('late')
    expect(again.warnings).toEqual([])
    expect(second).toMatchObject({ late: true })
  })

  test('a task and its result that were refused together are both forgotten (AEQ-16, AEQ-26)', () => {
    const { bench, ring } = onFullRing()
    const task = bench.envelope({ id: 'task-0001', corr: 'corr-0001' })
    const result = bench.envelope({ ...task, type: 'result', reply_to: 'task-0001', id: 'result-01' })
    ring.isFull = true
    for (const one of [task, result]) bench.submitEnvelope(one, { respond: () => {} })
    bench.turn()
    ring.isFull = false

    // The task is unknown now, so nothing can be said of the result.
    expect(bench.publishEnvelope(result)).toMatchObject({ event_id: 'e1-1', warnings: [] })
    expect(bench.publishEnvelope(task)).toMatchObject({ event_id: 'e1-2' })
  })

  test('a task to the daemon that could not be kept is not answered', async () => {
    const { bench, ring } = onFullRing()
    const { sink } = bench.open(bench.session('cc', 'a', { entities: ['agent.a'] }))
    ring.isFull = true
    const ping = { intent: 'aee.status.ping', to: 'service.agentd', from: 'agent.x', payload: {} }
    expect(refusalOf(() => bench.tell(ping))?.code).toBe('store-full')
    ring.isFull = false
    await bench.serve()

    expect([sink.envelopes, ring.count]).toEqual([[], 0])
  })

  test('an answer of the daemon that the store cannot take is lost, and nothing else is', async () => {
    const { bench, ring } = onFullRing()
    const ping = { intent: 'aee.status.ping', to: 'service.agentd', from: 'agent.x', payload: {} }
    bench.tell(ping)
    ring.isFull = true
    await bench.serve()
    ring.isFull = false

    expect(ring.count).toBe(1)
    expect(bench.tell(ping)).toMatchObject({ event_id: 'e1-2' })
    await bench.serve()
    expect(ring.count).toBe(3)
  })

  test('a ring that begins anew takes what was remembered of tasks with it (R-23)', () => {
    const bench = new Workbench()
    const task = { id: 'task-0001', corr: 'corr-0001' }
    const result = { ...task, type: 'result', reply_to: 'task-0001' }
    bench.tell(task)
    bench.tell({ ...result, id: 'result-01' })
    forgetAll(bench.ring, {})
    bench.ring.onReset?.('corrupt', 'e0')

    expect(bench.tell({ ...result, id: 'result-02' })).not.toHaveProperty('late')
  })
})
