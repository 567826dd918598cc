/**
 * The desk of hooks, loaded when the first of them comes, or at once where sessions of runtimes were there before: idle
 * ones can be woken again (OP-26).
 */
import type { Broker } from '../../broker/broker.ts'
import type { HookDesk } from '../../hooks/desk.ts'
import type { HookDeskParts } from '../../hooks/desk-parts.ts'
import type { HookRecords } from '../../hooks/memory/hook-records.ts'

/** What the desk takes of what the daemon is built from. */
type DaemonSurroundings = Pick<HookDeskParts, 'clock' | 'debug' | 'environment'> & {
  readonly config: { readonly socketPath: string }
}

interface HookDeskPlace {
  readonly daemon: DaemonSurroundings
  readonly broker: Broker
  readonly records: HookRecords
}

export class HookDeskLoader {
  readonly #place: HookDeskPlace
  #desk: Promise<HookDesk> | undefined

  constructor(place: HookDeskPlace) {
    this.#place = place
  }

  /** The one desk there is. */
  readonly get = (): Promise<HookDesk> => (this.#desk ??= this.#open())

  /** Loads it now, where somebody may have to be woken. */
  async resume(): Promise<void> {
    if (this.#place.records.all().length > 0) (await this.get()).resume()
  }

  /** Ends every wait; one that is being loaded is awaited. */
  async close(): Promise<void> {
    const desk = await this.#desk
    desk?.close()
  }

  async #open(): Promise<HookDesk> {
    const { HookDesk } = await import('../../hooks/desk.ts')
    const { broker, daemon, records } = this.#place
    const { clock, config, debug, environment } = daemon
    return new HookDesk({ broker, clock, debug, environment, records, socketPath: config.socketPath })
  }
}
