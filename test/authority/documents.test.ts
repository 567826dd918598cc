/**
 * Signed documents (FED-40, FED-44).
 */
import { describe, expect, test } from 'vitest'
import { CHARTER, Roll, type Charter } from '../../src/authority/charter.ts'
import {
  MAX_DOCUMENT_OCTETS,
  formatDocument,
  readDocument,
  stateOf,
  type SignedDocument,
} from '../../src/authority/document.ts'
import { keysNaming, signDocument, verifyDocument } from '../../src/authority/signing.ts'
import type { Key } from '../../src/aee/keys/key.ts'
import { AgentdError, UsageError } from '../../src/core/errors.ts'
import { orRefusal } from '../../src/core/thrown.ts'
import { NOW_MS, charterOf, keyFor, signedCharter } from './documents.ts'

const KEY = keyFor('~acme')
const RING = { find: (kid: string): Key | undefined => (kid === KEY.kid ? KEY : undefined) }

/** The code a document is refused with; `ok` when it is not. */
function verdictOn(text: string, ring = RING, nowMs = NOW_MS): string {
  const found = orRefusal(() => verifyDocument(readDocument(CHARTER, text), keysNaming(ring), nowMs))
  return found instanceof AgentdError ? `${found.code} ${found.field}` : 'ok'
}

describe('signing', () => {
  test('what is signed and written down is read again and holds (FED-40)', () => {
    const document = signedCharter(KEY, { notAfter: '2027-01-01T00:00:00Z' })

    const text = formatDocument(document)

    expect(verdictOn(text)).toBe('ok')
    expect(readDocument(CHARTER, text)).toEqual(document)
  })

  test('every single octet of a signed charter counts: no other text with one changed holds (FED-40)', () => {
    const text = formatDocument(signedCharter(KEY)).trimEnd()

    const held = Array.from(text, (_, at) => {
      const other = text[at] === 'x' ? 'y' : 'x'
      return verdictOn(`${text.slice(0, at)}${other}${text.slice(at + 1)}`)
    }).filter((verdict) => verdict === 'ok')

    expect(held).toEqual([])
  })

  test('white space and the order of members are nobody’s change (FED-40)', () => {
    const value: unknown = JSON.parse(formatDocument(signedCharter(KEY)))
    const reversed = Object.fromEntries(Object.entries(Object(value)).toReversed())

    expect(verdictOn(JSON.stringify(reversed, undefined, 2))).toBe('ok')
  })

  test('a key for everybody, for entities, or for another handle signs no document (FED-44)', () => {
    for (const entities of [['*'], ['agent.*'], ['~globex'], ['~acme-x']]) {
      const key = keyFor(...entities)
      expect(() => signDocument(charterOf(), '~acme', key), entities.join()).toThrow(UsageError)
      expect(keysNaming({ find: () => key }).find('~acme', key.kid), entities.join()).toBeUndefined()
    }
  })

  test('a signature of an envelope is none of a document, though the key is the same (FED-40)', () => {
    const both = keyFor('~acme', 'agent.a')
    const document = charterOf()
    const value = both.sign(Buffer.from(document.signedText)).toString('base64')
    const forged: SignedDocument<Charter> = {
      ...document,
      signatures: [{ by: '~acme', alg: 'ed25519', kid: both.kid, value }],
    }

    expect(() => verifyDocument(forged, keysNaming({ find: () => both }), NOW_MS)).toThrow(
      /is not what ~acme has signed/,
    )
  })

  test('who has no part in a document does not sign it (FED-44)', () => {
    const other = keyFor('~globex')

    expect(() => signDocument(charterOf(), '~globex', other)).toThrow('~globex has no part in this charter.')
  })
})

describe('verifying', () => {
  const text = formatDocument(signedCharter(KEY))

  test.each([
    ['without a signature', formatDocument(charterOf()), 'signature-required sig'],
    [
      'by a key that nobody trusts here',
      formatDocument(signedCharter(keyFor('~acme'))),
      'signature-unverifiable sig',
    ],
    ['with another member', text.replace('"~alice"', '"~mallory"'), 'signature-invalid sig'],
    [
      'with another epoch',
      text.replace('"authority_epoch":1', '"authority_epoch":9'),
      'signature-invalid sig',
    ],
  ])('a charter %s is refused, with the reason (FED-40)', (_, tampered, verdict) => {
    expect(verdictOn(tampered)).toBe(verdict)
  })

  test('a revoked key takes its documents with it (FED-40)', () => {
    const revoked: Key = Object.assign(Object.create(KEY), { stateAt: () => 'revoked' })

    expect(verdictOn(text, { find: () => revoked })).toBe('signature-unverifiable sig')
  })
})

