/**
 * What comes from the person's other machines: from the person, for the person, and of what they take.
 *
 * @see FED-41, FED-63
 */
import type { DecodedEnvelope } from '../../aee/envelope/envelope.ts'
import type { Authority } from '../../broker/authority/authority.ts'
import { requireInstrument } from '../../broker/session/caller.ts'
import { handleOf } from '../../protocol/address/handle.ts'
import type { Scope } from '../../protocol/address/scope.ts'
import type { Frame } from '../../protocol/frame/frame.ts'
import type { LinkRules } from '../../host/config/config.ts'
import {
  ENVELOPE_KIND,
  mismatch,
  refused,
  requireAccepted,
  type Addressed,
  type RecordRules,
  type SaidBeside,
} from './record-rules.ts'

interface OwnRulesParts {
  readonly authority: Pick<Authority, 'principal' | 'actorOf' | 'tierOf'>
  /** Asked each time, because they may be reloaded. */
  readonly accept: () => LinkRules['accept']
}

export class OwnRules implements RecordRules {
  readonly isAllForHere = true
  readonly #parts: OwnRulesParts

  constructor(parts: OwnRulesParts) {
    this.#parts = parts
  }

  isForHere(): boolean {
    return true
  }

  requireFrame({ frame, scope }: Addressed, { senderAddress }: SaidBeside): void {
    const { kind, sender_handle: senderHandle } = frame
    this.#requireSender(frame, senderAddress)
    this.#requireScope(scope)
    requireAccepted(this.#parts.accept(), { kind, senderAddress, senderHandle, isOwn: true })
  }

  requireEnvelope(_: DecodedEnvelope, { senderAddress }: SaidBeside): void {
    this.#requireAddress(senderAddress)
    const { principal: senderHandle } = this.#parts.authority
    const sent = { kind: ENVELOPE_KIND, senderAddress, senderHandle, isOwn: true }
    requireAccepted(this.#parts.accept(), sent)
  }

  requireReport(): void {}

  /** The person, by whichever of their handles, or what drafted for them (AC-013, AC-021, AC-178). */
  #requireSender(frame: Frame, senderAddress: string | undefined): void {
    const { acted_by: actor, sender_handle: sender, drafted_with: instrument } = frame
    if (!this.#isOwn(actor)) throw mismatch('acted_by')
    if (sender !== actor && sender !== instrument) throw mismatch('sender_handle')
    requireInstrument(instrument, this.#parts.authority)
    this.#requireAddress(senderAddress)
    if (senderAddress !== undefined && handleOf(senderAddress) !== sender) throw mismatch('sender')
  }

  #requireAddress(senderAddress: string | undefined): void {
    if (senderAddress === undefined) return
    const { authority } = this.#parts
    if (authority.actorOf(handleOf(senderAddress)) !== authority.principal) throw mismatch('sender')
  }

  #isOwn(handle: string): boolean {
    const { principal, tierOf } = this.#parts.authority
    return handle === principal || tierOf(handle) === 'sovereign'
  }

  /** A lane of the person's own machines carries what is for the person. */
  #requireScope(scope: Scope): void {
    if (scope.form !== 'org' && scope.form !== 'accord' && this.#isOwn(scope.handle)) return
    throw refused(
      'scope-unauthorised',
      "Between the person's own machines only the person is a recipient.",
      'recipient_scope',
    )
  }
}
