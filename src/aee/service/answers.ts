/**
 * What `service.agentd`, the daemon's own entity, answers to the tasks it is sent: the seven intents of the
 * protocol, and a refusal of everything else.
 *
 * Pure: what the daemon knows and keeps comes in as facts and ports, and what to send comes out.
 *
 * @see draft-cowles-aee-00 §9.2, AEE-029, AEE-058…AEE-066, AEQ-10, AEQ-18, AEQ-19, AEQ-23
 */
import { unreachable } from '../../core/errors.ts'
import { MAX_ENVELOPE_OCTETS } from '../../core/limits.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import { octetLength } from '../../core/text/octets.ts'
import { needsApproval } from '../conformance/advice.ts'
import { fetchContext } from './context-fetch.ts'
import type { Envelope } from '../envelope/envelope.ts'
import { isAeeIntent } from '../intents/intents.ts'
import type { AeeIntent } from '../intents/intents.ts'
import { readCapabilityListTask } from '../intents/capability.ts'
import { readContextFetchTask, readContextRefuteTask } from '../intents/context.ts'
import type { HealthState } from '../intents/status.ts'
import { readValidatePayloadTask } from '../intents/validation.ts'
import { PAYLOAD_VARIANTS } from '../intents/payload-schema.ts'
import type { RecordMembers } from '../envelope/record.ts'
import type { SchemaRegistry } from '../schemas/registry.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

/** What the daemon knows of itself at the moment of the task. */
export interface ServiceFacts {
  readonly status: HealthState
  /** Sentences about what the status rests on; none when there is nothing to say. */
  readonly details: readonly string[]
  /** The version of agentd. */
  readonly version: string
  /** What is understood beyond the draft, such as `aee.ext.…` (AEE-C10). */
  readonly extensions: readonly string[]
  /** RFC 3339. */
  readonly nowIso: string
  /** The intents that a payload can be checked for, or that this entity answers. */
  readonly knownIntents: readonly string[]
  /** How an agent is told of what is sent to it: when it works, when it rests, without a person. */
  readonly delivery?: Readonly<Record<string, string | undefined>> | undefined
}

/** What the daemon does for a task. */
export interface ServicePorts {
  /** The stored text of an envelope that the requester may see (AEQ-23); undefined for every other. */
  readonly findEnvelope: (id: string, corr: string | undefined) => string | undefined
  /** Puts a refutation on record; false when the requester knows no such envelope. */
  readonly refute: (id: string, reason: string) => boolean
  readonly validate: SchemaRegistry['validate']
}

/** An answer without its envelope, which the daemon puts around it. */
export interface ServiceAnswer {
  readonly type: 'result' | 'error'
  /** The payload as JSON text, so that an envelope within it stays as it was sent, byte for byte. */
  readonly payloadText: string
}

/** Why the daemon does not do a task; none of these gets better by asking again. */
export type FailureCode =
  | 'E_UNSUPPORTED_INTENT'
  | 'E_INVALID_PAYLOAD'
  | 'E_SCHEMA_UNKNOWN'
  | 'E_APPROVAL_REQUIRED'
  | 'E_HASH_MISMATCH'
  | 'E_TOO_LARGE'

type Answerer = (payload: RecordMembers, facts: ServiceFacts, ports: ServicePorts) => ServiceAnswer

/** The version of the envelope, as its member `v` has it (AEE-003). */
const AEE_VERSION = '1'

/** Octets of an answer's envelope that are neither its payload nor repeated from the task. */
const HEAD_OCTETS = 4_096

/** An intent as it is repeated in a sentence; it can be as long as an envelope. */
const MAX_INTENT_LENGTH = 120

/** Where an envelope is to be had that no other envelope can carry. */
const WHERE_WHOLE = 'get it with GET /v1/envelopes/{id} instead'

/** Intent → answer; the compiler refuses an intent without one. */
const ANSWERERS: Readonly<Record<AeeIntent, Answerer>> = {
  'aee.status.ping': (_payload, { nowIso }) => result({ pong: true, ts: nowIso }),
  'aee.status.health': (_payload, { status, details }) =>
    result({ status, ...(details.length > 0 && { details: { notes: details } }) }),
  'aee.spec.query': (_payload, { version, extensions }) =>
    result({ aee_version: AEE_VERSION, extensions, implementation: `agentd/${version}` }),
  'aee.capability.list': (payload, { knownIntents, delivery }) =>
    result({
      intents: withinNamespace(knownIntents, readCapabilityListTask(payload).namespaceFilter),
      ...(delivery !== undefined && { delivery }),
    }),
  'aee.context.fetch': answerFetch,
  'aee.context.refute': (payload, _facts, { refute }) => {
    const { id, reason } = readContextRefuteTask(payload)
    return result({ acknowledged: refute(id, reason) })
  },
  'aee.validate.payload': answerValidation,
}

