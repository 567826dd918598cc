/**
 * The realm of an organisation: the charter says who is in it, and each member which machines it has.
 *
 * @see FED-24, FED-40, FED-41, FED-55, FED-56, FED-69
 */
import type { DecodedEnvelope } from '../../aee/envelope/envelope.ts'
import { isChannel, SERVICE_ENTITY } from '../../aee/envelope/entity.ts'
import { formatDocument } from '../../authority/document.ts'
import type { Broker } from '../../broker/broker.ts'
import type { Retained } from '../../broker/ring/retained.ts'
import { AgentdError } from '../../core/errors.ts'
import { orRefusal } from '../../core/thrown.ts'
import type { LinkRules } from '../../host/config/config.ts'
import type { Audience } from '../../link/audience.ts'
import type { LinkFile } from '../../link/link-file.ts'
import type { LaneAt } from '../../link/realm.ts'
import { HeldCharter, type Charters } from '../in/held-charter.ts'
import type { EstatePlace, HeldEstate } from '../in/held-estate.ts'
import { MemberRules, namesEntity } from '../in/member-rules.ts'
import { MemberVoucher } from '../in/member-voucher.ts'
import type { RecordRules } from '../in/record-rules.ts'
import { STANDING_WAIT_MS } from '../in/standing-waits.ts'
import { Standings } from '../in/standings.ts'
import type { Speaker, SpeakerAt } from '../in/voucher.ts'
import type { Rosters } from '../rosters/rosters.ts'
import type { Side } from './side.ts'

interface MemberSideParts {
  readonly org: string
  readonly file: Pick<LinkFile, 'node' | 'estate_key' | 'org_key' | 'charter'>
  readonly broker: Pick<Broker, 'principal' | 'authority'>
  readonly charters: Charters
  readonly estate: HeldEstate
  /** Where the epochs of other members' estates stay. */
  readonly place: EstatePlace
  readonly rosters: Pick<Rosters, 'holdersOf'>
  readonly accept: () => LinkRules['accept']
  readonly isSigned: (decoded: DecodedEnvelope) => boolean
  readonly nowMs: () => number
}

export class MemberSide implements Side {
  readonly #parts: MemberSideParts
  readonly #charter: HeldCharter
  readonly voucher: MemberVoucher
  readonly ownNode: string
  readonly isOwnRealm = false
  readonly lostPlace = 'this machine is of no member any more, by the charter that is in force here'
  readonly waitMs = STANDING_WAIT_MS

  /** @throws AgentdError `field-missing` for a link without the organisation's key; as `HeldCharter.take` */
  constructor(parts: MemberSideParts) {
    const { broker, charters, estate, file, nowMs, org, place } = parts
    const { principal } = broker
    if (file.org_key === undefined)
      throw new AgentdError('field-missing', `A link of ${org} has to name the key of ${org}.`, {
        field: 'org_key',
      })
    this.#parts = parts
    this.ownNode = `${principal}/${file.node}`
    this.#charter = new HeldCharter({ org, orgKey: file.org_key, charters, nowMs })
    this.#takeJoined(file.charter)
    this.voucher = new MemberVoucher({
      org,
      charter: this.#charter,
      standings: new Standings({ place, nowMs }),
      own: { handle: principal, key: file.estate_key, estate: () => estate.document },
    })
  }

  rulesFor({ principal: speaker }: Speaker, { audience }: LaneAt): RecordRules {
    const { accept, broker, isSigned, org } = this.#parts
    const { authority } = broker
    const memberOf = (handle: string) => this.#charter.memberOf(handle)
    return new MemberRules({ org, speaker, audience, authority, memberOf, isSigned, accept })
  }

  strangerOf({ principal }: Speaker): string | undefined {
    return principal === this.#parts.broker.principal ? undefined : principal
  }

  perMinuteOf(): undefined {
    return undefined
  }

  isAcross(): boolean {
    return true
  }

  destinationsOf(retained: Retained): readonly Audience[] {
    if (this.#charter.memberOf(this.#parts.broker.principal) === undefined) return []
    return retained.type === 'frame' ? this.#ofScope(retained.scope) : this.#ofEntity(retained.envelope.to)
  }

  names(at: SpeakerAt): boolean {
    return this.voucher.names(at)
  }

  get isNamed(): boolean {
    const { broker, file } = this.#parts
    return this.names({ handle: broker.principal, node: file.node })
  }

  noteDocument(text: string): number {
    return this.#charter.take(text)
  }

  noteStanding({ handle }: SpeakerAt, estate: string): void {
    this.voucher.noteEstate(handle, estate)
  }

  get ownStanding(): string {
    return formatDocument(this.#parts.estate.document)
  }

  membersNamed(handle: string): number | undefined {
    const { authority, principal } = this.#parts.broker
    if (authority.tierOf(handle) === 'sovereign' || this.#charter.memberOf(principal) === undefined)
      return undefined
    return this.#charter.memberOf(handle) === undefined ? undefined : 1
  }

  knowsEntity(name: string): boolean {
    return this.#ofEntity(name).length > 0
  }

  #ofScope(scope: Extract<Retained, { type: 'frame' }>['scope']): readonly Audience[] {
    if (scope.form === 'accord') return []
    if (scope.form === 'org') {
      if (scope.org !== this.#parts.org) return []
      return [scope.role === undefined ? { of: 'all' } : { of: 'role', role: scope.role }]
    }
    return this.membersNamed(scope.handle) === undefined ? [] : [{ of: 'member', handle: scope.handle }]
  }

  /** Other members whom the charter gives the name, or whose machines tell of it. */
  #ofEntity(name: string): readonly Audience[] {
    if (name === SERVICE_ENTITY || isChannel(name)) return []
    const { broker, rosters } = this.#parts
    const told = rosters.holdersOf(name)
    const named = this.#charter.members.filter(
      (member) => told.has(member.handle) || namesEntity(member, name),
    )
    return named.flatMap(({ handle }): Audience[] =>
      handle === broker.principal ? [] : [{ of: 'member', handle }],
    )
  }

  /** What came with the link, where it is news here. What does not count is told by whoever speaks under it. */
  #takeJoined(text: string | undefined): void {
    if (text === undefined) return
    const taken = orRefusal(() => this.#charter.take(text))
    if (taken instanceof AgentdError && this.#charter.authorityEpoch === 0) throw taken
  }
}
