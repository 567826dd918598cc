/**
 * Blacking out parts of an envelope by path.
 *
 * A path begins with `payload`, `requires` or `trace` and goes down by dots: `payload.user.email`,
 * `payload.items.0.token`, `payload.items.*.token`. A `*` stands for every member or item; a dot within a name
 * is written `\.`, a backslash `\\`.
 *
 * @see AEE-093
 */
import { UsageError } from '../../core/errors.ts'
import { REDACTED } from '../../core/secrets/redaction.ts'
import type { RecordMembers } from '../envelope/record.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

/** A parsed path. */
export interface RedactionPath {
  /** As it was written. */
  readonly text: string
  /** The members of the envelope whose parts may be blacked out; the others route it and cannot be. */
  readonly root: string
  readonly steps: readonly string[]
}

const ROOTS: readonly string[] = ['payload', 'requires', 'trace']

/** One name of a path; dots and backslashes within it are escaped. */
const STEP = /(?:\\[.\\]|[^.\\])+/g

/** As deep as JSON may be here; a longer path leads nowhere. */
const MAX_STEPS = 64

/**
 * Reads a path.
 *
 * @throws UsageError with a sentence, so that a misspelt path never silently lets something through
 */
export function readRedactionPath(text: string): RedactionPath {
  const names = text.match(STEP) ?? []
  const [root, ...steps] = names.map((name) => name.replaceAll(/\\([.\\])/g, '$1'))
  // The names and the dots between them are all there may be: no empty name, no other escape.
  if (names.join('.') !== text) throw new UsageError(`The path "${text}" has an empty or broken name.`)
  if (root === undefined || !ROOTS.includes(root))
    throw new UsageError(`The path "${text}" must begin with ${ROOTS.join(', ')}.`)
  if (steps.length === 0)
    throw new UsageError(`The path "${text}" must name a part of ${root}, such as ${root}.*.`)
  if (steps.length > MAX_STEPS) throw new UsageError(`The path "${text}" has more than ${MAX_STEPS} names.`)
  return { text, root, steps }
}

/** A copy without what the path leads to; the very same object when it leads nowhere. */
export function redact(envelope: RecordMembers, { root, steps }: RedactionPath): RecordMembers {
  if (!Object.hasOwn(envelope, root)) return envelope
  const before = envelope[root]
  const after = replaceAt(before, steps, 0)
  return after === before ? envelope : { ...envelope, [root]: after }
}

function replaceAt(value: unknown, steps: readonly string[], at: number): unknown {
  const step = steps[at]
  if (step === undefined) return REDACTED
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value
    const replaced = items.map((item, index) =>
      step === '*' || step === String(index) ? replaceAt(item, steps, at + 1) : item,
    )
    return replaced.some((item, index) => item !== items[index]) ? replaced : value
  }
  if (!isJsonObject(value)) return value
  const replaced = Object.entries(value).map(([name, member]) => ({
    name,
    member: step === '*' || step === name ? replaceAt(member, steps, at + 1) : member,
  }))
  const isSame = replaced.every(({ name, member }) => member === value[name])
  // `fromEntries` defines members, also one called `__proto__`; assigning would set the prototype.
  return isSame ? value : Object.fromEntries(replaced.map(({ name, member }) => [name, member]))
}
