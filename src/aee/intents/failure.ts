/**
 * The payload of every `error`: what went wrong, for programs and for people, and whether to try again.
 *
 * @see AEE-029, AEE-030
 */
import { payloadSchema } from './payload-schema.ts'

/** One schema for the errors of all seven intents; open, since an intent may say more. */
export const FAILURE_SCHEMA = payloadSchema('aee.error', 'Why a task was not done', {
  required: ['code', 'message', 'retryable'],
  properties: {
    code: { type: 'string', minLength: 1, description: 'For programs, such as E_UNSUPPORTED_INTENT.' },
    message: { type: 'string', description: 'A sentence that says what to do.' },
    retryable: { type: 'boolean', description: 'Whether the same task may succeed later.' },
    backoff_ms: { type: 'number', minimum: 0, description: 'How long to wait before that, in milliseconds.' },
    evidence_refs: { type: 'array', description: 'Where to look for what happened.' },
    errors: { type: 'array', items: { type: 'string' }, description: 'What is wrong with the payload.' },
  },
})
