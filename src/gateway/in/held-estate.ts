/**
 * The estate that counts on this machine: the newest that the realm's pinned key has signed. An older one than was ever
 * accepted is refused for ever, also after a restart, since what was accepted stays in the link's folder.
 *
 * @see FED-40, FED-41, FED-43
 */
import { requireNext } from '../../authority/acceptance.ts'
import { ESTATE, nodeAt, onlyKey, readEstate, type Estate } from '../../authority/estate.ts'
import { formatDocument, readDocument, type SignedDocument } from '../../authority/document.ts'
import { AgentdError } from '../../core/errors.ts'
import type { LinkFile } from '../../link/link-file.ts'

/** Where it stays. */
export interface EstatePlace {
  /** The text of the last that was accepted; undefined before the first. */
  read(): string | undefined
  put(text: string): void
}

interface EstateParts {
  readonly link: Pick<LinkFile, 'estate' | 'estate_key'>
  /** Whose it is: `~alice`. */
  readonly handle: string
  readonly place: EstatePlace
  readonly nowMs: () => number
}

export class HeldEstate {
  readonly #parts: EstateParts
  #document: SignedDocument<Estate>

  /** @throws AgentdError for a link whose estate does not count, or is another person's */
  constructor(parts: EstateParts) {
    const { link, place, nowMs } = parts
    this.#parts = parts
    const former = place.read()
    this.#document = this.#own(readEstate(former ?? link.estate, link.estate_key, nowMs()))
    // A new join file may know more than what came over the hub, and the other way round.
    const joined = this.#own(readEstate(link.estate, link.estate_key, nowMs()))
    if (joined.authorityEpoch > this.#document.authorityEpoch) this.#document = joined
    if (former === undefined) place.put(link.estate)
  }

  get text(): string {
    return formatDocument(this.#document)
  }

  /** What is in force. */
  get document(): SignedDocument<Estate> {
    return this.#document
  }

  get authorityEpoch(): number {
    return this.#document.authorityEpoch
  }

  /** Their labels. */
  get nodes(): readonly string[] {
    return this.#document.body.nodes.map(({ node }) => node)
  }

  /** Whether this machine is one of the person's still. */
  names(node: string): boolean {
    return this.#document.body.nodes.some((one) => one.node === node)
  }

  /** The key of a node at a moment of the engine's clock, or why there is none. */
  keyAt(node: string, engineMs: number): string | AgentdError {
    return nodeAt(this.#document, node, engineMs)
  }

  /**
   * Takes a newer one.
   *
   * @returns the epoch in force then
   * @throws AgentdError as `requireNext`; `field-invalid` for another person's
   */
  take(text: string): number {
    const { handle, link, nowMs, place } = this.#parts
    const keys = onlyKey(handle, link.estate_key)
    const next = requireNext(this.#own(readDocument(ESTATE, text)), this.#document, { keys, nowMs: nowMs() })
    if (next.signedText !== this.#document.signedText) place.put(text)
    this.#document = next
    return next.authorityEpoch
  }

  #own(estate: SignedDocument<Estate>): SignedDocument<Estate> {
    if (estate.body.principal === this.#parts.handle) return estate
    throw new AgentdError('field-invalid', 'This estate is of another person than the realm.', {
      field: 'estate',
    })
  }
}
