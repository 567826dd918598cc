/**
 * NKEYs, held against one that the documentation of NATS prints (FED-14).
 */
import { expect, test } from 'vitest'
import { createUserNkey, isUserNkey, spellPublic, spellSeed } from '../../../src/link/keys/nkey.ts'
import { readNodeKey } from '../../../src/link/keys/node-key.ts'

/** docs.nats.io, "NKeys": a user's seed and what belongs to it. */
const SEED = 'SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY'
const PUBLIC = 'UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4'
const BYTES = '29497ba00f41dd45936b4cc4bda1decb67c128e69fb3d490ee820daf7c318c0a'

test('the key that NATS documents is spelled as there', () => {
  const bytes = Buffer.from(BYTES, 'hex')
  const { publicX } = readNodeKey(bytes.toString('base64url'))

  expect([spellSeed(bytes), spellPublic(publicX)]).toEqual([SEED, PUBLIC])
})

test("a new key has the form of a user's, and no two are the same", () => {
  const [one, other] = [createUserNkey(), createUserNkey()]

  expect([one.publicKey, other.publicKey].map(isUserNkey)).toEqual([true, true])
  expect(one.seed).toMatch(/^SU[A-Z2-7]{56}$/)
  expect(new Set([one.seed, other.seed, one.publicKey, other.publicKey]).size).toBe(4)
})

test.each([
  ['one letter of it is another', `${PUBLIC.slice(0, -1)}5`],
  ["it is somebody else's kind of key", `A${PUBLIC.slice(1)}`],
  ['it is cut', PUBLIC.slice(0, -1)],
  ['it is a seed', SEED],
  ['it is in small letters', PUBLIC.toLowerCase()],
])('it is no public key of a user when %s', (_, text) => {
  expect(isUserNkey(text)).toBe(false)
})
