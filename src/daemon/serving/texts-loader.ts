/**
 * The texts of handovers, loaded with the first that is kept or read; where an earlier daemon left some, at once.
 *
 * They live as long as frames do. A daemon that keeps those in memory keeps no text, and leaves what is there to the one that
 * has the store.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Broker } from '../../broker/broker.ts'
import { AgentdError, daemonIsClosing } from '../../core/errors.ts'
import { messageOf } from '../../core/thrown.ts'
import type { KeptText, TextPort } from '../../server/ports/text-port.ts'
import type { HandoverTexts, HandoverTextsParts } from './handover-texts.ts'

/** In the state directory. */
const FOLDER = 'handovers'

interface TextsPlace {
  readonly daemon: Pick<HandoverTextsParts, 'environment' | 'clock' | 'log'> & {
    readonly config: { readonly stateDir: string }
  }
  readonly broker: Broker
  /** Whether frames outlive the daemon. */
  readonly isOnDisk: boolean
}

export class TextsLoader implements TextPort {
  readonly #place: TextsPlace
  readonly #folder: string
  #texts: Promise<HandoverTexts> | undefined
  #isClosed = false

  constructor(place: TextsPlace) {
    this.#place = place
    this.#folder = join(place.daemon.config.stateDir, FOLDER)
  }

  /** Looks after what an earlier daemon left. Never rejects. */
  async resume(): Promise<void> {
    if (!this.#place.isOnDisk || !existsSync(this.#folder)) return
    try {
      await this.#get()
    } catch (error) {
      if (!this.#isClosed)
        this.#place.daemon.log.error('handover-texts-unread', { message: messageOf(error) })
    }
  }

  async keep(text: string): Promise<KeptText> {
    if (this.#place.isOnDisk) return (await this.#get()).keep(text)
    const message =
      'A text that fits into no frame is kept on disk, and this daemon keeps frames in memory only.'
    throw new AgentdError('store-full', message, { field: 'body' })
  }

  async read(pointers: readonly string[]): Promise<string | undefined> {
    return this.#place.isOnDisk ? (await this.#get()).read(pointers) : undefined
  }

  /** Looks after nothing any more; what is being loaded is awaited. */
  async close(): Promise<void> {
    this.#isClosed = true
    const texts = await this.#texts?.catch(() => undefined)
    texts?.close()
  }

  /** What could not be loaded is tried again with the next who asks. */
  #get(): Promise<HandoverTexts> {
    this.#texts ??= this.#open().catch((error: unknown) => {
      this.#texts = undefined
      throw error
    })
    return this.#texts
  }

  async #open(): Promise<HandoverTexts> {
    if (this.#isClosed) throw daemonIsClosing()
    const { HandoverTexts } = await import('./handover-texts.ts')
    const { broker, daemon } = this.#place
    const { clock, environment, log } = daemon
    return HandoverTexts.open({ folder: this.#folder, environment, broker, clock, log })
  }
}
