/**
 * What the records of a lane have to be, by whose lane it is and for whom.
 *
 * @see FED-41, FED-55, FED-56, FED-63, FED-70
 */
import type { DecodedEnvelope } from '../../aee/envelope/envelope.ts'
import { AgentdError, type ErrorCode } from '../../core/errors.ts'
import type { Scope } from '../../protocol/address/scope.ts'
import type { Frame } from '../../protocol/frame/frame.ts'
import type { LinkRules } from '../../host/config/config.ts'
import { isFrom } from '../rosters/senders.ts'

/** What is said beside a frame or an envelope. */
export interface SaidBeside {
  /** The session it came from; absent: the person sent it. */
  readonly senderAddress: string | undefined
}

/** A frame, and its scope. */
export interface Addressed {
  readonly frame: Frame
  readonly scope: Scope
  /** As it stands in the record. */
  readonly text: string
}

/** What says for whom something is: known of what was read, and of most that was not. */
export type Glance =
  | {
      readonly of: 'frame'
      readonly kind: string
      readonly scope: Scope
      /** Of an answer: the question it answers. */
      readonly queryId?: string | undefined
    }
  | { readonly of: 'envelope'; readonly to: string }

export interface RecordRules {
  /** Whether {@link isForHere} says so of whatever there is: nothing has to be looked at for it. */
  readonly isAllForHere: boolean
  /**
   * Whether anybody here can be meant. What is for another machine of one's own side is refused without a word to its sender: it
   * may be well taken there.
   */
  isForHere(glance: Glance): boolean
  /** @throws AgentdError `sender-identity-mismatch`, `scope-unauthorised` */
  requireFrame(said: Addressed, beside: SaidBeside): void
  /** @throws AgentdError as {@link requireFrame} */
  requireEnvelope(decoded: DecodedEnvelope, beside: SaidBeside): void
  /** @throws AgentdError `scope-unauthorised` where the lane carries no reports */
  requireReport(): void
}

/** What stands for a kind where an envelope has none. */
export const ENVELOPE_KIND = 'aee_envelope'

/** Of other principals nothing is taken by default that is about one's own machines or sessions. */
const OWN_KINDS: ReadonlySet<string> = new Set([
  'agent_binding_moment',
  'agent_lock_request',
  'agent_lock_release',
  'agent_lease_extend',
  'peer_diagnostic_request',
  'peer_diagnostic_response',
])

/** Who sent something, and what. */
interface Sent extends SaidBeside {
  readonly kind: string
  readonly senderHandle: string
  readonly isOwn: boolean
}

/** @throws AgentdError `scope-unauthorised` for what the person takes from nobody there (FED-63) */
export function requireAccepted({ kinds, from }: LinkRules['accept'], sent: Sent): void {
  const { isOwn, kind, senderAddress, senderHandle } = sent
  const isKind =
    kinds === undefined ? isOwn || !OWN_KINDS.has(kind) : kinds.includes('*') || kinds.includes(kind)
  const sender = { senderAddress, senderHandle, repositoryId: () => undefined }
  if (isKind && from.some((pattern) => isFrom(pattern, sender))) return
  throw refused('scope-unauthorised', 'This machine does not take it.', 'kind')
}

export function mismatch(field: string): AgentdError {
  return refused(
    'sender-identity-mismatch',
    'A machine speaks for its own person, with what drafts for them.',
    field,
  )
}

export function refused(code: ErrorCode, message: string, field: string): AgentdError {
  return new AgentdError(code, message, { field })
}
