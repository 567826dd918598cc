/**
 * What documents hold again and again: lists of names, and public keys.
 */
import { invalidField } from '../aee/envelope/fault.ts'
import { readBase64Url } from '../aee/keys/base64.ts'

/** Names in one list; protects whoever prints or judges them. */
export const MAX_LISTED_NAMES = 32

const KEY_BYTES = 32

/** What a list holds. */
export interface ListedNames {
  readonly isOne: (text: string) => boolean
  /** What it is called in a sentence, such as `roles`. */
  readonly says: string
}

/** @throws AgentdError `field-invalid` for anything but a list of at most {@link MAX_LISTED_NAMES}, each once */
export function readNames(value: unknown, field: string, { isOne, says }: ListedNames): readonly string[] {
  const names: readonly unknown[] = Array.isArray(value) ? value : [undefined]
  const texts = names.flatMap((name) => (typeof name === 'string' && isOne(name) ? [name] : []))
  const isWhole = texts.length === names.length && new Set(texts).size === texts.length
  if (isWhole && texts.length <= MAX_LISTED_NAMES) return texts
  throw invalidField(field, `must be a list of at most ${MAX_LISTED_NAMES} ${says}, each once`)
}

/** The member `x` of a JWK: an Ed25519 key of 32 bytes as base64url. @throws AgentdError `field-invalid` */
export function readKeyText(value: unknown, field: string): string {
  if (typeof value === 'string' && readBase64Url(value)?.length === KEY_BYTES) return value
  throw invalidField(field, `must be ${KEY_BYTES} bytes as base64url`)
}
