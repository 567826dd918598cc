/**
 * What a schema without zod asks of a value beyond its type, and what it says of one that will not do: under the names,
 * and in the order, of zod, and in the words of `core/issue-words.ts`.
 */
import { wordIssue } from '../../core/issue-words.ts'

/** One fault of a value. `keys` are those that no schema knows. */
export interface Fault {
  readonly code: string
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly keys?: readonly string[]
  /** Whether what comes after it has a meaning still. */
  readonly continue: boolean
  readonly [detail: string]: unknown
}

/** What a check says, where that is not what its kind says: a sentence, and the member it is about. */
export type Told = string | { readonly message: string; readonly path?: readonly PropertyKey[] } | undefined

/** One check; the names in its definition are those that the acceptor compiles. */
export interface Check {
  readonly _zod: { readonly def: Readonly<Record<string, unknown>> }
  readonly holds: (value: unknown) => unknown
  /** What is said of a value that does not hold; a length is told by what has it, not by what was wanted. */
  readonly faultOf: (value: unknown) => Fault
  /** Whether it is asked whatever was found before: a length is. */
  readonly isForced: boolean
  /** Whether it bounds a length from above. */
  readonly isBound: boolean
}

/** A fault of a kind. @param more - what zod says besides */
export function fault(code: string, more: Readonly<Record<string, unknown>> = {}): Fault {
  return { code, path: [], message: wordIssue({ code, ...more }), continue: false, ...more }
}

/** A value of another type. */
export function wrongType(expected: string, input: unknown): Fault {
  return fault('invalid_type', { expected, input })
}

/** Anything a function can say of a value. */
export function custom(holds: (value: unknown) => unknown, told: Told): Check {
  return check({ check: 'custom', fn: holds }, holds, { code: 'custom', told })
}

/** A text that fits an expression. */
export function matching(pattern: RegExp, told: Told): Check {
  const def = { check: 'string_format', format: 'regex', pattern }
  const holds = (value: unknown): boolean => typeof value === 'string' && pattern.test(value)
  return check(def, holds, { code: 'invalid_format', told, format: 'regex', pattern: String(pattern) })
}

/** A list, or a text counted in code points. */
export function longEnough(minimum: number, told: Told): Check {
  const holds = (value: unknown): boolean => Number(lengthOf(value)) >= minimum
  const def = { check: 'min_length', minimum }
  return check(def, holds, { code: 'too_small', told, minimum, inclusive: true })
}

/** As {@link longEnough}, from above. */
export function shortEnough(maximum: number, told: Told): Check {
  const holds = (value: unknown): boolean => Number(lengthOf(value)) <= maximum
  const def = { check: 'max_length', maximum }
  return check(def, holds, { code: 'too_big', told, maximum, inclusive: true })
}

/** A number, the bound included. */
export function atLeast(minimum: number, told: Told): Check {
  const holds = (value: unknown): boolean => Number(value) >= minimum
  const def = { check: 'greater_than', value: minimum, inclusive: true }
  return check(def, holds, { code: 'too_small', told, minimum, inclusive: true })
}

/** As {@link atLeast}, the bound left out. */
export function above(minimum: number): Check {
  const holds = (value: unknown): boolean => Number(value) > minimum
  const def = { check: 'greater_than', value: minimum, inclusive: false }
  return check(def, holds, { code: 'too_small', told: undefined, minimum, inclusive: false })
}

/** As {@link atLeast}, from above. */
export function atMost(maximum: number, told: Told): Check {
  const holds = (value: unknown): boolean => Number(value) <= maximum
  const def = { check: 'less_than', value: maximum, inclusive: true }
  return check(def, holds, { code: 'too_big', told, maximum, inclusive: true })
}

/** A whole number that a double holds exactly; how one beyond that is refused is zod's choice, and neither stops. */
export function findUnsafe(value: number): Fault | undefined {
  if (Number.isSafeInteger(value)) return undefined
  return value > 0
    ? fault('too_big', { maximum: Number.MAX_SAFE_INTEGER, continue: true })
    : fault('too_small', { minimum: Number.MIN_SAFE_INTEGER, continue: true })
}

/** What a check says of a value that has these faults already; undefined for nothing. */
export function findFault({ holds, isForced, faultOf }: Check, value: unknown, faults: readonly Fault[]) {
  if (isForced ? lengthOf(value) === undefined : faults.some((found) => !found.continue)) return undefined
  return holds(value) ? undefined : faultOf(value)
}

function check(
  def: Readonly<Record<string, unknown>>,
  holds: (value: unknown) => unknown,
  { told, code, ...more }: { readonly told: Told; readonly code: string; readonly [detail: string]: unknown },
): Check {
  const isBound = 'maximum' in def
  const isForced = isBound || 'minimum' in def
  const faultOf = (value: unknown): Fault => {
    const details = isForced ? { ...more, origin: originOf(value) } : more
    const { message = wordIssue({ code, ...details }), path = [] } =
      typeof told === 'string' ? { message: told } : (told ?? {})
    return { code, path, message, continue: true, ...details }
  }
  return { _zod: { def }, holds, isForced, isBound, faultOf }
}

/** Undefined for what has none; of a text the code points. An object may have a member of that name, and zod reads it. */
function lengthOf(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) return Reflect.get(value, 'length')
  if (typeof value !== 'string') return undefined
  let points = 0
  for (const _ of value) points += 1
  return points
}

/** What it is whose length is told. */
function originOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'string' ? 'string' : 'unknown'
}
