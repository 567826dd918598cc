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
import { isChannel, SERVICE_ENTITY } from '../../aee/envelope/entity.ts'
import type { Broker } from '../../broker/broker.ts'
import {
  envelopeOf,
  frameOf,
  type Retained,
  type RetainedEnvelope,
  type RetainedFrame,
} from '../../broker/ring/retained.ts'
import { unlessRefused } from '../../core/thrown.ts'
import { parseSubmission } from '../../protocol/frame/submission.ts'
import { audienceToken, type Audience } from '../../link/audience.ts'
import type { LinkRules } from '../../host/config/config.ts'
import type { Side } from '../side/side.ts'
import { covers } from '../rosters/covers.ts'
import { isFrom, repositoryIdOf } from '../rosters/senders.ts'

/** Parts of a frame that say where in a file system it was made. */
const PRIVATE_PATHS: readonly string[] = ['payload.worktree']

interface LeavingParts {
  readonly broker: Pick<Broker, 'sessions'>
  readonly side: Pick<Side, 'destinationsOf' | 'isOwnRealm'>
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

  /** The rules it goes by, as a text to be compared: another one means other rules. */
  get rules(): string {
    return JSON.stringify([this.#parts.allow(), this.#parts.boundary()])
  }

  /**
   * The text that leaves; undefined for what stays here.
   *
   * @param audience - whose lane it would be in; absent: any of the link's
   */
  textOf(retained: Retained, audience?: Audience): string | undefined {
    if (retained.origin !== undefined || retained.acceptedAtMs < this.#parts.sinceMs) return undefined
    if (!this.#isFromAllowed(retained)) return undefined
    return retained.type === 'frame'
      ? this.#ofFrame(retained, audience)
      : this.#ofEnvelope(retained, audience)
  }

  #ofFrame(retained: RetainedFrame, audience: Audience | undefined): string | undefined {
    const { kinds, compute } = this.#parts.allow()
    if (!kinds.includes('*') && !kinds.includes(retained.kind)) return undefined
    if (!this.#isFor(retained, audience)) return undefined
    // All three of them are no reason to look into it.
    if (compute.length < 3 && !compute.includes(frameOf(retained).provenance_compute_location))
      return undefined
    const paths = this.#redactions
    return paths.length === 0 ? retained.text : redacted(retained, paths)
  }

  #ofEnvelope(retained: RetainedEnvelope, audience: Audience | undefined): string | undefined {
    const { to } = retained.envelope
    if (to === SERVICE_ENTITY || !this.#isFor(retained, audience)) return undefined
    if (isChannel(to) && !this.#parts.allow().bus.some((pattern) => covers(pattern, to))) return undefined
    const crossing = crossBoundary(envelopeOf(retained), this.#parts.boundary())
    if (crossing.kind === 'refused') return undefined
    return crossing.isChanged ? crossing.text : retained.text
  }

  #isFor(retained: Retained, audience: Audience | undefined): boolean {
    const destinations = this.#parts.side.destinationsOf(retained)
    return audience === undefined
      ? destinations.length > 0
      : destinations.some((one) => audienceToken(one) === audienceToken(audience))
  }

  /** Whose folder it is in is for one's own machines alone (FED-62). */
  get #redactions(): readonly string[] {
    const { redact: paths } = this.#parts.allow()
    return this.#parts.side.isOwnRealm ? paths : [...paths, ...PRIVATE_PATHS]
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
