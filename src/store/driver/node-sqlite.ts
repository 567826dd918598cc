/**
 * The SQLite that Node has in it, as the store asks for one.
 *
 * @see https://nodejs.org/api/sqlite.html, of Node 22.16 and later
 */
import { rmSync, truncateSync } from 'node:fs'
import type { Prepared } from './prepared.ts'
import type { Database, Driver, OpenOptions } from './database.ts'
import { NodePrepared, type NodeStatement } from './node-statement.ts'
import { asSqlite, sqliteError } from './sqlite-error.ts'
import { askedWhole, withTexts } from './whole-texts.ts'

/** What is used of `node:sqlite`, whose types come with a later Node than the oldest one agentd runs on. */
interface NodeSqlite {
  readonly DatabaseSync: new (
    path: string,
    options: { readonly readOnly: boolean; readonly timeout: number },
  ) => NodeDatabase
  readonly backup: (
    source: NodeDatabase,
    path: string,
    options: { readonly rate: number },
  ) => Promise<unknown>
}

interface NodeDatabase {
  readonly isOpen: boolean
  readonly isTransaction: boolean
  exec(sql: string): void
  prepare(sql: string): NodeStatement
  close(): void
}

/** Copies that are begun while others write; then one is made at one go, which nobody can write into. */
const MAX_COPIES = 3

const WITH_NULL = 'a\0b'

/** @throws Error with code `ERR_UNKNOWN_BUILTIN_MODULE` where this Node has none */
export function nodeSqlite(): Driver {
  const sqlite = withoutWarning(() => process.getBuiltinModule('node:sqlite'))
  if (!isNodeSqlite(sqlite))
    throw Object.assign(new Error('No such built-in module: node:sqlite'), {
      code: 'ERR_UNKNOWN_BUILTIN_MODULE',
    })
  own ??= driverOf(sqlite)
  return own
}

/** One class for the process, as of any other driver. */
let own: Driver | undefined

function driverOf({ DatabaseSync, backup }: NodeSqlite): Driver {
  const cutsTexts = isCutting(new DatabaseSync(':memory:', { readOnly: false, timeout: 0 }))
  return class NodeSqliteDatabase implements Database {
    readonly name: string
    readonly #database: NodeDatabase

    constructor(path: string, { readonly = false, timeout = 0 }: OpenOptions = {}) {
      this.name = path
      this.#database = asSqlite(() => new DatabaseSync(path, { readOnly: readonly, timeout }))
    }

    get open(): boolean {
      return this.#database.isOpen
    }

    get inTransaction(): boolean {
      return this.#database.isTransaction
    }

    exec(sql: string): void {
      asSqlite(() => this.#database.exec(sql))
    }

    prepare<Bound extends unknown[], Row = unknown>(sql: string): Prepared<Bound, Row> {
      const statement = asSqlite(() => this.#database.prepare(sql))
      if (!cutsTexts || !sql.startsWith('SELECT')) return new NodePrepared<Bound, Row>(statement)
      const whole = askedWhole(sql, statement.columns())
      return new NodePrepared<Bound, Row>(
        asSqlite(() => this.#database.prepare(whole)),
        withTexts,
      )
    }

    pragma(text: string, { simple = false }: { readonly simple?: boolean } = {}): unknown {
      const rows = this.prepare<[], Record<string, unknown>>(`PRAGMA ${text}`).all()
      return simple ? Object.values(rows[0] ?? {})[0] : rows
    }

    transaction<T>(act: () => T): () => T {
      return () => {
        const [begin, commit, rollback] = this.inTransaction
          ? ['SAVEPOINT inner_one', 'RELEASE inner_one', 'ROLLBACK TO inner_one; RELEASE inner_one']
          : ['BEGIN', 'COMMIT', 'ROLLBACK']
        this.exec(begin)
        try {
          const result = act()
          this.exec(commit)
          return result
        } catch (error) {
          if (this.inTransaction) this.exec(rollback)
          throw error
        }
      }
    }

    /** Its last step is made on another thread, and what is written before this one hears of it is not in the copy. */
    async backup(path: string, { progress }: { readonly progress: () => number }): Promise<void> {
      for (let copies = 0; copies < MAX_COPIES; copies += 1) {
        const before = this.#changes
        await backup(this.#database, path, { rate: progress() }).catch((error: unknown) => {
          throw sqliteError(error)
        })
        if (this.#changes === before) return
      }
      this.exec(`VACUUM INTO ${quoted(emptied(path))}`)
    }

    close(): void {
      if (this.open) this.#database.close()
    }

    get #changes(): unknown {
      return this.prepare('SELECT total_changes()').pluck().get()
    }
  }
}

/** An id may hold a null character; Node 22 gives back what stands in front of it. */
function isCutting(database: NodeDatabase): boolean {
  const statement = database.prepare('SELECT ?')
  statement.setReturnArrays(true)
  const [read] = Object(statement.get(WITH_NULL))
  database.close()
  return read !== WITH_NULL
}

/** SQLite copies into a file that is not there, or is empty. */
function emptied(path: string): string {
  truncateSync(path)
  for (const suffix of ['-journal', '-wal']) rmSync(path + suffix, { force: true })
  return path
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

function isNodeSqlite(module: unknown): module is NodeSqlite {
  return (
    typeof module === 'object' &&
    module !== null &&
    typeof Reflect.get(module, 'DatabaseSync') === 'function' &&
    typeof Reflect.get(module, 'backup') === 'function'
  )
}

/** Node warns of its SQLite at the first use; the store has tests of its own for what it uses of it. */
function withoutWarning<T>(load: () => T): T {
  const warn = Reflect.get(process, 'emitWarning')
  process.emitWarning = () => {}
  try {
    return load()
  } finally {
    process.emitWarning = warn
  }
}
