/**
 * Conformance, rule by rule, and the lines that are good for a log (AEE-041…AEE-043, AEE-C19, AEQ-25).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkConformance, decodeLogLine, type RuleResult } from '../../../src/aee/conformance/conformance.ts'
import { decodeEnvelopeText } from '../../../src/aee/envelope/envelope.ts'
import { refusalOf } from '../../support/refusals.ts'
import { BAREST, E0, E0_ERROR, E0_RESULT, SAMPLES } from '../samples.ts'

const LINE = { v: '1', id: 'abcdefgh', type: 'event', from: 'x', intent: 'abc' }

const FIVE = ['v', 'id', 'type', 'from', 'intent']

function check(value: unknown) {
  return checkConformance(JSON.stringify(value))
}

function brief({ rule, field, outcome }: RuleResult): string {
  return `${rule} ${field ?? '·'} ${outcome}`
}

/** What does not pass, each in three words. */
function complaints(members: Readonly<Record<string, unknown>>, base: object = E0): string[] {
  return check({ ...base, ...members })
    .rules.filter(({ outcome }) => outcome !== 'pass')
    .map(brief)
}

function without(names: readonly string[], base: object = E0): Record<string, unknown> {
  return Object.fromEntries(Object.entries(base).filter(([name]) => !names.includes(name)))
}

test('the task of the draft passes every rule that applies to it', () => {
  const { level, rules } = check(E0)

  expect(level).toBe('MVE-Required')
  expect(rules.map(brief)).toEqual([
    'AEE-001 · pass',
    'AEE-036 · pass',
    'AEE-003 v pass',
    'AEE-004 id pass',
    'AEE-006 ts pass',
    'AEE-008 type pass',
    'AEE-009 from pass',
    'AEE-010 to pass',
    'AEE-011 intent pass',
    'AEE-012 corr pass',
    'AEQ-03 reply_to pass',
    'AEE-015 trace pass',
    'AEE-016 priority pass',
    'AEE-017 requires pass',
    'AEE-020 payload pass',
    'AEE-021 sig pass',
    'AEE-C23 trace pass',
    'AEQ-24 · pass',
    'AEE-023 · pass',
    'AEE-005 id pass',
    'AEE-007 ts pass',
    'AEE-014 reply_to pass',
    'AEE-018 requires pass',
    'AEE-019 requires pass',
    'AEE-032 from pass',
    'AEE-032 to pass',
    'AEE-038 · pass',
    'AEE-040 trace pass',
    'AEE-052 intent pass',
    'AEE-066 intent pass',
    'AEE-076 payload pass',
    'AEE-089 requires pass',
    'AEE-C03 · pass',
    'AEE-C09 requires pass',
    'AEQ-09 requires pass',
  ])
})

test.each(SAMPLES)('%s is MVE-Required (AEE-041, AEE-C01)', (_name, sample) => {
  const { level, rules } = check(sample)

  expect(level).toBe('MVE-Required')
  expect(rules.filter(({ outcome }) => outcome === 'fail')).toEqual([])
})

describe('a structural rule', () => {
  test.each([
    ['v', '2', 'AEE-003'],
    ['id', 'seven77', 'AEE-004'],
    ['ts', 'too early', 'AEE-006'],
    ['type', 'query', 'AEE-008'],
    ['from', '', 'AEE-009'],
    ['to', '', 'AEE-010'],
    ['intent', 'ab', 'AEE-011'],
    ['corr', 'xyz-789', 'AEE-012'],
    ['reply_to', 7, 'AEQ-03'],
    ['trace', 'x', 'AEE-015'],
    ['priority', 'asap', 'AEE-016'],
    ['requires', [], 'AEE-017'],
    ['payload', [], 'AEE-020'],
    ['sig', 1, 'AEE-021'],
  ])('about %s that %j breaks is %s', (field, value, rule) => {
    const fails = complaints({ [field]: value }).filter((line) => line.endsWith('fail'))

    expect(fails).toEqual([`${rule} ${field} fail`, 'AEE-023 · fail'])
  })

  test('about ids of a trace is AEE-C23', () => {
    expect(complaints({ trace: { trace_id: 1, span_id: null } })).toEqual([
      'AEE-C23 trace.trace_id fail',
      'AEE-C23 trace.span_id fail',
      'AEE-023 · fail',
    ])
  })

  test('about results and errors is AEE-013', () => {
    expect(complaints({ reply_to: null }, E0_RESULT)).toEqual(['AEE-013 reply_to fail', 'AEE-023 · fail'])
    expect(check(without(['reply_to'], E0_ERROR)).rules.map(brief)).toContain('AEE-013 reply_to fail')
    expect(check(E0_RESULT).rules.map(brief)).toContain('AEE-013 reply_to pass')
    expect(check(E0).rules.map(({ rule }) => rule)).not.toContain('AEE-013')
  })

  test('about names that no bytes can be is AEQ-24', () => {
    expect(complaints({ corr: 'abcdefgh\uD800' })).toEqual(['AEQ-24 corr fail', 'AEE-023 · fail'])
  })

  test('names every missing member, not only the first (AEE-036)', () => {
    const missing = check(without(['corr', 'id', 'payload'])).rules.filter(({ rule }) => rule === 'AEE-036')

    expect(missing.map(brief)).toEqual(['AEE-036 id fail', 'AEE-036 corr fail', 'AEE-036 payload fail'])
    expect(missing[0]?.message).toBe('"id" is required.')
  })
})

