/**
 * The realm of the person's own machines: one estate says which they are, and everything between them is the person's.
 *
 * @see FED-24, FED-41
 */
import { isChannel } from '../../aee/envelope/entity.ts'
import type { Broker } from '../../broker/broker.ts'
import type { Retained, RetainedFrame } from '../../broker/ring/retained.ts'
import { AgentdError } from '../../core/errors.ts'
import type { LinkRules } from '../../host/config/config.ts'
import type { Audience } from '../../link/audience.ts'
import { formatAddress } from '../../protocol/address/handle.ts'
import type { HeldEstate } from '../in/held-estate.ts'
import { OwnRules } from '../in/own-rules.ts'
import type { SpeakerAt, Voucher } from '../in/voucher.ts'
import type { Rosters } from '../rosters/rosters.ts'
import type { Side } from './side.ts'

/** The one audience there is. */
const OWN: readonly Audience[] = [{ of: 'person' }]

interface OwnSideParts {
  readonly node: string
  readonly broker: Pick<Broker, 'principal' | 'authority'> & {
    readonly sessions: Pick<Broker['sessions'], 'find'>
  }
  readonly estate: HeldEstate
  readonly rosters: Pick<Rosters, 'knowsAddress' | 'knowsEntity'>
  readonly accept: () => LinkRules['accept']
}

export class OwnSide implements Side {
  readonly #parts: OwnSideParts
  readonly #rules: OwnRules
  readonly voucher: Voucher
  readonly ownNode: string
  readonly isOwnRealm = true
  readonly lostPlace = 'this machine is none of the person any more'
  readonly waitMs = Infinity
  readonly ownStanding = undefined

  constructor(parts: OwnSideParts) {
    const { accept, broker, estate, node } = parts
    this.#parts = parts
    this.ownNode = node
    this.#rules = new OwnRules({ authority: broker.authority, accept })
    this.voucher = {
      get authorityEpoch() {
        return estate.authorityEpoch
      },
      speakerOf: ({ node: label }, engineMs) => {
        const key = estate.keyAt(label, engineMs)
        return key instanceof AgentdError ? key : { principal: broker.principal, node: label, key }
      },
    }
  }

  rulesFor(): OwnRules {
    return this.#rules
  }

  strangerOf(): undefined {
    return undefined
  }

  perMinuteOf(): undefined {
    return undefined
  }

  isAcross(): boolean {
    return true
  }

  destinationsOf(retained: Retained): readonly Audience[] {
    const isForThem =
      retained.type === 'frame' ? this.#isForRealm(retained) : this.#isHeard(retained.envelope.to)
    return isForThem ? OWN : []
  }

  names({ node }: SpeakerAt): boolean {
    return this.#parts.estate.names(node)
  }

  get isNamed(): boolean {
    return this.#parts.estate.names(this.ownNode)
  }

  noteDocument(text: string): number {
    return this.#parts.estate.take(text)
  }

  noteStanding(): void {}

  membersNamed(): undefined {
    return undefined
  }

  knowsEntity(): boolean {
    return false
  }

  #isHeard(to: string): boolean {
    return isChannel(to) || this.#parts.rosters.knowsEntity(to)
  }

  /** A scope of the person's own; what is for one session that is here, and nowhere else, stays here. */
  #isForRealm({ scope }: RetainedFrame): boolean {
    const { authority, principal, sessions } = this.#parts.broker
    if (scope.form === 'org' || scope.form === 'accord') return false
    if (authority.actorOf(scope.handle) !== principal || authority.tierOf(scope.handle) !== 'sovereign')
      return false
    if (scope.form !== 'session') return true
    const address = formatAddress(scope.handle, scope.instrument, scope.sessionId)
    return sessions.find(address) === undefined || this.#parts.rosters.knowsAddress(address)
  }
}
