/**
 * Does a payload fit its intent: `aee.validate.payload`.
 *
 * @see AEE-064, AEE-C08
 */
import { PAYLOAD_VARIANTS, payloadSchema, REFERENCES } from './payload-schema.ts'
import type { IntentSchemas, PayloadVariant } from './payload-schema.ts'
import { readMember } from '../envelope/record.ts'
import type { RecordMembers } from '../envelope/record.ts'
import { readTextMember, requireText } from './task-payload.ts'

export const VALIDATE_PAYLOAD: IntentSchemas = {
  task: payloadSchema('aee.validate.payload.task', 'Does this payload fit its intent?', {
    required: ['intent', 'payload_to_validate'],
    properties: {
      intent: { type: 'string', minLength: 1 },
      // Any value at all: whoever asks about a payload that is no object is told so in the answer.
      payload_to_validate: { description: 'What would be sent.' },
      type_hint: {
        type: 'string',
        enum: [...PAYLOAD_VARIANTS],
        description: 'Which schema to hold it against; otherwise the first of these that there is.',
      },
      references: REFERENCES,
    },
  }),
  result: payloadSchema('aee.validate.payload.result', 'Whether it fits', {
    required: ['valid'],
    properties: {
      valid: { type: 'boolean' },
      errors: { type: 'array', items: { type: 'string' }, description: 'What is wrong, a sentence each.' },
    },
  }),
}

/** What a task `aee.validate.payload` asks for. */
export interface ValidatePayloadTask {
  readonly intent: string
  /** Whatever JSON came; not necessarily an object. */
  readonly payload: unknown
  readonly variant: PayloadVariant | undefined
}

/**
 * Reads a payload that fits the schema.
 *
 * @throws AgentdError `payload-invalid` when it does not
 */
export function readValidatePayloadTask(payload: RecordMembers): ValidatePayloadTask {
  const hint = readTextMember(payload, 'type_hint')
  return {
    intent: requireText(payload, 'intent'),
    payload: readMember(payload, 'payload_to_validate'),
    variant: PAYLOAD_VARIANTS.find((variant) => variant === hint),
  }
}
