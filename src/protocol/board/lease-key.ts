/**
 * What tells one lease from another: an id alone does not, since anybody may ask for a lease by any id (HD-08).
 *
 * @see memo §4.4
 */

/**
 * A lease as those who hold one remember it: its id, a space, its holder. Two spellings of an id that differ in case are
 * one id (RFC 9562 §4).
 *
 * @param holder - who asked for it, as `BoardEntry.from` says it
 */
export function leaseKey(leaseId: string, holder: string): string {
  return `${leaseId.toLowerCase()} ${holder}`
}

/** The id in a {@link leaseKey}. */
export function leaseIdOf(key: string): string {
  return key.slice(0, key.indexOf(' '))
}
