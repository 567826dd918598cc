/**
 * What somebody speaks: `aee.spec.query` and `aee.capability.list`.
 *
 * @see AEE-060, AEE-061, AEE-C04, AEE-C10
 */
import { emptyTask, payloadSchema, REFERENCES } from './payload-schema.ts'
import type { IntentSchemas } from './payload-schema.ts'
import type { RecordMembers } from '../envelope/record.ts'
import { readTextMember } from './task-payload.ts'

const STRINGS = { type: 'array', items: { type: 'string' } }

export const SPEC_QUERY: IntentSchemas = {
  task: emptyTask('aee.spec.query', 'Which version of the envelope do you speak?'),
  result: payloadSchema('aee.spec.query.result', 'What I speak', {
    required: ['aee_version'],
    properties: {
      aee_version: { type: 'string', description: 'The version of the envelope, as its member v has it.' },
      extensions: { ...STRINGS, description: 'What is understood beyond the draft.' },
    },
  }),
}

export const CAPABILITY_LIST: IntentSchemas = {
  task: payloadSchema('aee.capability.list.task', 'Which intents do you understand?', {
    properties: {
      namespace_filter: { type: 'string', description: 'Only intents at or below this dotted name.' },
      references: REFERENCES,
    },
  }),
  result: payloadSchema('aee.capability.list.result', 'The intents I understand', {
    required: ['intents'],
    properties: { intents: STRINGS },
  }),
}

/** What a task `aee.capability.list` asks for. */
export interface CapabilityListTask {
  readonly namespaceFilter: string | undefined
}

/** Reads a payload that fits the schema. */
export function readCapabilityListTask(payload: RecordMembers): CapabilityListTask {
  return { namespaceFilter: readTextMember(payload, 'namespace_filter') }
}
