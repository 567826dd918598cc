/**
 * The seven intents of the protocol itself, with the schemas of what they ask and answer.
 *
 * The draft names their members; the schemas are ours. They are open, so that a later draft can add to them,
 * save where a task has nothing to say at all (AEE-C04).
 *
 * @see draft-cowles-aee-00 §9.2, AEE-057…AEE-066
 */
import { CAPABILITY_LIST, SPEC_QUERY } from './capability.ts'
import { CONTEXT_FETCH, CONTEXT_REFUTE } from './context.ts'
import { FAILURE_SCHEMA } from './failure.ts'
import { STATUS_HEALTH, STATUS_PING } from './status.ts'
import { VALIDATE_PAYLOAD } from './validation.ts'
import type { IntentSchemas, JsonSchema, PayloadVariant } from './payload-schema.ts'

/** The core intents, as the draft lists them. */
export type AeeIntent =
  | 'aee.status.ping'
  | 'aee.status.health'
  | 'aee.spec.query'
  | 'aee.capability.list'
  | 'aee.context.fetch'
  | 'aee.context.refute'
  | 'aee.validate.payload'

/** Intent → schemas; the compiler refuses an intent without them. */
export const AEE_INTENTS: Readonly<Record<AeeIntent, IntentSchemas>> = {
  'aee.status.ping': STATUS_PING,
  'aee.status.health': STATUS_HEALTH,
  'aee.spec.query': SPEC_QUERY,
  'aee.capability.list': CAPABILITY_LIST,
  'aee.context.fetch': CONTEXT_FETCH,
  'aee.context.refute': CONTEXT_REFUTE,
  'aee.validate.payload': VALIDATE_PAYLOAD,
}

/** Whether an intent is one of the seven. */
export function isAeeIntent(name: string): name is AeeIntent {
  return Object.hasOwn(AEE_INTENTS, name)
}

/** The seven, in the order of the draft. */
export function aeeIntents(): readonly AeeIntent[] {
  return Object.keys(AEE_INTENTS).filter(isAeeIntent)
}

/** What a payload of one of the seven has to look like. */
export function aeeSchema(intent: AeeIntent, variant: PayloadVariant): JsonSchema {
  return variant === 'error' ? FAILURE_SCHEMA : AEE_INTENTS[intent][variant]
}
