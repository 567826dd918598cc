/**
 * SHA-256 in plain JavaScript, for short names on the hook path.
 *
 * Loading OpenSSL costs a hook a millisecond and a half of the few it has; a name of fifty bytes costs this a
 * tenth of that. Written for an interpreter that sees it once: plain loops, no closures, no small arrays. Not
 * for secrets: it takes no care to run in constant time.
 *
 * @see FIPS 180-4; P-06
 */

const BLOCK_BYTES = 64
const ROUNDS = 64

/** 2^32: what one word of the length counts. */
const WORD = 4_294_967_296

/** What the rounds add: fractions of the cube roots of the first 64 primes. */
const ROUND_CONSTANTS =
  '428a2f9871374491b5c0fbcfe9b5dba53956c25b59f111f1923f82a4ab1c5ed5d807aa9812835b01243185be550c7dc372be5d74' +
  '80deb1fe9bdc06a7c19bf174e49b69c1efbe47860fc19dc6240ca1cc2de92c6f4a7484aa5cb0a9dc76f988da983e5152a831c66d' +
  'b00327c8bf597fc7c6e00bf3d5a7914706ca63511429296727b70a852e1b21384d2c6dfc53380d13650a7354766a0abb81c2c92e' +
  '92722c85a2bfe8a1a81a664bc24b8b70c76c51a3d192e819d6990624f40e3585106aa07019a4c1161e376c082748774c34b0bcb5' +
  '391c0cb34ed8aa4a5b9cca4f682e6ff3748f82ee78a5636f84c878148cc7020890befffaa4506cebbef9a3f7c67178f2'

/** What the state begins with: fractions of the square roots of the first eight. */
const START = '6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19'

/** @returns 64 lower-case hex digits of the UTF-8 text */
export function fingerprint(text: string): string {
  const message = padded(Buffer.from(text))
  const constants = Buffer.from(ROUND_CONSTANTS, 'hex')
  const state = Buffer.from(START, 'hex')
  const schedule = new Int32Array(ROUNDS)
  for (let offset = 0; offset < message.length; offset += BLOCK_BYTES) {
    fill(schedule, message, offset)
    compress(state, schedule, constants)
  }
  return state.toString('hex')
}

/** The message, a bit that is set, zeros, and its length in bits, in whole blocks. */
function padded(bytes: Buffer): Buffer {
  const message = Buffer.alloc(Math.ceil((bytes.length + 9) / BLOCK_BYTES) * BLOCK_BYTES)
  bytes.copy(message)
  message[bytes.length] = 0x80
  message.writeUInt32BE(Math.floor((bytes.length * 8) / WORD), message.length - 8)
  message.writeUInt32BE((bytes.length * 8) % WORD, message.length - 4)
  return message
}

function fill(schedule: Int32Array, message: Buffer, offset: number): void {
  for (let i = 0; i < 16; i += 1) schedule[i] = message.readInt32BE(offset + i * 4)
  for (let i = 16; i < ROUNDS; i += 1) {
    const early = schedule[i - 15] ?? 0
    const late = schedule[i - 2] ?? 0
    const first = ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3)
    const second = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10)
    schedule[i] = ((schedule[i - 16] ?? 0) + first + (schedule[i - 7] ?? 0) + second) | 0
  }
}

/** One block; the letters are those of the standard. */
function compress(state: Buffer, schedule: Int32Array, constants: Buffer): void {
  let a = state.readInt32BE(0)
  let b = state.readInt32BE(4)
  let c = state.readInt32BE(8)
  let d = state.readInt32BE(12)
  let e = state.readInt32BE(16)
  let f = state.readInt32BE(20)
  let g = state.readInt32BE(24)
  let h = state.readInt32BE(28)
  for (let i = 0; i < ROUNDS; i += 1) {
    const turned = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const choice = (e & f) ^ (~e & g)
    const first = (h + turned + choice + constants.readInt32BE(i * 4) + (schedule[i] ?? 0)) | 0
    const spun = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const majority = (a & b) ^ (a & c) ^ (b & c)
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + spun + majority) | 0
  }
  add(state, 0, a)
  add(state, 4, b)
  add(state, 8, c)
  add(state, 12, d)
  add(state, 16, e)
  add(state, 20, f)
  add(state, 24, g)
  add(state, 28, h)
}

function add(state: Buffer, offset: number, word: number): void {
  state.writeInt32BE((state.readInt32BE(offset) + word) | 0, offset)
}
