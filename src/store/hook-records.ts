/**
 * What is remembered of the sessions of agent runtimes, written down beside the ring (OP-03, OP-05).
 *
 * A disk that refuses a note does not stop what the note is about: it is logged, and after a restart the last note that
 * was written holds.
 */
import { digestOf } from '../broker/ring/digest.ts'
import type { Logger } from '../core/log.ts'
import { messageOf } from '../core/thrown.ts'
import { driverFailure } from './driver/driver.ts'
import type { SqliteRing } from './ring/sqlite-ring.ts'
import type { Statements } from './rows/statements.ts'

export class SqliteHookRecords {
  readonly #ring: SqliteRing
  readonly #log: Logger

  constructor(ring: SqliteRing, log: Logger) {
    this.#ring = ring
    this.#log = log
  }

  get epoch(): string {
    return this.#ring.epoch
  }

  /** Every text that was written; a damaged one is a session that is registered anew. */
  all(): readonly string[] {
    try {
      const rows = this.#ring.file.statements.hooks.all()
      return rows.flatMap(({ key, state, digest }) => {
        const isText = typeof key === 'string' && typeof state === 'string'
        return isText && digestOf(key, state) === digest ? [state] : []
      })
    } catch (error) {
      this.#lost(error)
      return []
    }
  }

  /** One transaction for all of them. @param texts - each behind its key */
  save(texts: Iterable<readonly [key: string, text: string]>): void {
    this.#note((statements) => {
      for (const [key, text] of texts) statements.saveHook.run(key, text, digestOf(key, text))
    })
  }

  remove(key: string): void {
    this.#note((statements) => statements.dropHook.run(key))
  }

  #note(write: (statements: Statements) => void): void {
    const { file } = this.#ring
    try {
      file.transact(() => write(file.statements))
    } catch (error) {
      this.#lost(error)
    }
  }

  #lost(error: unknown): void {
    if (driverFailure(error) === undefined) throw error
    this.#log.warn('note-lost', { message: messageOf(error) })
  }
}
