/**
 * Key files and what a key may do (docs/requirements.md §3, AEE-048, AEE-049, AEE-086).
 */
import { UsageError } from '../../../src/core/errors.ts'
import { inspect } from 'node:util'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readBase64, readBase64Url } from '../../../src/aee/keys/base64.ts'
import { KeyChain, type KeyText } from '../../../src/aee/keys/chain.ts'
import { scopeCovers } from '../../../src/aee/keys/fields.ts'
import { readKey } from '../../../src/aee/keys/key.ts'
import { createKey, revokeKey } from '../../../src/aee/keys/new-key.ts'
import { refusalOf } from '../../support/refusals.ts'
import {
  ED25519_FILE,
  ED25519_PRIVATE,
  ED25519_PUBLIC,
  HS256_FILE,
  HS256_SECRET,
  NOW_MS,
  OTHER_PUBLIC,
  ed25519Key,
  hs256Key,
} from '../vectors.ts'

const BYTES = Buffer.from('what is signed')

/** What a file is refused with; undefined when it is read. */
function faultOf(file: unknown): string | undefined {
  const refusal = refusalOf(() => readKey(typeof file === 'string' ? file : JSON.stringify(file)))
  if (refusal !== undefined) expect(refusal.code).toBe('field-invalid')
  return refusal?.field
}

/** A secret of so many bytes. */
function secret(bytes: number): string {
  return Buffer.alloc(bytes, 7).toString('base64url')
}

/** A file of the folder: a key for `agent.a`, with some members changed. */
function keyText(kid: string, changes: Readonly<Record<string, unknown>>): KeyText {
  const members = { ...ED25519_FILE, kid, entities: ['agent.a'], ...changes }
  return { name: `${kid}.json`, text: JSON.stringify(members) }
}

test('a key file says who may sign, with what and when', () => {
  const key = ed25519Key({
    entities: ['agent.a', 'service.*'],
    not_before: '2026-01-01T00:00:00Z',
    not_after: '2026-02-01T00:00:00+01:00',
  })

  expect(key).toMatchObject({
    kid: 'key-2',
    alg: 'ed25519',
    entities: ['agent.a', 'service.*'],
    status: 'trusted',
    createdAt: '2025-12-01T00:00:00Z',
    notBefore: Date.parse('2026-01-01T00:00:00Z'),
    notAfter: Date.parse('2026-01-31T23:00:00Z'),
    canSign: true,
  })
  expect(hs256Key()).toMatchObject({ alg: 'HS256', canSign: true, notBefore: undefined, notAfter: undefined })
  expect(ed25519Key({ private: undefined }).canSign).toBe(false)
})

test.each([
  ['kid', ''],
  ['kid', '.hidden'],
  ['kid', '..'],
  ['kid', 'a/b'],
  ['kid', 'a b'],
  ['kid', 'é'],
  ['kid', 'a\n'],
  ['kid', 'a'.repeat(65)],
  ['kid', 7],
  ['alg', 'EdDSA'],
  ['alg', 'Ed25519'],
  ['alg', 'hs256'],
  ['alg', 'none'],
  ['alg', 'toString'],
  ['entities', []],
  ['entities', 'agent.a'],
  ['entities', ['']],
  ['entities', [1]],
  ['entities', ['agent*']],
  ['entities', ['*.a']],
  ['entities', ['.*']],
  ['entities', ['**']],
  ['entities', ['a.*.*']],
  ['entities', ['agent.\n']],
  ['entities', ['a'.repeat(257)]],
  ['entities', Array.from({ length: 65 }, (_, i) => `agent.${i}`)],
  ['status', 'suspended'],
  ['status', null],
  ['created_at', '2025-12-01'],
  ['created_at', 0],
  ['not_before', 'soon'],
  ['not_before', null],
  ['not_after', '2025-02-30T00:00:00Z'],
  ['public', 'AAAA'],
  ['public', `${ED25519_PUBLIC}=`],
  ['public', ED25519_PUBLIC.replaceAll('_', '/')],
  ['private', 'x'.repeat(43)],
  ['private', 12],
])('%s may not be %j', (member, value) => {
  expect(faultOf({ ...ED25519_FILE, [member]: value })).toBe(member)
})

