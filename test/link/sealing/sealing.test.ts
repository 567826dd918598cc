/**
 * What is sealed for a hub of somebody else: opened by whom the key was wrapped for, where it was sealed, and by nobody else and
 * nowhere else (FED-46).
 */
import { diffieHellman } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AgentdError } from '../../../src/core/errors.ts'
import { orRefusal } from '../../../src/core/thrown.ts'
import { MAX_SEALED_OCTETS } from '../../../src/link/batch.ts'
import { createNodeKey } from '../../../src/link/keys/node-key.ts'
import { MAX_RECORD_OCTETS } from '../../../src/link/record.ts'
import { boxOfKey, boxOfSeed, publicBox } from '../../../src/link/sealing/box.ts'
import { unwrapKey, wrapNewKey } from '../../../src/link/sealing/realm-key.ts'
import {
  isSealedDigest,
  octetsToSeal,
  openSealed,
  readSealed,
  sealedDigest,
  sealedEpoch,
  sealedOctets,
  sealLine,
} from '../../../src/link/sealing/sealed-line.ts'
import { hostileText } from '../samples.ts'

const PRINCIPAL = '~alice'
const SUBJECT = 'agentd.p.alice.l.laptop'
const PLACE = { subject: SUBJECT, e: '6f1c-41' }

interface Machine {
  readonly node: string
  readonly seed: string
  readonly publicX: string
}

const machine = (node: string): Machine => ({ node, ...createNodeKey() })
const [laptop, devbox, lost] = [machine('laptop'), machine('devbox'), machine('lost')]

const keysOf = (...machines: readonly Machine[]) =>
  machines.map(({ node, publicX }) => ({ node, key: publicX }))

const holder = ({ node, seed }: Machine) => ({ principal: PRINCIPAL, node, seed })

function keyOf(epoch = 7): Buffer {
  const key = unwrapKey(wrapNewKey({ principal: PRINCIPAL, epoch }, keysOf(laptop)), holder(laptop))
  if (key === undefined) throw new Error('it is wrapped for it')
  return key
}

const open = (key: Buffer, line: string, subject = SUBJECT): unknown =>
  orRefusal(() => {
    const sealed = readSealed(line, MAX_SEALED_OCTETS)
    return sealed && openSealed(key, sealed, subject)
  })

describe('the key of a machine as one that is sealed for', () => {
  test('both halves are of one X25519 key, made out of the one that signs (FED-46)', () => {
    for (const { publicX, seed } of [laptop, devbox, lost]) {
      const other = createNodeKey()
      const there = diffieHellman({ privateKey: boxOfSeed(other.seed), publicKey: boxOfKey(publicX) })
      const here = diffieHellman({ privateKey: boxOfSeed(seed), publicKey: boxOfKey(other.publicX) })
      expect(here).toEqual(there)
    }
  })

  test('the base point of the one curve is that of the other (RFC 7748 §4.1)', () => {
    const base = Buffer.from(`58${'66'.repeat(31)}`, 'hex').toString('base64url')

    expect(boxOfKey(base).export({ format: 'jwk' }).x).toBe(
      Buffer.from(`09${'00'.repeat(31)}`, 'hex').toString('base64url'),
    )
  })

  test.each([boxOfKey, boxOfSeed, publicBox])('%o refuses what is no 32 bytes', (make) => {
    expect(() => make('AAAA')).toThrow(AgentdError)
  })
})

describe('a wrapped key', () => {
  test('is the same for each machine it is wrapped for, and none for another one, which was taken out (FED-43, FED-46)', () => {
    const wrapped = wrapNewKey({ principal: PRINCIPAL, epoch: 7 }, keysOf(laptop, devbox))

    expect(unwrapKey(wrapped, holder(laptop))).toHaveLength(32)
    expect(unwrapKey(wrapped, holder(devbox))).toEqual(unwrapKey(wrapped, holder(laptop)))
    expect(unwrapKey(wrapped, holder(lost))).toBeUndefined()
  })

  test.each([
    ['it is said to be of another epoch', { epoch: 8 }],
    ['it came from another key', { from: createNodeKey().publicX }],
    ['it came from a point that gives the secret away', { from: 'A'.repeat(43) }],
    ['it was wrapped for another machine', 'moved'],
    ['it is cut', 'cut'],
  ])('opens for nobody when %s', (_, change) => {
    const wrapped = wrapNewKey({ principal: PRINCIPAL, epoch: 7 }, keysOf(laptop, devbox))
    const own = wrapped.keys['laptop'] ?? ''
    const keys =
      change === 'moved'
        ? { laptop: wrapped.keys['devbox'] ?? '' }
        : { laptop: change === 'cut' ? own.slice(4) : own }
    const damaged = typeof change === 'string' ? { ...wrapped, keys } : { ...wrapped, ...change }

    expect(unwrapKey(damaged, holder(laptop))).toBeUndefined()
  })

  test('is none for a machine whose key is no point to share with, and the others have theirs', () => {
    const broken = { node: 'broken', key: Buffer.alloc(32).fill(0, 1).fill(1, 0, 1).toString('base64url') }

    expect(
      Object.keys(wrapNewKey({ principal: PRINCIPAL, epoch: 1 }, [broken, ...keysOf(laptop)]).keys),
    ).toEqual(['laptop'])
  })
})

