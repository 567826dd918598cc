/**
 * The bucket of the realm: its documents, and who is there on each node. What changes in it is handed to the daemon; what the
 * daemon says of its own node is written into it.
 *
 * @see FED-43, FED-51
 */
import type { Clock } from '../core/clock.ts'
import { numberOf } from '../core/text/json-object.ts'
import { signBatch } from '../link/batch.ts'
import { readNodeKey } from '../link/keys/node-key.ts'
import type { LinkFile } from '../link/link-file.ts'
import { formatPresence } from '../link/presence.ts'
import { documentKey, kvSubject, nodeKey, nodeOfKey, ownNode, realmForm, type NodeAt } from '../link/realm.ts'
import type { Door } from './daemon/door.ts'
import { DaemonRefusal } from './daemon/faults.ts'
import { Heartbeats } from './heartbeats.ts'
import type { Hub, Reading } from './hub/hub.ts'
import type { HubMessage } from './hub/message.ts'

/** Values of the bucket that are taken ahead: an estate, and one of each node. */
const MAX_VALUES_AHEAD = 16

/**
 * Nodes that make a crowd: they say more than once a second that all is as it was, and each word that is read by itself costs
 * more than the others that come with it (L-06). In a crowd the bucket is read every so often, in milliseconds.
 */
export const CROWD = 16
export const CROWD_MS = 2_000

export interface BucketParts {
  readonly door: Pick<Door, 'post'>
  readonly hub: Pick<Hub, 'publish' | 'readBucket'>
  readonly link: Pick<LinkFile, 'realm' | 'node' | 'node_key' | 'handle' | 'org'>
  readonly clock: Clock
}

export class Bucket {
  readonly #parts: BucketParts
  readonly #ownSubject: string
  readonly #key: ReturnType<typeof readNodeKey>['key']
  readonly #isOwnRealm: boolean
  readonly #heartbeats: Heartbeats
  /** What is to be said when the engine has what was said before; only the newest counts. */
  #next: string | undefined
  #isSaying = false
  #estates = 0
  readonly #onEstate = new Set<() => void>()
  readonly #resting = new Set<() => void>()
  /** Of the newest estate that the daemon took; 0 before one came. */
  authorityEpoch = 0

  constructor(parts: BucketParts) {
    this.#parts = parts
    const { realm, node_key: seed } = parts.link
    this.#ownSubject = kvSubject(realm, nodeKey(realm, ownNode(parts.link)))
    this.#key = readNodeKey(seed).key
    this.#isOwnRealm = realmForm(realm).form === 'person'
    // In a realm of several people it is a node's own word that brings its estate.
    const onHanded = (): void => {
      if (!this.#isOwnRealm) this.#tellEstate()
    }
    this.#heartbeats = new Heartbeats({ ...parts, onHanded })
  }

  /** How many estates have been handed over. */
  get estates(): number {
    return this.#estates
  }

  /** Resolves when more than `known` have been, or after a while. */
  newerEstate(known: number, waitMs: number): Promise<void> {
    if (this.#estates > known) return Promise.resolve()
    const newer = this.#wakeable(this.#onEstate, waitMs)
    for (const wake of this.#resting) wake()
    return newer
  }

  /** @throws HubFault, DaemonAway, DaemonRefusal; it ends in no other way */
  async run(): Promise<never> {
    try {
      const reading = await this.#parts.hub.readBucket()
      for (;;) {
        await this.#takeAll(reading)
        if (this.#heartbeats.nodes >= CROWD) await this.#rest()
      }
    } finally {
      this.close()
    }
  }

  /** The connection is over: what waits is not handed over beside what the next one brings. */
  close(): void {
    this.#heartbeats.close()
    for (const wake of this.#resting) wake()
  }

  /** Waits for a value, and takes it with all that are there. */
  async #takeAll(reading: Pick<Reading, 'pull'>): Promise<void> {
    let ahead = 1
    while (ahead > 0) {
      let pending = 0
      for await (const message of reading.pull(ahead)) {
        pending = message.pending
        await this.#unlessRefused(() => this.#hand(message))
      }
      ahead = Math.min(pending, MAX_VALUES_AHEAD)
    }
  }

  /** Reads nothing for a moment, unless an estate is waited for: it may be the next value. */
  async #rest(): Promise<void> {
    if (this.#onEstate.size === 0) await this.#wakeable(this.#resting, CROWD_MS)
  }

  /** @param wakes - whoever calls what is in it ends the wait */
  #wakeable(wakes: Set<() => void>, waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        wakes.delete(end)
        timer.cancel()
        resolve()
      }
      const timer = this.#parts.clock.after(waitMs, end)
      wakes.add(end)
    })
  }

  /** Says who is here. @param text - a presence @param onFault - why it could not be said */
  say(text: string, onFault: (error: unknown) => void): void {
    this.#next = text
    if (!this.#isSaying) this.#sayAll().catch(onFault)
  }

  /** Says that nobody is here any more, because this node goes. @throws HubFault */
  async leave(): Promise<void> {
    const sentAt = Math.floor(this.#parts.clock.nowMs())
    await this.#publish(formatPresence({ sent_at: sentAt, state: 'left', speaks: [1], sessions: [] }))
  }

  async #sayAll(): Promise<void> {
    this.#isSaying = true
    try {
      while (this.#next !== undefined) {
        const text = this.#next
        this.#next = undefined
        await this.#publish(text)
      }
    } finally {
      this.#isSaying = false
    }
  }

  async #publish(text: string): Promise<void> {
    const { hub, link } = this.#parts
    await hub.publish(this.#ownSubject, text, signBatch(this.#key, link.node, this.#ownSubject, text))
  }

  async #hand(message: HubMessage): Promise<void> {
    const node = nodeOfKey(this.#parts.link.realm, message.subject)
    if (node !== undefined) await this.#handPresence(node, message)
    else await this.#handDocument(message)
  }

  /** A value that the daemon does not believe is nobody's: a later one may be. */
  async #unlessRefused(hand: () => Promise<void>): Promise<void> {
    try {
      await hand()
    } catch (error) {
      if (!(error instanceof DaemonRefusal) || error.code === 'unauthenticated') throw error
    }
  }

  /** What nobody signed as a node is a document: which one, its own text says. */
  async #handDocument({ subject, text }: HubMessage): Promise<void> {
    const { door, link } = this.#parts
    const answer = await door.post('/v1/link/estate', { text })
    if (subject === kvSubject(link.realm, documentKey(link.realm)))
      this.authorityEpoch = Math.max(this.authorityEpoch, numberOf(answer, 'authority_epoch') ?? 0)
    this.#tellEstate()
  }

  async #handPresence(
    { node, handle, org }: NodeAt,
    { subject, engineAtMs, signature, text }: HubMessage,
  ): Promise<void> {
    const isOwnRealm = this.#isOwnRealm
    const at = isOwnRealm ? { node } : { node, handle, ...(org !== undefined && { org }) }
    await this.#heartbeats.take(subject, { ...at, engine_at_ms: engineAtMs, signature, text })
  }

  #tellEstate(): void {
    this.#estates += 1
    for (const wake of this.#onEstate) wake()
  }
}
