/**
 * Signatures of envelopes (AEE-044…AEE-050, AEE-084, AEE-085; AEQ-12…AEQ-15), with the vectors of
 * docs/requirements.md §9.
 */
import { UsageError } from '../../../src/core/errors.ts'
import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Key } from '../../../src/aee/keys/key.ts'
import { boundBytes, signEnvelope, verifyEnvelope } from '../../../src/aee/keys/signature.ts'
import { refusalOf } from '../../support/refusals.ts'
import { ED25519_PUBLIC, NOW_MS, OTHER_PUBLIC, e0, ed25519Key, hs256Key } from '../vectors.ts'

const TEN_BYTES =
  '{"corr":"01JFB2QX0K8X5K6ZJ9G2C0C1MW","from":"agent.manager","id":"01JFB2R1JZKQ9V3K8W8Y9W1F2A",' +
  '"intent":"ops.backup.status.check","payload":{"cluster":"node.lan","window":"24h"},"reply_to":null,' +
  '"to":"agent.backup_auditor","ts":"2025-12-14T03:45:12Z","type":"task","v":"1"}'
const ELEVEN_BYTES = TEN_BYTES.replace(
  '"reply_to":null,',
  '"reply_to":null,"requires":{"evidence":true,"human_approval":false,"timeout_ms":30000},',
)
const TEN_HASH = 'e424ee34b16528120acf6665ab443e0014c783b2030195e546fc2fd2c4f42f89'

const TEN_ED25519 = 'VIlZtWbQZdUMhdljeGY6yimg7/5Ho4llNYUmq2ZGy3Pm4TyYNfuOkI3nVkUDz1ar3zNznj8mEKRskXoVnvS+Cw=='
const TEN_HS256 = 'PwmeVa2st60lg+7KIokcI7okzl0yoGz8vJ8U+zCTmRA='
const ELEVEN_ED25519 =
  '46H2ddLduMYAzAsy1rnjiXCgFCFjygmudzDo+A52SlvdTQmxTaoD1gpotIolNN+p7bEZp1I6KzDJPsq2B+Z/AQ=='

const KEYS = [ed25519Key(), hs256Key()]

interface Checking {
  readonly keys?: readonly Key[]
  readonly nowMs?: number
  readonly allowTenFields?: boolean
}

/** Checks an E0 with some members changed. */
function check(changes: Readonly<Record<string, unknown>>, options: Checking = {}): 'unsigned' | 'verified' {
  const { keys = KEYS, nowMs = NOW_MS, allowTenFields } = options
  const ring = { find: (kid: string) => keys.find((key) => key.kid === kid) }
  return verifyEnvelope(e0(changes), { keys: ring, nowMs, allowTenFields })
}

/** What such an E0 is refused with. */
function refusal(changes: Readonly<Record<string, unknown>>, options?: Checking): string | undefined {
  return refusalOf(() => check(changes, options))?.code
}

/** A sig object over eleven members by the key of RFC 8032, with some of its members changed. */
function sig(changes: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  const members = { alg: 'ed25519', kid: 'key-2', value: ELEVEN_ED25519, canon: 'aee-jcs-1', ...changes }
  return Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined))
}

/** A part of a JWS. */
function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