test.each(['kid', 'alg', 'entities', 'status', 'created_at', 'public'])('%s is required', (member) => {
  expect(faultOf({ ...ED25519_FILE, [member]: undefined })).toBe(member)
})

test('every bound of a key file is crossed by one', () => {
  const names = Array.from({ length: 64 }, (_, i) => `agent.${i}`)

  expect(faultOf({ ...ED25519_FILE, kid: 'a'.repeat(64) })).toBeUndefined()
  expect(faultOf({ ...ED25519_FILE, entities: names })).toBeUndefined()
  expect(faultOf({ ...ED25519_FILE, entities: ['a'.repeat(256)] })).toBeUndefined()
  expect(faultOf({ ...HS256_FILE, secret: secret(32) })).toBeUndefined()
  expect(faultOf({ ...HS256_FILE, secret: secret(512) })).toBeUndefined()
  expect(faultOf({ ...HS256_FILE, secret: secret(31) })).toBe('secret')
  expect(faultOf({ ...HS256_FILE, secret: secret(513) })).toBe('secret')
})

test('a key holds what its algorithm needs and nothing of another', () => {
  expect(faultOf({ ...ED25519_FILE, secret: HS256_SECRET })).toBe('secret')
  expect(faultOf({ ...HS256_FILE, secret: undefined })).toBe('secret')
  expect(faultOf({ ...HS256_FILE, public: ED25519_PUBLIC })).toBe('public')
  expect(faultOf({ ...HS256_FILE, private: ED25519_PRIVATE })).toBe('private')
})

test('a private part that is not of the public one is refused, since nobody could verify it', () => {
  expect(faultOf({ ...ED25519_FILE, public: OTHER_PUBLIC })).toBe('private')
})

test('a key that ends before it begins is refused', () => {
  const times = { not_before: '2026-01-01T00:00:00Z', not_after: '2026-01-01T00:00:00Z' }

  expect(faultOf({ ...ED25519_FILE, ...times })).toBe('not_after')
})

test.each([
  ['no JSON', '{"kid": '],
  ['no object', '[]'],
  ['null', 'null'],
  ['a stranger', JSON.stringify({ ...ED25519_FILE, note: 'mine' })],
  ['__proto__', JSON.stringify(ED25519_FILE).replace('{', '{"__proto__":{},')],
  ['a name twice', JSON.stringify(ED25519_FILE).replace('{', '{"kid":"key-2",')],
  [
    'a name twice, once in escapes',
    JSON.stringify(ED25519_FILE).replace('{', String.raw`{"k\u0069d":"key-2",`),
  ],
  ['too many levels', '['.repeat(65) + ']'.repeat(65)],
])('%s is no key file', (_what, text) => {
  expect(faultOf(text)).toBe('key')
})

test.each([
  ['cut off', `{"kid":"k","private":"${ED25519_PRIVATE}`],
  ['as a name', JSON.stringify({ [ED25519_PRIVATE]: 1 })],
  ['with a letter too many', JSON.stringify({ ...ED25519_FILE, private: `${ED25519_PRIVATE}a` })],
  ['in the place of another member', JSON.stringify({ ...ED25519_FILE, kid: `${ED25519_PRIVATE}+` })],
])('an error never quotes a secret, not even in what it hides: %s', (_what, text) => {
  let thrown: unknown
  try {
    readKey(text)
  } catch (error) {
    thrown = error
  }

  expect(thrown).toBeInstanceOf(Error)
  expect(inspect(thrown, { depth: 10, showHidden: true })).not.toContain(ED25519_PRIVATE.slice(0, 8))
})

test.each([
  ['ed25519', ed25519Key(), ED25519_PRIVATE],
  ['HS256', hs256Key(), HS256_SECRET],
])('a key of %s cannot be made to show its secret', (_alg, key, secret) => {
  const shown = [
    JSON.stringify(key),
    inspect(key, { depth: 10, showHidden: true, getters: true }),
    JSON.stringify(Object.entries(key)),
    JSON.stringify(key.publicFields() ?? null),
  ].join('\n')

  expect(shown).toContain(key.kid)
  expect(shown).not.toContain(secret.slice(0, 8))
  expect(shown).not.toContain(Buffer.from(secret, 'base64url').toString('hex').slice(0, 8))
})

