/**
 * A submission: a frame and the scope it is for, in a closed wrapper, because the frame itself is closed and
 * has no room for a scope (ACQ-02). Who knows the memo alone sends the frame itself, and says the scope beside it.
 */
import { AgentdError } from '../../core/errors.ts'
import { isFrameMember, parseFrame, requirePlausible, type Frame, type FrameCheck } from './frame.ts'
import { findFrame, learnFrame } from './frame-shapes.ts'
import type { FrameHead } from './frame-members.ts'
import { PLAIN } from './text-pattern.ts'
import { decodeText, readJson } from '../../core/text/json.ts'
import type { JsonShape } from '../../core/text/json-shape.ts'
import { MAX_FRAME_OCTETS } from '../../core/limits.ts'
import { requireScope, type Scope } from '../address/scope.ts'
import { octetLength } from '../../core/text/octets.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

/** A frame that has passed steps 1 to 7 of ACQ-08; its scope is still as it came. */
export interface Submission {
  /** What it is routed by. */
  readonly head: FrameHead
  /** All of it; of a frame that was only recognised it is parsed when somebody asks. */
  readonly frame: Frame
  /** The frame's JSON on one line: what every recipient gets, member for member. */
  readonly text: string
  /** The scope, of the wrapper or from beside it: the last thing to be looked at, after the sender's identity (ACQ-08). */
  readonly recipientScope: unknown
}

/** What is known of a submission besides its text. */
interface SubmissionCheck extends FrameCheck {
  /** The scope that was said beside the body, in the query; undefined for none. */
  readonly scopeBeside?: string | undefined
}

/**
 * Reads the wrapper `{"recipient_scope"?, "frame"}`, or a frame.
 *
 * A frame whose text was already canonical goes out as it came; any other goes out as its re-serialisation,
 * so that every recipient sees exactly what was validated.
 *
 * @throws AgentdError the first fault by ACQ-08, the scope's aside
 */
export function decodeSubmission(bytes: Uint8Array, check: SubmissionCheck = {}): Submission {
  const text = decodeText(bytes, 'frame')
  const plain = findPlainFrame(text)
  // Far below every bound on values and members too.
  const found = bytes.length * 3 > MAX_FRAME_OCTETS ? undefined : recognise(plain, check)
  if (found !== undefined) return found
  const { value, shape } = readJson(text, 'frame')
  const submission = readSubmission(value, check, (wrapper) => frameTextIn(plain, shape, wrapper))
  if (submission.text === plain.text) learnFrame(submission.frame, submission.text)
  return submission
}

/** A submission whose frame is known to be one, and has not been parsed. */
class RecognisedSubmission implements Submission {
  readonly head: FrameHead
  readonly text: string
  readonly recipientScope: unknown

  constructor(head: FrameHead, text: string, recipientScope: unknown) {
    this.head = head
    this.text = text
    this.recipientScope = recipientScope
  }

  get frame(): Frame {
    // It passed the acceptor that is made from the same schema.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return JSON.parse(this.text) as Frame
  }
}

/** What stands before the frame in the two usual forms of a wrapper. */
const WRAPPER = new RegExp(String.raw`^\{(?:"recipient_scope":"(${PLAIN})",)?"frame":`)

/** What a frame would be that stands in one of the usual forms of a submission, if it is one. */
interface PlainFrame {
  readonly text: string
  readonly recipientScope: string | undefined
  /** Whether a wrapper is around it. */
  readonly isWrapped: boolean
}

function findPlainFrame(text: string): PlainFrame {
  const wrapper = text.endsWith('}') ? WRAPPER.exec(text) : null
  if (wrapper === null) return { text, recipientScope: undefined, isWrapped: false }
  const [{ length }, recipientScope] = wrapper
  return { text: text.slice(length, -1), recipientScope, isWrapped: true }
}

/**
 * What nearly all submissions are: a valid frame that is like others before it, written plainly.
 *
 * @returns undefined for any other, which has to be parsed to be judged
 * @throws AgentdError for what no expression sees, as {@link decodeSubmission}
 */
function recognise({ text, recipientScope }: PlainFrame, check: SubmissionCheck): Submission | undefined {
  const head = findFrame(text)
  if (head === undefined) return undefined
  requirePlausible(head, check)
  return new RecognisedSubmission(head, text, scopeOf({ recipientScope }, check))
}