describe('the vectors of docs/requirements.md §9', () => {
  test('the bound bytes are those of the vector, ten and eleven (AEQ-14)', () => {
    const ten = boundBytes(e0(), 'aee-jcs-10')

    expect(Buffer.from(ten).toString()).toBe(TEN_BYTES)
    expect(ten).toHaveLength(271)
    expect(createHash('sha256').update(ten).digest('hex')).toBe(TEN_HASH)
    expect(Buffer.from(boundBytes(e0(), 'aee-jcs-1')).toString()).toBe(ELEVEN_BYTES)
  })

  test('a signature over eleven members by the key of RFC 8032 is the vector (AEE-048)', () => {
    expect(signEnvelope(e0(), ed25519Key())).toEqual(sig())
    expect(check({ sig: sig() })).toBe('verified')
  })

  test.each([
    ['ed25519', { alg: 'ed25519', kid: 'key-2', value: TEN_ED25519, canon: 'aee-jcs-10' }],
    ['HS256', { alg: 'HS256', kid: 'shared-1', value: TEN_HS256, canon: 'aee-jcs-10' }],
  ])('a signature of %s over ten members holds where the policy takes it, and only there', (_alg, ten) => {
    expect(check({ sig: ten }, { allowTenFields: true })).toBe('verified')
    expect(refusal({ sig: ten })).toBe('signature-unverifiable')
    expect(refusal({ sig: { ...ten, canon: 'aee-jcs-1' } }, { allowTenFields: true })).toBe(
      'signature-invalid',
    )
  })

  test('the raw vectors come out of the keys themselves', () => {
    const ten = boundBytes(e0(), 'aee-jcs-10')

    expect(ed25519Key().sign(ten).toString('base64')).toBe(TEN_ED25519)
    expect(hs256Key().sign(ten).toString('base64')).toBe(TEN_HS256)
  })
})

test.each([null, undefined])('an envelope whose sig is %s is unsigned, and valid (AEE-082)', (absent) => {
  expect(check({ sig: absent })).toBe('unsigned')
})

test.each([
  ['object', ed25519Key()],
  ['object', hs256Key()],
  ['jws', ed25519Key()],
  ['jws', hs256Key()],
] as const)('what is signed as %s is verified', (form, key) => {
  const signature = signEnvelope(e0(), key, { form })

  expect(typeof signature).toBe(form === 'jws' ? 'string' : 'object')
  expect(check({ sig: signature })).toBe('verified')
  expect(refusal({ sig: signature, to: 'agent.somebody_else' })).toBe('signature-invalid')
})

const BOUND_CHANGES: readonly (readonly [string, unknown])[] = [
  ['id', '01JFB2R1JZKQ9V3K8W8Y9W1F2B'],
  ['ts', '2025-12-14T03:45:13Z'],
  ['type', 'event'],
  ['from', 'agent.manageR'],
  ['to', 'agent.backup_auditoR'],
  ['intent', 'ops.backup.status.checks'],
  ['corr', '01JFB2QX0K8X5K6ZJ9G2C0C1MX'],
  ['reply_to', ''],
  ['payload', { cluster: 'node.lan', window: '25h' }],
  ['payload', {}],
  ['requires', { timeout_ms: 30_000, evidence: true, human_approval: true }],
  ['requires', { timeout_ms: 30_000, evidence: true }],
  ['requires', null],
  ['requires', undefined],
]

test.each(BOUND_CHANGES)('a %s changed to %j breaks the signature (AEE-045, AEE-085)', (field, value) => {
  expect(refusal({ sig: sig(), [field]: value })).toBe('signature-invalid')
})

test('what changes on the way is not bound: trace, priority, and what no schema knows (AEE-095)', () => {
  expect(check({ sig: sig(), trace: null, priority: 'low', 'x-hop': 3 })).toBe('verified')
})

test('leaving reply_to and requires out is writing null (AEQ-14)', () => {
  const signature = signEnvelope(e0({ reply_to: null, requires: null }), ed25519Key())

  expect(check({ reply_to: undefined, requires: undefined, sig: signature })).toBe('verified')
})

test('a signature over ten members leaves requires open, which is why it is off by default (AEQ-14)', () => {
  const ten = sig({ value: TEN_ED25519, canon: 'aee-jcs-10' })

  expect(check({ sig: ten, requires: null }, { allowTenFields: true })).toBe('verified')
})

test('an object without canon counts as aee-jcs-1, and members nobody knows are let be (AEE-047)', () => {
  expect(check({ sig: sig({ canon: undefined, note: 'by hand' }) })).toBe('verified')
  expect(refusal({ sig: sig({ canon: undefined, value: TEN_ED25519 }) }, { allowTenFields: true })).toBe(
    'signature-invalid',
  )
})

