/**
 * Somebody else's words in a sentence of ours.
 */
import { clip } from './clip.ts'
import { safeLine } from './safe-text.ts'

/** Characters of one quotation, without its marks: enough for a name or a path, too few for a speech (HD-18). */
export const MAX_QUOTED_LENGTH = 64

/** What could end a quotation, or pass for its end. */
const MARKS = /["\u201c-\u201f\u2033\u2036\u301d-\u301f\uff02]/g

/** `"feature/login"`: one safe line between marks, none within, and an ellipsis where it was cut. */
export function quoted(text: string): string {
  return `"${clip(safeLine(text).replaceAll(MARKS, "'"), MAX_QUOTED_LENGTH - 1)}"`
}
