/**
 * What needs the person, loaded when somebody first asks for it: until then no frame is looked at for it.
 */
import type { LiveNeeds } from '../../broker/needs/live-needs.ts'
import type { Broker } from '../../broker/broker.ts'
import type { Clock } from '../../core/clock.ts'
import { daemonIsClosing } from '../../core/errors.ts'

interface NeedsPlace {
  readonly broker: Broker
  readonly clock: Clock
}

export class NeedsLoader {
  readonly #place: NeedsPlace
  #needs: Promise<LiveNeeds> | undefined
  #isClosed = false

  constructor(place: NeedsPlace) {
    this.#place = place
  }

  /** The one there is, with what was asked before. @throws AgentdError `closing`; Error where it cannot be loaded */
  readonly get = (): Promise<LiveNeeds> => (this.#needs ??= this.#open())

  /** Observes nothing any more; one that is being loaded is awaited. */
  async close(): Promise<void> {
    this.#isClosed = true
    const needs = await this.#needs?.catch(() => undefined)
    needs?.close()
  }

  /** What could not be loaded is tried again with the next who asks. */
  async #open(): Promise<LiveNeeds> {
    try {
      if (this.#isClosed) throw daemonIsClosing()
      const { LiveNeeds } = await import('../../broker/needs/live-needs.ts')
      const needs = new LiveNeeds(this.#place)
      await needs.ready
      // Whoever watches is told of what opens from here on, and of what is there by what it is opened with.
      needs.observe((change, need) => this.#place.broker.watchers.announceNeed(change, need))
      return needs
    } catch (error) {
      this.#needs = undefined
      throw error
    }
  }
}