test('what is handed over of an Ed25519 key verifies and does not sign; HS256 has nothing to hand over', () => {
  const key = ed25519Key()
  const handedOver = readKey(JSON.stringify(key.publicFields()))

  expect(handedOver).toMatchObject({ kid: 'key-2', canSign: false })
  expect(handedOver.verify(BYTES, key.sign(BYTES))).toBe(true)
  expect(() => handedOver.sign(BYTES)).toThrow(UsageError)
  expect(hs256Key().publicFields()).toBeUndefined()
})

test.each([
  ['ed25519', ed25519Key(), 64],
  ['HS256', hs256Key(), 32],
])('a signature of %s is its own, whole, and over these bytes', (_alg, key, length) => {
  const signature = key.sign(BYTES)

  expect(signature).toHaveLength(length)
  expect(key.verify(BYTES, signature)).toBe(true)
  expect(key.verify(Buffer.from('what is signee'), signature)).toBe(false)
  expect(key.verify(BYTES, signature.subarray(1))).toBe(false)
  expect(key.verify(BYTES, Buffer.concat([signature, Buffer.alloc(1)]))).toBe(false)
  expect(key.verify(BYTES, Buffer.alloc(0))).toBe(false)
  for (let at = 0; at < length; at += 1) {
    const changed = Buffer.from(signature)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(key.verify(BYTES, changed), `byte ${at}`).toBe(false)
  }
})

test.each([
  ['*', 'anything at all', true],
  ['agent.a', 'agent.a', true],
  ['agent.a', 'agent.ab', false],
  ['agent.a', 'agent', false],
  ['agent.a', 'AGENT.A', false],
  ['agent.*', 'agent.a', true],
  ['agent.*', 'agent.a.b', true],
  ['agent.*', 'agent.', false],
  ['agent.*', 'agent', false],
  ['agent.*', 'agents.a', false],
  ['agent.*', 'bus.agent.a', false],
  ['agent.*', 'agent.*', true],
])('the scope %s covers %s: %s', (scope, entity, covers) => {
  expect(scopeCovers(scope, entity)).toBe(covers)
  expect(ed25519Key({ entities: ['human.nobody', scope] }).covers(entity)).toBe(covers)
})

test('a key holds from its first moment to its last, and not at all when it is revoked', () => {
  const from = Date.parse('2026-01-01T00:00:00Z')
  const to = Date.parse('2026-02-01T00:00:00Z')
  const times = { not_before: '2026-01-01T00:00:00Z', not_after: '2026-02-01T00:00:00Z' }
  const key = ed25519Key(times)

  expect(key.stateAt(from - 1)).toBe('not yet valid')
  expect(key.stateAt(from)).toBe('trusted')
  expect(key.stateAt(to)).toBe('trusted')
  expect(key.stateAt(to + 1)).toBe('expired')
  expect(ed25519Key({ ...times, status: 'revoked' }).stateAt(from)).toBe('revoked')
  expect(ed25519Key().stateAt(0)).toBe('trusted')
})

test('a key file is ASCII, whatever it holds, so that no terminal and no mail changes it', () => {
  const entities = ['agent.zoë', 'agent.\u{1f602}', 'agent.\u202e', 'agent.\ufeff']

  const { text } = createKey({ alg: 'ed25519', entities, nowMs: NOW_MS })

  expect(text).toMatch(/^[\n\x20-\x7e]+$/)
  expect(readKey(text).entities).toEqual(entities)
})

