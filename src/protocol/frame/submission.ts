/**
 * A submission: a frame and the scope it is for, in a closed wrapper, because the frame itself is closed and
 * has no room for a scope (ACQ-02).
 */
import { AgentdError } from '../../core/errors.ts'
import { parseFrame, type Frame, type FrameCheck } from './frame.ts'
import { decodeText, readJson } from '../../core/text/json.ts'
import type { JsonShape } from '../../core/text/json-shape.ts'
import { MAX_FRAME_OCTETS } from '../../core/limits.ts'
import { requireScope, type Scope } from '../address/scope.ts'
import { octetLength } from '../../core/text/octets.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

/** A frame that has passed steps 1 to 7 of ACQ-08; its scope is still as it came. */
export interface Submission {
  readonly frame: Frame
  /** The frame's JSON on one line: what every recipient gets, member for member. */
  readonly text: string
  /** The wrapper's scope member: the last thing to be looked at, after the sender's identity (ACQ-08). */
  readonly recipientScope: unknown
}

/**
 * Reads the wrapper `{"recipient_scope"?, "frame"}`.
 *
 * A frame whose text was already canonical goes out as it came; any other goes out as its re-serialisation,
 * so that every recipient sees exactly what was validated.
 *
 * @throws AgentdError the first fault by ACQ-08, the scope's aside
 */
export function decodeSubmission(bytes: Uint8Array, check: FrameCheck = {}): Submission {
  const text = decodeText(bytes, 'frame')
  const { value, shape } = readJson(text, 'frame')
  return readSubmission(value, check, (wrapper) => frameTextIn(text, shape, wrapper))
}

/** As {@link decodeSubmission}, from a value; for frames that agentd composed itself. */
export function parseSubmission(value: unknown, check: FrameCheck = {}): Submission {
  return readSubmission(value, check, ({ frame }) => JSON.stringify(frame) ?? 'null')
}

/** @param toText - gives the frame's JSON */
function readSubmission(value: unknown, check: FrameCheck, toText: (wrapper: Wrapper) => string): Submission {
  const wrapper = openWrapper(value)
  const text = toText(wrapper)
  if (text.length * 3 > MAX_FRAME_OCTETS && octetLength(text) > MAX_FRAME_OCTETS) throw frameTooLarge()
  return { frame: parseFrame(wrapper.frame, check), text, recipientScope: wrapper.recipientScope }
}

/**
 * The scope a submission is for; absent, every session of the recipient.
 *
 * @throws AgentdError `field-invalid`, field `recipient_scope` (ACQ-05)
 */
export function requireRecipientScope(submission: Submission): Scope {
  const { frame, recipientScope = `${frame.recipient_handle}/*` } = submission
  if (typeof recipientScope === 'string') return requireScope(recipientScope, 'recipient_scope')
  throw new AgentdError('field-invalid', '"recipient_scope" must be a string.', { field: 'recipient_scope' })
}

export function frameTooLarge(): AgentdError {
  return new AgentdError(
    'frame-too-large',
    `A frame is at most ${MAX_FRAME_OCTETS} octets of JSON; send a reference to what is larger.`,
    { field: 'frame' },
  )
}

/** What stands before the frame in the two usual forms of a wrapper, the scope's own characters aside. */
const BEFORE_FRAME = '{"frame":'.length
const BESIDE_SCOPE = '{"recipient_scope":"","frame":'.length

/**
 * `JSON.stringify(frame)`, cut out of the wrapper's text where that is sure to be the same. A frame has no name
 * that is an array index and no integer that a double cannot hold, or it is refused for it.
 */
function frameTextIn(
  text: string,
  { isPlain }: JsonShape,
  { frame, recipientScope, names }: Wrapper,
): string {
  if (isPlain && names.at(-1) === 'frame') {
    if (names.length === 1) return text.slice(BEFORE_FRAME, -1)
    if (typeof recipientScope === 'string') return text.slice(BESIDE_SCOPE + recipientScope.length, -1)
  }
  return JSON.stringify(frame)
}

/** The wrapper's members, and their names in the order they came. */
interface Wrapper {
  readonly frame: unknown
  readonly recipientScope: unknown
  readonly names: readonly string[]
}

function openWrapper(value: unknown): Wrapper {
  if (!isJsonObject(value)) {
    throw new AgentdError('field-invalid', 'A submission is {"recipient_scope": …, "frame": {…}}.', {
      field: 'frame',
    })
  }
  const names = Object.keys(value)
  const strangers = names.filter((name) => name !== 'frame' && name !== 'recipient_scope')
  if (strangers.length > 0) throw notInWrapper(strangers)
  if (!names.includes('frame'))
    throw new AgentdError('field-missing', '"frame" is required.', { field: 'frame' })
  return { frame: value['frame'], recipientScope: value['recipient_scope'], names }
}

/** Of several, the one that comes first in the order of code units. */
function notInWrapper(strangers: readonly string[]): AgentdError {
  const stranger = strangers.toSorted()[0] ?? ''
  return new AgentdError(
    'field-unknown',
    `"${stranger}" does not belong beside "frame" and "recipient_scope"; wrap the frame as {"frame": {…}}.`,
    { field: stranger },
  )
}
