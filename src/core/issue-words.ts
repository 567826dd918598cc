/**
 * What a schema says of a value it does not take, in our words: the end of a sentence that begins with the field. Whoever
 * reads a refusal has not heard of the library that found the fault (docs/errors.md).
 */

/** A fault as zod tells it; which of the members are there depends on the code. */
export interface SchemaIssue {
  readonly code?: string | undefined
  readonly input?: unknown
  /** Of `invalid_type`. */
  readonly expected?: unknown
  /** Of `invalid_value`. */
  readonly values?: unknown
  /** Of `too_big` and `too_small`: what is too much of it, as the types are called. */
  readonly origin?: unknown
  readonly maximum?: unknown
  readonly minimum?: unknown
  readonly inclusive?: unknown
}

/** Type of a schema → what a value of it is called. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

/** What a bound counts; a number is its own size. */
const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'items', record: 'members' }

/** Choices that are named; a sentence with more of them would not be read. */
const MAX_CHOICES = 20

/** For a schema that says what fails and not how; a test looks for it in the refusals of every route. */
const SOMETHING_ELSE = 'does not have the form it must have'

/**
 * The words for a fault that its schema has none of its own for.
 *
 * @returns such as `must be a string`, without the field and without the full stop
 */
export function wordIssue(issue: SchemaIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return wordType(issue)
    case 'invalid_value':
      return wordChoices(issue.values)
    case 'too_big':
      return wordBound(issue, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)
    case 'too_small':
      return wordBound(issue, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)
    case 'unrecognized_keys':
      return 'has a field that does not exist'
    case undefined:
    default:
      return SOMETHING_ELSE
  }
}

function wordType({ expected, input }: SchemaIssue): string {
  // JSON has no such numbers; 1e400 becomes one.
  if (typeof input === 'number' && !Number.isFinite(input)) return 'must be a number that a double can hold'
  const type = String(expected)
  return `must be ${Object.hasOwn(TYPES, type) ? TYPES[type] : `of the type ${type}`}`
}

/** `must be "1.0"`, `must be one of "low", "high"` */
function wordChoices(values: unknown): string {
  const choices = Array.isArray(values) ? values.map((value) => JSON.stringify(value)) : []
  const [only = ''] = choices
  if (choices.length <= 1) return `must be ${only}`
  const more = choices.length > MAX_CHOICES ? ', …' : ''
  return `must be one of ${choices.slice(0, MAX_CHOICES).join(', ')}${more}`
}

/** `must be at most 3600000`, `must be more than 0`, `must hold at least 2 items` */
function wordBound({ origin }: SchemaIssue, side: string, bound: unknown): string {
  const unit = UNITS[String(origin)]
  const size = `${side} ${String(bound)}`
  return unit === undefined ? `must be ${size}` : `must hold ${size} ${unit}`
}
