/**
 * The VOLT ledger (docs/requirements.md §2.3, AEE-C13…AEE-C15, AEE-C24), with the vectors of docs/requirements.md §9.
 */
import { UsageError } from '../../../src/core/errors.ts'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../../../src/aee/envelope/canonical.ts'
import { voltCanonicalJson } from '../../../src/aee/evidence/volt-canonical.ts'
import { readVoltEvent, verifyVolt, type VoltReport } from '../../../src/aee/evidence/volt-verify.ts'
import { envelopeEvent, formatVoltEvent, voltEvent, voltHash } from '../../../src/aee/evidence/volt.ts'
import type { EnvelopeObservation, VoltDraft, VoltEvent } from '../../../src/aee/evidence/volt.ts'
import { changed, ledgerLines, shortFaults } from './ledgers.ts'
import { e0 } from '../vectors.ts'

const ZEROS = '0'.repeat(64)

const HASH_1 = 'b297ff397c965b9e93c32ab1d14739d8310265bcff5e2a5596b61ae4abe25ed1'
const HASH_2 = '721cd1dafcaf53293c8c1a4d99fbc2a054e3e0befbe64b4f00f164f85e86f55b'

const FIRST: VoltDraft = {
  eventId: 'E1',
  runId: 'RUN1',
  atMs: Date.parse('2026-02-28T19:00:00.000Z'),
  eventType: 'run.started',
  actor: { actor_type: 'system', actor_id: 'busd' },
  context: { correlation_id: '01JFB2QX0K8X5K6ZJ9G2C0C1MW' },
  payload: { entrypoint: 'test' },
}

const SECOND: VoltDraft = {
  ...FIRST,
  eventId: 'E2',
  atMs: Date.parse('2026-02-28T19:00:00.010Z'),
  eventType: 'aee.envelope.received',
  context: { ...FIRST.context, aee_envelope_id: '01JFB2R1JZKQ9V3K8W8Y9W1F2A' },
  payload: { size_bytes: 416 },
}

/** A ledger of so many events. */
function chain(length: number): readonly VoltEvent[] {
  const events: VoltEvent[] = []
  for (let i = 1; i <= length; i += 1)
    events.push(voltEvent(events.at(-1), { ...FIRST, eventId: `E${i}`, payload: { i } }))
  return events
}

const LINES = chain(4).map(formatVoltEvent)

function verify(lines: readonly (string | Uint8Array)[]): VoltReport {
  return verifyVolt(ledgerLines(lines))
}

/** An event with some members changed, and a hash that fits them. */
function forged(line: string, changes: Readonly<Record<string, unknown>>): string {
  const event = Object(JSON.parse(changed(line, changes)))
  return JSON.stringify({ ...event, hash: voltHash(event) })
}

/** The lines, with some of them replaced; undefined takes one out. */
function withLines(replacements: Readonly<Record<number, string | undefined>>): readonly string[] {
  return LINES.map((line, i) => (i + 1 in replacements ? replacements[i + 1] : line)).filter(
    (line) => line !== undefined,
  )
}

describe('the vectors of docs/requirements.md §9', () => {
  const first = voltEvent(undefined, FIRST)
  const second = voltEvent(first, SECOND)

  test('two events have the hashes of the vector (AEE-C15)', () => {
    expect(first).toMatchObject({ seq: 1, prev_hash: ZEROS, hash: HASH_1 })
    expect(second).toMatchObject({ seq: 2, prev_hash: HASH_1, hash: HASH_2 })
  })

  test('the canonical form of the first is the vector', () => {
    const { hash: _, ...rest } = first

    expect(voltCanonicalJson(rest)).toBe(
      '{"actor":{"actor_id":"busd","actor_type":"system"},' +
        '"context":{"correlation_id":"01JFB2QX0K8X5K6ZJ9G2C0C1MW"},"event_id":"E1","event_type":"run.started",' +
        `"payload":{"entrypoint":"test"},"prev_hash":"${ZEROS}","run_id":"RUN1","seq":1,` +
        '"ts":"2026-02-28T19:00:00.000Z","volt_version":"0.1"}',
    )
  })

  test('a ledger of them passes', () => {
    expect(verify([first, second].map(formatVoltEvent))).toEqual({
      verdict: 'PASS',
      events: 2,
      last: { run_id: 'RUN1', seq: 2, hash: HASH_2 },
      faults: [],
      faultCount: 0,
    })
  })
})

