/**
 * The one frame every contender carries, and batches of it in each one's own words.
 */
import { randomBytes } from 'node:crypto'

export const PRINCIPAL = '~alice'

/** Octets of the frame, as it was in the measurements before any line was written. */
const FRAME_OCTETS = 688

/** Stands once in every frame and nowhere else on any wire, so that one octet counts one delivery. */
export const MARKER = '^'

/** The id of every frame before it gets its own. */
export const TEMPLATE_ID = '00000000-0000-4000-8000-000000000000'

/** Digits of the number that makes each frame's id its own. */
const ID_DIGITS = 12

/** Copies a batch can hold at the most. */
const MAX_BATCH = 256

/** A valid advisory with the given members changed; `undefined` takes one out. */
export function makeFrame(members = {}) {
  return {
    envelope_version: '1.0',
    frame_id: TEMPLATE_ID,
    kind: 'agent_advisory',
    sender_handle: PRINCIPAL,
    recipient_handle: PRINCIPAL,
    created_at: new Date().toISOString(),
    payload: {
      advisory_text: 'editing src/auth.ts',
      file_refs: ['src/auth.ts', 'src/session.ts', 'test/auth.test.ts'],
      worktree: '/home/alice/api',
      branch: 'refactor/auth',
    },
    acted_by: PRINCIPAL,
    drafted_with: '~cc-opus-4-6',
    provenance_compute_location: 'local-only',
    provenance_method: ['session-context'],
    provenance_context_check: 'passed',
    provenance_basis: 'bench',
    ...members,
  }
}

/** The frame as text, its advisory filled up to the given size. */
function frameText(octets) {
  const frame = makeFrame()
  const bare = JSON.stringify(frame).length + MARKER.length
  frame.payload.advisory_text += `${' and so on'.repeat(octets).slice(0, octets - bare)}${MARKER}`
  return JSON.stringify(frame)
}

/**
 * Batches of frames, each with an id of its own.
 *
 * @param words.before - what a contender writes before each frame, given its octets
 * @param words.after - and after it
 * @param words.isChunked - whether a batch is one chunk of an HTTP body
 * @returns a function from a count to the bytes
 */
export function createBatches({ before, after, isChunked = false }) {
  const frame = frameText(FRAME_OCTETS)
  return repeatText(`${before(frame.length)}${frame}${after}`, isChunked)
}

/** Batches of one text, its frame id (all zeros in the text, where it has one) new in every copy. */
export function repeatText(text, isChunked) {
  const prefix = randomBytes(4).toString('hex')
  const one = Buffer.from(text.replace(TEMPLATE_ID, TEMPLATE_ID.replace(/^0{8}/, prefix)))
  const template = Buffer.concat(Array.from({ length: MAX_BATCH }, () => one))
  const idAt = one.indexOf('-8000-000000000000')
  let serial = 0
  return (count) => {
    const length = count * one.length
    const open = isChunked ? `${length.toString(16)}\r\n` : ''
    const close = isChunked ? '\r\n' : ''
    const batch = Buffer.allocUnsafe(open.length + length + close.length)
    batch.latin1Write(open, 0)
    template.copy(batch, open.length, 0, length)
    for (let i = 0; i < count; i += 1) {
      if (idAt !== -1) writeDigits(batch, open.length + i * one.length + idAt + '-8000-'.length, serial)
      serial += 1
    }
    batch.latin1Write(close, open.length + length)
    return batch
  }
}

function writeDigits(buffer, at, number) {
  let rest = number
  for (let i = at + ID_DIGITS - 1; i >= at; i -= 1) {
    buffer[i] = 0x30 + (rest % 10)
    rest = Math.floor(rest / 10)
  }
}