/**
 * Answers one task to `service.agentd`. Nothing is done for a task that waits for a person (AEQ-10).
 *
 * @param task - an envelope of type `task`
 */
export function answerTask(task: Envelope, facts: ServiceFacts, ports: ServicePorts): ServiceAnswer {
  const { intent, payload } = task
  if (!isAeeIntent(intent))
    return failure(
      'E_UNSUPPORTED_INTENT',
      `service.agentd does not do ${quoted(intent)}; aee.capability.list tells what it knows.`,
    )
  if (needsApproval(task))
    return failure(
      'E_APPROVAL_REQUIRED',
      'The task requires human_approval and service.agentd has nobody to ask; send it without, or to a person.',
    )
  const verdict = ports.validate(intent, 'task', payload)
  if (verdict.kind === 'invalid')
    return failure(
      'E_INVALID_PAYLOAD',
      `The payload does not fit ${intent}; mend what "errors" names and send it again.`,
      verdict.errors,
    )
  const answer = ANSWERERS[intent](payload, facts, ports)
  return octetLength(answer.payloadText) <= roomFor(task) ? answer : tooLarge(intent)
}

/** Octets an answer's payload may have; the envelope around it repeats a good part of the task. */
function roomFor({ id, from, corr, intent, trace }: Envelope): number {
  const repeated = octetLength(JSON.stringify([id, from, corr, intent, trace]))
  return MAX_ENVELOPE_OCTETS - HEAD_OCTETS - repeated
}

function answerFetch(
  task: RecordMembers,
  _facts: ServiceFacts,
  { findEnvelope }: ServicePorts,
): ServiceAnswer {
  const fetched = fetchContext(readContextFetchTask(task), findEnvelope)
  switch (fetched.kind) {
    case 'absent':
      return result({ found: false })
    case 'mismatch':
      return failure('E_HASH_MISMATCH', mismatch(fetched.hash))
    case 'too-deep':
      return failure(
        'E_TOO_LARGE',
        `The envelope is nested too deeply, or has too many parts, to be in another; ${WHERE_WHOLE}.`,
      )
    case 'found': {
      const hash = fetched.hash === undefined ? '' : `,"hash":"${fetched.hash}"`
      return { type: 'result', payloadText: `{"found":true,"envelope":${fetched.text}${hash}}` }
    }
    default:
      return unreachable(fetched)
  }
}

function mismatch(hash: string | undefined): string {
  return hash === undefined
    ? 'The envelope has no canonical form and so no hash; ask for it without one.'
    : `The envelope of this id has the hash ${hash}; do not rely on the reference.`
}

/** Which schema judges, when nobody says: the first there is, in the order task, result, error. */
function answerValidation(
  task: RecordMembers,
  _facts: ServiceFacts,
  { validate }: ServicePorts,
): ServiceAnswer {
  const { intent, payload, variant } = readValidatePayloadTask(task)
  if (!isJsonObject(payload)) return invalid(['"payload" must be an object.'])
  for (const candidate of variant === undefined ? PAYLOAD_VARIANTS : [variant]) {
    const verdict = validate(intent, candidate, payload)
    if (verdict.kind === 'valid') return result({ valid: true })
    if (verdict.kind === 'invalid') return invalid(verdict.errors)
  }
  const what = variant === undefined ? '' : `the ${variant} of `
  // `valid` is about a payload and its schema; where there is none nothing is said of the payload.
  return failure(
    'E_SCHEMA_UNKNOWN',
    `There is no schema for ${what}${quoted(intent)}; aee.capability.list names the intents that have one.`,
  )
}

function invalid(errors: readonly string[]): ServiceAnswer {
  return result({ valid: false, errors })
}

/** Intents at or below a dotted name, which may be written `ops`, `ops.` or `ops.*`; all for an empty one. */
function withinNamespace(intents: readonly string[], filter = ''): readonly string[] {
  const name = filter.replace(/\*$/, '').replace(/\.$/, '')
  if (name === '') return intents
  return intents.filter((intent) => intent === name || intent.startsWith(`${name}.`))
}

function tooLarge(intent: AeeIntent): ServiceAnswer {
  const advice = intent === 'aee.context.fetch' ? WHERE_WHOLE : 'ask for less'
  return failure('E_TOO_LARGE', `The answer is larger than an envelope has room for; ${advice}.`)
}

function result(payload: RecordMembers): ServiceAnswer {
  return { type: 'result', payloadText: JSON.stringify(payload) }
}

/** @param message - a sentence that says what to do */
function failure(code: FailureCode, message: string, errors?: readonly string[]): ServiceAnswer {
  const payload = { code, message, retryable: false, ...(errors !== undefined && { errors }) }
  return { type: 'error', payloadText: JSON.stringify(payload) }
}

function quoted(intent: string): string {
  return `"${safeLine(intent.slice(0, MAX_INTENT_LENGTH))}"`
}
