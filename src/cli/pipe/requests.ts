/**
 * What a host has asked and has no answer to: what becomes of it when the daemon goes.
 */
import { MAX_REPEATED_OCTETS, MAX_REQUESTS_IN_FLIGHT } from './bounds.ts'
import { CALL, type Message } from './message.ts'

/** What is left of the requests of a link that is gone. */
export interface Orphans {
  /** May have been done or not, or were sent twice already: whoever asked is told. */
  readonly failed: readonly Message[]
  /** Change nothing, and are sent again. */
  readonly again: readonly Message[]
}

export class Requests {
  /** By id. */
  readonly #open = new Map<string, Message>()
  /** Those that were sent twice. */
  readonly #repeated = new Set<string>()

  get count(): number {
    return this.#open.size
  }

  /** Notes a request that is about to be sent. @returns false beyond the bound */
  add(message: Message): boolean {
    if (message.id === undefined) return true
    if (this.#open.size >= MAX_REQUESTS_IN_FLIGHT) return false
    this.#open.set(message.id, message)
    return true
  }

  /** It was answered, or called off. */
  close(id: string): void {
    this.#open.delete(id)
    this.#repeated.delete(id)
  }

  /** Takes all of them. */
  orphan(): Orphans {
    const all = [...this.#open.values()]
    const again = all.filter((message) => this.#mayRepeat(message))
    this.#open.clear()
    this.#repeated.clear()
    for (const { id } of again) if (id !== undefined) this.#repeated.add(id)
    return { again, failed: all.filter((message) => !again.includes(message)) }
  }

  #mayRepeat({ id = '', line, method }: Message): boolean {
    return method !== CALL && line.length <= MAX_REPEATED_OCTETS && !this.#repeated.has(id)
  }
}