describe('reading', () => {
  const members: unknown = JSON.parse(formatDocument(signedCharter(KEY)))

  test.each([
    ['no JSON', '{', 'charter'],
    ['a list', '[]', 'charter'],
    ['a name twice', '{"type":"agentd.charter","type":"agentd.charter"}', 'charter'],
    ['another type', JSON.stringify({ ...Object(members), type: 'agentd.accord' }), 'type'],
    ['a later version', JSON.stringify({ ...Object(members), v: 2 }), 'v'],
    ['an epoch of 0', JSON.stringify({ ...Object(members), authority_epoch: 0 }), 'authority_epoch'],
    [
      'an epoch that is no number',
      JSON.stringify({ ...Object(members), authority_epoch: '1' }),
      'authority_epoch',
    ],
    [
      'an epoch beyond what a double holds',
      JSON.stringify({ ...Object(members), authority_epoch: 2 ** 53 }),
      'authority_epoch',
    ],
    ['a member that nobody knows', JSON.stringify({ ...Object(members), extra: 1 }), 'extra'],
    [
      'an end before its beginning',
      JSON.stringify({
        ...Object(members),
        not_before: '2027-01-02T00:00:00Z',
        not_after: '2027-01-01T00:00:00Z',
      }),
      'not_after',
    ],
    ['the pronoun for an organisation', JSON.stringify({ ...Object(members), org: '~org' }), 'org'],
    [
      'a handle twice',
      JSON.stringify({ ...Object(members), members: [{ handle: '~a' }, { handle: '~a' }] }),
      'members[1].handle',
    ],
    [
      'a role that no scope can name',
      JSON.stringify({ ...Object(members), members: [{ handle: '~a', roles: ['*'] }] }),
      'members[0].roles',
    ],
    [
      'a key that is none',
      JSON.stringify({ ...Object(members), members: [{ handle: '~a', key: 'abc' }] }),
      'members[0].key',
    ],
    [
      'a signature with more in it',
      JSON.stringify({
        ...Object(members),
        sig: { by: '~acme', alg: 'ed25519', kid: 'k', value: '', more: 1 },
      }),
      'sig',
    ],
  ])('%s is refused, and the member is named (FED-40)', (_, text, field) => {
    const found = orRefusal(() => readDocument(CHARTER, text))

    expect(found).toBeInstanceOf(AgentdError)
    expect(found).toMatchObject({ field, message: expect.stringMatching(/^[A-Z"].*\.$/) })
  })

  test('a document of 64 KiB is read, and one octet more is refused (FED-40)', () => {
    const text = JSON.stringify(members)
    const padded = text.padEnd(MAX_DOCUMENT_OCTETS, ' ')

    expect(readDocument(CHARTER, padded).body.org).toBe('~acme')
    expect(() => readDocument(CHARTER, `${padded} `)).toThrow(/at most 65536 octets/)
  })
})

test('a document is in force from its first moment to its last, both included (FED-40)', () => {
  const document = charterOf({ notBefore: '2026-11-22T12:00:00Z', notAfter: '2026-11-22T13:00:00Z' })
  const states = [NOW_MS - 1, NOW_MS, NOW_MS + 3_600_000, NOW_MS + 3_600_001].map((nowMs) =>
    stateOf(document, nowMs),
  )

  expect(states).toEqual(['not yet in force', 'in force', 'in force', 'over'])
})

test('a roll has all members, and those of each role (AC-120, AC-121)', () => {
  const roll = new Roll({
    org: '~acme',
    members: [
      { handle: '~alice', roles: ['dev', 'ops'] },
      { handle: '~bob', roles: ['dev'] },
      { handle: '~carol', roles: [] },
    ],
  })

  expect([...roll.of(undefined)]).toEqual(['~alice', '~bob', '~carol'])
  expect([...roll.of('dev')]).toEqual(['~alice', '~bob'])
  expect([...roll.of('ops')]).toEqual(['~alice'])
  expect([...roll.of('nobody')]).toEqual([])
})
