/**
 * What may leave the machine (AEE-093, AEE-095).
 */
import { UsageError } from '../../../src/core/errors.ts'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { crossBoundary, MAX_REDACTIONS, requireBoundaryRules } from '../../../src/aee/boundary/boundary.ts'
import type { BoundaryRules, Crossing } from '../../../src/aee/boundary/boundary.ts'
import { decodeEnvelopeText, parseEnvelope, PRIORITIES } from '../../../src/aee/envelope/envelope.ts'
import type { Envelope } from '../../../src/aee/envelope/envelope.ts'
import { MAX_ENVELOPE_OCTETS } from '../../../src/core/limits.ts'
import { E0 } from '../samples.ts'

const OPEN: BoundaryRules = { intents: ['*'], redact: [], maxPriority: 'urgent' }

const SIG = { alg: 'ed25519', kid: 'k', value: 'AAAA' }

function envelope(changes: Readonly<Record<string, unknown>> = {}): Envelope {
  return parseEnvelope({ ...E0, ...changes })
}

/** @throws Error when the envelope was refused */
function passed(crossing: Crossing): Extract<Crossing, { kind: 'passed' }> {
  if (crossing.kind === 'refused') throw new Error(crossing.why)
  return crossing
}

describe('intents', () => {
  test('with no intent listed nothing leaves', () => {
    expect(crossBoundary(envelope(), { ...OPEN, intents: [] })).toEqual({
      kind: 'refused',
      why: 'Nothing may leave: the list of intents that may is empty (--intents, or aee.boundary.intents of the configuration).',
    })
  })

  test.each([
    [['ops.backup.status.check'], true],
    [['ops.*'], true],
    [['infra.*', 'ops.backup.*'], true],
    [['*'], true],
    [['ops'], false],
    [['ops.backup'], false],
    [['infra.*', 'docs.summarize.with_citations'], false],
  ])('%j lets a backup check pass: %s', (intents, passes) => {
    expect(crossBoundary(envelope(), { ...OPEN, intents }).kind).toBe(passes ? 'passed' : 'refused')
  })
})

describe('redaction', () => {
  const payload = {
    user: { email: 'a@b.c', name: 'A' },
    items: [{ token: 't1', n: 1 }, { token: 't2' }, 'x'],
    'dotted.name': 'secret',
    list: [[1, 2], [3]],
  }

  test.each([
    ['payload.user.email', { ...payload, user: { email: '[redacted]', name: 'A' } }],
    ['payload.user', { ...payload, user: '[redacted]' }],
    ['payload.user.*', { ...payload, user: { email: '[redacted]', name: '[redacted]' } }],
    [
      'payload.items.*.token',
      { ...payload, items: [{ token: '[redacted]', n: 1 }, { token: '[redacted]' }, 'x'] },
    ],
    ['payload.items.1', { ...payload, items: [{ token: 't1', n: 1 }, '[redacted]', 'x'] }],
    [String.raw`payload.dotted\.name`, { ...payload, 'dotted.name': '[redacted]' }],
    ['payload.list.*.1', { ...payload, list: [[1, '[redacted]'], [3]] }],
  ])('%s is taken out, and nothing else', (path, expected) => {
    const crossing = passed(crossBoundary(envelope({ payload }), { ...OPEN, redact: [path] }))

    expect(crossing.envelope.payload).toEqual(expected)
    expect(crossing.redacted).toEqual([path])
    expect(decodeEnvelopeText(crossing.text).envelope).toEqual(crossing.envelope)
  })

  test.each([
    'payload.nothing',
    'payload.user.email.more',
    'payload.items.7',
    'payload.items.01',
    'payload.items.length',
    'payload.dotted.name',
    'payload.toString',
    'trace.*.x',
  ])('%s leads nowhere, so the envelope and its signature stay', (path) => {
    const before = envelope({ payload, sig: SIG })

    const crossing = passed(crossBoundary(before, { ...OPEN, redact: [path] }))

    expect(crossing).toMatchObject({ redacted: [], isChanged: false })
    expect(crossing.envelope).toEqual(before)
  })

  test('a redacted envelope has no signature any more, since none would hold', () => {
    const crossing = passed(
      crossBoundary(envelope({ payload, sig: SIG }), { ...OPEN, redact: ['payload.user.email'] }),
    )

    expect(crossing.envelope.sig).toBeNull()
    expect(crossing.isChanged).toBe(true)
  })

  test('requires and trace can be redacted too, and an absent or null one is left alone', () => {
    const rules = { ...OPEN, redact: ['requires.timeout_ms', 'trace.*'] }

    const whole = passed(crossBoundary(envelope(), rules))
    const bare = passed(crossBoundary(envelope({ requires: null, trace: null }), rules))

    expect(whole.envelope.requires).toEqual({ ...E0.requires, timeout_ms: '[redacted]' })
    expect(whole.envelope.trace).toEqual({ trace_id: '[redacted]', span_id: '[redacted]' })
    expect(bare).toMatchObject({ redacted: [], envelope: { requires: null, trace: null } })
  })

  test('a member called __proto__ is a member, on the way and at the end of it', () => {
    const text = JSON.stringify(E0).replace(
      '"cluster":"node.lan"',
      '"__proto__":{"token":"t","keep":1},"cluster":"node.lan"',
    )
    const { envelope: before } = decodeEnvelopeText(text)

    const part = passed(crossBoundary(before, { ...OPEN, redact: ['payload.__proto__.token'] }))
    const whole = passed(crossBoundary(before, { ...OPEN, redact: ['payload.__proto__'] }))

    expect(part.text).toContain('"__proto__":{"token":"[redacted]","keep":1}')
    expect(whole.text).toContain('"__proto__":"[redacted]"')
  })

  test('no value below a redacted path is left in the text, however the payload looks', () => {
    const secret = 'S3CRET-VALUE'
    const tree = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom<unknown>(1, null, 'x', secret),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'token', '__proto__'), tie('node'), { maxKeys: 3 }),
      ),
    })).node

    fc.assert(
      fc.property(tree, (hidden) => {
        const before = envelope({ payload: { hidden, items: [{ hidden }] }, sig: SIG })
        const redact = ['payload.hidden', 'payload.items.*.hidden']

        const crossing = passed(crossBoundary(before, { ...OPEN, redact }))

        expect(crossing.text).not.toContain(secret)
        expect(crossing.redacted).toEqual(redact)
        expect(before.payload['hidden']).toBe(hidden)
      }),
    )
  })
})

