/**
 * Who is calling, and what they may claim.
 *
 * @see docs/http.md §2; AC-013, AC-123…AC-129, AC-177, AC-178, ACQ-41
 */
import { didYouMean } from '../../core/text/edit-distance.ts'
import { AgentdError } from '../../core/errors.ts'
import { SHELL_INSTRUMENT, type Author } from '../../protocol/frame/compose.ts'
import type { FrameHead } from '../../protocol/frame/frame-members.ts'
import { formatScope, scopeHandle, type Scope } from '../../protocol/address/scope.ts'
import type { Authority } from '../authority/authority.ts'
import type { Session } from './session.ts'

/** A person, by the Sovereign handle they act under, or one of their registered sessions. */
export interface Caller {
  /** The Sovereign handle that is acted for; of a session the one it is bound to (AC-178). */
  readonly principal: string
  /** Undefined for a request without a token: it speaks for the principal. */
  readonly session: Session | undefined
  /** The process at the other end of the connection, as the kernel says; undefined where it does not (HD-01, HD-05). */
  readonly peerPid?: number | undefined
}

/** Whoever knows which handles are somebody's own. */
export interface HandleOwner {
  /** @param actor - the Sovereign handle: its own are its name, and those its sessions go by */
  owns(handle: string, actor: string): boolean
}

/** What a scope is judged by. */
export interface ScopeJudge {
  readonly handles: HandleOwner
  readonly authority: Authority
  /** Who else there is: without a link nobody, and every other principal's handle is refused. */
  readonly others: Elsewhere
  /** Whether the frame answers a question that reached the caller, and goes where the question says. */
  readonly answersQuestion: (frame: FrameHead, scopeText: string, caller: Caller) => boolean
}

/** What is asked about other principals. */
interface Elsewhere {
  readonly isLinked: boolean
  /** Undefined for a handle that nobody shares a realm with (FED-55). */
  reaches(
    scope: Extract<Scope, { handle: string }>,
    by: { readonly actor: string; readonly kind: string },
  ): unknown
}

