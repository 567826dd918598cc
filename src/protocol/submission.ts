/**
 * A submission: a frame and the scope it is for, in a closed wrapper, because the frame itself is closed and
 * has no room for a scope (ACQ-02).
 */
import { AgentdError } from '../core/errors.ts'
import { parseFrame, type Frame, type FrameCheck } from './frame.ts'
import { decodeText, parseBoundedJson, requireUniqueNames } from './json.ts'
import { MAX_FRAME_OCTETS } from './limits.ts'
import { requireScope, type Scope } from './scope.ts'
import { octetLength } from './text.ts'

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
  const value = parseBoundedJson(text, 'frame')
  const frameText = frameTextOf(value)
  requireUniqueNames(text, reserialise(value, frameText), 'frame')
  return readSubmission(value, frameText, check)
}

/** As {@link decodeSubmission}, from a value; for frames that agentd composed itself. */
export function parseSubmission(value: unknown, check: FrameCheck = {}): Submission {
  return readSubmission(value, frameTextOf(value), check)
}

function readSubmission(value: unknown, text: string, check: FrameCheck): Submission {
  const { frame: frameValue, recipientScope } = openWrapper(value)
  if (text.length * 3 > MAX_FRAME_OCTETS && octetLength(text) > MAX_FRAME_OCTETS) throw frameTooLarge()
  return { frame: parseFrame(frameValue, check), text, recipientScope }
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

/** The frame's own JSON, serialised once: it is also most of the wrapper's. */
function frameTextOf(value: unknown): string {
  const frame: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'frame') : undefined
  return JSON.stringify(frame) ?? 'null'
}

/** `JSON.stringify(value)`, made from the frame's text where the wrapper has one of its two usual forms. */
function reserialise(value: unknown, frameText: string): string {
  if (typeof value === 'object' && value !== null) {
    const names = Object.keys(value).join()
    if (names === 'frame') return `{"frame":${frameText}}`
    const scope = JSON.stringify(Reflect.get(value, 'recipient_scope'))
    if (names === 'recipient_scope,frame') return `{"recipient_scope":${scope},"frame":${frameText}}`
  }
  return JSON.stringify(value)
}

function openWrapper(value: unknown): { frame: unknown; recipientScope: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AgentdError('field-invalid', 'A submission is {"recipient_scope": …, "frame": {…}}.', {
      field: 'frame',
    })
  }
  const names = Object.keys(value)
  const stranger = names.filter((name) => name !== 'frame' && name !== 'recipient_scope').toSorted()[0]
  if (stranger !== undefined) {
    throw new AgentdError(
      'field-unknown',
      `"${stranger}" does not belong beside "frame" and "recipient_scope"; wrap the frame as {"frame": {…}}.`,
      { field: stranger },
    )
  }
  if (!Object.hasOwn(value, 'frame'))
    throw new AgentdError('field-missing', '"frame" is required.', { field: 'frame' })
  return { frame: Reflect.get(value, 'frame'), recipientScope: Reflect.get(value, 'recipient_scope') }
}
