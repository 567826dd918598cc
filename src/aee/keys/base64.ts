/**
 * Bytes as text: base64 and base64url, each with or without its padding (docs/requirements.md §3).
 */

/** The two alphabets differ in two characters each; a text that has of both is of neither. */
const STANDARD_ONLY = /[+/]/
const URL_ONLY = /[-_]/

const PADDING = /={1,2}$/

/**
 * Reads either alphabet, padded or not.
 *
 * @returns undefined for anything else, text with stray bits after its last byte included: every value has one
 *   spelling in each form, and a signature cannot be sent a second time under another one
 */
export function readBase64(text: string): Buffer | undefined {
  if (STANDARD_ONLY.test(text) && URL_ONLY.test(text)) return undefined
  const bare = text.replace(PADDING, '')
  if (bare.length !== text.length && text.length % 4 !== 0) return undefined
  return readBase64Url(bare.replaceAll('+', '-').replaceAll('/', '_'))
}

/** Reads base64url without padding, as JWK and JWS write it; undefined for anything else. */
export function readBase64Url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  // Node skips what it does not know; what comes out the same was all known.
  return bytes.toString('base64url') === text ? bytes : undefined
}
