/**
 * How far two words are apart, up to a bound.
 */

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
