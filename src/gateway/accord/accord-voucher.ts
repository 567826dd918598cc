/**
 * Who speaks under an accord: a machine of a member of either side, by that side's charter, which the key has signed that the
 * accord names.
 *
 * @see FED-41, FED-43, FED-57
 */
import type { Member } from '../../authority/charter.ts'
import type { SignedDocument } from '../../authority/document.ts'
import type { Estate } from '../../authority/estate.ts'
import { AgentdError } from '../../core/errors.ts'
import { HeldCharter, type Charters } from '../in/held-charter.ts'
import { MemberVoucher } from '../in/member-voucher.ts'
import type { MemberKey, Standings } from '../in/standings.ts'
import type { Speaker, SpeakerAt, Voucher } from '../in/voucher.ts'
import type { HeldAccord } from './held-accord.ts'

interface AccordVoucherParts {
  readonly accord: Pick<HeldAccord, 'authorityEpoch' | 'keyOf'>
  readonly charters: Charters
  readonly standings: Standings
  readonly own: MemberKey & { readonly estate: () => SignedDocument<Estate> }
  readonly nowMs: () => number
}

/** One of the two sides, by the key that the accord names for it. */
interface Party {
  readonly key: string
  readonly charter: HeldCharter
  readonly voucher: MemberVoucher
}

export class AccordVoucher implements Voucher {
  readonly #parts: AccordVoucherParts
  readonly #parties = new Map<string, Party>()

  constructor(parts: AccordVoucherParts) {
    this.#parts = parts
  }

  get authorityEpoch(): number {
    return this.#parts.accord.authorityEpoch
  }

  speakerOf(at: SpeakerAt, engineMs: number): Speaker | AgentdError | 'unknown' {
    const party = this.#partyOf(at.org)
    return party?.voucher.speakerOf(at, engineMs) ?? noParty(at.org)
  }

  /** Whether a machine is a member's of its side still, as far as that has said. */
  names(at: SpeakerAt): boolean {
    return this.#partyOf(at.org)?.voucher.names(at) === true
  }

  /** A member of one of the two sides, while the accord holds. */
  memberOf(org: string, handle: string): Member | undefined {
    return this.#partyOf(org)?.charter.memberOf(handle)
  }

  membersOf(org: string): readonly Member[] {
    return this.#partyOf(org)?.charter.members ?? []
  }

  /** Takes a member's own word on its machines. @throws AgentdError as `MemberVoucher.noteEstate` */
  noteEstate({ handle, org }: SpeakerAt, text: string): void {
    const party = this.#partyOf(org)
    if (party === undefined) throw noParty(org)
    party.voucher.noteEstate(handle, text)
  }

  /** Takes the charter of a side. @throws AgentdError as `HeldCharter.take`; `sender-identity-mismatch` for another's */
  noteCharter(org: string, text: string): void {
    const party = this.#partyOf(org)
    if (party === undefined) throw noParty(org)
    party.charter.take(text)
  }

  #partyOf(org: string | undefined): Party | undefined {
    const { accord, charters, nowMs, own, standings } = this.#parts
    const key = accord.keyOf(org)
    if (org === undefined || key === undefined) return undefined
    const known = this.#parties.get(org)
    if (known?.key === key) return known
    const charter = new HeldCharter({ org, orgKey: key, charters, nowMs })
    const made = { key, charter, voucher: new MemberVoucher({ org, charter, standings, own }) }
    this.#parties.set(org, made)
    return made
  }
}

function noParty(org: string | undefined): AgentdError {
  return new AgentdError(
    'sender-identity-mismatch',
    `${org ?? 'Nobody'} is no side of an accord that holds now.`,
    { field: 'org' },
  )
}
