/**
 * What a runtime session says of itself when it is registered.
 *
 * @see docs/http.md §4; docs/runtimes.md §10 rule 2
 */
import { createHash } from 'node:crypto'
import { instrumentOf } from '../../runtimes/events/instrument.ts'
import type { HookState } from '../memory/hook-state.ts'
import type { HookContext } from './context.ts'

/** Bounds of the wire, in octets. */
const MAX_PATH_OCTETS = 4_096
const MAX_NAME_OCTETS = 256

/** Characters of a session id on the wire, and of the digest that tells folded ones apart. */
const MAX_ID_CHARS = 128
const DIGEST_CHARS = 8

/** An object of `POST /v1/sessions`, and where the session works. */
export interface SessionFacts {
  readonly body: Readonly<Record<string, unknown>>
  readonly place: Pick<HookState, 'repository' | 'repositoryId' | 'worktree' | 'branch' | 'isUnplaced'>
}

/** @param before - the session that it carries on */
export async function factsOf(context: HookContext, before: HookState | undefined): Promise<SessionFacts> {
  const { event, state } = context
  const { cwd } = event
  const { tool } = event.runtime
  const place = await placeOf(context, state?.worktree === undefined ? before : state)
  const body = {
    ...instrumentsOf(event, state?.registration, before?.registration),
    ...handleOf(context, state?.registration ?? before?.registration),
    session_id: wireSessionId(event.sessionId),
    tool,
    mailbox: true,
    agent: true,
    title: fitting(event.title ?? textOf(state?.registration?.['title']), MAX_NAME_OCTETS),
    // Null, since a session that has left a repository must not be known for it any more.
    cwd: fitting(cwd, MAX_PATH_OCTETS) ?? null,
    repository: fitting(place.repository, MAX_PATH_OCTETS) ?? null,
    repository_id: place.repositoryId ?? null,
    worktree: fitting(place.worktree, MAX_PATH_OCTETS) ?? null,
    branch: fitting(place.branch, MAX_NAME_OCTETS) ?? null,
  }
  return { body, place }
}

/** Whether the disk says by now where a session is that has not been placed yet. */
export async function canPlace(
  { event, hooks, key }: HookContext,
  { isUnplaced }: HookState,
): Promise<boolean> {
  if (isUnplaced !== true || event.cwd?.startsWith('/') !== true) return false
  return (await hooks.places.find(event.cwd, key)) !== undefined
}

async function placeOf(
  { event: { cwd }, hooks, key }: HookContext,
  known: HookState | undefined,
): Promise<SessionFacts['place']> {
  const isAbsolute = cwd?.startsWith('/') === true
  const found = isAbsolute ? await hooks.places.find(cwd, key) : undefined
  if (found === undefined) {
    const { branch, repository, repositoryId, worktree = cwd } = known ?? {}
    const isUnplaced = isAbsolute && (known?.worktree === undefined || known.isUnplaced === true)
    return { repository, repositoryId, worktree, branch, isUnplaced }
  }
  const { checkout, real } = found
  return {
    repository: checkout?.commonDir,
    repositoryId: checkout?.repositoryId,
    worktree: checkout?.worktree ?? real,
    branch: checkout?.branch,
    isUnplaced: undefined,
  }
}

/**
 * What it drafts with, and its place in the address, which stays what it was when another model is chosen: others know the
 * session by it (OP-28).
 */
function instrumentsOf(
  { model, runtime }: HookContext['event'],
  own: HookState['registration'],
  before: HookState['registration'],
): { readonly instrument: string; readonly drafted_with: string } {
  const now = model === undefined ? undefined : instrumentOf(runtime.tool, model)
  const instrument = textOf(own?.['instrument']) ?? now ?? textOf(before?.['instrument'])
  const draftedWith = textOf((own ?? before)?.['drafted_with'])
  const known = instrument ?? instrumentOf(runtime.tool, undefined)
  return { instrument: known, drafted_with: now === undefined ? (draftedWith ?? `~${known}`) : `~${now}` }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The declared handle that the runtime was started under, and then stays; none is the principal's. */
function handleOf(
  { hooks, surroundings }: HookContext,
  known: HookState['registration'],
): Readonly<Record<string, string>> {
  const handle = known === undefined ? surroundings.env['AGENTD_AS'] : textOf(known['handle'])
  const { authority } = hooks.broker
  authority.refresh()
  return handle !== undefined && authority.tierOf(handle) === 'sovereign' ? { handle } : {}
}

/** The runtime's id in the grammar of the wire; one that had to be changed stays told apart by its digest. */
export function wireSessionId(sessionId: string): string {
  const folded = sessionId.replaceAll(/[^A-Za-z0-9._:-]/g, '-').slice(0, MAX_ID_CHARS)
  if (folded === sessionId) return folded
  const digest = createHash('sha256').update(sessionId).digest('hex').slice(0, DIGEST_CHARS)
  return `${folded.slice(0, MAX_ID_CHARS - DIGEST_CHARS - 1)}-${digest}`
}

function fitting(value: string | undefined, octets: number): string | undefined {
  return value === undefined || Buffer.byteLength(value) > octets ? undefined : value
}
