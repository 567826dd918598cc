/**
 * The desk of hooks, loaded when the first of them comes, or at once where sessions of runtimes were there before: idle
 * ones can be woken again (OP-26).
 */
import type { Broker } from '../../broker/broker.ts'
import { daemonIsClosing } from '../../core/errors.ts'
import type { Logger } from '../../core/log.ts'
import { messageOf } from '../../core/thrown.ts'
import type { HookDesk } from '../../hooks/desk.ts'
import type { HookDeskParts } from '../../hooks/desk-parts.ts'
import type { HookRecords } from '../../hooks/memory/hook-records.ts'
import { hasOldFiles } from '../../hooks/memory/old-folder.ts'

/** What the desk takes of what the daemon is built from. */
type DaemonSurroundings = Pick<HookDeskParts, 'clock' | 'debug' | 'environment'> & {
  readonly config: { readonly socketPath: string }
  readonly log: Logger
}

interface HookDeskPlace {
  readonly daemon: DaemonSurroundings
  readonly broker: Broker
  readonly records: HookRecords
}

export class HookDeskLoader {
  readonly #place: HookDeskPlace
  #desk: Promise<HookDesk> | undefined
  #isClosed = false

  constructor(place: HookDeskPlace) {
    this.#place = place
  }

  /** The one desk there is. @throws AgentdError `closing`; Error where its part of the program cannot be loaded */
  readonly get = (): Promise<HookDesk> => (this.#desk ??= this.#open())

  /** Loads it now, where somebody may have to be woken. */
  async resume(): Promise<void> {
    const { daemon, records } = this.#place
    if (records.all().length === 0 && !hasOldFiles(daemon.config.socketPath)) return
    try {
      const desk = await this.get()
      desk.resume()
    } catch (error) {
      // Whatever it is, frames go on without hooks, and the next hook tries again.
      daemon.log.error('hooks-not-resumed', { message: messageOf(error) })
    }
  }

  /** Ends every wait, and writes down what is not; one that is being loaded is awaited. */
  async close(): Promise<void> {
    this.#isClosed = true
    const desk = await this.#desk?.catch(() => undefined)
    desk?.close()
  }

  /** A desk that could not be loaded is tried again: the next hook may find its parts. */
  async #open(): Promise<HookDesk> {
    try {
      if (this.#isClosed) throw daemonIsClosing()
      const { HookDesk } = await import('../../hooks/desk.ts')
      const { broker, daemon, records } = this.#place
      const { clock, config, debug, environment } = daemon
      return new HookDesk({ broker, clock, debug, environment, records, socketPath: config.socketPath })
    } catch (error) {
      this.#desk = undefined
      throw error
    }
  }
}