describe('a recommendation', () => {
  test.each<[string, string, Readonly<Record<string, unknown>>, readonly string[]]>([
    ['AEE-005', 'a ULID or a UUID', { id: '01HANDSHAKE_TASK_00000000001' }, ['AEE-005 id warn']],
    ['AEE-007', 'a time', { ts: 'about noon' }, ['AEE-007 ts warn']],
    ['AEE-007', 'in UTC', { ts: '2025-12-14T03:45:12+01:00' }, ['AEE-007 ts warn']],
    ['AEE-014', 'no lineage', { reply_to: 'eight888' }, ['AEE-014 reply_to warn']],
    ['AEE-040', 'both ids', { trace: { span_id: 'x' } }, ['AEE-040 trace.trace_id warn']],
    ['AEQ-09', 'types', { requires: { timeout_ms: '30s' } }, ['AEQ-09 requires.timeout_ms warn']],
    ['AEE-018', 'known keys', { requires: { cost: 1 } }, ['AEE-018 requires.cost warn']],
    ['AEE-019', 'compact', { requires: { format: 'x'.repeat(1_024) } }, ['AEE-019 requires warn']],
    ['AEE-032', 'typed entities', { from: 'me', to: 'you.' }, ['AEE-032 from warn', 'AEE-032 to warn']],
    ['AEE-038', 'known members', { x_vendor: 1 }, ['AEE-038 x_vendor warn']],
    ['AEE-047', 'alg, kid, value', { sig: { alg: 'ed25519', kid: 'k' } }, ['AEE-047 sig.value warn']],
    [
      'AEE-047',
      'an object',
      { sig: 'x' },
      ['AEE-047 sig.alg warn', 'AEE-047 sig.kid warn', 'AEE-047 sig.value warn'],
    ],
    ['AEE-052', 'dotted intents', { intent: 'backup' }, ['AEE-052 intent warn']],
    ['AEE-066', 'a namespace', { intent: 'aee.mine.do' }, ['AEE-066 intent warn']],
    [
      'AEE-069',
      'references',
      { payload: { references: [{ id: 'x' }] } },
      ['AEE-069 payload.references[0].type warn'],
    ],
    ['AEE-076', 'no nesting', { payload: { inner: E0 } }, ['AEE-076 payload.inner warn']],
    [
      'AEE-089',
      'no secrets',
      { requires: { evidence: true, token: 'x' } },
      ['AEE-018 requires.token warn', 'AEE-089 requires.token warn'],
    ],
    [
      'AEE-C09',
      'levels',
      { requires: { decision_evidence: 'all' } },
      ['AEE-C09 requires.decision_evidence warn'],
    ],
  ])('%s, %s, that %j departs from is a warning', (_rule, _what, members, expected) => {
    expect(complaints(members)).toEqual(expected)
    expect(check({ ...E0, ...members }).level).toBe('MVE-Required')
  })

  test('AEE-029 is about errors alone', () => {
    expect(complaints({ payload: { code: 'E_BUSY', message: 'x' } }, E0_ERROR)).toEqual([
      'AEE-029 payload.retryable warn',
    ])
    expect(complaints({ payload: {} }, E0_RESULT)).toEqual([])
  })

  test('AEE-076 lets a result carry an archive (AEE-077)', () => {
    expect(complaints({ payload: { archived: E0 } }, E0_RESULT)).toEqual([])
    expect(complaints({ payload: { archived: E0 } }, E0_ERROR)).toContain('AEE-076 payload.archived warn')
  })

  test('AEE-C03 is that all fourteen are said', () => {
    expect(complaints({}, without(['reply_to', 'sig']))).toEqual([
      'AEE-C03 reply_to warn',
      'AEE-C03 sig warn',
    ])
  })

  test('never tells a secret, nor all of a long name (AEE-089)', () => {
    const text = JSON.stringify(
      check({ ...E0, requires: { password: 'hunter22', ['n'.repeat(5_000)]: 1 }, ['m'.repeat(5_000)]: 1 }),
    )

    expect(text).not.toContain('hunter22')
    expect(text).not.toContain('n'.repeat(65))
    expect(text).not.toContain('m'.repeat(65))
  })

  test('of a thousand strangers names eight', () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`x_${at}`, at]))

    expect(complaints({ ...many })).toHaveLength(8)
    expect(complaints({ requires: many }).filter((line) => line.startsWith('AEE-018'))).toHaveLength(8)
  })
})

