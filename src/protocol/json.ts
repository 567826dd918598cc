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
  if (!isUtf8(bytes)) throw malformed(field, 'is not valid UTF-8')
  return parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'), field)
}

/** As {@link decodeJson}, from text that is known to come from valid UTF-8. */
export function parseJson(text: string, field: string): unknown {
  if (text.charCodeAt(0) === BYTE_ORDER_MARK) throw malformed(field, 'begins with a byte order mark')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw malformed(field, 'is not valid JSON', cause)
  }
  if (!isWithinDepth(value, MAX_JSON_DEPTH))
    throw malformed(field, `is nested more than ${MAX_JSON_DEPTH} levels deep`)
  // Text that re-serialising reproduces has lost no member, so it held no name twice.
  if (JSON.stringify(value) !== text && hasDuplicateName(text)) throw malformed(field, 'names a member twice')
  return value
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

function malformed(field: string, fault: string, cause?: unknown): AgentdError {
  return new AgentdError('field-invalid', `The body ${fault}.`, { field, cause })
}
