/**
 * The file under the ring and the ledger: open for as long as the daemon runs, put back when it is gone from its
 * place, and replaced when it turns out to be damaged (docs/reliability.md §1.5, R-18…R-23; HD-13).
 */
import { messageOf } from '../../core/thrown.ts'
import { daemonIsClosing } from '../../core/errors.ts'
import type { Logger } from '../../core/log.ts'
import { AudienceRows } from '../rows/audience-rows.ts'
import { Condition } from '../witness/condition.ts'
import type { Driver } from '../driver/database.ts'
import { describeDatabase, driverFailure, type DatabaseFigures } from '../driver/driver.ts'
import { ANY_EPOCH, type Opening, type StorePlace } from './epoch.ts'
import { HighWaterMark } from './high-water-mark.ts'
import {
  endCleanly,
  openAgain,
  openIfSound,
  openStore,
  openTwice,
  type OpenStore,
  type OpenTables,
} from './open.ts'
import { copyStore, removeCopy, takePlace } from './put-back.ts'
import { quarantine } from './quarantine.ts'
import { overwriting, Reserve } from './reserve.ts'
import { DamagedRow } from '../rows/row.ts'
import type { Statements } from '../rows/statements.ts'
import type { Totals } from './totals.ts'
import { Witness, type Loss } from '../witness/witness.ts'

/** What a store is opened from. */
export interface StoreFileParts {
  readonly driver: Driver
  readonly place: StorePlace
  readonly log: Logger
}

export class StoreFile {
  readonly condition: Condition
  readonly reserve: Reserve
  readonly #parts: StoreFileParts
  #mark: HighWaterMark
  #store: OpenStore
  #witness: Witness
  #audiences: AudienceRows
  /** Set while a damaged file is aside and the fresh one could not be made yet. */
  #isAside = false
  /** Set by `close`: a store that has ended well is never taken for a damaged one. */
  #isClosed = false

  /** @throws Error whose `failureOf` is `held` or `refused` */
  constructor(parts: StoreFileParts) {
    this.#parts = parts
    this.condition = new Condition(parts.place.path)
    this.reserve = new Reserve(parts.place.path.replace(/\.db$/, '.reserve'))
    this.#mark = HighWaterMark.beside(parts.place.path)
    try {
      this.#store = this.#openOrReplace()
    } catch (error) {
      this.#mark.close()
      throw error
    }
    this.#audiences = new AudienceRows(this.#store.statements)
    this.#witness = new Witness(this.#store.database, parts.place.path)
  }

  /** What the file said when it was opened. */
  get opened(): Pick<OpenStore, 'epoch' | 'lastSeq' | 'firstSeq' | 'totals'> {
    return this.#store
  }

