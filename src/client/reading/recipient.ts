/**
 * From what a person calls a session to the address that a scope takes: on this side of the wire, by the roster.
 *
 * @see docs/http.md §4
 */
import { nearNames } from '../../aee/envelope/entity.ts'
import { quoteName } from '../../aee/envelope/fault.ts'
import { AgentdError, UsageError } from '../../core/errors.ts'
import { slugOf } from '../../protocol/address/name.ts'
import { isScopeText } from '../../protocol/address/recipient.ts'
import type { CallOptions } from '../http/call-options.ts'
import type { Connection } from '../http/connection.ts'
import type { RosterSession } from '../reply/roster-results.ts'
import { resolveScope } from './pronoun.ts'
import { readRoster } from './roster.ts'

/** Letters of an id that name a session: with fewer, a slip of the pen would. */
export const LEAST_ID_CHARS = 4

/** Candidates that a refusal lists. */
export const MAX_CANDIDATES = 8

/** What a recipient is looked for by. */
type Sought = Pick<RosterSession, 'name' | 'address' | 'instrument' | 'sessionId' | 'title'>

/** Where a message goes, as whoever sends it has written it. */
interface Written {
  readonly scope?: string | undefined
  readonly to?: string | undefined
}

/**
 * @param options - `handles`: whose rosters are looked at, each once
 * @returns a scope as it is, but for the pronoun; of anything else the address of the session that is meant
 * @throws as {@link findRecipient} and `resolveScope`
 */
export async function findScope(
  connection: Connection,
  to: string,
  { handles, signal }: { readonly handles: ReadonlySet<string> } & CallOptions,
): Promise<string> {
  signal?.throwIfAborted()
  if (isScopeText(to)) return resolveScope(connection, to, { signal })
  const rosters = await Promise.all([...handles].map((handle) => readRoster(connection, handle, { signal })))
  return findRecipient(to, rosters.flat()).address
}

/** The same with the scope that its `to` stands for. @throws UsageError for both; and what `scopeOf` throws */
export async function withScope<One extends Written>(
  written: One,
  scopeOf: (to: string) => Promise<string>,
): Promise<One> {
  const { to, scope } = written
  if (to === undefined) return written
  if (scope !== undefined) throw new UsageError('A message goes to "to" or to "scope", not to both.')
  return { ...written, to: undefined, scope: await scopeOf(to) }
}

/**
 * The one session that is meant. What says more goes before what says less: the whole name, the whole id
 * (`s1`, `cc@s1`), all that a title says, the beginning of a name, the beginning of an id.
 *
 * @throws AgentdError `recipient-unknown` with near names, or `field-invalid` with the candidates; field `to`
 */
export function findRecipient<One extends Sought>(to: string, sessions: readonly One[]): One {
  const name = to.toLowerCase()
  const ways: readonly ((session: One) => boolean)[] = [
    (session) => session.name === name,
    (session) => idsOf(session).includes(to),
    (session) => slugOf(session.title ?? '') === name,
    (session) => name !== '' && session.name?.startsWith(name) === true,
    (session) => to.length >= LEAST_ID_CHARS && idsOf(session).some((id) => id.startsWith(to)),
  ]
  for (const isMeant of ways) {
    const [found, ...others] = sessions.filter(isMeant)
    if (found === undefined) continue
    if (others.length > 0) throw ambiguous(to, [found, ...others])
    return found
  }
  throw unknown(to, sessions)
}

function idsOf({ instrument, sessionId }: Sought): readonly string[] {
  return [sessionId, `${instrument}@${sessionId}`]
}

function ambiguous(to: string, candidates: readonly Sought[]): AgentdError {
  const shown = candidates.slice(0, MAX_CANDIDATES).map(callName)
  const more = candidates.length > shown.length ? ` and ${candidates.length - shown.length} more` : ''
  const message = `${quoteName(to)} may be ${shown.join(', ')}${more}; write more of the name.`
  return new AgentdError('field-invalid', message, { field: 'to' })
}

function unknown(to: string, sessions: readonly Sought[]): AgentdError {
  const known = new Map<string, Sought>()
  for (const one of sessions) for (const word of [one.sessionId, callName(one)]) known.set(word, one)
  const near = new Set(nearNames(to, known.keys()).flatMap((word) => known.get(word) ?? []))
  const names = [...near].map(callName).join(', ')
  const hint = near.size === 0 ? 'The roster names those that are there' : `There is ${names}`
  return new AgentdError('recipient-unknown', `No session is called ${quoteName(to)}. ${hint}.`, {
    field: 'to',
  })
}

/** As people call it; an older daemon gives no names. */
function callName({ name, address }: Sought): string {
  return name ?? address
}