describe('the level', () => {
  test('of five members that hold is MVE-5, whatever the others are (AEE-042)', () => {
    expect(check(LINE).level).toBe('MVE-5')
    expect(check(without(['corr'])).level).toBe('MVE-5')
    expect(check({ ...E0, payload: null }).level).toBe('MVE-5')
    expect(
      check(LINE)
        .rules.filter(({ outcome }) => outcome === 'fail')
        .map(brief),
    ).toEqual([
      'AEE-036 ts fail',
      'AEE-036 to fail',
      'AEE-036 corr fail',
      'AEE-036 priority fail',
      'AEE-036 payload fail',
      'AEE-023 · fail',
    ])
  })

  test.each(FIVE)('is none without %s, or with another than it has to be', (name) => {
    expect(check(without([name], LINE)).level).toBe('none')
    expect(check({ ...LINE, [name]: 0 }).level).toBe('none')
    expect(check({ ...LINE, [name]: '' }).level).toBe('none')
    expect(check(without([name])).level).toBe('none')
  })

  test.each([
    ['', 'AEE-001'],
    ['{', 'AEE-001'],
    ['null', 'AEE-001'],
    ['[]', 'AEE-001'],
    [`[${JSON.stringify(E0)}]`, 'AEE-001'],
    ['{"v":"1","v":"1"}', 'AEE-001'],
    [`\uFEFF${JSON.stringify(E0)}`, 'AEE-001'],
    [`${JSON.stringify(E0)}${' '.repeat(1_048_576)}`, 'AEQ-24'],
  ])('of %.20j is none, since it is no object that is read (%s)', (text, rule) => {
    const { level, rules } = checkConformance(text)

    expect(level).toBe('none')
    expect(rules.map(brief)).toEqual([`${rule} · fail`])
    expect(rules[0]?.message).toMatch(/^\w.*\.$/)
  })

  test('of any text is MVE-Required exactly when the text is an envelope, and nothing fails then', () => {
    const names = [...Object.keys(E0), 'x', '__proto__', 'toString']
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.string({ maxLength: 12 }),
      fc.constantFrom('\uD800aaaaaaaaa', null, {}),
    )
    const change = fc.tuple(fc.constantFrom(...names), odd)
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .tuple(fc.constantFrom(...SAMPLES.map(([, sample]) => sample)), fc.array(change, { maxLength: 2 }))
        .map(([sample, changes]) => {
          const rows = [...new Map([...Object.entries(sample), ...changes])]
          return `{${rows.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`
        }),
    )
    const levels = new Set<string>()

    fc.assert(
      fc.property(text, (candidate) => {
        const { level, rules } = checkConformance(candidate)
        levels.add(level)
        const isEnvelope = refusalOf(() => decodeEnvelopeText(candidate)) === undefined
        expect(level === 'MVE-Required').toBe(isEnvelope)
        expect(rules.every(({ outcome }) => outcome !== 'fail')).toBe(isEnvelope)
      }),
      { numRuns: 3_000 },
    )
    expect(levels).toEqual(new Set(['MVE-Required', 'MVE-5', 'none']))
  })
})

function decode(value: unknown) {
  return decodeLogLine(Buffer.from(JSON.stringify(value)))
}

describe('a line of a log', () => {
  test('is five members, and whatever else there is (AEE-042, AEE-C19)', () => {
    for (const line of [LINE, E0, BAREST, { ...LINE, ts: 7, payload: 'x', trace: [], x: null }]) {
      expect(decode(line)).toEqual(line)
    }
  })

  test.each(FIVE)('is refused without %s (AEE-042)', (name) => {
    expect(refusalOf(() => decode(without([name], LINE)))).toEqual({ code: 'field-missing', field: name })
  })

  test('is refused as an envelope is: version, missing, invalid (AEQ-08)', () => {
    expect(refusalOf(() => decode({ v: '2' }))).toEqual({ code: 'version-unsupported', field: 'v' })
    expect(refusalOf(() => decode({ v: 1 }))).toEqual({ code: 'field-invalid', field: 'v' })
    expect(refusalOf(() => decode({ ...LINE, id: 'x', intent: undefined }))).toEqual({
      code: 'field-missing',
      field: 'intent',
    })
    for (const [name, value] of Object.entries({ id: 'x', type: 'log', from: '', intent: 'ab' })) {
      expect(refusalOf(() => decode({ ...LINE, [name]: value }))).toEqual({
        code: 'field-invalid',
        field: name,
      })
    }
    expect(refusalOf(() => decode({ ...LINE, id: 'x', type: 'y', intent: '' }))?.field).toBe('id')
    expect(refusalOf(() => decode({ ...LINE, from: 'a\uD800' }))).toEqual({
      code: 'field-invalid',
      field: 'from',
    })
  })

  test('is one JSON object within the bounds of an envelope (AEQ-24)', () => {
    const malformed = { code: 'envelope-malformed', field: 'envelope' }
    for (const text of ['', '[]', 'null', '{"v":"1","v":"1"}']) {
      expect(refusalOf(() => decodeLogLine(Buffer.from(text)))).toEqual(malformed)
    }
    const room = 1_048_576 - JSON.stringify({ ...LINE, x: '' }).length
    expect(decode({ ...LINE, x: 'x'.repeat(room) }).id).toBe(LINE.id)
    expect(refusalOf(() => decode({ ...LINE, x: 'x'.repeat(room + 1) }))).toEqual({
      code: 'envelope-too-large',
      field: 'envelope',
    })
  })
})
