/**
 * What comes from a machine of a member: in that member's name alone, for whom its lane is, and of what the person takes from
 * others.
 *
 * @see FED-41, FED-55, FED-56, FED-63, FED-70
 */
import type { DecodedEnvelope } from '../../aee/envelope/envelope.ts'
import { isChannel } from '../../aee/envelope/entity.ts'
import type { Member } from '../../authority/charter.ts'
import type { Authority } from '../../broker/authority/authority.ts'
import { requireInstrument } from '../../broker/session/caller.ts'
import type { LinkRules } from '../../host/config/config.ts'
import type { Audience } from '../../link/audience.ts'
import { handleOf } from '../../protocol/address/handle.ts'
import type { Scope } from '../../protocol/address/scope.ts'
import type { Frame } from '../../protocol/frame/frame.ts'
import {
  ENVELOPE_KIND,
  mismatch,
  refused,
  requireAccepted,
  type RecordRules,
  type SaidBeside,
} from './record-rules.ts'

/** A person's name among entities: nobody else's machine speaks for it, whatever has signed. */
const HUMAN = 'human.'

export interface MemberRulesParts {
  readonly org: string
  /** The member whose machine speaks, and for whom its lane is. */
  readonly speaker: string
  readonly audience: Audience
  readonly authority: Pick<Authority, 'principal' | 'tierOf'>
  readonly memberOf: (handle: string) => Member | undefined
  /** Whether the envelope has a signature, and it is one of a key that is trusted for its sender. */
  readonly isSigned: (decoded: DecodedEnvelope) => boolean
  /** Asked each time, because they may be reloaded. */
  readonly accept: () => LinkRules['accept']
}

export class MemberRules implements RecordRules {
  readonly #parts: MemberRulesParts

  constructor(parts: MemberRulesParts) {
    this.#parts = parts
  }

  requireFrame(frame: Frame, scope: Scope, { senderAddress }: SaidBeside): void {
    const { kind, sender_handle: senderHandle } = frame
    this.#requireSender(frame, senderAddress)
    this.#requireScope(scope)
    requireAccepted(this.#parts.accept(), { kind, senderAddress, senderHandle, isOwn: this.#isOwn })
  }

  requireEnvelope(decoded: DecodedEnvelope, { senderAddress }: SaidBeside): void {
    const { speaker } = this.#parts
    if (senderAddress !== undefined) this.#requireOf(handleOf(senderAddress), 'sender')
    if (!this.#isForMe || isChannel(decoded.envelope.to)) throw wrongLane('to')
    this.#requireFrom(decoded)
    const sent = { kind: ENVELOPE_KIND, senderAddress, senderHandle: speaker, isOwn: this.#isOwn }
    requireAccepted(this.#parts.accept(), sent)
  }

  /** What became of a frame is for the member who sent it. */
  requireReport(): void {
    if (!this.#isForMe) throw wrongLane('t')
  }

  get #isOwn(): boolean {
    return this.#parts.speaker === this.#parts.authority.principal
  }

  get #isForMe(): boolean {
    const { audience, authority } = this.#parts
    return audience.of === 'member' && audience.handle === authority.principal
  }

  /** The member itself, or what drafts for it: no other member, and nobody of this machine (AC-013, AC-021, AC-178). */
  #requireSender(frame: Frame, senderAddress: string | undefined): void {
    const { authority, memberOf, speaker } = this.#parts
    const { acted_by: actor, sender_handle: sender, drafted_with: instrument } = frame
    if (actor !== speaker) throw mismatch('acted_by')
    if (sender !== actor && sender !== instrument) throw mismatch('sender_handle')
    requireInstrument(instrument, authority)
    if (instrument === speaker || memberOf(instrument) !== undefined) throw mismatch('drafted_with')
    if (senderAddress !== undefined && handleOf(senderAddress) !== sender) throw mismatch('sender')
  }

  /** A handle that the member may go by. */
  #requireOf(handle: string, field: string): void {
    const { authority, memberOf, speaker } = this.#parts
    if (handle === speaker) return
    if (authority.tierOf(handle) === 'sovereign' || memberOf(handle) !== undefined) throw mismatch(field)
  }

  #requireScope(scope: Scope): void {
    const { audience, authority, org } = this.#parts
    if (scope.form === 'org' && scope.org === org) {
      if (audience.of === 'all' && scope.role === undefined) return
      if (audience.of === 'role' && scope.role === audience.role) return
    }
    const isMine = 'handle' in scope && scope.handle === authority.principal
    if (!isMine || !this.#isForMe) throw wrongLane('recipient_scope')
  }

  /** By the names that the charter gives the member, or by a key that is trusted for that name (FED-70). */
  #requireFrom(decoded: DecodedEnvelope): void {
    const { isSigned, memberOf, speaker } = this.#parts
    const { from } = decoded.envelope
    if (namesEntity(memberOf(speaker), from)) return
    if (from.startsWith(HUMAN) || !isSigned(decoded)) throw mismatch('from')
  }
}

/** Whether the charter gives a member this name among entities. */
export function namesEntity(member: Pick<Member, 'entities'> | undefined, name: string): boolean {
  return (member?.entities ?? []).some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  )
}

function wrongLane(field: string): Error {
  return refused('scope-unauthorised', 'This lane is not for whom it names.', field)
}
