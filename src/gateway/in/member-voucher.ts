/**
 * Who speaks in the realm of an organisation: a machine that the newest estate of a member names, and that member's key, which
 * the charter pins, has signed.
 *
 * @see FED-41, FED-43
 */
import type { SignedDocument } from '../../authority/document.ts'
import { nodeAt, type Estate } from '../../authority/estate.ts'
import { AgentdError } from '../../core/errors.ts'
import type { HeldCharter } from './held-charter.ts'
import type { MemberKey, Standings } from './standings.ts'
import type { Speaker, SpeakerAt, Voucher } from './voucher.ts'

interface MemberVoucherParts {
  readonly org: string
  readonly charter: Pick<HeldCharter, 'authorityEpoch' | 'memberOf'>
  readonly standings: Pick<Standings, 'of' | 'take'>
  /** The person's own estate, and what signs it: nobody has to tell this machine of it. */
  readonly own: MemberKey & { readonly estate: () => SignedDocument<Estate> }
}

export class MemberVoucher implements Voucher {
  readonly #parts: MemberVoucherParts

  constructor(parts: MemberVoucherParts) {
    this.#parts = parts
  }

  get authorityEpoch(): number {
    return this.#parts.charter.authorityEpoch
  }

  speakerOf({ handle, node }: SpeakerAt, engineMs: number): Speaker | AgentdError | 'unknown' {
    const member = this.#memberOf(handle)
    if (member instanceof AgentdError) return member
    const estate = this.#estateOf(member)
    if (estate === undefined) return 'unknown'
    const key = nodeAt(estate, node, engineMs)
    return key instanceof AgentdError ? key : { principal: handle, node: `${handle}/${node}`, key }
  }

  /** Whether a machine is a member's still, as far as that has said. */
  names({ handle, node }: SpeakerAt): boolean {
    const member = this.#memberOf(handle)
    if (member instanceof AgentdError) return false
    return this.#estateOf(member)?.body.nodes.some((one) => one.node === node) !== false
  }

  /** Takes a member's own word on its machines. @throws AgentdError `sender-identity-mismatch`; as `Standings.take` */
  noteEstate(handle: string, text: string): void {
    const member = this.#memberOf(handle)
    if (member instanceof AgentdError) throw member
    if (!this.#isOwn(member)) this.#parts.standings.take(member, text)
  }

  #memberOf(handle: string): MemberKey | AgentdError {
    const { charter, org } = this.#parts
    const key = charter.memberOf(handle)?.key
    if (key !== undefined) return { handle, key }
    const why =
      charter.memberOf(handle) === undefined
        ? `is no member of ${org}`
        : `has no key in the charter of ${org}`
    return new AgentdError('sender-identity-mismatch', `${handle} ${why}.`, { field: 'handle' })
  }

  #estateOf(member: MemberKey): SignedDocument<Estate> | undefined {
    const { own, standings } = this.#parts
    return this.#isOwn(member) ? own.estate() : standings.of(member)
  }

  #isOwn({ handle, key }: MemberKey): boolean {
    const { own } = this.#parts
    return handle === own.handle && key === own.key
  }
}
