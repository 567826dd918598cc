/**
 * The digest of what is accepted.
 */
import { hash } from 'node:crypto'

/** Characters of one: 32 octets in base64. */
export const DIGEST_LENGTH = 44

/** What a resubmission is compared with, and what a disk has to give back. */
export function digestOf(scopeText: string, text: string): string {
  return hash('sha256', `${scopeText} ${text}`, 'base64')
}
