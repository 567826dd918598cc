/**
 * From a method and a path to a route of the table.
 */
import { SetMap } from '../../core/collections/set-map.ts'
import { AgentdError } from '../../core/errors.ts'
import type { Route } from '../../protocol/routes/route.ts'
import { ROUTES, type RouteName } from '../../protocol/routes/routes.ts'

/** A request that found its route. */
export interface Match {
  readonly name: RouteName
  readonly route: Route
  /** Path parameters, percent-decoded. */
  readonly params: ReadonlyMap<string, string>
}

interface Pattern {
  readonly name: RouteName
  readonly route: Route
  readonly segments: readonly string[]
}

/** Those of so many segments, by how many they are: no other one can fit. */
const PATTERNS = new SetMap<number, Pattern>()
for (const [name, route] of Object.entries(ROUTES)) {
  const segments = route.path.split('/')
  if (isRouteName(name)) PATTERNS.add(segments.length, { name, route, segments })
}

/**
 * Finds the route of a request.
 *
 * @param path - as it came, without the query
 * @param isLinked - whether the paths of links are there; asked for such a path alone
 * @throws AgentdError `not-found`, `method-not-allowed` with the methods that are, `field-invalid` for a path
 *   that does not decode
 */
export function findRoute(method: string, path: string, isLinked: () => boolean): Match {
  const segments = path.split('/')
  const candidates: Pattern[] = []
  for (const pattern of PATTERNS.of(segments.length))
    if (fits(pattern.segments, segments) && (pattern.route.onlyLinked !== true || isLinked()))
      candidates.push(pattern)
  // A literal segment wins over a parameter: /v1/sessions/self is no handle.
  const [first] = candidates
  if (first === undefined) throw nothingHere()
  const match = candidates.find(({ route }) => route.method === method)
  if (match !== undefined)
    return { name: match.name, route: match.route, params: readParams(match.segments, segments) }
  const allow = [...new Set(candidates.map(({ route }) => route.method))]
  throw new AgentdError('method-not-allowed', `This path takes ${allow.join(', ')}.`, { allow })
}

/** The refusal of a path that is none. */
export function nothingHere(): AgentdError {
  return new AgentdError('not-found', 'There is nothing at this path; see GET /v1/openapi.json.')
}

/** @param segments - as many as the pattern's */
function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  return pattern.every((part, i) => (isParam(part) ? segments[i] !== '' : part === segments[i]))
}

function readParams(pattern: readonly string[], segments: readonly string[]): ReadonlyMap<string, string> {
  const params = new Map<string, string>()
  pattern.forEach((part, i) => {
    if (isParam(part)) params.set(part.slice(1, -1), decodeSegment(segments[i] ?? '', part.slice(1, -1)))
  })
  return params
}

function decodeSegment(segment: string, field: string): string {
  try {
    return decodeURIComponent(segment)
  } catch (cause) {
    throw new AgentdError('field-invalid', `"${field}" in the path is not valid percent-encoding.`, {
      field,
      cause,
    })
  }
}

function isParam(part: string): boolean {
  return part.startsWith('{')
}

function isRouteName(name: string): name is RouteName {
  return Object.hasOwn(ROUTES, name)
}
