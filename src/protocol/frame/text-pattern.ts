/**
 * A schema as an expression over JSON text: one pass that validates while it matches, and makes no value.
 *
 * The text of a value is matched by what is made from another value of the same shape: one whose objects have the same
 * members in the same order. It has to be written as `JSON.stringify` writes it, and well-formed, as what came in UTF-8 is. What
 * is not matched may still be valid: then the text is parsed, and the value is judged.
 *
 * Like the acceptor of values it is made from the schema, and a part that it does not know is a defect that shows when it is
 * compiled.
 *
 * @see docs/decisions/044-recognised-by-shape.md
 */
import type { z } from 'zod'
import { isJsonObject } from '../../core/text/json-object.ts'
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

/** What is asked of the text that one group of the expression holds. */
export type Judge = (text: string) => boolean

/** An expression without flags. */
export interface Pattern {
  readonly source: string
  /** The same without a group. */
  readonly bare: string
  /** What its groups have to be besides, in their order. */
  readonly groups: readonly Judge[]
}

/** The pattern of all values that are shaped as this one is, which the schema takes. */
export type Shaping = (value: unknown) => Pattern

/** How the members of an object are shaped, by their names. */
export type Members = ReadonlyMap<string, Shaping>

/** What stands in a string without an escape. */
export const PLAIN = String.raw`[^"\\\u0000-\u001f]*`
/** One as `JSON.stringify` writes it; no character is ever looked at again for another reading. */
const ESCAPE = String.raw`\\(?:["\\bfnrt]|u00(?:0[0-7be-f]|1[0-9a-f]))`
const CHARACTERS = `${PLAIN}(?:${ESCAPE}${PLAIN})*`

/** A whole number that is not negative, of as many digits as every double holds. */
const NUMBER = String.raw`0|[1-9]\d{0,14}`

/** Of whatever has no shape that a schema takes. */
const NOTHING = plain('(?!)')

/** @throws TypeError when the schema is made of something it does not know */
export function compileShaping(schema: z.core.$ZodType): Shaping {
  // Of what the acceptor knows, nothing is left that an expression would pass over.
  compileAcceptor(schema)
  const def = defOf(schema)
  const accepts = checksOf(def)
  if (def.type === 'string') return constant(stringPattern(accepts))
  if (def.type === 'number') return constant(numberPattern(accepts))
  if (def.type === 'boolean') return constant(plain('(?:true|false)'))
  if (def.type === 'literal') return constant(wordPattern(def.values))
  if (def.type === 'enum') return constant(wordPattern(Object.values(def.entries)))
  if (def.type === 'array') return compileArray(schema, def.element, accepts)
  if (def.type === 'object') return compileObject(schema, def.shape, accepts)
  throw unknownPart(def.type)
}

/** Name → how what a closed object has under it is shaped. @throws TypeError as {@link compileShaping} */
export function compileMembers(shape: Readonly<Record<string, z.core.$ZodType>>): Members {
  return new Map(
    Object.entries(shape).map(([name, schema]) => {
      const def = defOf(schema)
      return [name, compileShaping(def.type === 'optional' ? def.innerType : schema)]
    }),
  )
}

/** Of an object with the members that a value has, in the same order. */
export function patternOf(members: Members, value: object): Pattern {
  const parts = Object.entries(value).map(([name, member]) => {
    const { source, bare, groups } = members.get(name)?.(member) ?? NOTHING
    const begin = `${literally(spell(name))}:`
    return { source: begin + source, bare: begin + bare, groups }
  })
  return {
    source: String.raw`\{${parts.map(({ source }) => source).join(',')}\}`,
    bare: String.raw`\{${parts.map(({ bare }) => bare).join(',')}\}`,
    groups: parts.flatMap(({ groups }) => groups),
  }
}

function compileObject(
  schema: z.core.$ZodType,
  shape: Readonly<Record<string, z.core.$ZodType>>,
  accepts: Predicate | undefined,
): Shaping {
  const members = compileMembers(shape)
  const judge = judgeParsed(schema)
  return (value) => {
    if (!isJsonObject(value)) return NOTHING
    const pattern = patternOf(members, value)
    return accepts === undefined ? pattern : { ...pattern, source: `(${pattern.bare})`, groups: [judge] }
  }
}

/** A list of any length, of what is shaped as its first is. */
function compileArray(
  schema: z.core.$ZodType,
  element: z.core.$ZodType,
  accepts: Predicate | undefined,
): Shaping {
  const shaping = compileShaping(element)
  const judge = judgeParsed(schema)
  return (value) => {
    const [first] = Array.isArray(value) ? value : []
    const { bare: one, groups } = first === undefined ? NOTHING : shaping(first)
    const bare = String.raw`\[(?:${one}(?:,${one})*)?\]`
    // A group that matches again and again keeps what it held last.
    const isJudged = accepts !== undefined || groups.length > 0
    return isJudged ? { source: `(${bare})`, bare, groups: [judge] } : plain(bare)
  }
}

/** Where an expression alone does not do, the part is parsed. */
function judgeParsed(schema: z.core.$ZodType): Judge {
  const accepts = compileAcceptor(schema)
  return (text) => accepts(JSON.parse(text))
}

function stringPattern(accepts: Predicate | undefined): Pattern {
  const bare = `"${CHARACTERS}"`
  if (accepts === undefined) return plain(bare)
  return { source: `"(${CHARACTERS})"`, bare, groups: [(text) => accepts(unescaped(text))] }
}

function numberPattern(accepts: Predicate | undefined): Pattern {
  const bare = `(?:${NUMBER})`
  if (accepts === undefined) return plain(bare)
  return { source: `(${NUMBER})`, bare, groups: [(text) => accepts(Number(text))] }
}

function wordPattern(words: readonly unknown[]): Pattern {
  return plain(`(?:${words.map((word) => literally(spell(word))).join('|')})`)
}

function plain(bare: string): Pattern {
  return { source: bare, bare, groups: [] }
}

function constant(pattern: Pattern): Shaping {
  return () => pattern
}

/** What a string is whose characters are so written. */
function unescaped(text: string): string {
  return text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text
}

function spell(word: unknown): string {
  if (typeof word !== 'string') throw unknownPart('literal that is no string')
  const text = JSON.stringify(word)
  if (text.length !== word.length + 2) throw unknownPart('word with an escape')
  return text
}

/** An expression for these characters and no others. */
function literally(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
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