test.each(['ed25519', 'HS256'] as const)('a new key of %s signs, and no two are alike', (alg) => {
  const options = { alg, entities: ['agent.a'], nowMs: NOW_MS, notAfter: NOW_MS + 1_000 }
  const [one, other] = [createKey(options), createKey(options)]
  const key = readKey(one.text)

  expect(one.kid).toMatch(/^2025-12-14-[0-9a-f]{8}$/)
  expect(one.kid).not.toBe(other.kid)
  expect(key).toMatchObject({
    kid: one.kid,
    alg,
    entities: ['agent.a'],
    notAfter: NOW_MS + 1_000,
    canSign: true,
  })
  expect(key.verify(BYTES, readKey(other.text).sign(BYTES))).toBe(false)
  expect(key.verify(BYTES, key.sign(BYTES))).toBe(true)
})

test('a new key that no file may hold is refused', () => {
  const options = { alg: 'ed25519', entities: ['agent.a'], nowMs: NOW_MS } as const

  expect(refusalOf(() => createKey({ ...options, kid: '.a' }))?.field).toBe('kid')
  expect(refusalOf(() => createKey({ ...options, entities: ['a*'] }))?.field).toBe('entities')
  expect(refusalOf(() => createKey({ ...options, notBefore: 2, notAfter: 1 }))?.field).toBe('not_after')
})

test('a revoked key file keeps all but the trust, and can be revoked again', () => {
  const revoked = revokeKey(JSON.stringify(ED25519_FILE))

  expect(JSON.parse(revoked)).toEqual({ ...ED25519_FILE, status: 'revoked' })
  expect(revokeKey(revoked)).toBe(revoked)
})

test('a chain finds keys by id, and one that is no key takes no other away', () => {
  const chain = new KeyChain([
    { name: 'shared-1.json', text: JSON.stringify(HS256_FILE) },
    { name: 'broken.json', text: '{' },
    { name: 'key-2.json', text: JSON.stringify(ED25519_FILE) },
    { name: 'copy.json', text: JSON.stringify(ED25519_FILE) },
  ])

  expect(chain.keys.map(({ kid }) => kid)).toEqual(['key-2', 'shared-1'])
  expect(chain.find('key-2')?.alg).toBe('ed25519')
  expect(chain.find('copy')).toBeUndefined()
  expect(chain.find('__proto__')).toBeUndefined()
  expect(chain.faults).toEqual([
    expect.stringMatching(/^The key file broken\.json is left out: /),
    expect.stringContaining('must be named key-2.json'),
  ])
})

test('of several keys, the newest that can and may sign now does (AEE-086)', () => {
  const chain = new KeyChain([
    keyText('old', { created_at: '2025-01-01T00:00:00Z' }),
    keyText('new', { created_at: '2025-02-01T00:00:00Z' }),
    keyText('revoked', { created_at: '2025-03-01T00:00:00Z', status: 'revoked' }),
    keyText('expired', { created_at: '2025-03-02T00:00:00Z', not_after: '2025-04-01T00:00:00Z' }),
    keyText('public', { created_at: '2025-03-03T00:00:00Z', private: undefined }),
    keyText('foreign', { created_at: '2025-03-04T00:00:00Z', entities: ['agent.b'] }),
  ])

  expect(chain.findSigner('agent.a', NOW_MS)?.kid).toBe('new')
  expect(chain.findSigner('agent.b', NOW_MS)?.kid).toBe('foreign')
  expect(chain.findSigner('agent.c', NOW_MS)).toBeUndefined()
})

test('bytes come back from both alphabets, padded or not, and from no other spelling', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (array) => {
      const bytes = Buffer.from(array)
      const [standard, url] = [bytes.toString('base64'), bytes.toString('base64url')]
      const padding = standard.slice(url.length)
      for (const text of [standard, url, `${url}${padding}`, standard.slice(0, url.length)])
        expect(readBase64(text)).toEqual(bytes)
      expect(readBase64Url(url)).toEqual(bytes)
      expect(readBase64(`${url}=${padding}`)).toBeUndefined()
    }),
  )
})

test.each(['A', 'AB', 'AB=', 'QQ=', 'QQ===', 'QQ==\n', ' QQ==', 'Q Q=', 'Qé', '+_AA', '-/AA', '=', '===='])(
  '%j is no base64',
  (text) => {
    expect(readBase64(text)).toBeUndefined()
  },
)
