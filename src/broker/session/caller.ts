/**
 * Who is calling, and what they may claim.
 *
 * @see docs/http.md §2; AC-013, AC-123…AC-129, AC-177, AC-178, ACQ-41
 */
import { AgentdError } from '../../core/errors.ts'
import { SHELL_INSTRUMENT, type Author } from '../../protocol/frame/compose.ts'
import type { Frame } from '../../protocol/frame/frame.ts'
import { formatScope, scopeHandle, type Scope } from '../../protocol/address/scope.ts'
import type { Session } from './session.ts'

/** The principal itself, or one of its registered sessions. */
export interface Caller {
  readonly principal: string
  /** Undefined for a request without a token: it speaks for the principal. */
  readonly session: Session | undefined
  /** The process at the other end of the connection, as the kernel says; undefined where it does not (HD-01, HD-05). */
  readonly peerPid?: number | undefined
}

/** Whoever knows which handles are the principal's own: its name, and those its sessions go by. */
export interface HandleOwner {
  owns(handle: string): boolean
}

/** The handle a caller's frames carry as their sender. */
export function callerHandle({ principal, session }: Caller): string {
  return session?.handle ?? principal
}

/** What a frame composed for this caller says about its author. */
export function authorOf(caller: Caller, draftedWith?: string): Author {
  return {
    senderHandle: callerHandle(caller),
    actedBy: caller.principal,
    draftedWith: draftedWith ?? caller.session?.facts.draftedWith ?? SHELL_INSTRUMENT,
    tool: caller.session?.tool,
  }
}

/**
 * A frame may not claim to be from somebody else.
 *
 * @throws AgentdError `sender-identity-mismatch`, field the claim that is wrong; `unauthenticated` for a session
 *   that ended while its request was still being sent
 */
export function requireIdentity(frame: Frame, caller: Caller): void {
  if (caller.session?.isOver === true)
    throw new AgentdError('unauthenticated', 'This session is over; register again.')
  const sender = callerHandle(caller)
  if (frame.sender_handle !== sender) throw mismatch('sender_handle', `This caller sends as ${sender}.`)
  if (frame.acted_by !== caller.principal)
    throw mismatch('acted_by', `This caller acts for ${caller.principal}.`)
  const registered = caller.session?.facts.draftedWith
  if (registered === undefined || frame.drafted_with === registered) return
  throw mismatch('drafted_with', `This session registered as ${registered}.`)
}

/**
 * A frame may only go where its sender may send.
 *
 * @throws AgentdError `scope-unimplemented` before `scope-unauthorised` (ACQ-05)
 */
export function authoriseScope(scope: Scope, frame: Frame, handles: HandleOwner): void {
  const field = 'recipient_scope'
  if (scope.form === 'org' || scope.form === 'accord') {
    throw new AgentdError(
      'scope-unimplemented',
      `This daemon serves one principal; it does not expand ${formatScope(scope)}.`,
      { field },
    )
  }
  const handle = scopeHandle(scope)
  if (handle !== frame.recipient_handle) {
    throw new AgentdError(
      'scope-unauthorised',
      `The scope names ${handle}, the frame ${frame.recipient_handle}.`,
      {
        field,
      },
    )
  }
  if (!handles.owns(handle))
    throw new AgentdError('scope-unauthorised', `${handle} is not a handle of this principal.`, { field })
}

/**
 * A path may only name a handle of the caller's own.
 *
 * @throws AgentdError `scope-unauthorised`, field `handle`
 */
export function authoriseHandle(handle: string, handles: HandleOwner): void {
  if (handles.owns(handle)) return
  throw new AgentdError('scope-unauthorised', `${handle} is not a handle of this principal.`, {
    field: 'handle',
  })
}

function mismatch(field: string, message: string): AgentdError {
  return new AgentdError('sender-identity-mismatch', message, { field })
}
