/**
 * The recipient scope: which sessions a frame is for, as a string with a grammar.
 *
 * @see memo §6, AC-114…AC-129, the ABNF in docs/requirements.md §6
 */
import { AgentdError, unreachable } from '../../core/errors.ts'
import { isHandle, isInstrument, isSessionId } from './handle.ts'
import { ROLE_PATTERN } from './label.ts'
import { MAX_SCOPE_OCTETS } from '../../core/limits.ts'
import { octetLength } from '../../core/text/octets.ts'

/** A parsed scope. `all` is both `~handle` and `~handle/*` (AC-116). */
export type Scope =
  | { readonly form: 'all'; readonly handle: string }
  | { readonly form: 'prefix'; readonly handle: string; readonly prefix: string }
  | {
      readonly form: 'session'
      readonly handle: string
      readonly instrument: string
      readonly sessionId: string
    }
  | { readonly form: 'org'; readonly org: string; readonly role: string | undefined }
  | { readonly form: 'accord'; readonly org: string; readonly grant: string }

const PREFIX_PATTERN = /^[a-z0-9-]{1,32}$/
/** As long as a scope has room: memo §5.7 bounds the whole and no part of it (ACQ-32). */
const GRANT_PATTERN = /^[A-Za-z0-9._:-]+$/

/** Whether a string can be the role of a member: `a-z 0-9 _ -`, a letter or digit first. */
export function isRole(text: string): boolean {
  return ROLE_PATTERN.test(text)
}

/**
 * Reads a scope.
 *
 * @returns undefined when the string is not one; the caller knows which field it stood in
 */
export function readScope(text: string): Scope | undefined {
  if (text.length > MAX_SCOPE_OCTETS || octetLength(text) > MAX_SCOPE_OCTETS) return undefined
  if (text.startsWith('~')) return readHandleScope(text)
  if (text.startsWith('org:')) return readOrgScope(text.slice('org:'.length))
  if (text.startsWith('accord:')) return readAccordScope(text.slice('accord:'.length))
  return undefined
}

/** @throws AgentdError `field-invalid` with the given field (ACQ-05) */
export function requireScope(text: string, field: string): Scope {
  const scope = readScope(text)
  if (scope !== undefined) return scope
  const near = nearScope(text)
  const forms = 'write ~handle, ~handle/*, ~handle/<prefix>* or ~handle/<instrument>@<session-id>.'
  throw new AgentdError(
    'field-invalid',
    `"${field}" is not a scope; ${near === undefined ? forms : `did you mean ${near}? Or ${forms}`}`,
    { field },
  )
}

/** What is left out most often: the star, the members, the tilde. */
const MENDINGS: readonly ((text: string) => string)[] = [
  (text) => text.replace(/^[^@]*/, (head) => head.toLowerCase()),
  (text) => text.replace(/\/$/, ''),
  (text) => `${text}*`,
  (text) => `${text}/*`,
  (text) => `${text}/members/*`,
  (text) => `~${text}`,
]

/** @returns undefined where no small change makes it a scope */
function nearScope(text: string): string | undefined {
  return MENDINGS.map((mend) => mend(text)).find((mended) => readScope(mended) !== undefined)
}