/** Who is there, and how one ends. */
interface Ending {
  all(): Iterable<Session>
  close(session: Session): void
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
export function requireIdentity(
  frame: FrameHead,
  caller: Caller,
  authority: Pick<Authority, 'tierOf'>,
): void {
  if (caller.session?.isOver === true)
    throw new AgentdError('unauthenticated', 'This session is over; register again.')
  const sender = callerHandle(caller)
  if (frame.sender_handle !== sender) throw mismatch('sender_handle', `This caller sends as ${sender}.`)
  if (frame.acted_by !== caller.principal)
    throw mismatch('acted_by', `This caller acts for ${caller.principal}.`)
  const registered = caller.session?.facts.draftedWith
  if (frame.drafted_with === registered) return
  if (registered === undefined) return requireInstrument(frame.drafted_with, authority)
  throw mismatch('drafted_with', `This session registered as ${registered}.`)
}

/**
 * A handle that composes frames is no person's, as far as somebody has declared it (ACQ-11).
 *
 * @throws AgentdError `sender-identity-mismatch`, field `drafted_with`
 */
export function requireInstrument(draftedWith: string, { tierOf }: Pick<Authority, 'tierOf'>): void {
  if (tierOf(draftedWith) !== 'sovereign') return
  throw mismatch('drafted_with', `${draftedWith} is a person's handle; "drafted_with" must be an instrument.`)
}

/**
 * A frame may only go where its sender may send.
 *
 * @throws AgentdError `scope-unimplemented` before `scope-unauthorised` (ACQ-05)
 */
export function authoriseScope(scope: Scope, frame: FrameHead, caller: Caller, judge: ScopeJudge): void {
  if (scope.form === 'accord') return authoriseGrant(scope, frame, caller, judge)
  if (scope.form === 'org') return authoriseOrganisation(scope, frame, caller, judge)
  requireRecipient(scope, frame)
  const { handle } = scope
  if (judge.handles.owns(handle, caller.principal)) return
  if (judge.answersQuestion(frame, formatScope(scope), caller)) return
  if (judge.others.reaches(scope, { actor: caller.principal, kind: frame.kind }) !== undefined) return
  const near = didYouMean(handle, [caller.principal, frame.sender_handle])
  throw unauthorised(`${handle} is not a handle of this principal${near || '.'}`)
}

/** Whoever a grant names: it has to hold now, for a sender of the other side and for this kind (AC-126, FED-57). */
function authoriseGrant(
  scope: Extract<Scope, { form: 'accord' }>,
  frame: FrameHead,
  caller: Caller,
  { answersQuestion, authority }: ScopeJudge,
): void {
  authority.refresh()
  if (!authority.hasAccords)
    throw unimplemented(`This daemon knows no accord; it does not expand ${formatScope(scope)}.`)
  requireRecipient(scope, frame)
  // Who was asked under a grant answers by the same, the other way (FED-58).
  if (answersQuestion(frame, formatScope(scope), caller)) return
  const found = authority.grantFor(scope, { actor: caller.principal, kind: frame.kind })
  if (typeof found === 'string') throw unauthorised(found)
}

/** All members of an organisation, or those of a role: the sender has to be one (AC-125, FED-56). */
function authoriseOrganisation(
  scope: Extract<Scope, { form: 'org' }>,
  frame: FrameHead,
  { principal }: Caller,
  { authority, others }: ScopeJudge,
): void {
  authority.refresh()
  if (!authority.hasOrganisations && !others.isLinked)
    throw unimplemented(`This daemon knows no organisation; it does not expand ${formatScope(scope)}.`)
  requireRecipient(scope, frame)
  const members = authority.membersOf(scope.org, undefined)
  if (members === undefined) throw unauthorised(authority.standingOf(scope.org))
  if (!members.has(principal)) throw unauthorised(`${principal} is no member of ${scope.org}.`)
}

function requireRecipient(scope: Scope, frame: FrameHead): void {
  const handle = scopeHandle(scope)
  if (handle === frame.recipient_handle) return
  throw unauthorised(`The scope names ${handle}, the frame ${frame.recipient_handle}.`)
}

/**
 * A path may only name a handle of the caller's own; without a session that is any of the person's.
 *
 * @throws AgentdError `scope-unauthorised`, field `handle`
 */
export function authoriseHandle(
  handle: string,
  { principal, session }: Pick<Caller, 'principal' | 'session'>,
  { sessions, authority }: { readonly sessions: HandleOwner; readonly authority: Authority },
): void {
  const actor = session === undefined ? authority.actorOf(handle) : principal
  if (sessions.owns(handle, actor)) return
  throw new AgentdError('scope-unauthorised', `${handle} is not a handle of this principal.`, {
    field: 'handle',
  })
}

/** Who speaks when a session does. */
export function callerFor(
  session: Session,
  { actorOf }: Pick<Authority, 'actorOf'>,
  peerPid?: number,
): Caller {
  return { principal: actorOf(session.handle), session, peerPid }
}

/**
 * A session cannot take up another of the person's handles: it would reach who is not to be reached from its own.
 *
 * @throws AgentdError `sender-identity-mismatch`, field `handle`
 */
export function requireSameActor(
  handle: string,
  bearer: Session | undefined,
  { actorOf }: Pick<Authority, 'actorOf'>,
): void {
  if (bearer === undefined || actorOf(handle) === actorOf(bearer.handle)) return
  const message = `A session of ${actorOf(bearer.handle)} registers none of ${actorOf(handle)}; leave the token out.`
  throw new AgentdError('sender-identity-mismatch', message, { field: 'handle' })
}

/** Ends, now and whenever something changes, those that go by a handle which is not declared; their mail goes with them. */
export function endUndeclared(sessions: Ending, authority: Pick<Authority, 'tierOf' | 'onChange'>): void {
  const end = (): void => {
    for (const session of Array.from(sessions.all())) {
      const { handle, facts } = session
      if (handle === facts.draftedWith || authority.tierOf(handle) === 'sovereign') continue
      // A visitor goes with its streams.
      if (session.isVisitor) session.endStreams('expired')
      else sessions.close(session)
    }
  }
  end()
  authority.onChange(end)
}

function unimplemented(message: string): AgentdError {
  return new AgentdError('scope-unimplemented', message, { field: 'recipient_scope' })
}

function unauthorised(message: string): AgentdError {
  return new AgentdError('scope-unauthorised', message, { field: 'recipient_scope' })
}

function mismatch(field: string, message: string): AgentdError {
  return new AgentdError('sender-identity-mismatch', message, { field })
}
