/**
 * The subscribe-time filter: a narrowing that the daemon applies, never the subscriber.
 *
 * @see memo §8, AC-148…AC-158, ACQ-27…ACQ-29
 */
import { AgentdError, unreachable } from '../../core/errors.ts'
import { didYouMean } from '../../core/text/edit-distance.ts'
import { quoted } from '../../core/text/quoted.ts'
import { isHandle, isToolClass } from '../address/handle.ts'
import { isKind, KIND_NAMES } from './kinds.ts'
import { noKindWords } from './spoken-kind.ts'
import { readOrg } from '../address/scope.ts'

/** The axes of envelope version 1.0. */
export type FilterAxis = 'kind' | 'sender' | 'content_type' | 'tool' | 'org'

/** One `axis:value` condition; a filter is the AND of its clauses. */
export interface FilterClause {
  readonly axis: FilterAxis
  readonly value: string
}

export type Filter = readonly FilterClause[]

/** What a filter looks at: facts of the frame and of the session that sent it. */
export interface FilterFacts {
  readonly kind: string
  readonly senderHandle: string
  /** Tool class of the sending session; undefined when the principal itself sent it. */
  readonly tool: string | undefined
  /** Its scope as text, or the beginning of it up to the first slash and with that. */
  readonly scopeText: string
}

/** Every frame (AC-150). */
export const EVERYTHING: Filter = []

/** What each axis takes as a value; a table, so that an axis without a rule cannot exist. */
const VALUE_RULES: Readonly<Record<FilterAxis, { takes: (value: string) => boolean; says: string }>> = {
  kind: { takes: isKind, says: 'one of the fifteen kinds' },
  sender: { takes: isHandle, says: 'a canonical handle such as ~alice' },
  content_type: { takes: (value) => value !== '', says: 'a content type' },
  tool: { takes: isToolClass, says: 'a tool class such as cc or codex' },
  org: { takes: (value) => readOrg(value) !== undefined, says: 'an organisation handle' },
}

/** The axes of a filter, each with what it takes, as the end of a sentence. */
export const FILTER_AXES: readonly (readonly [string, string])[] = Object.entries(VALUE_RULES).map(
  ([axis, { says }]) => [axis, says],
)

/**
 * Reads a filter expression; an empty one matches everything. It is as long as the head of the request that it stands in.
 *
 * @throws AgentdError `filter-axis-unknown` (AC-157) or `filter-value-invalid` (AC-151, AC-152), field `filter`
 */
export function parseFilter(text: string): Filter {
  if (text === '') return EVERYTHING
  // Once each: of clauses that differ on one axis the second ends the look, so a long filter costs no more than a short one.
  return [...new Set(text.split(','))].map(parseClause)
}

/** Whether a filter admits a frame. `content_type` admits none in version 1.0 (AC-156, ACQ-28), `org` no envelope. */
export function filterAdmits(filter: Filter, facts: FilterFacts): boolean {
  return filter.every((clause) => {
    switch (clause.axis) {
      case 'kind':
        return facts.kind === clause.value
      case 'sender':
        return facts.senderHandle === clause.value
      case 'tool':
        return facts.tool === clause.value
      case 'org':
        return facts.scopeText.startsWith(`org:${clause.value}/`) && isKind(facts.kind)
      case 'content_type':
        return false
      default:
        return unreachable(clause.axis)
    }
  })
}

function parseClause(clause: string): FilterClause {
  const colon = clause.indexOf(':')
  const axis = colon === -1 ? clause : clause.slice(0, colon)
  if (!isAxis(axis)) {
    const axes = Object.keys(VALUE_RULES)
    const near = didYouMean(axis, axes)
    throw new AgentdError(
      'filter-axis-unknown',
      `${quoted(axis)} is not a filter axis${near === '' ? '; the' : `${near} The`} axes are ${axes.join(', ')}.`,
      { field: 'filter' },
    )
  }
  const value = colon === -1 ? undefined : clause.slice(colon + 1)
  const rule = VALUE_RULES[axis]
  if (value === undefined || !rule.takes(value)) {
    const why = axis === 'kind' && value !== undefined ? ` ${noKindWords(value, KIND_NAMES)}` : ''
    throw invalidValue(`The filter axis "${axis}" takes ${rule.says}.${why}`)
  }
  // Frames have one spelling of a scope (ACQ-04).
  return { axis, value: axis === 'org' ? (readOrg(value) ?? value) : value }
}

function isAxis(text: string): text is FilterAxis {
  return Object.hasOwn(VALUE_RULES, text)
}

/** One spelling of the error for a value that an axis, or the parameter as a whole, does not take. */
export function invalidValue(message: string): AgentdError {
  return new AgentdError('filter-value-invalid', message, { field: 'filter' })
}
