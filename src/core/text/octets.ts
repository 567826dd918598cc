/**
 * Strings as the specifications count them: in UTF-8 octets (AC-042, ACQ-14).
 */

/** The length of a string on the wire. */
export function octetLength(text: string): number {
  return Buffer.byteLength(text)
}

/** The whole characters at the beginning of a string that fit into so many octets. */
export function firstOctets(text: string, maxOctets: number): string {
  if (withinOctets(text, 0, maxOctets)) return text
  // A code unit is one octet at the least: what is behind so many of them cannot fit.
  const bytes = Buffer.from(text.slice(0, maxOctets))
  let end = maxOctets
  // Octets that go on with a character, instead of beginning one.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return bytes.toString('utf8', 0, end)
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
