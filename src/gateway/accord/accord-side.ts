/**
 * The realm of an accord: two organisations, each with a charter of its own, and between them what both have signed.
 *
 * @see FED-24, FED-40, FED-41, FED-57, FED-58
 */
import type { DecodedEnvelope } from '../../aee/envelope/envelope.ts'
import { isChannel, SERVICE_ENTITY } from '../../aee/envelope/entity.ts'
import { coversIntent } from '../../aee/schemas/intent-pattern.ts'
import { ACCORD, type Accord } from '../../authority/accord.ts'
import { CHARTER, Roll } from '../../authority/charter.ts'
import { formatDocument, readDocument } from '../../authority/document.ts'
import type { Grant } from '../../authority/grant.ts'
import { reachedOf } from '../../authority/granting.ts'
import type { Broker } from '../../broker/broker.ts'
import {
  frameOf,
  type Retained,
  type RetainedEnvelope,
  type RetainedFrame,
} from '../../broker/ring/retained.ts'
import type { LinkRules } from '../../host/config/config.ts'
import { grantToken, type Audience } from '../../link/audience.ts'
import type { LaneAt } from '../../link/realm.ts'
import type { Charters } from '../in/held-charter.ts'
import type { EstatePlace, HeldEstate } from '../in/held-estate.ts'
import { namesEntity } from '../in/member-rules.ts'
import type { RecordRules } from '../in/record-rules.ts'
import { STANDING_WAIT_MS } from '../in/standing-waits.ts'
import { Standings } from '../in/standings.ts'
import type { Speaker, SpeakerAt } from '../in/voucher.ts'
import type { Side } from '../side/side.ts'
import { AccordRules } from './accord-rules.ts'
import { AccordVoucher } from './accord-voucher.ts'
import type { HeldAccord } from './held-accord.ts'

interface AccordSideParts {
  /** Of which side this machine is: `~acme`. */
  readonly org: string
  readonly realm: string
  readonly file: { readonly node: string; readonly estate_key: string }
  readonly accord: HeldAccord
  readonly broker: Pick<Broker, 'principal' | 'authority' | 'queries'>
  readonly charters: Charters
  readonly estate: HeldEstate
  /** Where the epochs of other members' estates stay. */
  readonly place: EstatePlace
  readonly accept: () => LinkRules['accept']
  readonly isSigned: (decoded: DecodedEnvelope) => boolean
  readonly nowMs: () => number
}

export class AccordSide implements Side {
  readonly #parts: AccordSideParts
  readonly voucher: AccordVoucher
  readonly ownNode: string
  readonly isOwnRealm = false
  readonly lostPlace = 'no accord that holds now grants this person anything'
  readonly waitMs = STANDING_WAIT_MS

  constructor(parts: AccordSideParts) {
    const { accord, broker, charters, estate, file, nowMs, place } = parts
    this.#parts = parts
    this.ownNode = `${broker.principal}/${file.node}`
    this.voucher = new AccordVoucher({
      accord,
      charters,
      nowMs,
      standings: new Standings({ place, nowMs }),
      own: { handle: broker.principal, key: file.estate_key, estate: () => estate.document },
    })
  }