test.each([
  ['base64 without padding', ELEVEN_ED25519.replace(/=+$/, '')],
  ['base64url with padding', ELEVEN_ED25519.replaceAll('+', '-').replaceAll('/', '_')],
  ['base64url without padding', Buffer.from(ELEVEN_ED25519, 'base64').toString('base64url')],
])('a value as %s is taken (AEE-050)', (_form, value) => {
  expect(check({ sig: sig({ value }) })).toBe('verified')
})

test.each([
  ['one byte short', Buffer.from(ELEVEN_ED25519, 'base64').subarray(1).toString('base64')],
  ['one byte long', Buffer.alloc(65).toString('base64')],
  ['of the length of HS256', TEN_HS256],
  ['no base64', `${ELEVEN_ED25519.slice(0, -3)}!==`],
  ['white space', ` ${ELEVEN_ED25519}`],
  ['in hex', Buffer.from(ELEVEN_ED25519, 'base64').toString('hex')],
  ['with bits after its last byte', ELEVEN_ED25519.replace('AQ==', 'AR==')],
  ['all zeros', Buffer.alloc(64).toString('base64')],
  ['endless', 'A'.repeat(100_000)],
])('a value that is %s is invalid', (_what, value) => {
  expect(refusal({ sig: sig({ value }) })).toBe('signature-invalid')
})

test('an Ed25519 signature cannot be given a second form by adding the order of the group to S', () => {
  const order = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n
  const bytes = Buffer.from(ELEVEN_ED25519, 'base64')
  const s = BigInt(`0x${Buffer.from(bytes.subarray(32).toReversed()).toString('hex')}`) + order
  const twin = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').toReversed()
  const value = Buffer.concat([bytes.subarray(0, 32), twin]).toString('base64')

  expect(refusal({ sig: sig({ value }) })).toBe('signature-invalid')
})

test.each([
  [{}],
  [sig({ value: undefined })],
  [sig({ value: '' })],
  [sig({ value: null })],
  [sig({ value: ['x'] })],
  [sig({ alg: undefined })],
  [sig({ alg: 'none' })],
  [sig({ alg: 'EdDSA' })],
  [sig({ alg: 'ED25519' })],
  [sig({ alg: 'hs256' })],
  [sig({ alg: ['ed25519'] })],
  [sig({ kid: undefined })],
  [sig({ kid: '' })],
  [sig({ kid: 'nobody' })],
  [sig({ kid: '__proto__' })],
  [sig({ kid: '../key-2' })],
  [sig({ kid: 2 })],
  [sig({ canon: 'aee-jcs-2' })],
  [sig({ canon: '' })],
  [sig({ canon: 1 })],
])('the sig %j cannot be checked, and is refused (AEQ-13)', (signature) => {
  expect(refusal({ sig: signature }, { allowTenFields: true })).toBe('signature-unverifiable')
})

test('the algorithm is the key’s: a secret made of a public key signs nothing', () => {
  const pretended = hs256Key({ kid: 'key-2', secret: ED25519_PUBLIC })
  const forged = signEnvelope(e0(), pretended)

  expect(forged).toMatchObject({ alg: 'HS256', kid: 'key-2' })
  expect(refusal({ sig: forged })).toBe('signature-invalid')
  expect(refusal({ sig: signEnvelope(e0(), pretended, { form: 'jws' }) })).toBe('signature-invalid')
})

test('a signature that is right under another algorithm than it says is invalid', () => {
  const right = { ...Object(signEnvelope(e0(), hs256Key())), alg: 'ed25519' }

  expect(refusal({ sig: right })).toBe('signature-invalid')
  expect(check({ sig: { ...right, alg: 'HS256' } })).toBe('verified')
})

