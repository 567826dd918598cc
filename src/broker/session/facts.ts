/**
 * What a session says about itself.
 *
 * @see docs/http.md §4
 */
import { SERVICE_ENTITY, isHuman } from '../../aee/envelope/entity.ts'
import { AgentdError } from '../../core/errors.ts'
import { newSessionId } from '../../core/ids.ts'
import { formatAddress } from '../../protocol/address/handle.ts'
import type { ActivityRequest, SessionRequest } from '../../protocol/http/requests.ts'
import type { ActivityState, Delivery, WaitingReason } from '../../protocol/http/session-replies.ts'
import type { Authority } from '../authority/authority.ts'

/** What a session said about itself at registration. */
export interface RegisteredFacts {
  /** `~alice/cc-opus-4-6@s1` */
  readonly address: string
  readonly handle: string
  readonly instrument: string
  readonly sessionId: string
  /** Tool class, for the filter axis `tool` (ACQ-29). */
  readonly tool: string
  readonly draftedWith: string
  readonly pid?: number | undefined
  readonly title?: string | undefined
  readonly cwd?: string | undefined
  readonly repository?: string | undefined
  /** `git:example.org/alice/api`: the repository as every machine calls it (FED-68). */
  readonly repositoryId?: string | undefined
  readonly worktree?: string | undefined
  readonly branch?: string | undefined
  readonly entities?: readonly string[] | undefined
  /** Whether `agent.` and its name is one of them as well (AEE reaches it by what people call it). */
  readonly isAgent?: boolean | undefined
  /** How it can be reached while it is busy, idle, or without a person. */
  readonly delivery?: Delivery | undefined
}

/**
 * What a session says it does. It is kept in memory alone: it changes with every prompt and turn, and what a session did
 * before the daemon ended says nothing of what it does now (docs/http.md §4, W-4).
 */
export interface Activity {
  readonly state: ActivityState
  /** What it waits for; null for another state, or where it does not say. */
  readonly reason: WaitingReason | null
  readonly text: string | null
  /** Wall time in milliseconds at which it became so. */
  readonly sinceMs: number
}

/** What a session does once it has said so: the same again is as it was, and since when. */
export function activityAfter(
  before: Activity | undefined,
  { state, reason, text: said }: ActivityRequest,
  nowMs: number,
): Activity {
  const text = said === '' ? null : said
  const isSame = before?.state === state && before.reason === reason && before.text === text
  return isSame ? before : { state, reason, text, sinceMs: nowMs }
}

/** Sessions that wait at a prompt of their own. */
export function countWaiting(sessions: Iterable<{ readonly activity: Activity | undefined }>): number {
  let count = 0
  for (const { activity } of sessions) if (activity?.state === 'waiting') count += 1
  return count
}

/**
 * What is taken over by the session that carries a living one on: it is the same agent, which works or rests as before.
 * What it waited for was asked at a prompt that went with the former session.
 */
export function activityCarriedOn(former: Activity | undefined): Activity | undefined {
  return former?.state === 'waiting' ? undefined : former
}

/** The tool class of a session in which a person speaks. */
export const HUMAN_TOOL = 'human'

/** A registration's facts, and the two wishes that are none. */
export type RegistrationWish = RegisteredFacts & {
  /** Undefined leaves an update as it is, and gives a new session none. */
  readonly mailbox: boolean | undefined
  readonly successorOf: string | undefined
}

/** What a registration is read against; `principal` is the handle of one that names none. */
export type Registrar = Pick<Authority, 'principal' | 'tierOf'>

/**
 * Reads a registration. What it leaves out is as it was where it updates whoever sends it, and filled in otherwise; null
 * is never as it was.
 *
 * @param bearer - what the session of the request's own token said of itself
 * @throws AgentdError `sender-identity-mismatch` for a handle that is not the principal's to give
 */
export function readRegistration(
  request: SessionRequest,
  authority: Registrar,
  bearer?: RegisteredFacts,
): RegistrationWish {
  const { principal } = authority
  const { instrument, session_id = newSessionId(), handle = principal } = request
  const address = formatAddress(handle, instrument, session_id)
  const known = bearer?.address === address ? bearer : undefined
  const draftedWith = asGiven(request.drafted_with, known?.draftedWith) ?? `~${instrument}`
  if (authority.tierOf(draftedWith) === 'sovereign') {
    throw identityMismatch('drafted_with', '"drafted_with" must be an instrument, not the principal.')
  }
  if (authority.tierOf(handle) !== 'sovereign' && handle !== draftedWith) {
    throw identityMismatch(
      'handle',
      `A session goes by ${principal}, by another declared handle of yours, or by its own "drafted_with".`,
    )
  }
  const tool = asGiven(request.tool, known?.tool) ?? 'other'
  const entities = asGiven(request.entities, known?.entities) ?? []
  requireEntities(entities, tool, (i) => `entities[${i}]`)
  return {
    ...factsOf(request, known),
    address,
    handle,
    instrument,
    sessionId: session_id,
    tool,
    draftedWith,
    entities,
    mailbox: request.mailbox === null ? false : request.mailbox,
    successorOf: request.successor_of,
  }
}

/** What nothing depends on but those who read it. */
function factsOf(request: SessionRequest, known: RegisteredFacts | undefined) {
  return {
    pid: asGiven(request.pid, known?.pid),
    title: asGiven(request.title, known?.title),
    cwd: asGiven(request.cwd, known?.cwd),
    repository: asGiven(request.repository, known?.repository),
    repositoryId: asGiven(request.repository_id, known?.repositoryId),
    worktree: asGiven(request.worktree, known?.worktree),
    branch: asGiven(request.branch, known?.branch),
    isAgent: asGiven(request.agent, known?.isAgent),
    delivery: asGiven(request.delivery, known?.delivery),
  }
}

/** Left out it is as it was; null takes it back. */
function asGiven<T>(given: T | null | undefined, known: T | undefined): T | undefined {
  return given === undefined ? known : (given ?? undefined)
}

/**
 * Some entities are not for everybody to speak or hear for: the daemon's own, and a person's (AEQ-21).
 *
 * @throws AgentdError `sender-identity-mismatch`, field the entity
 */
export function requireEntities(
  entities: readonly string[],
  tool: string,
  fieldOf: (index: number) => string,
): void {
  entities.forEach((entity, i) => {
    const field = fieldOf(i)
    if (entity === SERVICE_ENTITY) throw identityMismatch(field, `"${SERVICE_ENTITY}" is the daemon itself.`)
    if (!isHuman(entity) || tool === HUMAN_TOOL) return
    throw identityMismatch(field, `"${entity}" is a person; it takes a session with "tool": "${HUMAN_TOOL}".`)
  })
}

function identityMismatch(field: string, message: string): AgentdError {
  return new AgentdError('sender-identity-mismatch', message, { field })
}
