/**
 * Whom somebody may have meant by a scope that names nobody: a hint beside the counts, which are both 0.
 *
 * @see docs/http.md §5
 */
import { nearNames } from '../../aee/envelope/entity.ts'
import { scopeHandle, scopeNames, type Scope } from '../../protocol/address/scope.ts'
import type { NearSession } from '../../protocol/http/frame-replies.ts'
import type { Session } from '../session/session.ts'

/** Sessions that are looked at, the first that came in front: a hint must not cost what a broadcast does. */
export const MAX_NEAR_LOOKED_AT = 128

/** Sessions that an answer names. */
export const MAX_NEAR_SESSIONS = 3

/**
 * @param sessions - all there are
 * @param sender - the address the frame came from, which nobody means
 * @returns none for a scope that names somebody, and for one that names everybody
 */
export function nearSessions(
  scope: Scope,
  sessions: Iterable<Session>,
  sender: string | undefined,
): readonly NearSession[] {
  const wanted = wordsOf(scope)
  if (wanted.length === 0) return []
  const handle = scopeHandle(scope)
  const known = new Map<string, Session>()
  let looked = 0
  for (const session of sessions) {
    if (scopeNames(scope, session)) return []
    if (looked === MAX_NEAR_LOOKED_AT || session.isVisitor) continue
    if (session.handle !== handle || session.address === sender) continue
    looked += 1
    for (const word of [session.sessionId, session.instrument, session.name]) known.set(word, session)
  }
  const found = new Set<Session>()
  for (const word of wanted) {
    const same = known.get(word)
    if (same !== undefined) found.add(same)
    for (const name of nearNames(word, known.keys())) add(found, known.get(name))
  }
  return [...found].slice(0, MAX_NEAR_SESSIONS).map(({ name, address }) => ({ name, address }))
}

/** What a scope picks somebody out by, the likeliest first. */
function wordsOf(scope: Scope): readonly string[] {
  if (scope.form === 'prefix') return [scope.prefix.replace(/-+$/, '')]
  return scope.form === 'session' ? [scope.sessionId, scope.instrument] : []
}

function add(found: Set<Session>, session: Session | undefined): void {
  if (session !== undefined) found.add(session)
}
