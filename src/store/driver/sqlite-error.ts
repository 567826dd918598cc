/**
 * What SQLite refuses, under its own names: `node:sqlite` has one code for all of it, and a number beside.
 *
 * @see https://www.sqlite.org/rescode.html
 */

/** By primary result code. */
const NAMES: readonly (string | undefined)[] = [
  'OK',
  'ERROR',
  'INTERNAL',
  'PERM',
  'ABORT',
  'BUSY',
  'LOCKED',
  'NOMEM',
  'READONLY',
  'INTERRUPT',
  'IOERR',
  'CORRUPT',
  'NOTFOUND',
  'FULL',
  'CANTOPEN',
  'PROTOCOL',
  'EMPTY',
  'SCHEMA',
  'TOOBIG',
  'CONSTRAINT',
  'MISMATCH',
  'MISUSE',
  'NOLFS',
  'AUTH',
  'FORMAT',
  'RANGE',
  'NOTADB',
]

/** A refusal of SQLite's: `code` is its primary name, such as `SQLITE_BUSY`. */
export class SqliteError extends Error {
  override readonly name = 'SqliteError'
  readonly code: string

  constructor(message: string, code: string, cause: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** Does it. @throws SqliteError for what SQLite refuses; whatever else is thrown is a defect, and stays what it is */
export function asSqlite<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw sqliteError(error)
  }
}

/** What was thrown, under SQLite's name for it where SQLite refused something. */
export function sqliteError(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return error
  // The lowest octet is the primary code; what is above it says more of it.
  const name = NAMES[error.errcode & 0xff] ?? 'ERROR'
  return new SqliteError(error.message, `SQLITE_${name}`, error)
}