describe('canonical JSON of VOLT', () => {
  test('orders names by their UTF-8 bytes, where RFC 8785 orders by UTF-16 code units', () => {
    const value = { '\u{1f602}': 1, '\uff21': 2, '\ufb33': 3 }

    // The last of them is no NFC: it is written as the two characters it is composed of.
    expect(voltCanonicalJson(value)).toBe('{"\u05d3\u05bc":3,"\uff21":2,"\u{1f602}":1}')
    expect(canonicalJson(value)).toBe('{"\u{1f602}":1,"\ufb33":3,"\uff21":2}')
  })

  test('writes strings and names in NFC, and orders names by what is written', () => {
    expect(voltCanonicalJson({ 'e\u0301': 'A\u030a' })).toBe('{"\u00e9":"\u00c5"}')
    expect(voltCanonicalJson({ 'e\u0301': 1, f: 2 })).toBe('{"f":2,"\u00e9":1}')
  })

  test.each([
    [1e21, '1000000000000000000000'],
    [1.5e300, `15${'0'.repeat(299)}`],
    [-1.234e21, '-1234000000000000000000'],
    [1e-7, '0.0000001'],
    [-1.5e-7, '-0.00000015'],
    [1, '1'],
    [-0, '0'],
    [0.1, '0.1'],
    [1e20, '100000000000000000000'],
    [0.000_001, '0.000001'],
  ])('writes %d without an exponent', (value, written) => {
    expect(voltCanonicalJson(value)).toBe(written)
  })

  test('an exponent that is written out is still the same number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = voltCanonicalJson(value)
        expect(text).not.toContain('e')
        expect(Number(text)).toBe(value === 0 ? 0 : value)
      }),
    )
  })

  test('is that of RFC 8785 for ASCII names, NFC strings and safe integers', () => {
    const scalar = fc.oneof(
      fc.string().map((text) => text.normalize('NFC')),
      fc.maxSafeInteger(),
      fc.boolean(),
      fc.constant(null),
    )
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        scalar,
        fc.array(tie('value')),
        fc.dictionary(fc.string(), tie('value')),
      ),
    }))
    fc.assert(
      fc.property(value, (any) => {
        expect(voltCanonicalJson(any)).toBe(canonicalJson(any))
      }),
    )
  })

  test.each([
    ['half a surrogate pair', JSON.parse(String.raw`{"a":"\ud83d"}`)],
    ['half a surrogate pair in a name', JSON.parse(String.raw`{"\ud83d":1}`)],
    ['two names that are one in NFC', { 'e\u0301': 1, '\u00e9': 2 }],
    ['a number that is none', { a: Number.NaN }],
    ['a number beyond a double', JSON.parse('[1e999]')],
    ['nothing', { a: undefined }],
  ])('does not exist for %s', (_what, value) => {
    expect(() => voltCanonicalJson(value)).toThrow(UsageError)
  })
})

