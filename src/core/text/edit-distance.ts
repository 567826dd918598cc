/**
 * How far two words are apart, up to a bound, and which word somebody may have meant.
 */

/** No word that is looked for is longer; a longer one is no mistyping of any. */
const MAX_WORD_LENGTH = 64

/** Letters that may differ at the most, and of how many letters one. */
const MAX_EDITS = 3
const LETTERS_PER_EDIT = 3

/**
 * The fewest insertions, deletions and replacements of one code unit that make one word the other.
 *
 * Only the band of cells that can stay within the bound is worked out, in two rows that take turns: a comparison
 * costs the length of a word times the bound, and ends as soon as a whole row is past it.
 *
 * @param max - at most 254
 * @returns undefined when it is more than `max`
 */
export function editDistance(one: string, other: string, max: number): number | undefined {
  if (Math.abs(one.length - other.length) > max) return undefined
  const beyond = max + 1
  let above = new Uint8Array(other.length + 1).fill(beyond)
  let row = above.slice()
  for (let column = 0; column <= Math.min(max, other.length); column += 1) above[column] = column
  for (let at = 1; at <= one.length; at += 1) {
    const unit = one.charCodeAt(at - 1)
    const first = Math.max(1, at - max)
    const last = Math.min(other.length, at + max)
    // The cell before the band is the edge of the table, or past the bound.
    row[first - 1] = Math.min(first === 1 ? at : beyond, beyond)
    let least = row[first - 1] ?? beyond
    for (let column = first; column <= last; column += 1) {
      const replaced = (above[column - 1] ?? beyond) + (other.charCodeAt(column - 1) === unit ? 0 : 1)
      const added = Math.min(above[column] ?? beyond, row[column - 1] ?? beyond) + 1
      const cell = Math.min(replaced, added, beyond)
      row[column] = cell
      if (cell < least) least = cell
    }
    if (least > max) return undefined
    // Past the band nothing was ever written, so the next row finds it past the bound.
    ;[above, row] = [row, above]
  }
  const distance = above[other.length] ?? beyond
  return distance > max ? undefined : distance
}

/**
 * The nearest, case aside; the first of those that are equally near.
 *
 * @param known - few: each of them is compared
 * @returns undefined where none differs in so few letters only
 */
export function nearestWord(wanted: string, known: readonly string[]): string | undefined {
  if (wanted === '' || wanted.length > MAX_WORD_LENGTH) return undefined
  const folded = wanted.toLowerCase()
  let max = Math.min(MAX_EDITS, Math.max(1, Math.floor(wanted.length / LETTERS_PER_EDIT)))
  let nearest: string | undefined
  for (const word of known) {
    const edits = editDistance(folded, word.toLowerCase(), max)
    if (edits === undefined) continue
    nearest = word
    if (edits === 0) break
    // Another one has to be nearer still.
    max = edits - 1
  }
  return nearest
}

/** `; did you mean query?`, or nothing. */
export function didYouMean(wanted: string, known: readonly string[]): string {
  const nearest = nearestWord(wanted, known)
  return nearest === undefined ? '' : `; did you mean ${nearest}?`
}
