/**
 * What leaves over a link, and as which text.
 *
 * Only what was accepted here first does: what came from another node is never passed on, so that nothing can go round
 * (FED-04). And only what the person has let out (FED-61): it fails closed.
 *
 * @see FED-02, FED-04, FED-24, FED-61, FED-62
 */
import { crossBoundary, type BoundaryRules } from '../../aee/boundary/boundary.ts'
import { readRedactionPath, redact } from '../../aee/boundary/redaction.ts'
import { SERVICE_ENTITY } from '../../aee/envelope/entity.ts'
import type { Broker } from '../../broker/broker.ts'
import {
  envelopeOf,
  frameOf,
  type Retained,
  type RetainedEnvelope,
  type RetainedFrame,
} from '../../broker/ring/retained.ts'
import { unlessRefused } from '../../core/thrown.ts'
import { formatAddress } from '../../protocol/address/handle.ts'
import { parseSubmission } from '../../protocol/frame/submission.ts'
import type { Audience } from '../../link/audience.ts'
import type { LinkRules } from '../../host/config/config.ts'
import type { Rosters } from '../rosters/rosters.ts'
import { isFrom, repositoryIdOf } from '../rosters/senders.ts'

/** The channels of envelopes begin with it. */
const BUS = 'bus.'

interface LeavingParts {
  readonly broker: Pick<Broker, 'principal' | 'authority' | 'sessions'>
  readonly rosters: Pick<Rosters, 'knowsEntity' | 'knowsAddress'>
  /** Nothing that was accepted before leaves; wall time in milliseconds. */
  readonly sinceMs: number
  /** Asked each time, because they may be reloaded. */
  readonly allow: () => LinkRules['allow']
  readonly boundary: () => BoundaryRules
}

export class Leaving {
  readonly #parts: LeavingParts

  constructor(parts: LeavingParts) {
    this.#parts = parts
  }

  /**
   * The text that leaves; undefined for what stays here.
   *
   * @param audience - of the lane; undefined: of whichever the link has
   */
  textOf(retained: Retained, audience?: Audience): string | undefined {
    // What is said to others than one's own machines is not spoken yet.
    if (audience !== undefined && audience.of !== 'person') return undefined
    if (retained.origin !== undefined || retained.acceptedAtMs < this.#parts.sinceMs) return undefined
    if (!this.#isFromAllowed(retained)) return undefined
    return retained.type === 'frame' ? this.#ofFrame(retained) : this.#ofEnvelope(retained)
  }

  #ofFrame(retained: RetainedFrame): string | undefined {
    const { kinds, compute, redact: paths } = this.#parts.allow()
    if (!kinds.includes('*') && !kinds.includes(retained.kind)) return undefined
    if (!this.#isForRealm(retained)) return undefined
    // All three of them are no reason to look into it.
    if (compute.length < 3 && !compute.includes(frameOf(retained).provenance_compute_location))
      return undefined
    return paths.length === 0 ? retained.text : redacted(retained, paths)
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

  #ofEnvelope(retained: RetainedEnvelope): string | undefined {
    const { to } = retained.envelope
    if (to === SERVICE_ENTITY) return undefined
    const isWanted = to.startsWith(BUS)
      ? this.#parts.allow().bus.some((pattern) => covers(pattern, to))
      : this.#parts.rosters.knowsEntity(to)
    if (!isWanted) return undefined
    const crossing = crossBoundary(envelopeOf(retained), this.#parts.boundary())
    if (crossing.kind === 'refused') return undefined
    return crossing.isChanged ? crossing.text : retained.text
  }

  #isFromAllowed({ senderAddress, senderHandle }: Retained): boolean {
    const { from } = this.#parts.allow()
    const { sessions } = this.#parts.broker
    const repositoryId = (): string | undefined =>
      senderAddress === undefined ? undefined : repositoryIdOf(sessions.find(senderAddress))
    return from.some((pattern) => isFrom(pattern, { senderAddress, senderHandle, repositoryId }))
  }
}

/** What is left is a frame still, or nothing leaves. */
function redacted(retained: RetainedFrame, paths: readonly string[]): string | undefined {
  const frame: object = frameOf(retained)
  let members: Readonly<Record<string, unknown>> = { ...frame }
  let isChanged = false
  for (const path of paths) {
    const parsed = unlessRefused(() => readRedactionPath(path))
    if (parsed === undefined) return undefined
    const after = redact(members, parsed)
    isChanged ||= after !== members
    members = after
  }
  return isChanged ? unlessRefused(() => parseSubmission({ frame: members }))?.text : retained.text
}

function covers(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}
