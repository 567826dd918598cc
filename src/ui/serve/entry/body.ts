/**
 * The body of a request: JSON, whole, and no larger than what a person can have typed.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AgentdError } from '../../../core/errors.ts'
import { decodeJson } from '../../../core/text/json.ts'
import { GrowingBuffer } from '../../../core/text/growing-buffer.ts'
import { isJsonObject } from '../../../core/text/json-object.ts'
import { valuesOf } from './guard.ts'
import { refusal, refusalOf, type SeatRefusal } from './refusal.ts'

/** Of a body, in octets: the largest submission, and some more. */
export const MAX_SEAT_BODY_OCTETS = 70_000

const JSON_TYPE = /^application\/json(?:\s*;\s*charset="?utf-?8"?)?$/i

/** A body that was read. */
export interface JsonBody {
  readonly kind: 'body'
  readonly bytes: Buffer
  readonly value: Readonly<Record<string, unknown>>
}

/** Reads it; how long it may take is the server's `requestTimeout`. @returns a refusal for anything but one JSON object */
export async function readJsonBody(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<JsonBody | SeatRefusal> {
  const [type = '', ...others] = valuesOf(request, 'content-type')
  if (!JSON_TYPE.test(type) || others.length > 0 || request.headers['content-encoding'] !== undefined)
    return refusal('media-type-unsupported', 'This path takes application/json in UTF-8.')
  const bytes = await readOctets(request, response, MAX_SEAT_BODY_OCTETS)
  if (!Buffer.isBuffer(bytes)) return bytes
  try {
    const value = decodeJson(bytes, 'body')
    return isJsonObject(value)
      ? { kind: 'body', bytes, value }
      : refusal('field-invalid', 'The body is not an object.')
  } catch (error) {
    if (error instanceof AgentdError) return refusalOf(error)
    throw error
  }
}

/** Reads a whole body of whatever type, and tells whoever waits for a word that it is wanted. @param most - octets of it */
export function readOctets(
  request: IncomingMessage,
  response: ServerResponse,
  most: number,
): Promise<Buffer | SeatRefusal> {
  if (/^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue()
  const tooLarge = refusal('frame-too-large', `The body is over ${most} octets.`)
  if (Number(request.headers['content-length'] ?? 0) > most) return Promise.resolve(tooLarge)
  return new Promise((resolve) => {
    const body = new GrowingBuffer(most)
    const onData = (chunk: Buffer): void => {
      if (body.length + chunk.length <= most) return body.append(chunk)
      request.off('data', onData)
      resolve(tooLarge)
    }
    request.on('data', onData)
    request.once('end', () => resolve(body.take()))
    request.once('close', () => resolve(refusal('field-invalid', 'The body was cut off.')))
  })
}
