/**
 * A request and its response as two envelopes of one workflow: a task, and the result or the error that ends it.
 *
 * Nothing of what is wrapped is interpreted: it is JSON, or it is text.
 *
 * @see AEE-041, AEE-C18
 */
import { isUtf8 } from 'node:buffer'
import { orRefusal } from '../../core/thrown.ts'
import { AgentdError, UsageError } from '../../core/errors.ts'
import type { Envelope, EnvelopeType } from '../../aee/envelope/envelope.ts'
import type { Key } from '../../aee/keys/key.ts'
import { composeEnvelope, encodeEnvelope } from '../../client/envelopes/outgoing-envelope.ts'
import { newSessionId } from '../../core/ids.ts'
import { findInexactNumber } from '../../protocol/refusal/json-numbers.ts'
import { decodeText, parseJson } from '../../core/text/json.ts'
import { quoteNumber } from '../input/json-object.ts'
import type { Captured, WrappedRun } from './command.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

/** What the envelopes of one gateway share. */
export interface Gateway {
  readonly from: string
  readonly to: string
  /** Without `.request` and `.response`. */
  readonly intent: string
  /** Undefined: each pair is a workflow of its own. */
  readonly corr: string | undefined
  readonly key: Key | undefined
}

type Payload = Readonly<Record<string, unknown>>

/** What went wrong, as the payload of an error (AEE-029). */
export interface WrapFailure {
  readonly code: string
  readonly message: string
  readonly retryable: boolean
  readonly [name: string]: unknown
}

/** The envelopes of one pair. */
export interface Pair {
  request(payload: Payload, nowMs: number): Envelope
  response(payload: Payload, requestId: string, nowMs: number): Envelope
  failure(failure: WrapFailure, requestId: string, nowMs: number): Envelope
  /** @throws UsageError, with the end of a sentence, for a line that holds no pair */
  both(line: Buffer, nowMs: number): readonly Envelope[]
}

/**
 * For before anything is wrapped: what no envelope can be made with is told then, and not with the first one.
 *
 * @throws AgentdError `field-invalid` for a gateway that no envelope can name, UsageError for a key that cannot
 *   sign for it
 */
export function requireGateway(gateway: Gateway): void {
  openPair(gateway).request({}, 0)
}

/** The envelopes that are made of whatever comes; each of them throws as {@link requireGateway} does. */
export function openPair({ from, to, intent, corr = newSessionId(), key }: Gateway): Pair {
  const compose = (
    type: EnvelopeType,
    content: { readonly payload: Payload; readonly replyTo?: string },
    nowMs: number,
  ): Envelope => {
    const { payload, replyTo } = content
    const half = type === 'task' ? 'request' : 'response'
    const draft = { type, from, to, intent: `${intent}.${half}`, corr, replyTo, payload }
    return composeWithin(draft, nowMs, key)
  }
  const pair: Pair = {
    request: (payload, nowMs) => compose('task', { payload }, nowMs),
    response: (payload, replyTo, nowMs) => compose('result', { payload, replyTo }, nowMs),
    failure: (payload, replyTo, nowMs) => compose('error', { payload, replyTo }, nowMs),
    both: (line, nowMs) => {
      const { request, response, error } = readLine(line)
      const task = pair.request(toPayload(request), nowMs)
      if (error !== undefined && error !== null) return [task, pair.failure(toFailure(error), task.id, nowMs)]
      return response === undefined ? [task] : [task, pair.response(toPayload(response), task.id, nowMs)]
    },
  }
  return pair
}

/** What was read or written, as a payload: JSON where it is JSON, else text, else only how much it was. */
export function toBody({ bytes, octets }: Captured): Payload {
  if (bytes === undefined) return { omitted: true, octets }
  if (!isUtf8(bytes)) return { omitted: true, octets }
  const text = bytes.toString()
  const value = orRefusal(() => parseJson(text, 'payload'))
  // As JSON it could be another number: a record says what was said.
  const isExact = !(value instanceof AgentdError) && findInexactNumber(text) === undefined
  return isExact ? toPayload(value) : { text }
}

/** How the program failed; undefined when it did not. */
export function wrapFailure({ code, signal, fault }: WrappedRun): WrapFailure | undefined {
  if (fault !== undefined) return { code: 'E_NOT_STARTED', message: fault, retryable: false }
  if (signal !== null) {
    return { code: 'E_KILLED', message: `The command was ended by ${signal}.`, retryable: true, signal }
  }
  if (code === 0) return undefined
  const message = `The command ended with exit code ${code}.`
  return { code: 'E_COMMAND_FAILED', message, retryable: false, exit_code: code }
}

/** A payload is an object; any other JSON value stands in one. */
function toPayload(value: unknown): Payload {
  return isJsonObject(value) ? value : { value }
}

/** An error's payload says at least these three (AEE-029). */
function toFailure(error: unknown): WrapFailure {
  const { code, message, retryable, ...rest } = toPayload(error)
  return {
    ...rest,
    code: typeof code === 'string' ? code : 'E_FAILED',
    message: typeof message === 'string' ? message : 'The call failed.',
    retryable: retryable === true,
  }
}

function readLine(line: Buffer): Readonly<Record<string, unknown>> {
  let value: unknown
  let number: string | undefined
  try {
    const text = decodeText(line, 'line')
    value = parseJson(text, 'line')
    number = findInexactNumber(text)
  } catch (cause) {
    if (!(cause instanceof AgentdError)) throw cause
    throw new UsageError('it is no JSON that an envelope can carry', { cause })
  }
  if (!isJsonObject(value) || value['request'] === undefined) {
    throw new UsageError('it is no object with a "request"')
  }
  if (number !== undefined) throw new UsageError(`it holds ${quoteNumber(number)}`)
  return value
}

/** An envelope; where its payload is too much for one, only how much it was. */
function composeWithin(
  draft: Parameters<typeof composeEnvelope>[0],
  nowMs: number,
  key: Key | undefined,
): Envelope {
  const envelope = composeEnvelope(draft, nowMs, key)
  try {
    encodeEnvelope(envelope)
    return envelope
  } catch (error) {
    if (!(error instanceof AgentdError)) throw error
    const octets = Buffer.byteLength(JSON.stringify(draft.payload))
    return composeEnvelope({ ...draft, payload: { omitted: true, octets } }, nowMs, key)
  }
}
