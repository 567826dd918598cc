/**
 * Whether the process at this page's port is the one it signed in to: only that one can work out the proof.
 *
 * A port that was given up may be taken by somebody else's program. It is asked before the token or a typed word goes out
 * again.
 *
 * @see SEAT-16
 */

const NONCE_OCTETS = 24

/** Something nobody has said before, in the letters of base64url. */
export function newNonce(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(NONCE_OCTETS)))
}

/** What the process that gave a token answers to a nonce: HMAC-SHA-256 by the digest of the token. */
export async function proofOf(token: string, nonce: string): Promise<string> {
  const encoder = new TextEncoder()
  const digest = await crypto.subtle.digest('SHA-256', encoder.encode(token))
  const key = await crypto.subtle.importKey('raw', digest, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return toBase64Url(new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(nonce))))
}

function toBase64Url(octets: Uint8Array): string {
  return btoa(String.fromCharCode(...octets))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}
