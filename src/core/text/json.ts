/**
 * JSON as agentd accepts it: valid UTF-8 without a byte order mark, at most 64 levels deep, with no more
 * parts than can be read without holding everybody up, no member name twice in one object.
 *
 * `JSON.parse` alone keeps the last of two equal names, takes half a million levels, and reads what a lossy
 * decoder made of broken bytes; each of these would let two readers see two different frames.
 *
 * @see ACQ-40, R-36; HD-10
 */
import { isAscii, isUtf8 } from 'node:buffer'
import { isStackOverflow } from '../thrown.ts'
import { AgentdError } from '../errors.ts'
import { hasMembers, hasTooManyParts, readJsonShape, type JsonShape } from './json-shape.ts'
import { MAX_JSON_DEPTH, MAX_JSON_PARTS, MAX_JSON_VALUES } from '../limits.ts'

const BYTE_ORDER_MARK = 0xfe_ff

/** What a text is that is no JSON as it is accepted here → the end of a sentence. */
const FAULTS = {
  octets: 'is not valid UTF-8',
  mark: 'begins with a byte order mark',
  syntax: 'is not valid JSON',
  depth: `is nested more than ${MAX_JSON_DEPTH} levels deep`,
  size: `has more than ${MAX_JSON_PARTS} arrays, objects and members, or more than ${MAX_JSON_VALUES} values`,
  twice: 'names a member twice',
} as const

/** What broken JSON is refused with: a frame's has no code of its own, an envelope's has (docs/requirements.md §8). */
export type MalformedCode = 'field-invalid' | 'envelope-malformed'

/** Where and as what broken JSON is refused, and what threw. */
interface RefusalDetails {
  readonly field: string
  readonly code: MalformedCode | undefined
  readonly cause?: unknown
}

/** The refusal of broken JSON, which whoever knows more of the text may word anew. */
export class MalformedJson extends AgentdError {
  readonly fault: keyof typeof FAULTS

  constructor(fault: keyof typeof FAULTS, { field, code = 'field-invalid', cause }: RefusalDetails) {
    super(code, `The body ${FAULTS[fault]}.`, { field, cause })
    this.fault = fault
  }
}

/**
 * Reads one JSON text.
 *
 * @param field - the field an error names: `frame` for a submission (ACQ-39)
 * @throws MalformedJson
 */
export function decodeJson(bytes: Uint8Array, field: string): unknown {
  return parseJson(decodeText(bytes, field), field)
}

/** As {@link decodeJson}, from text. */
export function parseJson(text: string, field: string, code?: MalformedCode): unknown {
  return readJson(text, field, code).value
}

/** Valid UTF-8 as text; nothing is replaced. */
export function decodeText(bytes: Uint8Array, field: string, code?: MalformedCode): string {
  const octets = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (isAscii(bytes)) return octets.toString('latin1')
  if (!isUtf8(bytes)) throw new MalformedJson('octets', { field, code })
  return octets.toString('utf8')
}

/** A value, and what the text it came from looks like. */
interface ReadJson {
  readonly value: unknown
  readonly shape: JsonShape
}

/** As {@link parseJson}, for those who want to forward the text. */
export function readJson(text: string, field: string, code?: MalformedCode): ReadJson {
  if (text.charCodeAt(0) === BYTE_ORDER_MARK) throw new MalformedJson('mark', { field, code })
  // Looked at first: what half a million arrays cost is the parsing of them (HD-10).
  const shape = readJsonShape(text)
  if (hasTooManyParts(shape)) throw new MalformedJson(isTooDeep(shape) ? 'depth' : 'size', { field, code })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new MalformedJson('syntax', { field, code, cause })
  }
  if (isTooDeep(shape)) throw new MalformedJson('depth', { field, code })
  if (!hasMembers(value, shape.members)) throw new MalformedJson('twice', { field, code })
  return { value, shape }
}

/** What is too deep is told so, however many levels there are: a number of parts is no hint to who nested them. */
function isTooDeep({ depth }: JsonShape): boolean {
  return depth > MAX_JSON_DEPTH
}

/**
 * Writes what a program hands over. What comes from a parser is bounded, and needs no such care.
 *
 * @param value - not what `JSON.stringify` has no text for: a function, a symbol, undefined
 * @throws MalformedJson for nesting that leaves `JSON.stringify` no stack; whatever else it throws, it throws
 */
export function encodeJson(value: object, field: string, code?: MalformedCode): string {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    if (!isStackOverflow(cause)) throw cause
    throw new MalformedJson('depth', { field, code, cause })
  }
}
