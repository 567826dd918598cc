/**
 * A name as a sentence repeats it: in quotes, escaped, and not a megabyte long.
 */

/** Characters of a name that a sentence has room for. */
const MAX_QUOTED_LENGTH = 128

/** @returns JSON's spelling of the name, or of its beginning */
export function quoteName(name: string): string {
  return JSON.stringify(name.length > MAX_QUOTED_LENGTH ? `${name.slice(0, MAX_QUOTED_LENGTH)}…` : name)
}