describe('priority', () => {
  test('what is more urgent than allowed leaves as what is allowed, its signature with it (AEE-095)', () => {
    for (const [rank, priority] of PRIORITIES.entries()) {
      for (const [maxRank, maxPriority] of PRIORITIES.entries()) {
        const crossing = passed(crossBoundary(envelope({ priority, sig: SIG }), { ...OPEN, maxPriority }))
        expect(crossing.envelope.priority).toBe(PRIORITIES[Math.min(rank, maxRank)])
        expect(crossing.envelope.sig).toEqual(SIG)
        expect(crossing.isChanged).toBe(rank > maxRank)
      }
    }
  })
})

describe('validity', () => {
  test('unknown members cross unchanged (AEE-C02)', () => {
    const crossing = passed(crossBoundary(envelope({ x_more: { deep: [1] } }), OPEN))

    expect(crossing.envelope['x_more']).toEqual({ deep: [1] })
  })

  test('an envelope that outgrows its bound by redaction stays here', () => {
    const payload = { n: Array.from({ length: MAX_ENVELOPE_OCTETS / 4 }, () => 0) }
    const crossing = crossBoundary(envelope({ payload }), { ...OPEN, redact: ['payload.n.*'] })

    expect(crossing).toMatchObject({ kind: 'refused', why: expect.stringContaining('octets') })
  })

  test('what is no valid envelope any more stays here', () => {
    // As if a caller had built it by hand: the type says envelope, the value is none.
    const broken = { ...envelope(), corr: 'short' }

    expect(crossBoundary(broken, OPEN)).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('corr'),
    })
  })
})

describe('rules', () => {
  test.each([
    'intent',
    'from',
    'sig.value',
    'payload',
    'trace',
    'requires',
    '',
    '.',
    'payload.',
    'payload..a',
    '.payload.a',
    'Payload.a',
    '*.a',
    '__proto__.a',
    String.raw`payload.a\b`,
    `payload${'.a'.repeat(65)}`,
  ])('the path %j is refused before anything crosses', (path) => {
    const rules = { ...OPEN, redact: [path] }

    expect(() => requireBoundaryRules(rules)).toThrow(UsageError)
    expect(() => crossBoundary(envelope(), rules)).toThrow(UsageError)
  })

  test.each(['', 'ops*', '*.check', 'ops.*.check'])('the intent %j is refused', (intent) => {
    expect(() => requireBoundaryRules({ ...OPEN, intents: [intent] })).toThrow(UsageError)
  })

  test('there are only so many paths', () => {
    const paths = Array.from({ length: MAX_REDACTIONS + 1 }, (_, at) => `payload.p${at}`)

    expect(() => requireBoundaryRules({ ...OPEN, redact: paths.slice(1) })).not.toThrow()
    expect(() => requireBoundaryRules({ ...OPEN, redact: paths })).toThrow(UsageError)
  })
})
