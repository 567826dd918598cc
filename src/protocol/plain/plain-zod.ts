/**
 * The part of zod that the schemas of this protocol are written with, in its own names. `bundle.mjs` puts it in the place
 * of the package where the client is made, which has no dependencies, and where a daemon and a command are, since making a
 * schema of zod's takes about ten times as long; nothing else loads it. What writes schemas down has zod itself.
 *
 * The schemas stay the one source of what a frame, a request and a reply are; a test reads the same values through both.
 */
import { isJsonObject, type JsonObject } from '../../core/text/json-object.ts'
import { fault, findUnsafe, wrongType, type Fault } from './check.ts'
import { PlainSchema, type Definition, type Reader } from './plain-schema.ts'

type Shape = Readonly<Record<string, PlainSchema>>

/** @returns a schema of what a function tells from all else */
function only(type: string, holds: (value: unknown) => boolean): PlainSchema {
  return new PlainSchema({ type }, (value, faults) => {
    if (!holds(value)) faults.push(wrongType(type, value))
    return value
  })
}

export function string(): PlainSchema {
  return only('string', (value) => typeof value === 'string')
}

export function boolean(): PlainSchema {
  return only('boolean', (value) => typeof value === 'boolean')
}

export function unknown(): PlainSchema {
  return only('unknown', () => true)
}

/** What a function takes. */
export function custom(holds: (value: unknown) => boolean, told: string): PlainSchema {
  return only('custom', () => true).refine(holds, told)
}

/** A whole number that a double holds exactly. */
export function int(): PlainSchema {
  return new PlainSchema({ type: 'number', format: 'safeint' }, (value, faults) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) faults.push(wrongType('number', value))
    else if (!Number.isInteger(value)) faults.push(wrongType('int', value))
    else faults.push(...[findUnsafe(value)].flatMap((found) => found ?? []))
    return value
  })
}

/** One value, or one of several. */
export function literal(values: unknown): PlainSchema {
  const list: readonly unknown[] = Array.isArray(values) ? values : [values]
  return oneOf({ type: 'literal', values: list }, list)
}

function enumeration(names: readonly string[]): PlainSchema {
  return oneOf({ type: 'enum', entries: Object.fromEntries(names.map((name) => [name, name])) }, names)
}
export { enumeration as enum }

function oneOf(def: Definition, values: readonly unknown[]): PlainSchema {
  return new PlainSchema(def, (value, faults) => {
    if (!values.includes(value)) faults.push(fault('invalid_value', { values }))
    return value
  })
}

export function array(element: PlainSchema): PlainSchema {
  return new PlainSchema({ type: 'array', element }, (value, faults) => {
    if (Array.isArray(value))
      return value.map((item, index) => readAt(element, { value: item, at: index }, faults))
    faults.push(wrongType('array', value))
    return value
  })
}

/** What is at a place of a value; its faults are told with the place. */
function readAt(
  schema: PlainSchema,
  { value, at }: { value: unknown; at: PropertyKey },
  faults: Fault[],
): unknown {
  const inside: Fault[] = []
  const result = schema.run(value, inside)
  for (const found of inside) faults.push({ ...found, path: [at, ...found.path] })
  return result
}

/** An object whose further members are left out. */
export function object(shape: Shape): PlainSchema {
  const read: Reader = (value, faults) => readMembers(shape, value, faults)
  return new PlainSchema({ type: 'object', shape, remake: object }, read)
}

/** An object without further members. */
export function strictObject(shape: Shape): PlainSchema {
  const def = { type: 'object', shape, remake: strictObject, catchall: only('never', () => false) }
  return new PlainSchema(def, (value, faults) => {
    const result = readMembers(shape, value, faults)
    const keys = isJsonObject(value) ? Object.keys(value).filter((name) => !Object.hasOwn(shape, name)) : []
    // It is about the input and not about what was made of it, which may be asked more.
    if (keys.length > 0) faults.push(fault('unrecognized_keys', { keys, continue: true }))
    return result
  })
}

function readMembers(shape: Shape, value: unknown, faults: Fault[]): unknown {
  if (!isJsonObject(value)) {
    faults.push(wrongType('object', value))
    return value
  }
  const result: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(shape)) {
    const { optin } = schema._zod
    const isPresent = name in value
    if (!isPresent && optin === 'optional') continue
    const before = faults.length
    const member = readAt(schema, { value: value[name], at: name }, faults)
    if (!isPresent && optin === undefined && faults.length === before)
      faults.push({ ...wrongType('nonoptional', undefined), path: [name] })
    result[name] = member
  }
  return result
}

/** An object of any names. */
export function record(names: PlainSchema, values: PlainSchema): PlainSchema {
  return new PlainSchema({ type: 'record', keyType: names, valueType: values }, (value, faults) => {
    if (!isJsonObject(value)) {
      faults.push(wrongType('record', value))
      return value
    }
    return Object.fromEntries(readEntries(value, { names, values }, faults))
  })
}

function readEntries(value: JsonObject, of: { names: PlainSchema; values: PlainSchema }, faults: Fault[]) {
  return Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    if (name === '__proto__') return []
    const issues: Fault[] = []
    of.names.run(name, issues)
    if (issues.length > 0) {
      faults.push(fault('invalid_key', { path: [name], issues }))
      return []
    }
    return [[name, readAt(of.values, { value: member, at: name }, faults)]]
  })
}

/** The first of several that has nothing against a value, or else the only one whose type it has. */
export function union(options: readonly PlainSchema[]): PlainSchema {
  return new PlainSchema({ type: 'union', options }, (value, faults) => {
    const near: { result: unknown; found: readonly Fault[] }[] = []
    for (const option of options) {
      const found: Fault[] = []
      const result = option.run(value, found)
      if (found.length === 0) return result
      if (found.every((one) => one.continue)) near.push({ result, found })
    }
    const [only, ...others] = near
    const isOnly = only !== undefined && others.length === 0
    faults.push(...(isOnly ? only.found : [fault('invalid_union')]))
    return isOnly ? only.result : value
  })
}

/** One of several objects, told apart by a member. */
export function discriminatedUnion(discriminator: string, options: readonly PlainSchema[]): PlainSchema {
  const byTag = new Map(
    options.flatMap((option) => tagsOf(option, discriminator).map((tag) => [tag, option])),
  )
  return new PlainSchema({ type: 'union', options, discriminator }, (value, faults) => {
    const option = isJsonObject(value) ? byTag.get(value[discriminator]) : undefined
    if (option !== undefined) return option.run(value, faults)
    const isObject = isJsonObject(value)
    faults.push(isObject ? fault('invalid_union', { path: [discriminator] }) : wrongType('object', value))
    return value
  })
}

function tagsOf({ shape }: PlainSchema, discriminator: string): readonly unknown[] {
  const tag: unknown = shape instanceof Object ? Reflect.get(shape, discriminator) : undefined
  const values = tag instanceof PlainSchema ? tag._zod.def['values'] : []
  return Array.isArray(values) ? values : []
}