/** The one spelling of a scope that all equal scopes share. */
export function formatScope(scope: Scope): string {
  switch (scope.form) {
    case 'all':
      return `${scope.handle}/*`
    case 'prefix':
      return `${scope.handle}/${scope.prefix}*`
    case 'session':
      return `${scope.handle}/${scope.instrument}@${scope.sessionId}`
    case 'org':
      return `org:${scope.org}/members/${scope.role === undefined ? '*' : `${scope.role}/*`}`
    case 'accord':
      return `accord:${scope.org}/grant:${scope.grant}`
    default:
      return unreachable(scope)
  }
}

/** The handle whose sessions a scope names; the organisation's, for the two forms that cross one (ACQ-03). */
export function scopeHandle(scope: Scope): string {
  return scope.form === 'org' || scope.form === 'accord' ? scope.org : scope.handle
}

/** Who a scope may name. */
export interface Addressee {
  readonly handle: string
  readonly instrument: string
  readonly sessionId: string
}

/** The handles of those members of an organisation who hold a role, or of all; undefined where nobody knows. */
export type MembersOf = (org: string, role: string | undefined) => ReadonlySet<string> | undefined

/** What is judged under a grant. */
export interface SentUnderGrant {
  readonly senderHandle: string
  readonly kind: string
  /** The node it came from; absent: it was sent here. */
  readonly origin?: { readonly node: string } | undefined
}

/** The handles that a grant reaches now; undefined where none does. */
export type ReachedBy = (
  scope: Extract<Scope, { form: 'accord' }>,
  sent: SentUnderGrant,
) => ReadonlySet<string> | undefined

/** Who is in an organisation, and whom a grant reaches. */
export interface Groups {
  readonly membersOf: MembersOf
  readonly reachedBy: ReachedBy
}

/** Whether a frame is for a session, as its scope says now. */
export function isAddressedTo(
  sent: SentUnderGrant & { readonly scope: Scope },
  addressee: Addressee,
  groups?: Groups,
): boolean {
  if (sent.scope.form !== 'accord') return scopeNames(sent.scope, addressee, groups?.membersOf)
  return groups?.reachedBy(sent.scope, sent)?.has(addressee.handle) === true
}

/**
 * Whether a scope names a session: the definition that the broker's index must agree with.
 *
 * @param membersOf - who is in an organisation; without it an `org:` scope names nobody. An `accord:` scope
 *   never does by itself: whom it reaches depends on who sends, see {@link isAddressedTo}
 */
export function scopeNames(scope: Scope, addressee: Addressee, membersOf?: MembersOf): boolean {
  if (scope.form === 'org') return membersOf?.(scope.org, scope.role)?.has(addressee.handle) === true
  if (scope.form === 'accord' || scope.handle !== addressee.handle) return false
  if (scope.form === 'all') return true
  if (scope.form === 'prefix') return addressee.instrument.startsWith(scope.prefix)
  return scope.instrument === addressee.instrument && scope.sessionId === addressee.sessionId
}

function readHandleScope(text: string): Scope | undefined {
  const slash = text.indexOf('/')
  const handle = slash === -1 ? text : text.slice(0, slash)
  if (!isHandle(handle)) return undefined
  const rest = slash === -1 ? '*' : text.slice(slash + 1)
  if (rest === '*') return { form: 'all', handle }
  if (rest.endsWith('*')) {
    const prefix = rest.slice(0, -1)
    return PREFIX_PATTERN.test(prefix) ? { form: 'prefix', handle, prefix } : undefined
  }
  const at = rest.indexOf('@')
  if (at === -1) return undefined
  const instrument = rest.slice(0, at)
  const sessionId = rest.slice(at + 1)
  if (!isInstrument(instrument) || !isSessionId(sessionId)) return undefined
  return { form: 'session', handle, instrument, sessionId }
}

function readOrgScope(text: string): Scope | undefined {
  const [head, tail] = splitAt(text, '/members/')
  const org = readOrg(head)
  if (org === undefined || tail === undefined) return undefined
  if (tail === '*') return { form: 'org', org, role: undefined }
  if (!tail.endsWith('/*')) return undefined
  const role = tail.slice(0, -2)
  return isRole(role) ? { form: 'org', org, role } : undefined
}

function readAccordScope(text: string): Scope | undefined {
  const [head, grant] = splitAt(text, '/grant:')
  const org = readOrg(head)
  if (org === undefined || grant === undefined || !GRANT_PATTERN.test(grant)) return undefined
  return { form: 'accord', org, grant }
}

/** An organisation's handle, with the tilde whether or not it was written (ACQ-04). */
export function readOrg(text: string): string | undefined {
  const handle = text.startsWith('~') ? text : `~${text}`
  return isHandle(handle) ? handle : undefined
}

function splitAt(text: string, separator: string): [string, string | undefined] {
  const index = text.indexOf(separator)
  return index === -1 ? [text, undefined] : [text.slice(0, index), text.slice(index + separator.length)]
}
