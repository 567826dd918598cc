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
  type Addressed,
  type RecordRules,
  type SaidBeside,
} from './record-rules.ts'
import { covers } from '../rosters/covers.ts'

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
  readonly isAllForHere = true
  readonly #parts: MemberRulesParts

  constructor(parts: MemberRulesParts) {
    this.#parts = parts
  }

  isForHere(): boolean {
    return true
  }

  requireFrame({ frame, scope }: Addressed, { senderAddress }: SaidBeside): void {
    const { kind, sender_handle: senderHandle } = frame
    requireSpokenBy(this.#parts, frame, senderAddress)
    this.#requireScope(scope)
    requireAccepted(this.#parts.accept(), { kind, senderAddress, senderHandle, isOwn: this.#isOwn })
  }

  requireEnvelope(decoded: DecodedEnvelope, { senderAddress }: SaidBeside): void {
    const { speaker } = this.#parts
    if (senderAddress !== undefined) requireOf(this.#parts, handleOf(senderAddress), 'sender')
    if (!this.#isForMe || isChannel(decoded.envelope.to)) throw wrongLane('to')
    requireFrom(this.#parts, decoded)
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

  #requireScope(scope: Scope): void {
    const { audience, authority, org } = this.#parts
    if (scope.form === 'org' && scope.org === org) {
      if (audience.of === 'all' && scope.role === undefined) return
      if (audience.of === 'role' && scope.role === audience.role) return
    }
    const isMine = 'handle' in scope && scope.handle === authority.principal
    if (!isMine || !this.#isForMe) throw wrongLane('recipient_scope')
  }
}

/** Whose machine speaks, and how that is known. */
export type Spoken = Pick<MemberRulesParts, 'authority' | 'memberOf' | 'speaker'>

/**
 * The member itself, or what drafts for it: no other member, and nobody of this machine (AC-013, AC-021, AC-178).
 *
 * @throws AgentdError `sender-identity-mismatch`
 */
export function requireSpokenBy(
  { authority, memberOf, speaker }: Spoken,
  frame: Frame,
  senderAddress: string | undefined,
): void {
  const { acted_by: actor, sender_handle: sender, drafted_with: instrument } = frame
  if (actor !== speaker) throw mismatch('acted_by')
  if (sender !== actor && sender !== instrument) throw mismatch('sender_handle')
  requireInstrument(instrument, authority)
  if (instrument === speaker || memberOf(instrument) !== undefined) throw mismatch('drafted_with')
  if (senderAddress !== undefined && handleOf(senderAddress) !== sender) throw mismatch('sender')
}

/** A handle that the member may go by. @throws AgentdError `sender-identity-mismatch` */
export function requireOf({ authority, memberOf, speaker }: Spoken, handle: string, field: string): void {
  if (handle === speaker) return
  if (authority.tierOf(handle) === 'sovereign' || memberOf(handle) !== undefined) throw mismatch(field)
}

/**
 * By the names that the charter gives the member, or by a key that is trusted for that name (FED-70).
 *
 * @throws AgentdError `sender-identity-mismatch`
 */
export function requireFrom(
  { isSigned, memberOf, speaker }: Spoken & Pick<MemberRulesParts, 'isSigned'>,
  decoded: DecodedEnvelope,
): void {
  const { from } = decoded.envelope
  if (namesEntity(memberOf(speaker), from)) return
  if (from.startsWith(HUMAN) || !isSigned(decoded)) throw mismatch('from')
}

/** Whether the charter gives a member this name among entities. */
export function namesEntity(member: Pick<Member, 'entities'> | undefined, name: string): boolean {
  return (member?.entities ?? []).some((pattern) => covers(pattern, name))
}

function wrongLane(field: string): Error {
  return refused('scope-unauthorised', 'This lane is not for whom it names.', field)
}
