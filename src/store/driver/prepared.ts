/**
 * Prepared statements, as far as the store uses them.
 */

/** A prepared statement, as far as the store uses one. */
export interface Prepared<Bound extends unknown[], Row> {
  run(...bound: Bound): { readonly changes: number; readonly lastInsertRowid: number | bigint }
  get(...bound: Bound): Row | undefined
  all(...bound: Bound): Row[]
  iterate(...bound: Bound): IterableIterator<Row>
  /** Rows as the values of their columns, in order. */
  raw(): this
  /** Rows as the value of their first column. */
  pluck(): this
}

/** Whatever prepares them. */
export interface Preparing {
  prepare<Bound extends unknown[], Row = unknown>(sql: string): Prepared<Bound, Row>
}
