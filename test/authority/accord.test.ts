/**
 * Accords: what two organisations grant each other (FED-40, FED-57; AC-122, AC-126).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ACCORD, accordMembers, withGrant } from '../../src/authority/accord.ts'
import { judgeDocument } from '../../src/authority/acceptance.ts'
import { formatDocument, membersOf, readDocument } from '../../src/authority/document.ts'
import { readGrants, readReach, scopeOfGrant, type Grant } from '../../src/authority/grant.ts'
import { filesOf, judgeShelf, revocationOf } from '../../src/authority/shelf.ts'
import { keysNaming, signDocument, verifyDocument } from '../../src/authority/signing.ts'
import { AgentdError, UsageError } from '../../src/core/errors.ts'
import { orRefusal } from '../../src/core/thrown.ts'
import { readScope } from '../../src/protocol/address/scope.ts'
import { KIND_NAMES } from '../../src/protocol/frame/kinds.ts'
import { accordOf, grantOf, newSides, signedAccord } from './accords.ts'
import { NOW_MS, keyFor } from './documents.ts'

const SIDES = newSides()
const RING = { find: (kid: string) => Object.values(SIDES).find((key) => key.kid === kid) }
const BY = { keys: keysNaming(RING), nowMs: NOW_MS }

/** The code an accord is refused with; `ok` when it is not. */
function verdictOn(text: string): string {
  const found = orRefusal(() => verifyDocument(readDocument(ACCORD, text), BY.keys, NOW_MS))
  return found instanceof AgentdError ? `${found.code} ${found.field}` : 'ok'
}

const partyOf = (org: string) => ({ org, key: '' })

/** A signed accord of some epoch, as text. */
const textOf = (epoch: number): string => formatDocument(signedAccord(SIDES, { epoch }))

/** What comes of an accord where epoch 3 was revoked. */
function judgedAfterRevoking(epoch: number) {
  const texts = { current: textOf(epoch), accepted: textOf(3), revokedEpoch: 3 }
  const { document, refusal } = judgeDocument(ACCORD, texts, BY)
  return { epoch: document?.authorityEpoch, why: refusal?.message }
}

describe('signatures', () => {
  const text = formatDocument(signedAccord(SIDES))
  const half = signDocument(accordOf(SIDES), '~acme', SIDES.acme)

  test('what both have signed is read again and holds (FED-40)', () => {
    expect(verdictOn(text)).toBe('ok')
    expect(readDocument(ACCORD, text)).toEqual(signedAccord(SIDES))
  })

  test.each([
    ['that nobody has signed', formatDocument(accordOf(SIDES)), 'signature-required sigs'],
    ['with one signature', formatDocument(half), 'signature-required sigs'],
    [
      'with one signature twice',
      formatDocument({ ...half, signatures: [...half.signatures, ...half.signatures] }),
      'signature-invalid sigs',
    ],
    ['with more a minute', text.replace('"per_minute":60', '"per_minute":61'), 'signature-invalid sigs'],
    ['with a further kind', text.replace('"agent_query"', '"agent_advisory"'), 'signature-invalid sigs'],
    ['that ends later', text.replace('2999', '3999'), 'signature-invalid sigs'],
  ])('an accord %s is refused (FED-40)', (_, changed, verdict) => {
    expect(changed).not.toBe(text)
    expect(verdictOn(changed)).toBe(verdict)
  })

  test('a signature counts by the key alone that the accord names for that side (FED-40)', () => {
    const other = keyFor('~globex')
    const forged = {
      ...half,
      signatures: [
        ...half.signatures,
        { ...signedAccord({ ...SIDES, globex: other }).signatures[1], by: '~globex' },
      ],
    }
    const keys = keysNaming({ find: (kid) => (kid === other.kid ? other : RING.find(kid)) })

    expect(() => signDocument(half, '~globex', other)).toThrow(UsageError)
    const written = JSON.stringify({ ...membersOf(half), sigs: forged.signatures })
    const found = orRefusal(() => verifyDocument(readDocument(ACCORD, written), keys, NOW_MS))
    expect(found).toMatchObject({
      code: 'signature-unverifiable',
      message: expect.stringMatching(/is not the one that this accord names for ~globex/),
    })
  })
})