describe('an event about an envelope (AEE-C13, AEE-C24)', () => {
  const OBSERVED: EnvelopeObservation = {
    eventType: 'aee.envelope.received',
    eventId: 'E9',
    runId: 'RUN1',
    atMs: FIRST.atMs,
    actorId: 'service.agentd',
    sizeBytes: 416,
  }

  test('tells its ids, its size and its kind, and nothing of what it says', () => {
    const envelope = e0({ payload: { password: 'hunter2', note: { deep: 'secret' } } })

    const event = envelopeEvent(undefined, { ...OBSERVED, envelope })

    expect(event).toMatchObject({
      event_type: 'aee.envelope.received',
      actor: { actor_type: 'system', actor_id: 'service.agentd' },
      context: {
        correlation_id: '01JFB2QX0K8X5K6ZJ9G2C0C1MW',
        aee_envelope_id: '01JFB2R1JZKQ9V3K8W8Y9W1F2A',
      },
    })
    expect(event.payload).toEqual({
      size_bytes: 416,
      type: 'task',
      intent: 'ops.backup.status.check',
      priority: 'high',
      payload_keys: ['password', 'note'],
    })
    expect(formatVoltEvent(event)).not.toMatch(/hunter2|deep|secret/)
  })

  test('lists at most 64 names of a payload', () => {
    const keys = Array.from({ length: 65 }, (_, i) => `key-${i}`)
    const payload = Object.fromEntries(keys.map((key) => [key, 0]))

    const { payload: told } = envelopeEvent(undefined, { ...OBSERVED, envelope: e0({ payload }) })

    expect(told['payload_keys']).toEqual(keys.slice(0, 64))
  })

  test('stands for a text that is long, or that no file can carry, by its hash', () => {
    const half: unknown = JSON.parse(String.raw`{"\ud83d":1}`)
    const envelope = e0({
      corr: 'c'.repeat(257),
      id: 'i'.repeat(256),
      intent: 'x'.repeat(1_000),
      payload: half,
    })

    const event = envelopeEvent(undefined, { ...OBSERVED, envelope })

    expect(event.context.correlation_id).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(event.context.aee_envelope_id).toBe('i'.repeat(256))
    expect(event.payload['intent']).toMatch(/^sha256:/)
    expect(event.payload['payload_keys']).toEqual([expect.stringMatching(/^sha256:/)])
    expect(verify([formatVoltEvent(event)]).verdict).toBe('PASS')
  })

  test('says why something was rejected that is no envelope', () => {
    const first = voltEvent(undefined, FIRST)
    const event = envelopeEvent(first, {
      ...OBSERVED,
      eventType: 'aee.message.rejected',
      code: 'envelope-malformed',
    })

    expect(event.context).toEqual({ correlation_id: 'RUN1' })
    expect(event.payload).toEqual({ size_bytes: 416, code: 'envelope-malformed' })
    expect(verify([first, event].map(formatVoltEvent)).verdict).toBe('PASS')
  })
})

describe('a ledger that was tampered with fails', () => {
  test('the ledger these tests break passes as it is', () => {
    expect(verify(LINES)).toMatchObject({ verdict: 'PASS', events: 4 })
  })

  test.each([
    [
      'a member changed',
      withLines({ 2: changed(LINES[1]!, { payload: { i: 3 } }) }),
      ['2 EVENT_HASH_MISMATCH'],
    ],
    ['a member added', withLines({ 2: changed(LINES[1]!, { note: 1 }) }), ['2 EVENT_HASH_MISMATCH']],
    [
      'a hash changed',
      withLines({ 2: changed(LINES[1]!, { hash: ZEROS }) }),
      ['2 EVENT_HASH_MISMATCH', '3 CHAIN_BROKEN'],
    ],
    ['an event forged whole', withLines({ 2: forged(LINES[1]!, { payload: {} }) }), ['3 CHAIN_BROKEN']],
    ['an event taken out', withLines({ 2: undefined }), ['2 SEQ_GAP', '2 CHAIN_BROKEN']],
    ['the first taken out', withLines({ 1: undefined }), ['1 SEQ_GAP', '1 INVALID_GENESIS_PREV_HASH']],
    ['an event twice', [LINES[0]!, LINES[0]!], ['2 SEQ_DUPLICATE', '2 CHAIN_BROKEN']],
    [
      'two exchanged',
      withLines({ 2: LINES[2], 3: LINES[1] }),
      ['2 SEQ_GAP', '2 CHAIN_BROKEN', '3 SEQ_NOT_MONOTONIC', '3 CHAIN_BROKEN', '4 SEQ_GAP', '4 CHAIN_BROKEN'],
    ],
    ['another run', withLines({ 4: forged(LINES[3]!, { run_id: 'RUN2' }) }), ['4 RUN_ID_MISMATCH']],
    ['another version', withLines({ 4: forged(LINES[3]!, { volt_version: '0.2' }) }), ['4 VERSION_MISMATCH']],
    ['a line cut off', withLines({ 4: LINES[3]!.slice(0, -2) }), ['4 INVALID_EVENT_JSON']],
    ['a line that is no object', withLines({ 4: '[]' }), ['4 INVALID_EVENT_JSON']],
    ['a name twice', withLines({ 4: LINES[3]!.replace('{', '{"seq":4,') }), ['4 INVALID_EVENT_JSON']],
    [
      'two names that are one in NFC',
      withLines({ 4: changed(LINES[3]!, { 'e\u0301': 1, '\u00e9': 2 }) }),
      ['4 EVENT_SCHEMA_INVALID'],
    ],
    [
      'an unreadable line in the middle',
      withLines({ 2: 'x' }),
      ['2 INVALID_EVENT_JSON', '3 SEQ_GAP', '3 CHAIN_BROKEN'],
    ],
  ])('by %s', (_what, lines, faults) => {
    const report = verify(lines)

    expect(shortFaults(report)).toEqual(faults)
    expect(report).toMatchObject({ verdict: 'FAIL', faultCount: faults.length })
  })

  test('by an event of another run in between, which does not make strangers of those after it', () => {
    const [one] = chain(1)
    const stranger = voltEvent({ run_id: 'RUN2', seq: 1, hash: one!.hash }, FIRST)
    const next = voltEvent({ run_id: 'RUN1', seq: 2, hash: stranger.hash }, FIRST)

    const report = verify([one!, stranger, next].map(formatVoltEvent))

    expect(shortFaults(report)).toEqual(['2 RUN_ID_MISMATCH'])
  })

  test('by bytes that are no UTF-8', () => {
    expect(shortFaults(verify([Buffer.from([0x7b, 0xff, 0x7d])]))).toEqual(['1 INVALID_EVENT_JSON'])
  })

  test('by being emptied', () => {
    expect(verify([])).toMatchObject({ verdict: 'FAIL', events: 0, last: undefined })
  })

  test('in so many places that only the first hundred are listed', () => {
    const report = verify(Array.from({ length: 101 }, () => 'x'))

    expect(report.faults).toHaveLength(100)
    expect(report.faultCount).toBe(101)
  })

  test('wherever one byte is another', () => {
    const line = fc.integer({ min: 0, max: LINES.length - 1 })
    fc.assert(
      fc.property(line, fc.nat(), fc.integer({ min: 1, max: 255 }), (at, place, flip) => {
        const bytes = Buffer.from(LINES[at]!)
        const offset = place % bytes.length
        bytes[offset] = (bytes[offset] ?? 0) ^ flip
        const lines = LINES.map((text, i) => (i === at ? bytes : text))
        expect(verify(lines).verdict).toBe('FAIL')
      }),
    )
  })
})

