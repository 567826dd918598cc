/**
 * What a ledger may keep of a text that somebody else chose: names and ids, never more of it than a name needs.
 *
 * @see VOLT §2.1, AEE-090, AEE-C24
 */
import { sha256Hex } from '../envelope/canonical.ts'

/** Code units of a text that stands in a ledger as it is; ids have tens, and a line stays a line. */
const MAX_LEDGER_TEXT = 256

/** The text itself; `sha256:` and its hash when it is long, or no file can carry it. Equal texts stay equal. */
export function toLedgerText(text: string): string {
  const fits = text !== '' && text.length <= MAX_LEDGER_TEXT && text.isWellFormed()
  return fits ? text : `sha256:${sha256Hex(text)}`
}
