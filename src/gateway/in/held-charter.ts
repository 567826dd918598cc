/**
 * The charter that counts for a link: the one that is in force on this machine, if the key that the link pins has signed it.
 * What comes over the hub is installed beside what the person installs, so that the organisation's scopes follow it.
 *
 * @see FED-40, FED-41, FED-56
 */
import { CHARTER, type Charter, type Member } from '../../authority/charter.ts'
import { readDocument, type SignedDocument } from '../../authority/document.ts'
import { onlyKey } from '../../authority/estate.ts'
import { verifyDocument } from '../../authority/signing.ts'
import { AgentdError } from '../../core/errors.ts'
import { orRefusal } from '../../core/thrown.ts'

/** The charters of this machine. */
export interface Charters {
  /** The one in force now; undefined without one. @param org - `~acme` */
  inForce(org: string): SignedDocument<Charter> | undefined
  /**
   * Puts a newer one in its place.
   *
   * @throws AgentdError for one that may not take it: older, revoked, over, or signed with a key that is not trusted here
   */
  install(charter: SignedDocument<Charter>): void
  /** Told when another one may be in force, for as long as there is a daemon. */
  onChange(observer: () => void): void
}

interface HeldCharterParts {
  readonly org: string
  /** 32 bytes as base64url. */
  readonly orgKey: string
  readonly charters: Charters
  readonly nowMs: () => number
}

export class HeldCharter {
  readonly #parts: HeldCharterParts
  /** The last that was looked at, and its members where the pinned key has signed it. */
  #judged:
    | { readonly signedText: string; readonly members: ReadonlyMap<string, Member> | undefined }
    | undefined

  constructor(parts: HeldCharterParts) {
    this.#parts = parts
  }

  get authorityEpoch(): number {
    return this.#members() === undefined ? 0 : (this.#current?.authorityEpoch ?? 0)
  }

  /** Undefined for who is no member, and where no charter counts. */
  memberOf(handle: string): Member | undefined {
    return this.#members()?.get(handle)
  }

  get members(): readonly Member[] {
    return [...(this.#members()?.values() ?? [])]
  }

  /**
   * Takes what came over the hub, or with the link.
   *
   * @returns the epoch in force then
   * @throws AgentdError `field-invalid` for another organisation's; as `verifyDocument` by the pinned key; as `Charters.install`
   */
  take(text: string): number {
    const { charters, org } = this.#parts
    const charter = readDocument(CHARTER, text)
    if (charter.body.org !== org)
      throw new AgentdError('field-invalid', `This charter is not of ${org}.`, { field: 'charter' })
    this.#requirePinned(charter)
    if (charters.inForce(org)?.signedText !== charter.signedText) charters.install(charter)
    return this.authorityEpoch
  }

  get #current(): SignedDocument<Charter> | undefined {
    return this.#parts.charters.inForce(this.#parts.org)
  }

  #members(): ReadonlyMap<string, Member> | undefined {
    const charter = this.#current
    if (charter === undefined) return undefined
    if (this.#judged?.signedText !== charter.signedText) {
      const isPinned = !(orRefusal(() => this.#requirePinned(charter)) instanceof AgentdError)
      const members = new Map(charter.body.members.map((one) => [one.handle, one]))
      this.#judged = { signedText: charter.signedText, members: isPinned ? members : undefined }
    }
    return this.#judged.members
  }

  #requirePinned(charter: SignedDocument<Charter>): void {
    const { nowMs, org, orgKey } = this.#parts
    verifyDocument(charter, onlyKey(org, orgKey), nowMs())
  }
}