/** As {@link decodeSubmission}, from a value; for frames that agentd composed itself. */
export function parseSubmission(value: unknown, check: FrameCheck = {}): Submission {
  return readSubmission(value, check, ({ frame }) => JSON.stringify(frame) ?? 'null')
}

/** @param toText - gives the frame's JSON */
function readSubmission(
  value: unknown,
  check: SubmissionCheck,
  toText: (wrapper: Wrapper) => string,
): Submission {
  const wrapper = openWrapper(value)
  const text = toText(wrapper)
  if (text.length * 3 > MAX_FRAME_OCTETS && octetLength(text) > MAX_FRAME_OCTETS) throw frameTooLarge()
  const frame = parseFrame(wrapper.frame, check)
  return { head: frame, frame, text, recipientScope: scopeOf(wrapper, check) }
}

/** @throws AgentdError `field-invalid` for one in both places, of which neither may silently win */
function scopeOf(
  { recipientScope }: Pick<Wrapper, 'recipientScope'>,
  { scopeBeside }: SubmissionCheck,
): unknown {
  if (scopeBeside === undefined) return recipientScope
  if (recipientScope === undefined) return scopeBeside
  const message = '"recipient_scope" stands in the query and in the body; say it in one of them.'
  throw new AgentdError('field-invalid', message, { field: 'recipient_scope' })
}

/**
 * The scope a submission is for; absent, every session of the recipient.
 *
 * @throws AgentdError `field-invalid`, field `recipient_scope` (ACQ-05)
 */
export function requireRecipientScope(submission: Submission): Scope {
  const { head, recipientScope = `${head.recipient_handle}/*` } = submission
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

/**
 * `JSON.stringify(frame)`, the text itself or cut out of the wrapper's where that is sure to be the same. A frame has no name
 * that is an array index and no integer that a double cannot hold, or it is refused for it.
 */
function frameTextIn(plain: PlainFrame, { isPlain }: JsonShape, { frame, names, isBare }: Wrapper): string {
  const isThere = isBare || (plain.isWrapped && names.at(-1) === 'frame')
  return isPlain && isThere ? plain.text : JSON.stringify(frame)
}

/** The wrapper's members, and their names in the order they came. */
interface Wrapper {
  readonly frame: unknown
  readonly recipientScope: unknown
  readonly names: readonly string[]
  /** There is none: the body is the frame itself. */
  readonly isBare: boolean
}

function openWrapper(value: unknown): Wrapper {
  if (!isJsonObject(value)) {
    throw new AgentdError(
      'field-invalid',
      'A submission is a frame, or {"recipient_scope": …, "frame": {…}}.',
      { field: 'frame' },
    )
  }
  const names = Object.keys(value)
  const strangers = names.filter((name) => name !== 'frame' && name !== 'recipient_scope')
  if (strangers.length > 0) return requireBareFrame(value, names, strangers)
  if (!names.includes('frame'))
    throw new AgentdError('field-missing', '"frame" is required.', { field: 'frame' })
  return { frame: value['frame'], recipientScope: value['recipient_scope'], names, isBare: false }
}

/**
 * A body with other members than a wrapper has is a frame, if it has any of one and is not both.
 *
 * @throws AgentdError `field-unknown` with a member that fits neither
 */
function requireBareFrame(value: object, names: readonly string[], strangers: readonly string[]): Wrapper {
  if (!strangers.some(isFrameMember) || names.includes('frame')) throw notInWrapper(strangers)
  if (names.includes('recipient_scope')) {
    const message =
      'A frame has no "recipient_scope": say it in the query string, or wrap the frame as {"frame": {…}}.'
    throw new AgentdError('field-unknown', message, { field: 'recipient_scope' })
  }
  return { frame: value, recipientScope: undefined, names, isBare: true }
}

/** Of several, the one that comes first in the order of code units. */
function notInWrapper(strangers: readonly string[]): AgentdError {
  const stranger = strangers.toSorted()[0] ?? ''
  return new AgentdError(
    'field-unknown',
    `"${stranger}" does not belong beside "frame" and "recipient_scope"; send the frame alone, or as {"frame": {…}}.`,
    { field: stranger },
  )
}
