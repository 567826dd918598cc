/**
 * A schema as a yes or no over the octets of JSON: one pass that validates while it scans, and makes no value.
 *
 * It takes JSON only as `JSON.stringify` writes it, and without an escape; that it is UTF-8 whoever asks has seen to. What it
 * does not take may still be valid: then the text is parsed, and the value is judged.
 *
 * Like the acceptor of values it is made from the schema, and a part that it does not know is a defect that shows when it is
 * compiled.
 *
 * @see docs/decisions/041-validated-as-octets.md
 */
import type { z } from 'zod'
import { isWellFormed } from '../fields.ts'
import {
  both,
  compileAcceptor,
  compileCheck,
  defOf,
  unknownPart,
  type Def,
  type Predicate,
} from './acceptor.ts'
import { KeptText } from './kept-text.ts'
import { NO, endOfString, startsWith } from '../../core/text/octets.ts'

/** From where a value begins to behind its end; {@link NO} where what stands there is not taken. */
export type Scan = (octets: Buffer, at: number) => number

const QUOTE = 0x22
const COMMA = 0x2c
const ZERO = 0x30
const NINE = 0x39
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** Digits that every double holds. */
const MAX_DIGITS = 15

/** Members of an object told apart by the bits of one word. */
const MAX_FIELDS = 30

/** A member, its name spelled as it stands in front of its value. */
export interface Field {
  readonly spelled: Buffer
  readonly isOptional: boolean
  readonly scan: Scan
  /** What was last accepted there; undefined where nothing is asked of the text, or it is none. */
  readonly kept: KeptText | undefined
}

/** @throws TypeError when the schema is made of something it does not know */
export function compileScan(schema: z.ZodType): Scan {
  // Of what the acceptor knows, nothing is left that a scan would pass over.
  compileAcceptor(schema)
  return compilePart(schema).scan
}

/** @param shape - of an object that the acceptor knows @throws TypeError for a word with an escape, and too many members */
export function compileFields(shape: Readonly<Record<string, z.core.$ZodType>>): readonly Field[] {
  const fields = Object.entries(shape).map(([name, schema]) => {
    const def = defOf(schema)
    const isOptional = def.type === 'optional'
    const spelled = Buffer.from(`${spell(name)}:`)
    return { spelled, isOptional, ...compilePart(isOptional ? def.innerType : schema) }
  })
  if (fields.length > MAX_FIELDS) throw unknownPart('object of so many members')
  return fields
}

function compilePart(schema: z.core.$ZodType): Pick<Field, 'scan' | 'kept'> {
  const def = defOf(schema)
  const accepts = checksOf(def)
  if (def.type === 'string' && accepts !== undefined) {
    const kept = new KeptText(accepts)
    return { scan: (octets, at) => kept.scan(octets, at), kept }
  }
  return { scan: compileType(def, accepts), kept: undefined }
}

function compileType(def: Def, accepts: Predicate | undefined): Scan {
  if (def.type === 'string') return scanString
  if (def.type === 'number') return scanNumber(accepts)
  if (def.type === 'boolean') return scanWords(['true', 'false'])
  if (def.type === 'literal') return scanWords(def.values.map(spell))
  if (def.type === 'enum') return scanWords(Object.values(def.entries).map(spell))
  if (def.type === 'array') return judged(scanArray(compilePart(def.element).scan), accepts)
  if (def.type === 'object') return judged(scanObject(compileFields(def.shape)), accepts)
  throw unknownPart(def.type)
}

function spell(word: unknown): string {
  if (typeof word !== 'string') throw unknownPart('literal that is no string')
  const text = JSON.stringify(word)
  if (text.length !== word.length + 2) throw unknownPart('word with an escape')
  return text
}

/** What is asked of a value; that it is well-formed is known of what came in UTF-8, and asked of nothing. */
function checksOf(def: Def): Predicate | undefined {
  const asked = (def.checks ?? []).filter((check) => !isAboutUnicode(check))
  const [first, ...rest] = asked.map((check) => compileCheck(check, def.type))
  return first === undefined ? undefined : rest.reduce(both, first)
}