  rulesFor({ node, principal: speaker }: Speaker, { audience, org = '' }: LaneAt): RecordRules {
    const { accept, broker, isSigned } = this.#parts
    const { authority, queries } = broker
    return new AccordRules({
      lane: audience.of === 'grant' ? audience.grant : '',
      speaker,
      node,
      authority,
      queries,
      memberOf: (handle) => this.voucher.memberOf(org, handle),
      grants: () => this.#reaching(org, authority.principal),
      isOwnEntity: (name) => namesEntity(this.voucher.memberOf(this.#parts.org, authority.principal), name),
      isSigned,
      accept,
    })
  }

  strangerOf({ principal }: Speaker): string | undefined {
    return principal === this.#parts.broker.principal ? undefined : principal
  }

  perMinuteOf({ audience }: LaneAt): number | undefined {
    const ofLane = this.#grants.filter(
      ({ grant }) => audience.of === 'grant' && grantToken(grant) === audience.grant,
    )
    return ofLane.reduce((sum, { perMinute }) => sum + perMinute, 0)
  }

  isAcross({ org }: SpeakerAt): boolean {
    return org !== this.#parts.org
  }

  destinationsOf(retained: Retained): readonly Audience[] {
    const { accord, broker, org } = this.#parts
    const { peer } = accord
    if (peer === undefined || this.voucher.memberOf(org, broker.principal) === undefined) return []
    const grants =
      retained.type === 'frame' ? this.#ofFrame(retained, peer) : this.#ofEnvelope(retained.envelope, peer)
    return grants.slice(0, 1).map(({ grant }) => ({ of: 'grant', grant: grantToken(grant), from: org }))
  }

  names(at: SpeakerAt): boolean {
    return this.voucher.names(at)
  }

  get isNamed(): boolean {
    const { broker, file, org } = this.#parts
    return this.names({ handle: broker.principal, node: file.node, org })
  }

  noteDocument(text: string): number {
    if (text.includes(`"${ACCORD.type}"`)) return this.#parts.accord.take(text)
    const { body } = readDocument(CHARTER, text)
    this.voucher.noteCharter(body.org, text)
    return this.voucher.authorityEpoch
  }

  noteStanding(at: SpeakerAt, estate: string): void {
    this.voucher.noteEstate(at, estate)
  }

  get ownStanding(): string {
    return formatDocument(this.#parts.estate.document)
  }

  membersNamed(): undefined {
    return undefined
  }

  knowsEntity(name: string): boolean {
    const { accord, org } = this.#parts
    return accord.peer !== undefined && this.#naming(org, accord.peer, name).length > 0
  }

  get #grants(): Accord['grants'] {
    return this.#parts.accord.inForce?.grants ?? []
  }

  /** What is asked goes by the grant it names; an answer by the one that the question came by. */
  #ofFrame(retained: RetainedFrame, peer: string): readonly Grant[] {
    const { broker, org, realm } = this.#parts
    const { kind, scope, scopeText } = retained
    const allowing = this.#grants.filter(({ kinds }) => kinds.includes(kind))
    if (scope.form === 'accord') {
      if (scope.org !== peer) return []
      const called = allowing.filter(({ grant }) => grant === scope.grant)
      return called.filter(({ from }) => from === org || (kind === 'agent_response' && from === peer))
    }
    if (kind !== 'agent_response' || scope.form === 'org') return []
    const frame = frameOf(retained)
    if (frame.kind !== 'agent_response') return []
    const { queries } = broker
    const under = queries.grantOf(frame)
    const isAsked = queries.askerOf(frame)?.origin?.realm === realm && queries.goesBackTo(frame, scopeText)
    return allowing.filter(({ from, grant }) => isAsked && from === peer && grant === under?.grant)
  }

  /** By grants for its intent that reach a member whom the other charter gives the name. */
  #ofEnvelope({ intent, to }: RetainedEnvelope['envelope'], peer: string): readonly Grant[] {
    return this.#naming(this.#parts.org, peer, to).filter(({ intents }) =>
      intents.some((pattern) => coversIntent(pattern, intent)),
    )
  }

  #naming(from: string, to: string, name: string): readonly Grant[] {
    if (name === SERVICE_ENTITY || isChannel(name)) return []
    const holders = this.voucher.membersOf(to).filter((member) => namesEntity(member, name))
    return holders.flatMap(({ handle }) => this.#reaching(from, handle))
  }

  /** The grants from a side that reach a member of the other. */
  #reaching(from: string, handle: string): readonly Grant[] {
    return this.#grants.filter((grant) => {
      if (grant.from !== from) return false
      const members = this.voucher.membersOf(grant.to)
      return reachedOf(grant, new Roll({ org: grant.to, members })).has(handle)
    })
  }
}