  /**
   * @throws AgentdError `closing` after the end, for what is still on its way then; DamagedRow while there is no
   *   file: the next use tries to make one, as after damage
   */
  get statements(): Statements {
    if (this.#store.database.open) return this.#store.statements
    if (this.#isClosed) throw daemonIsClosing()
    throw new DamagedRow('the store is not open')
  }

  get audiences(): AudienceRows {
    return this.#audiences
  }

  /** Why a cursor of another epoch says nothing any more. */
  fateOf(epoch: string): 'epoch' | 'rollback' | 'corrupt' {
    const { fates } = this.#store
    return fates.get(epoch) ?? fates.get(ANY_EPOCH) ?? 'epoch'
  }

  /**
   * Says that everything up to a number has been committed.
   * @param totals - what the store holds now; undefined while frames are being forgotten
   */
  committed(seq: number, totals: Totals | undefined): void {
    try {
      this.#mark.advance(this.#store.epoch, seq, totals)
    } catch (error) {
      // Only what a later start could find out is lost.
      this.#parts.log.warn('mark-lost', { message: messageOf(error) })
    }
  }

  /** Runs some writes as one: all of them are committed when this returns, or none. Within another they are part of that. */
  transact<T>(write: () => T): T {
    const { begin, commit, rollback } = this.statements
    if (this.#store.database.inTransaction) return write()
    begin.run()
    try {
      const result = write()
      commit.run()
      return result
    } catch (error) {
      this.#audiences.forget()
      if (this.#store.database.inTransaction) rollback.run()
      throw error
    }
  }

  /** Looks whether the file is still at its place and as long as it was. @returns what became of it */
  look(): Loss | undefined {
    if (!this.#store.database.open) return undefined
    const loss = this.#witness.look()
    // What is cut is begun anew; only what is gone goes on from memory.
    this.condition.found(loss?.kind === 'gone' ? loss : undefined)
    return loss
  }

  /**
   * Puts the store back at its place, from what the process holds, and goes on with that. A store of somebody else
   * that stands there is set aside.
   *
   * @throws Error with SQLite's or the system's code when the disk does not take it
   */
  async putBack(): Promise<void> {
    const { driver, place } = this.#parts
    const store = this.#store
    const copy = await copyStore(store.database, place.path)
    // From here to the end nothing else runs, so that the copy is whole.
    if (this.#isClosed || this.#store !== store || this.look() === undefined) return removeCopy(copy)
    const close = (): void => void store.database.close()
    const aside = takePlace(copy, { path: place.path, nowMs: place.nowMs(), witness: this.#witness, close })
    if (aside !== undefined) this.condition.otherIsAside(aside)
    this.#goOnWith(openAgain(driver, place))
    this.#mark.close()
    this.#mark = HighWaterMark.beside(place.path)
    this.condition.found(undefined)
  }

  /**
   * Does it, and once more where what looked like damage was none, by a look over the file, opened again (HD-14).
   * @throws Error what the second try throws, or with SQLite's code when the disk does not answer
   */
  twice<T>(act: () => T): T {
    try {
      return act()
    } catch (error) {
      if (driverFailure(error) !== 'damaged' || !this.#isSoundAfterAll()) throw error
      return act()
    }
  }

  /**
   * Sets the damaged file aside and begins a fresh one, with an epoch of its own.
   *
   * @throws Error when the disk refuses; the next use tries again
   */
  replace(): void {
    const { driver, place } = this.#parts
    if (!this.#isAside) {
      // Renamed before it is closed: SQLite takes its log away from under that name, which nobody has any more.
      this.#setAside(new Error('It is damaged.'))
      this.#isAside = true
    }
    this.#store.database.close()
    this.#store = openStore(driver, place, this.#opening(true))
    this.#audiences = new AudienceRows(this.#store.statements)
    this.#witness = new Witness(this.#store.database, place.path)
    this.#isAside = false
  }

  /** Makes what was deleted hard to find: nothing is left of it in the log, which is written back and cut. */
  scrub(): void {
    this.reserve.lend(() => this.#store.database.pragma('wal_checkpoint(TRUNCATE)'))
  }

  /** Runs deletions that overwrite what they delete. */
  erasing(erase: () => void): void {
    overwriting(this.#store.database, this.reserve, erase)
  }

  /** What SQLite says about itself; nothing while there is no file. */
  describe(): { readonly [K in keyof DatabaseFigures]: string | null } {
    const isOpen = this.#store.database.open
    return isOpen ? describeDatabase(this.#store.database) : { sqliteVersion: null, synchronous: null }
  }

  /** Ends cleanly: the log is written back, and the next daemon can trust the totals. */
  close(end: { lastSeq: number; frames: number; bytes: number }): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#mark.close()
    if (!this.#store.database.open) return
    const fault = endCleanly(this.#store, end)
    if (fault !== undefined) this.#parts.log.error('store-close', { message: fault })
    this.#store.database.close()
  }

  /** A store that is gone from its place is not asked. */
  #isSoundAfterAll(): boolean {
    const { driver, log, place } = this.#parts
    const { database, epoch } = this.#store
    if (this.#isClosed || this.#isAside || !this.#witness.isOurs(place.path)) return false
    database.close()
    const tables = openIfSound(driver, place, { epoch, seq: this.#mark.read(epoch).seq })
    if (tables === undefined) return false
    this.#goOnWith(tables)
    log.warn('store-opened-again')
    return true
  }

  #goOnWith(tables: OpenTables): void {
    this.#store = { ...this.#store, ...tables }
    this.#audiences.moveTo(tables.statements)
    this.#witness = new Witness(tables.database, this.#parts.place.path)
  }

  #openOrReplace(): OpenStore {
    const { driver, place } = this.#parts
    try {
      return openTwice(driver, place, this.#opening(false))
    } catch (error) {
      if (driverFailure(error) !== 'damaged') throw error
      this.#setAside(error)
      return openStore(driver, place, this.#opening(true))
    }
  }

  #opening(afterQuarantine: boolean): Opening {
    return { afterQuarantine, markOf: (epoch) => this.#mark.read(epoch) }
  }

  #setAside(why: unknown): void {
    const { log, place } = this.#parts
    const path = quarantine({ path: place.path, reason: 'corrupt', nowMs: place.nowMs() })
    this.condition.isAside(path, why)
    log.error('store-set-aside', { path, why: messageOf(why) })
  }
}
