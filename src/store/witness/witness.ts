/**
 * The witness of a store: which files were opened, so that it shows when their names lead elsewhere or their
 * content has been cut (HD-13).
 *
 * Of the database it only asks for name and size. To open that beside SQLite would be worse than not to look: closing
 * any descriptor of it drops the lock without a word (fcntl(2)).
 */
import { lstatSync, type BigIntStats } from 'node:fs'
import type { Database } from '../driver/database.ts'
import { lookAtLog, type LogState } from './log-file.ts'
import { messageOf, systemErrorCode } from '../../core/thrown.ts'

/** What became of a store. `gone`: the process still has it, its place does not; `cut`: content is missing. */
export interface Loss {
  readonly kind: 'gone' | 'cut'
  /** The rest of a sentence that begins with the file. */
  readonly why: string
}

/** What `PRAGMA wal_checkpoint` says of the log; -1 where there is none. */
interface LogFigures {
  readonly log: number
}

export class Witness {
  readonly #path: string
  readonly #database: Database
  readonly #pageSize: number
  readonly #opened: BigIntStats | undefined
  readonly #log: BigIntStats | undefined
  #logState: LogState | undefined
  /** The database never gets shorter: pages that are free are used again. */
  #greatestSize = 0n

  /** @param database - just opened at `path`, with a write-ahead log */
  constructor(database: Database, path: string) {
    this.#database = database
    this.#path = path
    this.#pageSize = Number(database.pragma('page_size', { simple: true }))
    this.#opened = lookAt(path).found
    this.#log = lookAt(logOf(path)).found
    this.#greatestSize = this.#opened?.size ?? 0n
  }

  /** @returns undefined while the names lead to what was opened, and nothing is missing */
  look(): Loss | undefined {
    return this.#lookAtDatabase() ?? this.#lookAtLog()
  }

  /** Whether a name beside the store leads to a file of ours. */
  isOurs(path: string): boolean {
    const { found } = lookAt(path)
    const ours = path === this.#path ? this.#opened : path === logOf(this.#path) ? this.#log : undefined
    return found !== undefined && isSame(found, ours)
  }

  /** Whether a name beside the store leads to a file of somebody else. */
  isOthers(path: string): boolean {
    return lookAt(path).found !== undefined && !this.isOurs(path)
  }

  #lookAtDatabase(): Loss | undefined {
    const { found, fault } = lookAt(this.#path)
    if (found === undefined) return { kind: 'gone', why: fault ?? 'is not there any more' }
    if (!isSame(found, this.#opened)) return { kind: 'gone', why: 'was replaced by another file' }
    if (found.size < this.#greatestSize) return { kind: 'cut', why: 'is shorter than it was' }
    this.#greatestSize = found.size
    return undefined
  }

  #lookAtLog(): Loss | undefined {
    const pages = this.#pagesInLog()
    if (pages <= 0) return undefined
    const path = logOf(this.#path)
    const { found } = lookAt(path)
    if (found === undefined || !isSame(found, this.#log)) return { kind: 'gone', why: 'has lost its log' }
    this.#logState = lookAtLog(path, { pageSize: this.#pageSize, pages, before: this.#logState })
    return this.#logState === undefined ? { kind: 'cut', why: 'has a log with pages missing' } : undefined
  }

  /** Asks, and does nothing: a checkpoint that is none. */
  #pagesInLog(): number {
    // SQLite's own figures of its log.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const [figures] = this.#database.pragma('wal_checkpoint(NOOP)') as readonly LogFigures[]
    return figures?.log ?? 0
  }
}

function logOf(path: string): string {
  return `${path}-wal`
}

function isSame(found: BigIntStats, opened: BigIntStats | undefined): boolean {
  return found.ino === opened?.ino && found.dev === opened.dev
}

/** What stands at a name; `fault` where the system does not say. */
function lookAt(path: string): { readonly found?: BigIntStats; readonly fault?: string } {
  try {
    const found = lstatSync(path, { bigint: true, throwIfNoEntry: false })
    return found === undefined ? {} : { found }
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    return { fault: `cannot be looked at: ${messageOf(error)}` }
  }
}
