/**
 * Texts as they were written, from a `node:sqlite` that gives them back up to their first null character.
 *
 * That of Node 22 writes and compares them whole; only the way back is cut. Octets come whole, so a text that holds a null
 * character is asked for as octets, which the store itself keeps none of.
 */

/** What is known of a column before a row is read; `type` is what its table declares, null for what is worked out. */
export interface Column {
  readonly name: string
  readonly type: string | null
}

/** What columns of these types hold is never a text. */
const IS_NUMBER = /^(INT|INTEGER|REAL)$/

/**
 * @param sql - a statement that begins with `SELECT`
 * @param columns - its columns
 * @returns a statement with the same parameters and rows, whose texts with a null character in them are octets
 */
export function askedWhole(sql: string, columns: readonly Column[]): string {
  const names = columns.map((_column, i) => `column_${i}`)
  const whole = columns.map(({ name, type }, i) => {
    const cell = `column_${i}`
    const asked = IS_NUMBER.test(type ?? '')
      ? cell
      : `CASE WHEN instr(${cell}, char(0)) THEN CAST(${cell} AS BLOB) ELSE ${cell} END`
    return `${asked} AS "${name.replaceAll('"', '""')}"`
  })
  return `WITH asked (${names.join(', ')}) AS (${sql}) SELECT ${whole.join(', ')} FROM asked`
}

/** A row with its octets as the text they are. */
export function withTexts(row: unknown): unknown {
  if (Array.isArray(row)) return row.map(textOf)
  if (typeof row !== 'object' || row === null) return row
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, textOf(value)]))
}

/** Octets that are no text stay what they are: the store wrote none, so a row that has them is damaged, and whoever reads it says so. */
function textOf(value: unknown): unknown {
  if (!(value instanceof Uint8Array)) return value
  try {
    return new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }).decode(value)
  } catch {
    return value
  }
}
