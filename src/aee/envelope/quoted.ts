/**
 * A name as a sentence repeats it: in quotes, escaped, and not a megabyte long.
 */
import { clip } from '../../core/text/clip.ts'

/** Characters of a name that a sentence has room for. */
const MAX_QUOTED_LENGTH = 128

/** @returns JSON's spelling of the name, or of its beginning */
export function quoteName(name: string): string {
  return JSON.stringify(clip(name, MAX_QUOTED_LENGTH))
}
