/**
 * JSON as agentd accepts it: valid UTF-8 without a byte order mark, at most 64 levels deep, no member name
 * twice in one object.
 *
 * `JSON.parse` alone keeps the last of two equal names, takes half a million levels, and reads what a lossy
 * decoder made of broken bytes; each of these would let two readers see two different frames.
 *
 * @see ACQ-40, R-36
 */
import { isUtf8 } from 'node:buffer'
import { AgentdError } from '../errors.ts'
import { hasMembers, readJsonShape, type JsonShape } from './json-shape.ts'
import { MAX_JSON_DEPTH } from '../limits.ts'

const BYTE_ORDER_MARK = 0xfe_ff

/**
 * Reads one JSON text.
 *
 * @param field - the field an error names: `frame` for a submission (ACQ-39)
 * @throws AgentdError `field-invalid`
 */
export function decodeJson(bytes: Uint8Array, field: string): unknown {
  return parseJson(decodeText(bytes, field), field)
}

/** As {@link decodeJson}, from text. */
export function parseJson(text: string, field: string, code?: MalformedCode): unknown {
  return readJson(text, field, code).value
}

/** What broken JSON is refused with: a frame's has no code of its own, an envelope's has (docs/requirements.md §8). */
export type MalformedCode = 'field-invalid' | 'envelope-malformed'

/** Valid UTF-8 as text; nothing is replaced. */
export function decodeText(bytes: Uint8Array, field: string, code?: MalformedCode): string {
  if (!isUtf8(bytes)) throw malformed({ field, code, fault: 'is not valid UTF-8' })
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

/** A value, and what the text it came from looks like. */
interface ReadJson {
  readonly value: unknown
  readonly shape: JsonShape
}

/** As {@link parseJson}, for those who want to forward the text. */
export function readJson(text: string, field: string, code?: MalformedCode): ReadJson {
  if (text.charCodeAt(0) === BYTE_ORDER_MARK)
    throw malformed({ field, code, fault: 'begins with a byte order mark' })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw malformed({ field, code, fault: 'is not valid JSON', cause })
  }
  const shape = readJsonShape(text)
  if (shape.depth > MAX_JSON_DEPTH)
    throw malformed({ field, code, fault: `is nested more than ${MAX_JSON_DEPTH} levels deep` })
  if (!hasMembers(value, shape.members)) throw malformed({ field, code, fault: 'names a member twice' })
  return { value, shape }
}

interface Malformation {
  readonly field: string
  readonly code: MalformedCode | undefined
  /** The end of a sentence. */
  readonly fault: string
  readonly cause?: unknown
}

function malformed({ field, code = 'field-invalid', fault, cause }: Malformation): AgentdError {
  return new AgentdError(code, `The body ${fault}.`, { field, cause })
}