describe('a sealed line', () => {
  test('is one line that says its place and epoch, and opens as it was', () => {
    const key = keyOf()
    fc.assert(
      fc.property(hostileText, (text) => {
        const line = sealLine(key, 7, PLACE, text)
        expect(Object.keys(JSON.parse(line))).toEqual(['t', 'k', 'e', 'n', 'c'])
        expect([line.includes('\n'), sealedEpoch(line)]).toEqual([false, 7])
        expect(readSealed(line, MAX_SEALED_OCTETS)?.e).toBe(PLACE.e)
        expect(open(key, line)).toBe(text)
      }),
    )
  })

  test('opens with no other key, in no other lane, at no other place and under no other epoch (FED-46)', () => {
    const key = keyOf()
    const line = sealLine(key, 7, PLACE, '{"t":"frame"}')
    const refused = expect.objectContaining({ code: 'field-invalid', field: 'c' })

    expect(open(keyOf(), line)).toEqual(refused)
    expect(open(key, line, 'agentd.p.alice.l.devbox')).toEqual(refused)
    expect(open(key, line.replace('6f1c-41', '6f1c-42'))).toEqual(refused)
    expect(open(key, line.replace('"k":7', '"k":8'))).toEqual(refused)
    expect(open(key, line.replace('"e":"6f1c-41"', '"r":41'))).toEqual(refused)
  })

  test('opens with no bit of it flipped', () => {
    const key = keyOf()
    const { c, ...rest } = JSON.parse(sealLine(key, 7, PLACE, 'heron'))
    const bytes = Buffer.from(c, 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = Buffer.from(bytes)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(open(key, JSON.stringify({ ...rest, c: flipped.toString('base64url') }))).toBeInstanceOf(
        AgentdError,
      )
    }
  })

  test.each([
    ['a nonce that is cut', { n: 'AAAA' }],
    ['less than a tag', { c: 'AAAA' }],
    ['stray bits', { c: `${'A'.repeat(24)}B` }],
    ['no epoch', { k: undefined }],
    ['an epoch that is none', { k: -1 }],
    ['a place that is none', { e: 'here' }],
  ])('is none with %s', (_, change) => {
    const said = { ...JSON.parse(sealLine(keyOf(), 7, PLACE, 'heron')), ...change }

    expect(orRefusal(() => readSealed(JSON.stringify(said), MAX_SEALED_OCTETS))).toBeInstanceOf(AgentdError)
  })

  test('of another sort is plain, whatever it holds', () => {
    expect(readSealed('{"t":"frame","frame":{"t":"sealed"}}', MAX_SEALED_OCTETS)).toBeUndefined()
    expect(sealedEpoch('{"t":"frame","k":7}')).toBe(0)
  })

  test('has room for the largest record, and for no more', () => {
    const place = { ...PLACE, e: `${'z'.repeat(32)}-9007199254740991` }
    const line = sealLine(keyOf(), Number.MAX_SAFE_INTEGER, place, 'x'.repeat(MAX_RECORD_OCTETS))

    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(MAX_SEALED_OCTETS)
    expect(sealedOctets(octetsToSeal(100_000))).toBeLessThanOrEqual(100_000)
    expect(orRefusal(() => readSealed(`${line}${' '.repeat(4_096)}`, MAX_SEALED_OCTETS))).toMatchObject({
      field: 'record',
    })
  })
})

test('a digest says nothing to whoever has not the seed, and to its origin always the same', () => {
  const [own, again, other] = [laptop, laptop, devbox].map(({ seed }) => sealedDigest(seed, 'a1'.repeat(32)))

  expect(own).toBe(again)
  expect(own).not.toBe(other)
  expect([isSealedDigest(own ?? ''), isSealedDigest('a1'.repeat(32))]).toEqual([true, false])
  expect((own ?? '').length).toBeLessThanOrEqual(128)
})
