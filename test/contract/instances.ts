/**
 * What a vector has that a published schema speaks of: the value, the schema's name, and how the daemon itself reads it.
 */
import type { z } from 'zod'
import { decodeLogLine } from '../../src/aee/conformance/conformance.ts'
import { decodeEnvelopeText, parseEnvelope } from '../../src/aee/envelope/envelope.ts'
import { isAeeIntent } from '../../src/aee/intents/intents.ts'
import { SchemaRegistry } from '../../src/aee/schemas/registry.ts'
import { AgentdError } from '../../src/core/errors.ts'
import { requireScope } from '../../src/protocol/address/scope.ts'
import { composeFrame } from '../../src/protocol/frame/compose.ts'
import { parseFilter } from '../../src/protocol/frame/filter.ts'
import { parseFrame } from '../../src/protocol/frame/frame.ts'
import { decodeSubmission, requireRecipientScope } from '../../src/protocol/frame/submission.ts'
import { SessionRequest } from '../../src/protocol/http/requests.ts'
import { verbSchemaName } from '../../src/protocol/published/schemas.ts'
import { requireShape } from '../../src/protocol/refusal/refusal.ts'
import { CommonArguments } from '../../src/protocol/verb/row.ts'
import { VERBS, isVerb } from '../../src/protocol/verb/verbs.ts'

/** Any JSON object. */
type Members = Readonly<Record<string, unknown>>

/** One value, or one text of JSON, before schema and daemon. */
export interface Instance {
  /** The published schema's name. */
  readonly schema: string
  /** The value; undefined where the text is no JSON, which no schema is ever asked about. */
  readonly value: unknown
  /** Reads it as the daemon does. @throws AgentdError as the daemon refuses it */
  readonly read: () => unknown
}

/** When everything is read: the vectors are written for one moment. */
export const NOW_MS = Date.parse('2026-11-20T12:00:00Z')

export function frame(text: string): Instance {
  const wrapper = `{"frame":${text}}`
  return { schema: 'frame', value: valueOf(text), read: () => readSubmission(wrapper) }
}

export function submission(wrapper: unknown): Instance {
  const text = JSON.stringify(wrapper)
  return { schema: 'submission', value: valueOf(text), read: () => readSubmission(text) }
}

function readSubmission(text: string): void {
  requireRecipientScope(decodeSubmission(Buffer.from(text), { nowMs: NOW_MS }))
}

export function scope(value: unknown): Instance {
  return { schema: 'scope', value, read: () => requireScope(String(value), 'recipient_scope') }
}

export function filter(value: unknown): Instance {
  return { schema: 'filter', value, read: () => parseFilter(String(value)) }
}

/** A body of a request, which is read by its shape. */
export function body(schema: string, shape: z.ZodType, value: unknown): Instance {
  return { schema, value, read: () => requireShape(shape, value, 'body') }
}

function session({ handle, instrument, session_id, tool }: Members): Instance {
  return body('session', SessionRequest, valueOf(JSON.stringify({ handle, instrument, session_id, tool })))
}

export function envelope(text: string): Instance {
  return { schema: 'aee-v1', value: valueOf(text), read: () => decodeEnvelopeText(text) }
}

function envelopeValue(value: unknown): Instance {
  return { schema: 'aee-v1', value, read: () => parseEnvelope(value) }
}

const registry = new SchemaRegistry()

/** A task to the daemon's own entity; it answers a payload that does not fit, and refuses nothing. */
function payload({ intent, payload: value }: Members): readonly Instance[] {
  if (typeof intent !== 'string' || !isAeeIntent(intent)) return []
  const read = (): void => {
    const verdict = registry.validate(intent, 'task', value)
    if (verdict.kind === 'invalid') throw new AgentdError('payload-invalid', verdict.errors.join(' '))
  }
  return [{ schema: `${intent}.task`, value, read }]
}

/** What a verb takes, and the frame the daemon makes of it. */
export function verb(name: string, value: unknown): Instance {
  if (!isVerb(name)) throw new TypeError(`there is no verb ${name}`)
  const row = VERBS[name]
  const read = (): void => {
    const args = requireShape(row.args, value, 'body')
    const { recipient_scope: scopeText } = requireShape(CommonArguments, args, 'body')
    if (scopeText !== undefined) requireScope(scopeText, 'recipient_scope')
    const { drafted_with: draftedWith = '~agentd-cli' } = requireShape(CommonArguments, args, 'body')
    const draft = row.compose(args, { ...CALLER, draftedWith })
    const author = { senderHandle: '~alice', actedBy: '~alice', draftedWith, tool: undefined }
    parseFrame(composeFrame({ ...draft, recipientHandle: '~alice' }, author, NOW_MS))
  }
  return { schema: verbSchemaName(name), value, read }
}

const CALLER = {
  actedBy: '~alice',
  sessionId: 'shell',
  ownScope: '~alice/*',
  nowIso: new Date(NOW_MS).toISOString(),
  responseScope: undefined,
}

/** Operation → what is in its vectors; `undefined` for what is octets, or a file of evidence, and no schema's. */
const OPERATIONS: Readonly<Record<string, ((input: Members) => readonly Instance[]) | undefined>> = {
  frame: ({ text }) => [frame(String(text))],
  scope: ({ scope: text }) => [scope(text)],
  'scope-match': ({ scope: text, sessions }) => [scope(text), ...listOf(sessions).map(session)],
  filter: ({ filter: text }) => [filter(text)],
  'filter-match': ({ filter: text, frame: sent }) => [filter(text), frame(JSON.stringify(sent))],
  exchange: ({ sessions, submit }) => [
    ...listOf(sessions).flatMap((one) => [session(one), filter(one['filter'] ?? '')]),
    ...submissionsOf({ submit }).map(submission),
  ],
  receive: ({ frames }) => listOf(frames).map((one) => frame(JSON.stringify(one))),
  verb: ({ verb: name, arguments: args }) => [verb(String(name), args)],
  envelope: ({ text }) => [envelope(String(text))],
  signature: ({ text }) => [envelope(String(text))],
  thread: ({ envelopes }) => listOf(envelopes).map(envelopeValue),
  answer: ({ task }) => listOf([task]).flatMap((one) => [envelopeValue(one), ...payload(one)]),
  log: ({ text }) => [
    { schema: 'aee-log', value: valueOf(String(text)), read: () => decodeLogLine(Buffer.from(String(text))) },
  ],
  canonical: undefined,
  stream: undefined,
  volt: undefined,
  ward: undefined,
}

/** @throws TypeError for a vector of an operation that is not in the table */
export function instancesOf(op: string, input: Members): readonly Instance[] {
  if (!Object.hasOwn(OPERATIONS, op)) throw new TypeError(`what is in a vector of "${op}"?`)
  return OPERATIONS[op]?.(input) ?? []
}

/** What is submitted in an exchange, as bodies of requests. */
export function submissionsOf({ submit }: Members): readonly Members[] {
  return listOf(submit).map(({ scope: text, frame: sent }) => ({
    ...(text !== undefined && { recipient_scope: text }),
    frame: sent,
  }))
}

function listOf(value: unknown): readonly Members[] {
  return Array.isArray(value) ? value.filter((one) => one instanceof Object) : []
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
