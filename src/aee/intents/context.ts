/**
 * Earlier envelopes, fetched or rejected by reference: `aee.context.fetch` and `aee.context.refute`.
 *
 * @see AEE-062, AEE-063, AEE-075, AEE-C07
 */
import { payloadSchema, REFERENCES } from './payload-schema.ts'
import type { IntentSchemas } from './payload-schema.ts'
import type { RecordMembers } from '../envelope/record.ts'
import { readTextMember, requireText } from './task-payload.ts'

const ID = { type: 'string', minLength: 1, description: 'The id of the envelope.' }

export const CONTEXT_FETCH: IntentSchemas = {
  task: payloadSchema('aee.context.fetch.task', 'Give me an envelope', {
    required: ['id'],
    properties: {
      id: ID,
      corr: { type: 'string', description: 'The workflow it belongs to.' },
      locator: { type: 'string', description: 'Where it is kept, such as store://envelopes/<id>.' },
      hash: { type: 'string', description: 'What it must hash to: sha256: and 64 hexadecimal digits.' },
      references: REFERENCES,
    },
  }),
  result: payloadSchema('aee.context.fetch.result', 'The envelope, when there is one for you', {
    required: ['found'],
    properties: {
      found: { type: 'boolean' },
      envelope: {
        type: 'object',
        description: 'As it was received; a record, never to be routed (AEE-078).',
      },
      hash: { type: 'string', description: 'The hash of its canonical form.' },
    },
  }),
}

export const CONTEXT_REFUTE: IntentSchemas = {
  task: payloadSchema('aee.context.refute.task', 'That envelope does not hold', {
    required: ['id', 'reason'],
    properties: {
      id: ID,
      reason: { type: 'string', minLength: 1, description: 'Why, in a sentence.' },
      references: REFERENCES,
    },
  }),
  result: payloadSchema('aee.context.refute.result', 'Whether the refutation is on record', {
    required: ['acknowledged'],
    properties: { acknowledged: { type: 'boolean' } },
  }),
}

/** What a task `aee.context.fetch` asks for. */
export interface ContextFetchTask {
  readonly id: string
  readonly corr: string | undefined
  readonly locator: string | undefined
  readonly hash: string | undefined
}

/** What a task `aee.context.refute` says. */
export interface ContextRefuteTask {
  readonly id: string
  readonly reason: string
}

/**
 * Reads a payload that fits the schema.
 *
 * @throws AgentdError `payload-invalid` when it does not
 */
export function readContextFetchTask(payload: RecordMembers): ContextFetchTask {
  return {
    id: requireText(payload, 'id'),
    corr: readTextMember(payload, 'corr'),
    locator: readTextMember(payload, 'locator'),
    hash: readTextMember(payload, 'hash'),
  }
}

/** As {@link readContextFetchTask}. */
export function readContextRefuteTask(payload: RecordMembers): ContextRefuteTask {
  return { id: requireText(payload, 'id'), reason: requireText(payload, 'reason') }
}
