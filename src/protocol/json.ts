/**
 * JSON as agentd accepts it: valid UTF-8 without a byte order mark, at most 64 levels deep, no member name
 * twice in one object.
 *
 * `JSON.parse` alone keeps the last of two equal names, takes half a million levels, and reads what a lossy
 * decoder made of broken bytes; each of these would let two readers see two different frames.
 *
 * @see ACQ-40, design R-36
 */
import { isUtf8 } from 'node:buffer'
import { AgentdError } from '../core/errors.ts'
import { MAX_JSON_DEPTH } from './limits.ts'

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
export function parseJson(text: string, field: string): unknown {
  const value = parseBoundedJson(text, field)
  requireUniqueNames(text, JSON.stringify(value), field)
  return value
}

/** What broken JSON is refused with: a frame's has no code of its own, an envelope's has (requirements §8). */
export type MalformedCode = 'field-invalid' | 'envelope-malformed'

/** Valid UTF-8 as text; nothing is replaced. */
export function decodeText(bytes: Uint8Array, field: string, code?: MalformedCode): string {
  if (!isUtf8(bytes)) throw malformed({ field, code, fault: 'is not valid UTF-8' })
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

/** Parses within the depth bound; whether a name stood twice is still to be asked. */
export function parseBoundedJson(text: string, field: string, code?: MalformedCode): unknown {
  if (text.charCodeAt(0) === BYTE_ORDER_MARK)
    throw malformed({ field, code, fault: 'begins with a byte order mark' })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw malformed({ field, code, fault: 'is not valid JSON', cause })
  }
  if (!isWithinDepth(value, MAX_JSON_DEPTH))
    throw malformed({ field, code, fault: `is nested more than ${MAX_JSON_DEPTH} levels deep` })
  return value
}

/**
 * Refuses a text in which an object has a name twice.
 *
 * @param reserialised - the parsed value as JSON: where it is the text itself, no member was lost, so no name
 *   stood twice, and nothing has to be scanned
 */
export function requireUniqueNames(
  text: string,
  reserialised: string,
  field: string,
  code?: MalformedCode,
): void {
  if (reserialised !== text && hasDuplicateName(text))
    throw malformed({ field, code, fault: 'names a member twice' })
}

function isWithinDepth(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0) return false
  for (const member of Object.values(value)) if (!isWithinDepth(member, levels - 1)) return false
  return true
}

/** One JSON string, or one of the four characters that open and close a container. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]]|:/g

/**
 * Whether any object of a valid JSON text has a name twice. Never recursive, one pass: a hostile text costs
 * its length and no more.
 */
function hasDuplicateName(text: string): boolean {
  const open: (Set<string> | undefined)[] = []
  let lastString = ''
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (token !== ':') lastString = token
    else if (!addName(open.at(-1), lastString)) return true
  }
  return false
}

/** @returns false when the object has the name already; two spellings of one name are equal */
function addName(names: Set<string> | undefined, literal: string): boolean {
  if (names === undefined) return true
  const name: unknown = literal.includes('\\') ? JSON.parse(literal) : literal.slice(1, -1)
  if (typeof name !== 'string' || names.has(name)) return false
  names.add(name)
  return true
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
