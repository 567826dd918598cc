/**
 * The digest of what is written down.
 */
import { hash } from 'node:crypto'

/** Characters of one: 32 octets in base64. */
export const DIGEST_LENGTH = 44

/** What a disk has to give back, and what is submitted again to the next daemon is compared with. */
export function digestOf(scopeText: string, text: string): string {
  return hash('sha256', `${scopeText} ${text}`, 'base64')
}
