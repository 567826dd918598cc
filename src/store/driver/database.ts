/**
 * What the store asks of SQLite, whoever brings it: better-sqlite3, or Node itself.
 */
import type { Preparing } from './prepared.ts'

/** How a file is opened. */
export interface OpenOptions {
  readonly readonly?: boolean
  readonly fileMustExist?: boolean
  /** How long a lock of another process is waited for, in milliseconds. */
  readonly timeout?: number
}

/** An open database. What SQLite refuses is an Error with one of its names as `code`, such as `SQLITE_FULL`. */
export interface Database extends Preparing {
  /** The path it was opened with. */
  readonly name: string
  readonly open: boolean
  readonly inTransaction: boolean
  exec(sql: string): unknown
  /** The rows of a pragma, or with `simple` the first value of the first one. */
  pragma(text: string, options?: { readonly simple?: boolean }): unknown
  /** A function that does something in one transaction, or in a savepoint of the one there is. */
  transaction<T>(act: () => T): () => T
  /**
   * Copies it to a file while it is written to. When the promise is fulfilled the copy has every commit.
   *
   * @param options.progress - asked after each step how many pages the next one takes
   */
  backup(path: string, options: { readonly progress: () => number }): Promise<unknown>
  close(): unknown
}

/** Opens databases. */
export interface Driver {
  new (path: string, options?: OpenOptions): Database
  readonly prototype: Database
}
