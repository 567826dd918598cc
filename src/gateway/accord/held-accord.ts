/**
 * The accord that counts for a link: the one in force on this machine between the two organisations whose realm it is. What comes
 * over the hub is installed beside what the person installs.
 *
 * @see FED-40, FED-57
 */
import { ACCORD, type Accord } from '../../authority/accord.ts'
import { readDocument, stateOf, type SignedDocument } from '../../authority/document.ts'
import { AgentdError } from '../../core/errors.ts'
import { accordToken } from '../../link/audience.ts'

/** The accords of this machine. */
export interface Accords {
  /** Those that count; whether each holds now is another question. */
  readonly accords: readonly SignedDocument<Accord>[]
  /** @throws AgentdError for one that may not take its place: older, revoked, or signed with a key that is not trusted here */
  install(accord: SignedDocument<Accord>): void
}

interface HeldAccordParts {
  /** `accordToken` of its id. */
  readonly token: string
  /** Of which of its sides this machine is: `~acme`. */
  readonly org: string
  readonly accords: Accords
  readonly nowMs: () => number
}

export class HeldAccord {
  readonly #parts: HeldAccordParts

  constructor(parts: HeldAccordParts) {
    this.#parts = parts
  }

  get authorityEpoch(): number {
    return this.#document?.authorityEpoch ?? 0
  }

  /** What it says, while it holds; undefined before, afterwards, and where it was taken back. */
  get inForce(): Accord | undefined {
    const document = this.#document
    if (document === undefined || stateOf(document, this.#parts.nowMs()) !== 'in force') return undefined
    return document.body
  }

  /** The other side, `~globex`; undefined without an accord. */
  get peer(): string | undefined {
    return this.inForce?.parties.find(({ org }) => org !== this.#parts.org)?.org
  }

  /** The key that the accord names for a side. */
  keyOf(org: string | undefined): string | undefined {
    return this.inForce?.parties.find((party) => party.org === org)?.key
  }

  /**
   * Takes what came over the hub.
   *
   * @returns the epoch in force then
   * @throws AgentdError `field-invalid` for one of other organisations; as `Accords.install`
   */
  take(text: string): number {
    const { accords } = this.#parts
    const accord = readDocument(ACCORD, text)
    if (!this.#isIt(accord))
      throw new AgentdError('field-invalid', 'This accord is not the one of this link.', { field: 'accord' })
    if (this.#document?.signedText !== accord.signedText) accords.install(accord)
    return this.authorityEpoch
  }

  get #document(): SignedDocument<Accord> | undefined {
    return this.#parts.accords.accords.find((one) => this.#isIt(one))
  }

  #isIt({ body }: SignedDocument<Accord>): boolean {
    return (
      accordToken(ACCORD.idOf(body)) === this.#parts.token &&
      body.parties.some(({ org }) => org === this.#parts.org)
    )
  }
}