test('a key that is revoked, too young, too old or not for the sender verifies nothing (AEE-086)', () => {
  const held = { sig: sig() }
  const times = { not_before: '2025-12-14T03:00:00Z', not_after: '2025-12-14T04:00:00Z' }
  const refusedBy = (changes: Readonly<Record<string, unknown>>, nowMs = NOW_MS) =>
    refusal(held, { keys: [ed25519Key(changes)], nowMs })

  expect(refusedBy(times)).toBeUndefined()
  expect(refusedBy(times, Date.parse('2025-12-14T02:59:59.999Z'))).toBe('signature-unverifiable')
  expect(refusedBy(times, Date.parse('2025-12-14T04:00:00.001Z'))).toBe('signature-unverifiable')
  expect(refusedBy({ status: 'revoked' })).toBe('signature-unverifiable')
  expect(refusedBy({ entities: ['agent.*'] })).toBeUndefined()
  expect(refusedBy({ entities: ['service.*', 'agent.manage'] })).toBe('signature-unverifiable')
  expect(refusedBy({ public: OTHER_PUBLIC, private: undefined })).toBe('signature-invalid')
})

test('of two keys of one sender each verifies its own, before and after rotation (AEE-086)', () => {
  const younger = hs256Key({ kid: 'younger' })
  const keys = [ed25519Key({ status: 'revoked' }), younger]

  expect(check({ sig: signEnvelope(e0(), younger) }, { keys })).toBe('verified')
  expect(refusal({ sig: sig() }, { keys })).toBe('signature-unverifiable')
})

test('nobody signs what nobody would take', () => {
  expect(() => signEnvelope(e0(), ed25519Key({ status: 'revoked' }))).toThrow(UsageError)
  expect(() => signEnvelope(e0(), ed25519Key({ entities: ['agent.other'] }))).toThrow(UsageError)
  expect(() => signEnvelope(e0(), ed25519Key({ private: undefined }))).toThrow(UsageError)
})

test('an envelope without a canonical form is malformed where it is signed, and only there', () => {
  const payload: unknown = JSON.parse(String.raw`{"half":"\ud83d"}`)

  expect(refusal({ payload, sig: sig() })).toBe('envelope-malformed')
  expect(check({ payload, sig: null })).toBe('unsigned')
})

