/**
 * A schema as a yes or no.
 *
 * zod finds every fault of a value and makes a copy of what is good; for a frame that has no fault, as nearly
 * all have none, both are thrown away, and they are most of what a frame costs. An acceptor is made from the
 * very same schema and only says whether there is a fault; where there is, zod is asked which.
 *
 * It knows what the frame's schemas are made of. Anything else is a defect that shows when it is compiled, and
 * never something that is let through.
 *
 * @see P-01
 */
import type { z } from 'zod'
import { isJsonObject } from '../../core/text/json-object.ts'

export type Predicate = (value: unknown) => boolean
export type Def = z.core.$ZodTypes['_zod']['def']

/**
 * Compiles a schema.
 *
 * @returns a predicate that holds for nothing zod would refuse; a value with a member that is there and
 *   undefined it may leave to zod, no JSON has one
 * @throws TypeError when the schema is made of something it does not know
 */
export function compileAcceptor<S extends z.core.$ZodType>(
  schema: S,
): (value: unknown) => value is z.output<S> {
  const accepts = compile(schema)
  return (value): value is z.output<S> => accepts(value)
}

function compile(schema: z.core.$ZodType): Predicate {
  const def = defOf(schema)
  const checks = (def.checks ?? []).map((check) => compileCheck(check, def.type))
  return checks.reduce(both, compileType(def))
}

export function defOf(schema: z.core.$ZodType): Def {
  // zod's own union of everything a schema can be.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (schema as z.core.$ZodTypes)._zod.def
}

function compileType(def: Def): Predicate {
  if (def.type === 'string') return compileString(def)
  if (def.type === 'boolean') return (value) => typeof value === 'boolean'
  if (def.type === 'number') return compileNumber(def)
  if (def.type === 'literal') return compileOneOf(def.values)
  if (def.type === 'enum') return compileOneOf(Object.values(def.entries))
  if (def.type === 'array') return compileArray(compile(def.element))
  if (def.type === 'object') return compileObject(def)
  if (def.type === 'union') return compileUnion(def)
  throw unknownPart(def.type)
}

/** A string of zod's own formats would carry its check in itself. */
function compileString(def: z.core.$ZodStringDef): Predicate {
  if ('format' in def) throw unknownPart('format of a string')
  return (value) => typeof value === 'string'
}

/** Integers that a double holds exactly; the schemas have no other numbers. */
function compileNumber(def: z.core.$ZodNumberDef): Predicate {
  if (!('format' in def) || def.format !== 'safeint') throw unknownPart('number')
  return Number.isSafeInteger
}

function compileOneOf(values: readonly unknown[]): Predicate {
  if (values.length === 1) return (value) => value === values[0]
  const among = new Set(values)
  return (value) => among.has(value)
}

function compileArray(accepts: Predicate): Predicate {
  return (value) => Array.isArray(value) && value.every(accepts)
}

interface Field {
  readonly name: string
  readonly isOptional: boolean
  readonly accepts: Predicate
}

/** A closed object: what has a name it does not know has one more than it should. */
function compileObject({ shape, catchall }: z.core.$ZodObjectDef): Predicate {
  if (catchall === undefined || defOf(catchall).type !== 'never') throw unknownPart('open object')
  const fields = Object.entries(shape).map(([name, field]) => compileField(name, field))
  return (value) => {
    if (!isJsonObject(value)) return false
    let unmet = 0
    for (const _ in value) unmet += 1
    for (const { name, isOptional, accepts } of fields) {
      const member = value[name]
      if (member === undefined) {
        if (!isOptional) return false
      } else if (accepts(member)) unmet -= 1
      else return false
    }
    return unmet === 0
  }
}

function compileField(name: string, schema: z.core.$ZodType): Field {
  const def = defOf(schema)
  if (def.type !== 'optional') return { name, isOptional: false, accepts: compile(schema) }
  return { name, isOptional: true, accepts: compile(def.innerType) }
}

/** Objects told apart by one member. */
function compileUnion(def: z.core.$ZodUnionDef): Predicate {
  const { discriminator } = def as Partial<z.core.$ZodDiscriminatedUnionDef>
  if (discriminator === undefined) throw unknownPart('union without a discriminator')
  const byValue = new Map<unknown, Predicate>()
  for (const option of def.options) {
    const object = defOf(option)
    const tag = object.type === 'object' ? object.shape[discriminator] : undefined
    const tagDef = tag && defOf(tag)
    if (tagDef?.type !== 'literal') throw unknownPart('union of something else than tagged objects')
    for (const value of tagDef.values) byValue.set(value, compile(option))
  }
  return (value) => isJsonObject(value) && byValue.get(value[discriminator])?.(value) === true
}

/**
 * What is asked of a value once its type is right.
 *
 * Lengths count what JavaScript counts; of a string zod counts code points, which are never more, so that a
 * bound from above only ever leaves more to zod, and one from below is for lists alone.
 */
export function compileCheck(check: z.core.$ZodCheck, type: Def['type']): Predicate {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { def } = (check as z.core.$ZodChecks | z.core.$ZodCustom)._zod
  if (def.check === 'string_format') return compilePattern(def)
  if (def.check === 'custom' && def.when === undefined) return (value) => def.fn(value) === true
  if (def.check === 'max_length') return (value) => hasLength(value) && value.length <= def.maximum
  if (def.check === 'min_length' && type === 'array')
    return (value) => hasLength(value) && value.length >= def.minimum
  if (def.check === 'less_than') return compileBound(def, (value, bound) => value < bound)
  if (def.check === 'greater_than') return compileBound(def, (value, bound) => value > bound)
  throw unknownPart(def.check)
}

function compileBound(
  { value: bound, inclusive }: z.core.$ZodCheckLessThanDef | z.core.$ZodCheckGreaterThanDef,
  isWithin: (value: number, bound: number) => boolean,
): Predicate {
  if (typeof bound !== 'number') throw unknownPart('bound that is no number')
  return (value) => typeof value === 'number' && (isWithin(value, bound) || (inclusive && value === bound))
}

function compilePattern({ format, pattern }: z.core.$ZodCheckStringFormatDef): Predicate {
  // An expression that keeps its place would answer every other time.
  if (format !== 'regex' || pattern === undefined || pattern.global || pattern.sticky)
    throw unknownPart(format)
  return (value) => typeof value === 'string' && pattern.test(value)
}

/** One after another, until one does not hold; without a function made at every call. */
export function both(first: Predicate, second: Predicate): Predicate {
  return (value) => first(value) && second(value)
}

function hasLength(value: unknown): value is string | readonly unknown[] {
  return typeof value === 'string' || Array.isArray(value)
}

export function unknownPart(name: string): TypeError {
  return new TypeError(`A frame's schema has a part that cannot be compiled: ${name}.`)
}
