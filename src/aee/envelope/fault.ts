/**
 * What is wrong with a member, in the words that every reader of envelopes uses for it.
 */
import { clip } from '../../core/text/clip.ts'
import { AgentdError } from '../../core/errors.ts'

/** Something about a valid envelope that somebody should know. */
export interface ConformanceFinding {
  /** The member as a dotted path, array indices in brackets (ACQ-39). */
  readonly field: string
  /** The end of a sentence that begins with the member's name: `must be …`. Never holds a value. */
  readonly rule: string
}

/** A longer name is cut where it is told: a path has to be read by somebody. */
const MAX_NAME_LENGTH = 64

/** Characters of a name that a sentence has room for. */
const MAX_QUOTED_LENGTH = 128

/** A member that has to be there and is not. */
export function missingField(field: string): AgentdError {
  return new AgentdError('field-missing', `"${field}" is required.`, { field })
}

/** A member that is not what it has to be. */
export function invalidField(field: string, rule: string): AgentdError {
  return new AgentdError('field-invalid', toSentence({ field, rule }), { field })
}

/** `"ts" must be a timestamp.` */
export function toSentence({ field, rule }: ConformanceFinding): string {
  return `"${field}" ${rule}.`
}

/** A member's name as it stands in a path. */
export function nameInPath(name: string): string {
  return clip(name, MAX_NAME_LENGTH)
}

/** A name as a sentence repeats it: in quotes, escaped as in JSON, and not a megabyte long. */
export function quoteName(name: string): string {
  return JSON.stringify(clip(name, MAX_QUOTED_LENGTH))
}
