/**
 * What became of one frame at each recipient: the receipts.
 *
 * `emitted` and `queued` are what the daemon did; `seen` is only ever said by the receiving side.
 *
 * @see docs/http.md §5, PD-01
 */
import { handleOf } from '../../protocol/address/handle.ts'
import type { HereState, RemoteCount } from '../../protocol/http/frame-replies.ts'
import type { Via } from '../../protocol/http/requests.ts'
import type { RemoteReceipt } from '../origins/origins.ts'

/** One recipient's line. */
export interface RecipientState {
  readonly address: string
  readonly state: HereState
  /** Wall time in milliseconds. */
  readonly atMs: number
  readonly via?: Via
}

/** How a frame may end at a recipient: `dropped` is what it left out, and never showed to anybody (HD-07). */
export type Conclusion = Exclude<HereState, 'emitted' | 'queued' | 'handed'>

/** What is written down for the mailboxes that something waits in (HD-03). */
export interface MailEntry {
  /** The lane it stands in; undefined where no mailbox reads one for it. */
  readonly lane: string | undefined
  /** Addresses whose mailboxes read that lane and have no use for it. */
  readonly spared: readonly string[]
  /** Addresses whose mailboxes it waits in without reading the lane. */
  readonly direct: readonly string[]
}

/** What waits nowhere. */
export const NO_MAIL: MailEntry = { lane: undefined, spared: [], direct: [] }

/** Of what has not been expanded yet. */
const NOBODY: Reach = { emittedTo: [], queuedTo: [], recipientCount: 0 }

/** Whom a frame reached. */
export interface Reach {
  /** Addresses, one per session, shared by all frames of one audience. */
  readonly emittedTo: readonly string[]
  /** Addresses with a mailbox; shared as well. */
  readonly queuedTo: readonly string[]
  /** One of those that it is not queued for: its sender. */
  readonly except?: string | undefined
  /** Subscriptions, of which a session may have several (ACQ-24). */
  readonly recipientCount: number
  /** Mailboxes, the excepted one with them; absent, one for each address. */
  readonly queuedCount?: number | undefined
  /** Subscriptions and mailboxes that are a person's own seats. */
  readonly peopleCount?: number
  /** Those of terminals. */
  readonly terminalCount?: number
}

/** The end a frame came to at one recipient. */
export interface RecipientOutcome {
  readonly state: Conclusion
  readonly atMs: number
  readonly via?: Via
}

/** What a frame is at one recipient until it has come to an end there: handed over, or waiting again (OP-09). */
export interface RecipientStep {
  readonly state: 'handed' | 'queued'
  readonly atMs: number
}

/** Recipients on other nodes that one frame has receipts of; what is told of more is not kept. */
export const MAX_REMOTE_RECEIPTS = 16_384

/** What one of them takes in memory, in bytes. */
export const REMOTE_RECEIPT_BYTES = 240

/** What nothing follows at a recipient on another node. */
const REMOTE_ENDS: ReadonlySet<string> = new Set(['seen', 'expired', 'dropped', 'refused'])

/** Whether what another node says is news beside what it said before: an end stays, and nothing older counts. */
export function isFurther(
  { state, atMs }: Pick<RemoteReceipt, 'state' | 'atMs'>,
  known: Pick<RemoteReceipt, 'state' | 'atMs'> | undefined,
): boolean {
  if (known === undefined) return true
  return !REMOTE_ENDS.has(known.state) && atMs >= known.atMs && state !== known.state
}

/** The addresses a frame was emitted to and waits for. Filled once, when the scope is expanded. */
export class DeliveryRecord {
  /** What a ring writes down with it. */
  mail: MailEntry = NO_MAIL
  /** Whom it named on other nodes when it was accepted; undefined of what named nobody there, or came from there. */
  named: RemoteCount | undefined = undefined
  /** Shared by all frames of one audience; a record of its own is only what differs. */
  #reach: Reach = NOBODY
  #atMs = 0
  /** Only frames that somebody has seen or let expire pay for a map. */
  #outcomes: Map<string, RecipientOutcome> | undefined
  /** What other nodes say of it, by node and address; only frames that one has spoken of pay for a map. */
  #remote: Map<string, RemoteReceipt> | undefined
  /** Only frames that somebody waits on pay for a set. */
  #waiters: Set<() => void> | undefined

  /** Records the emission. */
  record(reach: Reach, atMs: number, mail: MailEntry = NO_MAIL): void {
    this.#reach = reach
    this.#atMs = atMs
    this.mail = mail
  }

