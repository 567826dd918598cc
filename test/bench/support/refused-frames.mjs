/** Frames that are refused, each for one reason; all of them of the usual size unless size is the reason. */
import { MARKER, makeFrame } from './frames.mjs'

const LINE_OCTETS = 700

/** Octets of each of the paths in a large frame: with the first it is near the limit of 65 536, with the second over it. */
const LARGE_PATH = 960
const TOO_LARGE_PATH = 1_024
const PATHS = 64

export const ACCEPTED = {}
export const ACCEPTED_LARGE = { frame: { payload: largePayload(LARGE_PATH) } }
export const TOO_LARGE = {
  name: 'frame-too-large',
  members: { frame: { payload: largePayload(TOO_LARGE_PATH) } },
}

/** Error code, with a comma where one code has several → what is wrong with the frame. */
export const REFUSED = {
  'envelope-version-unsupported': { frame: { envelope_version: '2.0' } },
  'kind-unknown': { frame: { kind: 'agent_gossip' } },
  'payload-kind-mismatch': { frame: { payload: { broadcast_text: 'merged', event_class: 'merged' } } },
  'field-missing': { frame: { provenance_basis: undefined } },
  'field-invalid, created_at': { frame: { created_at: 'yesterday' } },
  'field-invalid, name twice': {
    edit: (line) => line.replace('"frame_id"', '"kind":"agent_advisory","frame_id"'),
  },
  'field-unknown': { frame: { urgent: true } },
  'sender-identity-mismatch': { frame: { sender_handle: '~mallory' } },
  'scope-unauthorised': { scope: '~mallory/*' },
  'scope-unimplemented': { scope: 'org:acme/members/*' },
  'field-invalid, no JSON': { edit: (line) => line.slice(0, -1) },
}

/** The NDJSON line of a submission, filled up to its size. */
export function lineOf({ frame: members = {}, scope, edit = (line) => line }) {
  const frame = structuredClone(makeFrame(members))
  const wrap = () => edit(JSON.stringify({ ...(scope !== undefined && { recipient_scope: scope }), frame }))
  const [name] = Object.keys(frame.payload)
  frame.payload[name] +=
    ' and so on'.repeat(LINE_OCTETS).slice(0, Math.max(0, LINE_OCTETS - wrap().length - 1)) + MARKER
  return wrap()
}

function largePayload(octets) {
  return { advisory_text: 'editing', file_refs: Array.from({ length: PATHS }, () => 'a'.repeat(octets)) }
}
