/**
 * What goes to the hub of a link, sealed, and what comes from there, opened: with the keys that the person's estate has for this
 * machine.
 *
 * It fails closed: where sealing is asked for and there is no key, nothing leaves, and what is plain counts nowhere.
 *
 * @see FED-46
 */
import { MAX_ESTATE_SEALS, type EstateSeal } from '../../authority/estate-seals.ts'
import { currentNodes, type Estate } from '../../authority/estate.ts'
import { AgentdError } from '../../core/errors.ts'
import type { LinkRules } from '../../host/config/config.ts'
import { MAX_SEALED_OCTETS } from '../../link/batch.ts'
import type { LinkFile } from '../../link/link-file.ts'
import { readPresence, type Presence } from '../../link/presence.ts'
import { realmForm } from '../../link/realm.ts'
import { unwrapKey } from '../../link/sealing/realm-key.ts'
import {
  openSealed,
  readSealed,
  sealedDigest,
  sealLine,
  type SealedPlace,
} from '../../link/sealing/sealed-line.ts'

/** An estate, as far as it is looked at here. */
interface Held {
  readonly authorityEpoch: number
  readonly body: Estate
}

interface SealingParts {
  readonly name: string
  readonly file: Pick<LinkFile, 'realm' | 'node' | 'node_key'>
  readonly estate: { readonly document: Held }
  /** Asked each time, because it may be reloaded. */
  readonly wished: () => LinkRules['seal']
  readonly nowMs: () => number
}

/** What came from a hub, readable. */
export interface Opened {
  readonly text: string
  /** Where it stood when it was sealed; undefined for what was plain, or has no place. */
  readonly e?: string | undefined
  readonly wasSealed: boolean
}

export class Sealing {
  readonly #parts: SealingParts
  /** By their epochs; undefined: there is none for this machine. */
  readonly #keys = new Map<string, Buffer | undefined>()

  constructor(parts: SealingParts) {
    this.#parts = parts
  }

  get isOn(): boolean {
    return this.#parts.wished() !== undefined
  }

  /** Why nothing may leave, for people, without its full stop; undefined: it may. */
  get trouble(): string | undefined {
    if (!this.isOn) return undefined
    const { file, name } = this.#parts
    if (realmForm(file.realm).form !== 'person')
      return `links.${name}.seal is for links between your own machines alone, and this one leads to others; take it out of the configuration`
    if (this.#current !== undefined) return undefined
    return 'nothing leaves unsealed, and your estate holds no key for this machine; "agentd link hub invite" or "revoke" signs one that does'
  }

  /** What tells one way of leaving from another: with it what waits is made anew. */
  get state(): string {
    if (!this.isOn) return 'plain'
    return this.trouble === undefined ? `sealed ${this.#current?.epoch ?? 0}` : 'held'
  }

  /** Machines of the person's that cannot open what is sealed now. */
  get without(): readonly string[] {
    const { estate, nowMs } = this.#parts
    const { keys = {} } = this.#newest ?? {}
    return currentNodes(estate.document.body.nodes, nowMs())
      .map(({ node }) => node)
      .filter((node) => !Object.hasOwn(keys, node))
  }

  /** A line as it leaves. @returns undefined where it may not */
  seal(line: string, place: SealedPlace): string | undefined {
    if (!this.isOn) return line
    const current = this.trouble === undefined ? this.#current : undefined
    return current && sealLine(current.key, current.epoch, place, line)
  }

  /** A digest as it leaves. */
  digest(digest: string): string {
    return this.isOn ? this.sealedDigest(digest) : digest
  }

  sealedDigest(digest: string): string {
    return sealedDigest(this.#parts.file.node_key, digest)
  }

  /**
   * What came; plain is what it was.
   *
   * @param subject - where it was found
   * @throws AgentdError `scope-unauthorised` for what was sealed for others; as `readSealed` and `openSealed`
   */
  open(text: string, subject: string): Opened {
    const sealed = readSealed(text, MAX_SEALED_OCTETS)
    if (sealed === undefined) return { text, wasSealed: false }
    const seal = this.#seals.find(({ epoch }) => epoch === sealed.k)
    const key = seal && this.#keyOf(seal)
    if (key === undefined)
      throw new AgentdError(
        'scope-unauthorised',
        `This was sealed with the key of estate ${sealed.k}, which this machine was not given.`,
        { field: 'k' },
      )
    return { text: openSealed(key, sealed, subject), e: sealed.e, wasSealed: true }
  }

  /**
   * Who is there, as it stood under a key of the bucket.
   *
   * @throws AgentdError `scope-unauthorised` for what is plain and should not be; as {@link open} and `readPresence`
   */
  readPresence(text: string, subject: string): Presence {
    const opened = this.open(text, subject)
    const presence = readPresence(opened.text)
    // That somebody has gone tells nothing of them, and is said by a process that has no keys of the realm.
    const saysNothing = presence.state === 'left' && presence.sessions.length === 0
    if (opened.wasSealed || saysNothing || !this.isOn) return presence
    throw new AgentdError('scope-unauthorised', 'Over this link nothing is taken that is not sealed.', {
      field: 'text',
    })
  }

  /** The key that is sealed with: of the estate in force, so that nobody has it who was taken out with that. */
  get #current(): { readonly key: Buffer; readonly epoch: number } | undefined {
    const newest = this.#newest
    const key = newest && this.#keyOf(newest)
    return key && newest && { key, epoch: newest.epoch }
  }

  get #newest(): EstateSeal | undefined {
    const { authorityEpoch } = this.#parts.estate.document
    return this.#seals.find(({ epoch }) => epoch === authorityEpoch)
  }

  get #seals(): readonly EstateSeal[] {
    return this.#parts.estate.document.body.seals ?? []
  }

  /** Taking one out of its wrapping takes longer than sealing a whole batch. */
  #keyOf(seal: EstateSeal): Buffer | undefined {
    const { estate, file } = this.#parts
    const name = `${seal.epoch} ${seal.from}`
    if (this.#keys.has(name)) return this.#keys.get(name)
    const { principal } = estate.document.body
    const key = unwrapKey(seal, { principal, node: file.node, seed: file.node_key })
    if (this.#keys.size >= MAX_ESTATE_SEALS) this.#keys.clear()
    this.#keys.set(name, key)
    return key
  }
}
