/**
 * A prepared statement of `node:sqlite`, as the store uses one.
 */
import type { Prepared } from './prepared.ts'
import { asSqlite } from './sqlite-error.ts'
import type { Column } from './whole-texts.ts'

/** What is used of a `StatementSync`. */
export interface NodeStatement {
  run(...bound: readonly unknown[]): { readonly changes: number; readonly lastInsertRowid: number | bigint }
  get(...bound: readonly unknown[]): unknown
  all(...bound: readonly unknown[]): unknown[]
  iterate(...bound: readonly unknown[]): IterableIterator<unknown>
  setReturnArrays(enabled: boolean): void
  columns(): readonly Column[]
}

export class NodePrepared<Bound extends unknown[], Row> implements Prepared<Bound, Row> {
  readonly #statement: NodeStatement
  readonly #mended: (row: unknown) => unknown
  #isPlucking = false

  /** @param mended - what is to be done to each row, where what was read is not yet what was written */
  constructor(statement: NodeStatement, mended: (row: unknown) => unknown = (row) => row) {
    this.#statement = statement
    this.#mended = mended
  }

  run(...bound: Bound): { readonly changes: number; readonly lastInsertRowid: number | bigint } {
    return asSqlite(() => this.#statement.run(...listed(bound)))
  }

  get(...bound: Bound): Row | undefined {
    const row = asSqlite(() => this.#statement.get(...listed(bound)))
    return row === undefined ? undefined : this.#rowOf(row)
  }

  all(...bound: Bound): Row[] {
    return asSqlite(() => this.#statement.all(...listed(bound))).map((row) => this.#rowOf(row))
  }

  *iterate(...bound: Bound): IterableIterator<Row> {
    const rows = asSqlite(() => this.#statement.iterate(...listed(bound)))
    try {
      for (let next = step(rows); next.done !== true; next = step(rows)) yield this.#rowOf(next.value)
    } finally {
      // Whoever stops early leaves no reading behind that would hold a checkpoint back.
      rows.return?.()
    }
  }

  raw(): this {
    this.#statement.setReturnArrays(true)
    return this
  }

  pluck(): this {
    this.#isPlucking = true
    return this.raw()
  }

  /** The caller has named what its columns are. */
  #rowOf(read: unknown): Row {
    const row = this.#mended(read)
    const value: unknown = this.#isPlucking && Array.isArray(row) ? row[0] : row
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return value as Row
  }
}

/** What is bound may come as one list, which `node:sqlite` takes for names. */
function listed(bound: readonly unknown[]): readonly unknown[] {
  const [first] = bound
  return Array.isArray(first) ? first : bound
}

function step(rows: IterableIterator<unknown>): IteratorResult<unknown> {
  return asSqlite(() => rows.next())
}
