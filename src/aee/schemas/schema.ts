/**
 * The published JSON Schema (draft 2020-12) of an envelope: its structure, never its payload (AEE-023).
 *
 * A test holds it against `parseEnvelope`: the two admit the same values.
 *
 * @see draft-cowles-aee-00 §3.1, docs/requirements.md §2.1
 */
import { MAX_ENVELOPE_OCTETS, MAX_JSON_DEPTH } from '../../core/limits.ts'
import { NAMES } from '../envelope/names.ts'
import { PRIORITIES, REQUIRED_FIELDS, TYPES } from '../envelope/envelope.ts'
import { LOG_FIELDS } from '../conformance/structure.ts'
import { DIALECT } from '../intents/payload-schema.ts'

const MEMBERS = {
  v: { type: 'string', const: '1', description: 'Version of the envelope.' },
  id: { type: 'string', minLength: 8, description: 'Names this message; a ULID or a UUID is best.' },
  ts: {
    type: 'string',
    minLength: 10,
    description: 'When the message was made; ISO 8601 in UTC is best, such as 2025-12-14T03:45:12.000Z.',
  },
  type: { type: 'string', enum: [...TYPES], description: 'What the message is for.' },
  from: { type: 'string', minLength: 1, description: 'The entity that sends.' },
  to: { type: 'string', minLength: 1, description: 'The entity or the bus.* channel that receives.' },
  intent: {
    type: 'string',
    minLength: 3,
    description: 'What the payload means: a dotted, namespaced name.',
  },
  corr: { type: 'string', minLength: 8, description: 'Shared by all messages of one workflow.' },
  reply_to: {
    type: ['string', 'null'],
    description: 'The id of the message this one answers; null when it answers none.',
  },
  trace: {
    type: ['object', 'null'],
    description: 'Where the message stands in a distributed trace.',
    properties: { trace_id: { type: 'string' }, span_id: { type: 'string' } },
  },
  priority: { type: 'string', enum: [...PRIORITIES], description: 'How urgent the sender takes it to be.' },
  requires: {
    type: ['object', 'null'],
    description: 'Constraints on the work, such as timeout_ms; unknown keys are ignored. Never a secret.',
  },
  payload: { type: 'object', description: 'What type and intent say it is.' },
  sig: { type: ['object', 'string', 'null'], description: 'Proof of who sent the message.' },
}

/** What is refused besides, and JSON Schema has no word for. */
const UNSAID =
  'Refused as well, which no schema can say: JSON that is not UTF-8, begins with a byte order mark, names a member twice, has ' +
  `too many parts or more than ${MAX_JSON_DEPTH} levels; one of more than ${MAX_ENVELOPE_OCTETS} octets; a name (${NAMES.join(', ')}) ` +
  'that is not well-formed Unicode.'

/** The structure of an envelope, as `GET /v1/schemas/aee-v1` answers. Open everywhere, for what comes later. */
export const ENVELOPE_SCHEMA: Readonly<Record<string, unknown>> = {
  $schema: DIALECT,
  $id: 'urn:agentd:schema:aee-v1',
  title: 'Agent envelope, version 1',
  description: UNSAID,
  type: 'object',
  required: [...REQUIRED_FIELDS],
  properties: MEMBERS,
  // `required` keeps an envelope without a type out of this branch: it lacks its type, not a reply_to.
  if: { required: ['type'], properties: { type: { enum: ['result', 'error'] } } },
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
  then: { required: ['reply_to'], properties: { reply_to: { type: 'string', minLength: 8 } } },
}

/** The structure of a line of a log, which is never routed (AEE-042). */
export const LOG_SCHEMA: Readonly<Record<string, unknown>> = {
  $schema: DIALECT,
  $id: 'urn:agentd:schema:aee-log',
  title: 'Line of a log of agent envelopes (MVE-5)',
  description: UNSAID,
  type: 'object',
  required: [...LOG_FIELDS],
  properties: Object.fromEntries(LOG_FIELDS.map((name) => [name, MEMBERS[name]])),
}
