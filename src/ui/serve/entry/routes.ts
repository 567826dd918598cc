/**
 * What a page may do: the routes of the daemon that are on this list, and nothing else.
 *
 * A path is taken apart, its parameters are decoded, and the request to the daemon is written anew from them. No text of a
 * browser's ever becomes part of a path.
 *
 * @see docs/ui.md "What the listener allows"; SEAT-03
 */
import { ROUTES, type RouteName } from '../../../protocol/routes/routes.ts'
import { refusal, type SeatRefusal } from './refusal.ts'

/** Who asks the daemon: the seat's session, or the person it belongs to. */
export type AskedAs = 'session' | 'person'

/** Route of the daemon → as whom it is asked. What is not here is not there. */
const ALLOWED: ReadonlyMap<RouteName, AskedAs> = new Map<RouteName, AskedAs>([
  ['openWatch', 'session'],
  ['getHealth', 'person'],
  ['getEvents', 'person'],
  ['getEvent', 'person'],
  ['getNeeds', 'person'],
  ['getSummary', 'person'],
  ['getReceipts', 'person'],
  ['getThreads', 'person'],
  ['getThread', 'person'],
  ['callVerb', 'session'],
  ['submitEnvelope', 'session'],
  ['markSeen', 'session'],
  // A session may not forget what others sent.
  ['forgetFrames', 'person'],
])

/** What a person says from the seat. Not `agent_send`, which is any frame at all; no leases, since a person holds no file. */
const VERBS: ReadonlySet<string> = new Set([
  'agent_respond',
  'agent_advise',
  'agent_broadcast',
  'agent_handover',
  'agent_query',
  'agent_decide',
  'agent_return',
])

/** Routes that end here. */
const OWN_ROUTES = {
  login: { method: 'POST', path: '/login' },
  hello: { method: 'GET', path: '/hello' },
  logout: { method: 'POST', path: '/logout' },
  editor: { method: 'GET', path: '/editor' },
  signing: { method: 'GET', path: '/signing' },
  thread: { method: 'GET', path: '/thread' },
  visible: { method: 'POST', path: '/visible' },
} as const

type OwnRoute = keyof typeof OWN_ROUTES

/** Those that are for somebody who has no token yet, or will not show it before this process has shown itself. */
const OPEN: ReadonlySet<string> = new Set([OWN_ROUTES.login.path, OWN_ROUTES.hello.path])

/** A request for the daemon, decoded. */
export interface DaemonMatch {
  readonly kind: 'daemon'
  readonly route: RouteName
  readonly as: AskedAs
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
}

/** A request that ends here. */
export interface OwnMatch {
  readonly kind: 'own'
  readonly route: OwnRoute
  readonly query: Readonly<Record<string, string>>
}

/** A request that found where it goes. */
export type SeatMatch = DaemonMatch | OwnMatch

interface Pattern {
  readonly method: string
  readonly segments: readonly string[]
  readonly to: { readonly kind: 'own'; readonly route: OwnRoute } | DaemonTarget
}

type DaemonTarget = { readonly kind: 'daemon'; readonly route: RouteName; readonly as: AskedAs }

const PATTERNS: readonly Pattern[] = [
  ...(['login', 'hello', 'logout', 'editor', 'signing', 'thread', 'visible'] as const).map(
    (route): Pattern => {
      const { method, path } = OWN_ROUTES[route]
      return { method, segments: path.split('/'), to: { kind: 'own', route } }
    },
  ),
  ...[...ALLOWED].map(([route, as]): Pattern => {
    const { method, path } = ROUTES[route]
    return { method, segments: path.split('/'), to: { kind: 'daemon', route, as } }
  }),
]

/** Whether a target is one of those that need no token. */
export function isOpen(target: string): boolean {
  return OPEN.has(splitTarget(target).path)
}

/** @param target - as it came, of a request that has shown its token where it needs one */
export function matchRoute(method: string, target: string): SeatMatch | SeatRefusal {
  const { path, search } = splitTarget(target)
  const parts = path.split('/')
  const candidates = PATTERNS.flatMap((pattern) => {
    const params = readParams(pattern.segments, parts)
    return params === undefined ? [] : [{ ...pattern, params }]
  })
  if (candidates.length === 0) return refusal('not-found', 'A page may not do this, or it is not there.')
  const match = candidates.find((one) => one.method === method)
  if (match === undefined) {
    const allow = [...new Set(candidates.map((one) => one.method))]
    return refusal('method-not-allowed', `This path takes ${allow.join(', ')}.`, { allow })
  }
  const query = readQuery(search)
  if (query === undefined) return refusal('field-invalid', 'A parameter of the query is given twice.')
  const { to } = match
  return to.kind === 'own' ? { ...to, query } : { ...to, path: match.params, query }
}

function splitTarget(target: string): { readonly path: string; readonly search: string } {
  const at = target.indexOf('?')
  return at === -1
    ? { path: target, search: '' }
    : { path: target.slice(0, at), search: target.slice(at + 1) }
}

/** @returns undefined where the path is another one */
function readParams(
  segments: readonly string[],
  parts: readonly string[],
): Record<string, string> | undefined {
  if (segments.length !== parts.length) return undefined
  const params: Record<string, string> = {}
  for (const [at, segment] of segments.entries()) {
    const part = parts[at] ?? ''
    const name = /^\{(\w+)\}$/.exec(segment)?.[1]
    if (name === undefined) {
      if (segment !== part) return undefined
      continue
    }
    const value = decodeSegment(part)
    if (value === undefined || (name === 'verb' && !VERBS.has(value))) return undefined
    params[name] = value
  }
  return params
}

/** @returns undefined for what does not decode, is empty, or means a folder to somebody who joins paths */
function decodeSegment(part: string): string | undefined {
  try {
    const text = decodeURIComponent(part)
    return text === '' || text === '.' || text === '..' ? undefined : text
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

function readQuery(search: string): Readonly<Record<string, string>> | undefined {
  const pairs = [...new URLSearchParams(search)]
  const names = new Set(pairs.map(([name]) => name))
  return names.size === pairs.length ? Object.fromEntries(pairs) : undefined
}