describe('a sig that is a string (AEQ-15)', () => {
  const payload = Buffer.from(ELEVEN_BYTES).toString('base64url')

  /** Signs as somebody who has only RFC 7515 before them. */
  function jws(header: unknown, key = ed25519Key()): string {
    const head = typeof header === 'string' ? header : encode(header)
    return `${head}..${key.sign(Buffer.from(`${head}.${payload}`)).toString('base64url')}`
  }

  test.each([
    [{ alg: 'Ed25519', kid: 'key-2' }, ed25519Key()],
    [{ alg: 'EdDSA', kid: 'key-2' }, ed25519Key()],
    [{ kid: 'key-2', typ: 'JOSE', alg: 'EdDSA' }, ed25519Key()],
    [{ alg: 'HS256', kid: 'shared-1' }, hs256Key()],
  ])('a detached JWS with the header %j is verified', (header, key) => {
    expect(check({ sig: jws(header, key) })).toBe('verified')
    expect(refusal({ sig: jws(header, key), requires: null })).toBe('signature-invalid')
  })

  test('what we write has the name of RFC 9864 in its header', () => {
    const signature = signEnvelope(e0(), ed25519Key(), { form: 'jws' })
    const [head = '', middle, value] = typeof signature === 'string' ? signature.split('.') : []

    expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual({ alg: 'Ed25519', kid: 'key-2' })
    expect(middle).toBe('')
    expect(value).toMatch(/^[A-Za-z0-9_-]{86}$/)
  })

  test('the header is signed as well', () => {
    const [, , value] = jws({ alg: 'EdDSA', kid: 'key-2' }).split('.')

    expect(refusal({ sig: `${encode({ alg: 'Ed25519', kid: 'key-2' })}..${value}` })).toBe(
      'signature-invalid',
    )
  })

  const good = jws({ alg: 'EdDSA', kid: 'key-2' })
  const [goodHead = '', , goodValue = ''] = good.split('.')

  test.each([
    ['nothing', ''],
    ['words', 'signed, sincerely'],
    ['two dots', '..'],
    ['no header', `..${goodValue}`],
    ['no signature', `${goodHead}..`],
    ['its payload inside', `${goodHead}.${payload}.${goodValue}`],
    ['a fourth part', `${good}.`],
    ['a fifth part', `${good}.a.b`],
    ['only two parts', `${goodHead}.${goodValue}`],
    ['a padded signature', `${good}==`],
    ['a padded header', `${goodHead}=..${goodValue}`],
    ['white space', `${good}\n`],
    ['a header that is no JSON', jws('AAAA')],
    ['a header that is no object', jws([])],
    [
      'a header with a name twice',
      jws(Buffer.from('{"alg":"EdDSA","kid":"a","kid":"key-2"}').toString('base64url')),
    ],
    ['crit', jws({ alg: 'EdDSA', kid: 'key-2', crit: ['exp'], exp: 1 })],
    ['an empty crit', jws({ alg: 'EdDSA', kid: 'key-2', crit: [] })],
    ['b64', jws({ alg: 'EdDSA', kid: 'key-2', b64: true })],
    ['no alg', jws({ kid: 'key-2' })],
    ['alg none', jws({ alg: 'none', kid: 'key-2' })],
    ['alg toString', jws({ alg: 'toString', kid: 'key-2' })],
    ['the alg of the object form', jws({ alg: 'ed25519', kid: 'key-2' })],
    ['no kid', jws({ alg: 'EdDSA' })],
    ['a kid that names no key', jws({ alg: 'EdDSA', kid: 'nobody' })],
    ['a kid that is no text', jws({ alg: 'EdDSA', kid: ['key-2'] })],
    ['a header beyond its bound', jws({ alg: 'EdDSA', kid: 'key-2', x: 'x'.repeat(1_024) })],
    ['JSON of an object form', JSON.stringify(sig())],
  ])('%s is refused as unverifiable', (_what, text) => {
    expect(refusal({ sig: text })).toBe('signature-unverifiable')
  })
})

test('whatever stands in sig, it is verified or refused by one of two codes', () => {
  const member = fc.oneof(fc.string(), fc.constantFrom(...Object.values(sig())), fc.jsonValue())
  const anySig = fc.oneof(
    fc.string(),
    fc.tuple(fc.base64String(), fc.base64String()).map(([head, value]) => `${head}..${value}`),
    fc.record({ alg: member, kid: member, value: member, canon: member }, { requiredKeys: [] }),
    fc.dictionary(fc.string(), fc.jsonValue()),
  )
  fc.assert(
    fc.property(anySig, (signature) => {
      const code = refusal({ sig: signature })
      expect(['signature-invalid', 'signature-unverifiable', undefined]).toContain(code)
      if (code === undefined) expect(signature).toMatchObject({ alg: 'ed25519', value: ELEVEN_ED25519 })
    }),
  )
})

test('any payload and any requires are signed whole: one change anywhere breaks it', () => {
  const members = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ stringUnit: 'grapheme' }))
  fc.assert(
    fc.property(members, members, fc.constantFrom('payload', 'requires'), (payload, requires, field) => {
      const signature = signEnvelope(e0({ payload, requires }), hs256Key())
      const changed = { ...(field === 'payload' ? payload : requires), 'one-more': 1 }
      expect(check({ payload, requires, sig: signature })).toBe('verified')
      if (!Object.hasOwn(field === 'payload' ? payload : requires, 'one-more'))
        expect(refusal({ payload, requires, sig: signature, [field]: changed })).toBe('signature-invalid')
    }),
    { numRuns: 50 },
  )
})