  /** As it was recorded. */
  get reach(): Reach {
    return this.#reach
  }

  /** Subscriptions it was emitted to, after filters (ACQ-24). */
  get recipientCount(): number {
    return this.#reach.recipientCount
  }

  get queuedCount(): number {
    const { queuedTo, queuedCount = queuedTo.length, except } = this.#reach
    return queuedCount - (except === undefined ? 0 : 1)
  }

  /** Of all that it reached, a person's own seats; not known of what an earlier daemon accepted, as terminals. */
  get peopleCount(): number {
    return this.#reach.peopleCount ?? 0
  }

  get terminalCount(): number {
    return this.#reach.terminalCount ?? 0
  }

  get emittedTo(): readonly string[] {
    return this.#reach.emittedTo
  }

  /** With its sender, where that has a mailbox: so all senders share it. */
  get queuedTo(): readonly string[] {
    return this.#reach.queuedTo
  }

  /** Puts back what was written down; for a frame read from a store. */
  restore(address: string, outcome: RecipientOutcome): void {
    this.#outcomes ??= new Map()
    this.#outcomes.set(address, outcome)
  }

  /** Whether the frame was emitted to a session or waits for it. */
  reached(address: string): boolean {
    const { emittedTo, queuedTo, except } = this.#reach
    return emittedTo.includes(address) || (queuedTo.includes(address) && address !== except)
  }

  /** As {@link reached}, of any session of a handle. */
  reachedHandle(handle: string): boolean {
    return [...this.emittedTo, ...this.queuedTo].some((one) => handleOf(one) === handle && this.reached(one))
  }

  /** @returns false when the recipient had reached an end already, or was none */
  conclude(address: string, outcome: RecipientOutcome): boolean {
    if (this.#outcomes?.has(address) === true || !this.reached(address)) return false
    this.#outcomes ??= new Map()
    this.#outcomes.set(address, outcome)
    for (const wake of this.#waiters ?? []) wake()
    return true
  }

  /**
   * It was shown to a session that it had not been sent to, as a handover is to one that begins later (OP-25).
   *
   * @returns false when that is known already
   */
  showTo(address: string, outcome: RecipientOutcome): boolean {
    if (this.reached(address)) return this.conclude(address, outcome)
    if (this.#outcomes?.has(address) === true) return false
    this.restore(address, outcome)
    return true
  }

  /** What another node says became of it there (FED-52). @returns whether that is news */
  reported(receipt: RemoteReceipt): boolean {
    const key = `${receipt.node} ${receipt.address}`
    const known = this.#remote?.get(key)
    if (!isFurther(receipt, known)) return false
    if (known === undefined && this.#remote?.size === MAX_REMOTE_RECEIPTS) return false
    this.#remote ??= new Map()
    this.#remote.set(key, receipt)
    for (const wake of this.#waiters ?? []) wake()
    return true
  }

  /** What other nodes have said so far, a line for each recipient there. */
  remoteReceipts(): readonly RemoteReceipt[] {
    return this.#remote === undefined ? [] : [...this.#remote.values()]
  }

  receipts(): RecipientState[] {
    const initial =
      (state: 'emitted' | 'queued') =>
      (address: string): RecipientState => {
        const outcome = this.#outcomes?.get(address)
        return outcome === undefined ? { address, state, atMs: this.#atMs } : { address, ...outcome }
      }
    const { emittedTo, except } = this.#reach
    const queuedTo = this.queuedTo.filter((address) => address !== except)
    const sentTo = new Set([...emittedTo, ...this.queuedTo])
    const later = [...(this.#outcomes ?? [])].filter(([address]) => !sentTo.has(address))
    return [
      ...emittedTo.map(initial('emitted')),
      ...queuedTo.map(initial('queued')),
      ...later.map(([address, outcome]) => ({ address, ...outcome })),
    ]
  }

  /** Whether it is as it was recorded, and nobody waits for that to change: then it can be made anew. */
  get isUntouched(): boolean {
    return this.#outcomes === undefined && this.#remote === undefined && !this.isWatched
  }

  /** Whether somebody waits for a change. */
  get isWatched(): boolean {
    return this.#waiters !== undefined && this.#waiters.size > 0
  }

  /** Calls back at every change until the returned function is called. */
  onChange(wake: () => void): () => void {
    this.#waiters ??= new Set()
    this.#waiters.add(wake)
    return () => this.#waiters?.delete(wake)
  }
}
