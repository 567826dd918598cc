/**
 * What is said anew to a daemon that comes next: what the one before had this pipe keep, and the host's handshake, whose
 * second answer no host is told.
 */
import { MAX_KEPT_OCTETS, MAX_REPEATED_OCTETS } from './bounds.ts'
import type { Link } from './link.ts'
import { INITIALIZE, INITIALIZED, type Message } from './message.ts'

/** How a line begins that the daemon has the pipe keep. */
const KEPT_MARK = Buffer.from('{"agentd":')

export class Handshake {
  /** Set when the host has said it; since 2026-07-28 none does. */
  #initialize: Message | undefined
  #initialized: Message | undefined
  #kept: Buffer | undefined
  /** Set while the answer to what was said anew is waited for. */
  #swallow: { readonly id: string; readonly done: (isAnswered: boolean) => void } | undefined

  /** Whether the host speaks a revision without a handshake. */
  get isModern(): boolean {
    return this.#initialize === undefined
  }

  /** Looks at what the host says. */
  note(message: Message): void {
    if (message.line.length > MAX_REPEATED_OCTETS) return
    const own = { ...message, line: Buffer.from(message.line) }
    if (message.method === INITIALIZE) this.#initialize = own
    if (message.method === INITIALIZED) this.#initialized = own
  }

  /** Whether a line of the daemon's is none for the host. */
  takes(line: Buffer): boolean {
    if (!line.subarray(0, KEPT_MARK.length).equals(KEPT_MARK)) return false
    if (line.length <= MAX_KEPT_OCTETS) this.#kept = Buffer.from(line)
    return true
  }

  /** Whether an answer is one that the host has had already. */
  swallows(id: string | undefined): boolean {
    if (id === undefined || this.#swallow?.id !== id) return false
    this.#swallow.done(true)
    return true
  }

  /** The link has gone: what was said anew over it has no answer any more. */
  interrupt(): void {
    this.#swallow?.done(false)
  }

  /**
   * Says it all anew, in front of anything else.
   *
   * @param first - what is sent next: a handshake of its own is not said twice
   * @returns false when there was no answer in time
   */
  async repeat(link: Link, first: Message, timeoutMs: number): Promise<boolean> {
    if (this.#kept !== undefined) link.write(this.#kept)
    const { line, id } = this.#initialize ?? {}
    if (line === undefined || id === undefined || first.method === INITIALIZE) return true
    const isAnswered = this.#untilSwallowed(id, timeoutMs)
    link.write(line)
    if (!(await isAnswered)) return false
    if (this.#initialized !== undefined && first.method !== INITIALIZED) link.write(this.#initialized.line)
    return true
  }

  #untilSwallowed(id: string, timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (isAnswered: boolean): void => {
        clearTimeout(late)
        this.#swallow = undefined
        resolve(isAnswered)
      }
      const late = setTimeout(() => done(false), timeoutMs)
      this.#swallow = { id, done }
    })
  }
}
