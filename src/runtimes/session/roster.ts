/**
 * Who else is there.
 *
 * @see docs/http.md §4
 */
import type { HookContext, OwnSession } from './context.ts'
import { listMember, memberOf, numberOf, objectOf, textMember } from '../events/members.ts'

/** Another live session of this principal. */
export interface Sibling {
  readonly address: string
  readonly sessionId: string
  readonly tool: string
  readonly title: string | undefined
  readonly repository: string | undefined
  readonly worktree: string | undefined
  readonly branch: string | undefined
  readonly startedMs: number
  readonly isReachable: boolean
}

/** Every session but this one. @throws Unreached */
export async function readRoster(
  { link }: HookContext,
  { token, state }: OwnSession,
): Promise<readonly Sibling[]> {
  if (state.handle === undefined) return []
  const path = `/v1/handles/${encodeURIComponent(state.handle)}/roster`
  const { body } = await link.send({ method: 'GET', path, token })
  return listMember(body, 'sessions')
    .map((entry) => readSession(entry))
    .filter((session) => session !== undefined && session.address !== state.address)
    .filter((session) => session !== undefined)
}

function readSession(entry: unknown): Sibling | undefined {
  const value = objectOf(entry)
  const address = textMember(value, 'address')
  if (address === undefined) return undefined
  const hasMailbox = memberOf(value, 'mailbox') !== null
  return {
    address,
    sessionId: textMember(value, 'session_id') ?? '',
    tool: textMember(value, 'tool') ?? '',
    title: textMember(value, 'title'),
    repository: textMember(value, 'repository'),
    worktree: textMember(value, 'worktree'),
    branch: textMember(value, 'branch'),
    startedMs: Date.parse(textMember(value, 'started_at') ?? '') || 0,
    isReachable: hasMailbox || (numberOf(value, 'subscriptions') ?? 0) > 0,
  }
}