function isAboutUnicode(check: z.core.$ZodCheck): boolean {
  const { def } = check._zod
  return def.check === 'custom' && 'fn' in def && def.fn === isWellFormed
}

/** As the scan, and then the value is judged, where its schema asks for more than its parts. */
function judged(scan: Scan, accepts: Predicate | undefined): Scan {
  if (accepts === undefined) return scan
  return (octets, at) => {
    const end = scan(octets, at)
    return end !== NO && accepts(JSON.parse(octets.toString('utf8', at, end))) ? end : NO
  }
}

function scanString(octets: Buffer, at: number): number {
  if (octets[at] !== QUOTE) return NO
  const end = endOfString(octets, at + 1)
  return end === NO ? NO : end + 1
}

/** Whole numbers that are not negative, as they are written plainly. */
function scanNumber(accepts: Predicate | undefined): Scan {
  return (octets, at) => {
    let end = at
    let number = 0
    for (; ; end += 1) {
      const unit = octets[end] ?? QUOTE
      if (unit < ZERO || unit > NINE) break
      number = number * 10 + unit - ZERO
    }
    const digits = end - at
    if (digits === 0 || digits > MAX_DIGITS || (digits > 1 && octets[at] === ZERO)) return NO
    return accepts === undefined || accepts(number) ? end : NO
  }
}

function scanWords(words: readonly string[]): Scan {
  const spelled = words.map((word) => Buffer.from(word))
  return (octets, at) => {
    for (const word of spelled) if (startsWith(octets, at, word)) return at + word.length
    return NO
  }
}

function scanArray(element: Scan): Scan {
  return (octets, at) => {
    if (octets[at] !== OPEN_ARRAY) return NO
    if (octets[at + 1] === CLOSE_ARRAY) return at + 2
    for (let next = at + 1; ;) {
      const end = element(octets, next)
      if (end === NO) return NO
      const unit = octets[end]
      if (unit === CLOSE_ARRAY) return end + 1
      if (unit !== COMMA) return NO
      next = end + 1
    }
  }
}

/**
 * A closed object, each of its members once; looked for in the order of the schema, in which most are written.
 *
 * @param onSeen - told which have been, a bit for each, when it is taken
 */
export function scanObject(fields: readonly Field[], onSeen?: (seen: number) => void): Scan {
  const required = fields.reduce((bits, { isOptional }, i) => (isOptional ? bits : bits | (1 << i)), 0)
  return (octets, at) => {
    if (octets[at] !== OPEN_OBJECT) return NO
    if (octets[at + 1] === CLOSE_OBJECT) return required === 0 ? at + 2 : NO
    let seen = 0
    let index = -1
    for (let next = at + 1; ;) {
      index = findField(fields, octets, next, index + 1)
      const field = fields[index]
      if (field === undefined || (seen & (1 << index)) !== 0) return NO
      seen |= 1 << index
      const end = field.scan(octets, next + field.spelled.length)
      if (end === NO) return NO
      const unit = octets[end]
      if (unit === CLOSE_OBJECT) {
        onSeen?.(seen)
        return (seen & required) === required ? end + 1 : NO
      }
      if (unit !== COMMA) return NO
      next = end + 1
    }
  }
}

/** @returns which of the fields is named there, the expected one and those behind it asked first; {@link NO} for none */
function findField(fields: readonly Field[], octets: Buffer, at: number, expected: number): number {
  for (let index = expected; index < fields.length; index += 1)
    if (isNamed(fields[index], octets, at)) return index
  for (let index = 0; index < expected; index += 1) if (isNamed(fields[index], octets, at)) return index
  return NO
}

function isNamed(field: Field | undefined, octets: Buffer, at: number): boolean {
  return field !== undefined && startsWith(octets, at, field.spelled)
}
