/**
 * From a schema's issues to the one error a caller is told: unknown names before missing ones before bad
 * values (ACQ-08), with the field as a path (ACQ-39).
 */
import type { z } from 'zod'
import { AgentdError } from '../../core/errors.ts'
import { wordIssue } from '../../core/issue-words.ts'

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/**
 * The first fault of a value that a closed schema refused.
 *
 * @param issues - what the schema said, in schema order; at least one
 * @param value - what it was said about
 * @param whole - the field to name when the fault is the value itself
 */
export function describeIssues(issues: readonly Issue[], value: unknown, whole: string): AgentdError {
  const unknown = firstUnknown(issues)
  if (unknown !== undefined) return describe('field-unknown', unknown, whole, 'is not a field of this object')
  const missing = issues.find((issue) => issue.path.length > 0 && isAbsent(value, issue.path))
  if (missing !== undefined) return describe('field-missing', missing.path, whole, 'is required')
  const [invalid] = issues
  return describe('field-invalid', invalid?.path ?? [], whole, invalid?.message ?? 'is invalid')
}

/**
 * A value that a schema admits, as the schema returns it.
 *
 * @param whole - the field to name when the fault is the value itself
 * @throws AgentdError `field-unknown`, `field-missing` or `field-invalid`
 */
export function requireShape<T>(schema: z.ZodType<T>, value: unknown, whole: string): T {
  const parsed = inOwnWords(schema, value)
  if (parsed.success) return parsed.data
  throw describeIssues(parsed.error.issues, value, whole)
}

/** What a schema makes of a value, every issue in words of ours: its own, or those of `issue-words.ts`. */
export function inOwnWords<T>(schema: z.ZodType<T>, value: unknown): z.ZodSafeParseResult<T> {
  return schema.safeParse(value, { error: wordIssue })
}

/** `payload.question.options[1].label` */
export function formatPath(path: Path): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else text += text === '' ? String(step) : `.${String(step)}`
  }
  return text
}

/** The lexicographically first name that no schema knows, as a path. */
function firstUnknown(issues: readonly Issue[]): Path | undefined {
  const paths = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key): Path => [...issue.path, key]) : [],
  )
  return paths.toSorted((a, b) => (formatPath(a) < formatPath(b) ? -1 : 1))[0]
}

/** Whether the last step of a path names a member that its object does not have of its own (ACQ-40). */
function isAbsent(value: unknown, path: Path): boolean {
  let holder = value
  for (const step of path.slice(0, -1)) {
    if (typeof holder !== 'object' || holder === null) return false
    holder = Reflect.get(holder, step)
  }
  const name = path.at(-1)
  return typeof holder === 'object' && holder !== null && name !== undefined && !Object.hasOwn(holder, name)
}

function describe(
  code: 'field-unknown' | 'field-missing' | 'field-invalid',
  path: Path,
  whole: string,
  rule: string,
) {
  // A member may be named "", and then that is the field; only a whole without a name has none.
  const isNamed = path.length > 0 || whole !== ''
  const field = path.length > 0 ? formatPath(path) : whole
  return new AgentdError(code, `"${field}" ${rule}.`, isNamed ? { field } : {})
}
