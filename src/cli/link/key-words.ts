/**
 * A public key as two people compare it, over another way than the file came.
 */
import { createHash } from 'node:crypto'

/** Hexadecimal digits that are shown: 128 bits. */
const DIGITS = 32

/** `3f9a 1c2b …`: eight groups of four. @param publicX - 32 bytes as base64url */
export function keyWords(publicX: string): string {
  const hex = createHash('sha256').update(Buffer.from(publicX, 'base64url')).digest('hex').slice(0, DIGITS)
  return hex.replaceAll(/(.{4})(?=.)/g, '$1 ')
}
