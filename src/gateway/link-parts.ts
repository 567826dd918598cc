/**
 * What a link is put together from.
 */
import type { BoundaryRules } from '../aee/boundary/boundary.ts'
import type { Broker } from '../broker/broker.ts'
import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/log.ts'
import type { LinkRules } from '../host/config/config.ts'
import type { LinkFile } from '../link/link-file.ts'
import type { DecodedEnvelope } from '../aee/envelope/envelope.ts'
import type { Accords } from './accord/held-accord.ts'
import type { Charters } from './in/held-charter.ts'
import type { EstatePlace } from './in/held-estate.ts'

/** What every link of a daemon shares. */
export interface GatewaySurroundings {
  readonly broker: Broker
  readonly clock: Clock
  readonly log: Logger
  /** Runs a step at the end of the current loop turn, after the broker's. */
  readonly defer: (step: () => void) => void
  /** What may leave of envelopes; asked each time, because it may be reloaded. */
  readonly boundary: () => BoundaryRules
  /** What holds for a link; asked each time, because it may be reloaded. */
  readonly rulesOf: (name: string) => LinkRules
  readonly charters: Charters
  readonly accords: Accords
  /** Whether an envelope has a signature, and it is one of a key that is trusted for its sender. */
  readonly isSigned: (decoded: DecodedEnvelope) => boolean
}

/** One of them. */
export interface LinkParts extends GatewaySurroundings {
  readonly name: string
  readonly file: LinkFile
  /** Where its estate stays, and what is remembered of other people's. */
  readonly place: EstatePlace
  readonly standings: EstatePlace
  /** Told of another estate of the person than before, for the other links. */
  readonly onEstate: (text: string) => void
  /** Told whenever something about the other nodes is another now. */
  readonly onRemoteChange: () => void
}
