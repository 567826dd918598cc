/**
 * Is somebody there, and how are they: `aee.status.ping` and `aee.status.health`.
 *
 * @see AEE-058, AEE-059, AEE-C04…C06
 */
import { emptyTask, payloadSchema } from './payload-schema.ts'
import type { IntentSchemas } from './payload-schema.ts'

/** How an entity is, from best to worst (AEE-059). */
export const HEALTH_STATES = ['healthy', 'degraded', 'unhealthy'] as const
export type HealthState = (typeof HEALTH_STATES)[number]

/** The one intent that every agent should answer (AEE-065). */
export const STATUS_PING: IntentSchemas = {
  task: emptyTask('aee.status.ping', 'Are you there?'),
  result: payloadSchema('aee.status.ping.result', 'I am here', {
    required: ['pong'],
    properties: {
      pong: { const: true },
      ts: { type: 'string', description: 'When the answer was made.' },
    },
  }),
}

export const STATUS_HEALTH: IntentSchemas = {
  task: emptyTask('aee.status.health', 'How are you?'),
  result: payloadSchema('aee.status.health.result', 'How I am', {
    required: ['status'],
    properties: {
      status: { type: 'string', enum: [...HEALTH_STATES] },
      details: { type: 'object', description: 'What the status rests on.' },
    },
  }),
}
