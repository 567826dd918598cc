/**
 * What a submission is told from another by that came under its id.
 *
 * It is made of every submission, where a digest would cost a tenth of what accepting one does. Nothing is decided by it but
 * whether somebody repeats itself: whoever made two texts with one fingerprint would be answered as if it had sent the
 * first one twice, and nobody else would notice.
 */

/** What was submitted: to whom, and its octets as text. */
export interface Content {
  readonly scopeText: string
  readonly text: string
}

/** Whether it was submitted to the same, and in the same words. */
export function isSame(one: Content, other: Content): boolean {
  return one.scopeText === other.scopeText && one.text === other.text
}

/** Words that are looked at without room being made for them. */
const ROOM_WORDS = 16_384

const OCTETS_OF_WORD = Int32Array.BYTES_PER_ELEMENT

/** No unit of a text takes more, in UTF-8. */
const MAX_OCTETS_OF_UNIT = 3

/** Octets, and the words that they are: both are looked at. */
interface Room {
  readonly octets: Buffer
  readonly words: Int32Array
}

const ROOM = makeRoom(ROOM_WORDS)

/** Odd numbers whose bits are as good as drawn. */
const FACTOR = 0x85_eb_ca_6b
const OTHER_FACTOR = 0xc2_b2_ae_35

/** Bits of the second half that fit beside the 32 of the first one into a number that is exact. */
const UPPER_BITS = 0x1f_ff_ff
const UPPER = 2 ** 32

/** The scope that was looked at last: of those in a row most have the same. */
let lastScope = { text: '', fingerprint: fingerprintBehind(0, '') }

/** @returns an integer below 2^53; two contents have the same one as often as chance has it */
export function fingerprintOf({ scopeText, text }: Content): number {
  if (scopeText !== lastScope.text)
    lastScope = { text: scopeText, fingerprint: fingerprintBehind(0, scopeText) }
  return fingerprintBehind(lastScope.fingerprint, text)
}

/** Of a text, and of whatever another fingerprint is of. */
function fingerprintBehind(former: number, text: string): number {
  const most = Math.ceil((text.length * MAX_OCTETS_OF_UNIT) / OCTETS_OF_WORD) + 1
  const { octets, words } = most <= ROOM_WORDS ? ROOM : makeRoom(most)
  const length = octets.write(text)
  // What stands behind it in the last word is of another one.
  for (let i = 0; i < OCTETS_OF_WORD - 1; i += 1) octets[length + i] = 0
  const count = Math.ceil(length / OCTETS_OF_WORD)
  let low = Math.trunc(former % UPPER) ^ length
  let high = Math.trunc(former / UPPER)
  for (let i = 0; i < count; i += 1) {
    const word = words[i] ?? 0
    low = Math.imul(low ^ word, FACTOR)
    low ^= low >>> 15
    high = Math.imul(high ^ word, OTHER_FACTOR)
    high ^= high >>> 13
  }
  const end = mix(low)
  return (mix(high ^ end) & UPPER_BITS) * UPPER + (end >>> 0)
}

/** Every bit of it depends on all. */
function mix(word: number): number {
  const folded = Math.imul(word ^ (word >>> 16), FACTOR)
  const again = Math.imul(folded ^ (folded >>> 13), OTHER_FACTOR)
  return again ^ (again >>> 16)
}

function makeRoom(words: number): Room {
  const memory = new ArrayBuffer(words * OCTETS_OF_WORD)
  return { octets: Buffer.from(memory), words: new Int32Array(memory) }
}
