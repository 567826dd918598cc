/**
 * NKEYs: how nats-server spells an Ed25519 key. A prefix that says whose it is, 32 bytes, a check sum, in base32.
 *
 * @see FED-14; github.com/nats-io/nkeys, RFC 4648 §6
 */
import { createNodeKey } from './node-key.ts'

/** A user of a server, as its configuration and a client know it. */
export interface UserNkey {
  /** `SU…`, 58 characters: secret. */
  readonly seed: string
  /** `U…`, 56 characters. */
  readonly publicKey: string
}

/** The first letter of whatever is spelled, times eight: `S` in front of a seed, `U` for a user. */
const SEED = 18 << 3
const USER = 20 << 3

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** CRC-16 as XMODEM has it. */
const POLYNOMIAL = 0x1021

/** Makes one. */
export function createUserNkey(): UserNkey {
  const { seed, publicX } = createNodeKey()
  return { seed: spellSeed(Buffer.from(seed, 'base64url')), publicKey: spellPublic(publicX) }
}

/** Whether a text has the form of a user's public key, its check sum included. */
export function isUserNkey(text: string): boolean {
  if (!/^U[A-Z2-7]{55}$/.test(text)) return false
  const bytes = decode32(text)
  const sum = crc16(bytes.subarray(0, -2))
  return bytes.length === 35 && bytes[33] === (sum & 0xff) && bytes[34] === sum >> 8
}

/** @param bytes - the 32 bytes that a private key is made of */
export function spellSeed(bytes: Uint8Array): string {
  // The prefix of the key itself stands across the first two bytes, behind that of a seed.
  return spell(Uint8Array.of(SEED | (USER >> 5), (USER & 31) << 3, ...bytes))
}

/** @param publicX - 32 bytes as base64url, the JWK member `x` */
export function spellPublic(publicX: string): string {
  return spell(Uint8Array.of(USER, ...Buffer.from(publicX, 'base64url')))
}

function spell(bytes: Uint8Array): string {
  const sum = crc16(bytes)
  return encode32(Uint8Array.of(...bytes, sum & 0xff, sum >> 8))
}

function crc16(bytes: Uint8Array): number {
  let sum = 0
  for (const byte of bytes) {
    sum ^= byte << 8
    for (let bit = 0; bit < 8; bit += 1) sum = (sum & 0x8000) === 0 ? sum << 1 : (sum << 1) ^ POLYNOMIAL
    sum &= 0xffff
  }
  return sum
}

/** Without padding. */
function encode32(bytes: Uint8Array): string {
  let [text, bits, held] = ['', 0, 0]
  for (const byte of bytes) {
    held = (held << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET.charAt((held >> bits) & 31)
    }
    held &= (1 << bits) - 1
  }
  return bits === 0 ? text : text + ALPHABET.charAt((held << (5 - bits)) & 31)
}

/** Of letters that are all in the alphabet. */
function decode32(text: string): Uint8Array {
  const bytes: number[] = []
  let [bits, held] = [0, 0]
  for (const letter of text) {
    held = (held << 5) | ALPHABET.indexOf(letter)
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push((held >> bits) & 0xff)
    held &= (1 << bits) - 1
  }
  return Uint8Array.from(bytes)
}
