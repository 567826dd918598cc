/**
 * What members of several texts of the link must be.
 */
import { anyOf, type MemberRule } from '../../aee/envelope/member-rule.ts'
import { withinOctets } from '../../core/text/octets.ts'
import { readEventId } from '../../protocol/address/event-id.ts'
import { HANDLE_PATTERN, isLabel, readAddress } from '../../protocol/address/label.ts'

/** Control characters: none of them belongs into a name or a line of a log. */
const CONTROL = /\p{Cc}/u

const isNull = (value: unknown): boolean => value === null
const isPlace = (value: unknown): boolean => typeof value === 'string' && readEventId(value) !== undefined

/** `6f1c-41`. */
export const PLACE: MemberRule = anyOf('an event id', isPlace)
export const PLACE_OR_NULL: MemberRule = anyOf('an event id or null', isPlace, isNull)

/** Milliseconds since 1970, or how many there are of something. */
export const COUNT: MemberRule = anyOf(
  'a whole number of 0 or more',
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
)

export const FLAG: MemberRule = anyOf('true or false', (value) => typeof value === 'boolean')

export const NODE: MemberRule = anyOf(
  'the name of a machine, 1 to 32 of a-z 0-9 -',
  (value) => typeof value === 'string' && isLabel(value),
)

/** A machine of one's own by its label, and somebody else's behind the handle: `box`, `~bob/box`. */
export const NODE_ID: MemberRule = anyOf(
  'the name of a machine such as box or ~bob/box',
  (value) => typeof value === 'string' && isNodeId(value),
)

export const ADDRESS: MemberRule = anyOf(
  'the address of a session',
  (value) => typeof value === 'string' && readAddress(value) !== undefined,
)

function isNodeId(text: string): boolean {
  const slash = text.indexOf('/')
  return isLabel(text.slice(slash + 1)) && (slash === -1 || HANDLE_PATTERN.test(text.slice(0, slash)))
}

/** Text of 1 to so many octets without control characters. */
export function shortText(maxOctets: number): MemberRule {
  return anyOf(
    `1 to ${maxOctets} octets without control characters`,
    (value) => typeof value === 'string' && withinOctets(value, 1, maxOctets) && !CONTROL.test(value),
  )
}
