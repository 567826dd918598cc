/**
 * The watch over the store: notices that its file is not at its place any more, and puts it back there (HD-13).
 *
 * SQLite writes on into a file without a name, and says that all is well. Meanwhile answers stand for memory only;
 * nothing of what the daemon holds is lost, because the file without a name still has it.
 */
import type { Clock, Timer } from '../../core/clock.ts'
import type { Logger } from '../../core/log.ts'
import { messageOf } from '../../core/thrown.ts'
import { DamagedRow } from '../rows/row.ts'
import { driverFailure } from '../driver/driver.ts'
import type { StoreFile } from './store-file.ts'
import type { Loss } from '../witness/witness.ts'

/** How often the names are looked at, in milliseconds: so long may an answer be wrong. */
const LOOK_MS = 1_000

/** What the watch is over, and what it needs for it. */
export interface StoreWatchParts {
  readonly file: StoreFile
  readonly clock: Clock
  readonly log: Logger
  /** Makes sure of the directory. @returns why it cannot be had */
  readonly prepareDirectory: () => string | undefined
  /** Told that content is missing, as damage that nothing else has met yet. */
  readonly onCut: (damage: DamagedRow) => void
}

export class StoreWatch {
  readonly #parts: StoreWatchParts
  #timer: Timer | undefined
  #isStopped = false
  /** Set by the first look that finds it gone: a directory that is moved and moved back is left alone. */
  #wasGone = false

  constructor(parts: StoreWatchParts) {
    this.#parts = parts
  }

  /** Looks every second, until it is stopped. */
  start(): void {
    if (this.#isStopped) return
    this.#timer = this.#parts.clock.after(LOOK_MS, () => {
      void this.look().then(() => this.start())
    })
  }

  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
  }

  /** One look, and what it asks for: the file is put back at the second that finds it gone. */
  async look(): Promise<void> {
    const { log, onCut } = this.#parts
    const loss = this.#lossNow()
    const isGone = loss?.kind === 'gone'
    if (loss?.kind === 'cut') onCut(new DamagedRow(`the store ${loss.why}`))
    else if (isGone && this.#wasGone) await this.#putBack()
    else if (isGone) log.error('store-gone', { why: loss.why })
    else if (this.#wasGone) log.info('store-back')
    else if (loss === undefined) this.#parts.file.reserve.ensure()
    this.#wasGone = isGone && !this.#parts.file.condition.isKept
  }

  /** A system that does not let us look, for want of a descriptor say, has not said that anything is gone. */
  #lossNow(): Loss | undefined {
    try {
      return this.#parts.file.look()
    } catch (error) {
      if (driverFailure(error) === undefined) throw error
      this.#parts.log.warn('store-not-looked-at', { message: messageOf(error) })
      return undefined
    }
  }

  async #putBack(): Promise<void> {
    const { file, log, prepareDirectory } = this.#parts
    const fault = prepareDirectory() ?? (await this.#tryToPutBack())
    if (this.#isStopped) return
    if (fault === undefined) log.info('store-put-back')
    else file.condition.cannotBePutBack(fault)
  }

  /** @returns why the disk does not take it now; the next look tries again */
  async #tryToPutBack(): Promise<string | undefined> {
    try {
      await this.#parts.file.putBack()
      return undefined
    } catch (error) {
      // The daemon has ended meanwhile, and the copy with it.
      if (this.#isStopped) return undefined
      if (driverFailure(error) === undefined) throw error
      return messageOf(error)
    }
  }
}