describe('what is no accord', () => {
  const members: unknown = JSON.parse(formatDocument(signedAccord(SIDES)))
  const changed = (change: object): string => JSON.stringify({ ...Object(members), ...change })
  const parties = [{ org: '~acme', key: SIDES.acme.publicFields()?.public }]
  const granting = (wish: object): string => {
    const [grant] = [...Object(accordMembers(accordOf(SIDES).body)).grants]
    return changed({ grants: [{ ...grant, ...wish }] })
  }

  test.each([
    ['without an end', changed({ not_after: undefined }), 'not_after'],
    ['with one party', changed({ parties }), 'parties'],
    ['with itself', changed({ parties: [...parties, ...parties] }), 'parties[1].org'],
    ['without a key', changed({ parties: [...parties, { org: '~globex' }] }), 'parties[1].key'],
    ['without grants', changed({ grants: [] }), 'grants'],
    ['with a stranger', granting({ from: '~mallory' }), 'grants[0].from'],
    ['from one side to itself', granting({ to: '~acme' }), 'grants[0].to'],
    ['with a name that no scope holds', granting({ grant: 'a b' }), 'grants[0].grant'],
    ['that reaches nobody', granting({ reach: [] }), 'grants[0].reach'],
    ['that reaches what is no reach', granting({ reach: ['*'] }), 'grants[0].reach'],
    ['of a kind that there is not', granting({ kinds: ['everything'] }), 'grants[0].kinds'],
    ['of one kind twice', granting({ kinds: ['agent_query', 'agent_query'] }), 'grants[0].kinds'],
    ['of nothing', granting({ kinds: [] }), 'grants[0].kinds'],
    ['of an intent with a star inside', granting({ intents: ['a*b'] }), 'grants[0].intents'],
    ['of none a minute', granting({ per_minute: 0 }), 'grants[0].per_minute'],
    ['of more octets than a frame', granting({ max_octets: 65_537 }), 'grants[0].max_octets'],
    ['with more in a grant', granting({ more: 1 }), 'grants[0]'],
  ])('%s it is refused, and the member is named (FED-40)', (_, text, field) => {
    expect(orRefusal(() => readDocument(ACCORD, text))).toMatchObject({
      field,
      message: expect.stringMatching(/^".*\.$/),
    })
  })

  test('a name stands once for each direction, and as many grants as there may be are read (FED-57)', () => {
    const back = grantOf({ from: '~globex', to: '~acme' })
    const many = Array.from({ length: 32 }, (_, i) => grantOf({ grant: `g${i}` }))

    expect(accordOf(SIDES, { grants: [grantOf(), back] }).body.grants).toHaveLength(2)
    expect(() => accordOf(SIDES, { grants: [grantOf(), grantOf()] })).toThrow(/stands in this accord already/)
    expect(accordOf(SIDES, { grants: many }).body.grants).toHaveLength(32)
    expect(() => accordOf(SIDES, { grants: [...many, grantOf()] })).toThrow(/1 to 32 grants/)
  })

  test('two pairs of organisations never share a file, whatever they are called (FED-40)', () => {
    const ids = [
      ACCORD.idOf({ parties: [partyOf('~a-b'), partyOf('~c')], grants: [] }),
      ACCORD.idOf({ parties: [partyOf('~a'), partyOf('~b-c')], grants: [] }),
    ]

    expect(new Set(ids).size).toBe(2)
  })
})

describe('grants', () => {
  const label = fc.stringMatching(/^[a-z0-9]{1,12}$/)
  const reach = fc.oneof(
    fc.constant('all'),
    label.map((name) => `role:${name}`),
    label.map((name) => `member:~m${name}`),
  )
  const grant: fc.Arbitrary<Grant> = fc
    .record({
      grant: fc.stringMatching(/^[A-Za-z0-9._:-]{1,128}$/),
      isBack: fc.boolean(),
      reach: fc.uniqueArray(reach, { minLength: 1, maxLength: 32 }),
      kinds: fc.subarray([...KIND_NAMES], { minLength: 1 }),
      intents: fc.uniqueArray(
        label.map((name) => `ops.${name}.*`),
        { maxLength: 4 },
      ),
      perMinute: fc.integer({ min: 1, max: 60_000 }),
      maxOctets: fc.integer({ min: 1, max: 65_536 }),
    })
    .map(({ isBack, ...rest }) => ({
      ...rest,
      from: isBack ? '~globex' : '~acme',
      to: isBack ? '~acme' : '~globex',
    }))

  test('whatever is granted is written, read again as it was, and addressed by one scope (FED-57, AC-122)', () => {
    fc.assert(
      fc.property(grant, (one) => {
        const text = formatDocument(accordOf(SIDES, { grants: [one] }))
        expect(readDocument(ACCORD, text).body.grants).toEqual([one])
        expect(readScope(scopeOfGrant(one))).toEqual({ form: 'accord', org: one.to, grant: one.grant })
      }),
    )
  })

  test('a grant takes the place of the one of its name and direction, and of no other (FED-57)', () => {
    fc.assert(
      fc.property(grant, grant, (one, other) => {
        const { parties } = accordOf(SIDES).body
        const isSame = one.grant === other.grant && one.from === other.from
        const { grants } = withGrant({ parties, grants: [one] }, other)
        expect(grants).toEqual(isSame ? [other] : [one, other])
      }),
    )
  })

  test('what is no list of grants never gets through, and no other error than a refusal comes of it (FED-40)', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(orRefusal(() => readGrants(value, ['~acme', '~globex']))).toBeInstanceOf(AgentdError)
      }),
    )
  })

  test.each([
    ['all', { of: 'all' }],
    ['role:support', { of: 'role', role: 'support' }],
    ['member:~bob', { of: 'member', handle: '~bob' }],
    ['role:', undefined],
    ['member:bob', undefined],
    ['support', undefined],
    ['', undefined],
  ])('the reach %j is %j (FED-57)', (text, read) => {
    expect(readReach(text)).toEqual(read)
  })
})

describe('revoked', () => {
  test('an accord counts no more, nor any older one; a newer one does (FED-40)', () => {
    for (const epoch of [2, 3])
      expect(judgedAfterRevoking(epoch)).toEqual({
        epoch: undefined,
        why: expect.stringContaining('epoch 3 was revoked'),
      })
    expect(judgedAfterRevoking(4)).toEqual({ epoch: 4, why: undefined })
  })

  test('it comes not back when what is there cannot be read, nor when its mark cannot (FED-40)', () => {
    const [accepted] = filesOf(signedAccord(SIDES, { epoch: 3 }))
    const broken = { name: 'accord.acme_globex.json', text: '{' }
    const mark = revocationOf('accord', 'acme_globex', 3)
    for (const one of [mark, { ...mark, text: '{' }]) {
      const files = [accepted ?? broken, broken, one]
      expect(judgeShelf(ACCORD, files, BY).get('acme_globex')?.document).toBeUndefined()
      const whole = [accepted ?? broken, { ...broken, text: textOf(3) }, one]
      expect(judgeShelf(ACCORD, whole, BY).get('acme_globex')?.document).toBeUndefined()
    }
  })
})