test.each([
  ['volt_version', '1'],
  ['event_id', ''],
  ['run_id', 7],
  ['ts', '2026-02-28T19:00:00+01:00'],
  ['ts', '2026-02-28'],
  ['seq', 0],
  ['seq', 1.5],
  ['seq', '1'],
  ['event_type', 'run'],
  ['event_type', 'Run.started'],
  ['event_type', 'run..started'],
  ['event_type', '9run.started'],
  ['actor', {}],
  ['actor', { actor_type: 'daemon', actor_id: 'a' }],
  ['actor', { actor_type: 'system', actor_id: '' }],
  ['context', {}],
  ['context', { correlation_id: '' }],
  ['context', null],
  ['payload', []],
  ['payload', undefined],
  ['prev_hash', ZEROS.slice(1)],
  ['hash', HASH_1.toUpperCase()],
])('an event whose %s is %j is none', (member, value) => {
  const line = changed(LINES[0]!, { [member]: value })

  expect(shortFaults(verify([line]))).toEqual(['1 EVENT_SCHEMA_INVALID'])
  expect(verify([line]).faults[0]?.message).toContain(`"${member}"`)
  expect(readVoltEvent(Buffer.from(line))).toBeUndefined()
})

test('members that nobody knows are part of an event, and of its hash', () => {
  const line = forged(LINES[0]!, { note: 'x', actor: { actor_type: 'human', actor_id: 'a', org_id: 'o' } })

  expect(verify([line]).verdict).toBe('PASS')
  expect(readVoltEvent(Buffer.from(line))).toMatchObject({ note: 'x' })
})

test('a ledger goes on where it ended, whoever goes on', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 12 }), (before, after) => {
      const lines = chain(before).map(formatVoltEvent)
      for (let i = 0; i < after; i += 1) {
        const last = readVoltEvent(Buffer.from(lines.at(-1) ?? ''))
        lines.push(
          formatVoltEvent(voltEvent(last, { ...FIRST, runId: `later-${i}`, payload: { 'e\u0301': 1e-9 } })),
        )
      }
      expect(verify(lines)).toMatchObject({ verdict: 'PASS', events: before + after })
    }),
  )
})
