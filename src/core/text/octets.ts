/**
 * Strings as the specifications count them: in UTF-8 octets (AC-042, ACQ-14).
 */

/** The length of a string on the wire. */
export function octetLength(text: string): number {
  return Buffer.byteLength(text)
}

/**
 * Whether a string is `min` to `max` octets long, both inclusive.
 *
 * A code unit is one to three octets, so most strings are judged before they are measured.
 */
export function withinOctets(text: string, min: number, max: number): boolean {
  if (text.length > max) return false
  if (text.length >= min && text.length * 3 <= max) return true
  const length = octetLength(text)
  return length >= min && length <= max
}
