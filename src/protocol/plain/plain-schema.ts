/**
 * A schema without zod, as far as the schemas of this protocol go: its definition under zod's own names, so that the
 * acceptor compiles either, and the reading of a value with zod's results and zod's faults.
 */
import { isJsonObject } from '../../core/text/json-object.ts'
import {
  above,
  atLeast,
  atMost,
  custom,
  findFault,
  longEnough,
  matching,
  shortEnough,
  type Check,
  type Fault,
  type Told,
} from './check.ts'

/** What a schema is made of, the names zod's. */
export interface Definition {
  readonly type: string
  readonly [name: string]: unknown
}

/** @returns what becomes of a value; what is wrong with it is added to the faults */
export type Reader = (value: unknown, faults: Fault[]) => unknown

/** What comes of reading a value. */
export type Parsed =
  | { readonly success: true; readonly data: unknown }
  | { readonly success: false; readonly error: { readonly issues: readonly Fault[] } }

/** Whether a member may be absent, and whether something takes its place then. */
type Absence = 'optional' | 'defaulted' | undefined

/** One schema. Its methods are zod's, and give another one; `shape` is an object's. */
export class PlainSchema {
  readonly _zod: { readonly def: Definition; readonly optin: Absence }
  readonly #read: Reader
  readonly #checks: readonly Check[]

  constructor(def: Definition, read: Reader, checks: readonly Check[] = [], optin?: Absence) {
    this._zod = { def: { ...def, checks }, optin }
    this.#read = read
    this.#checks = checks
  }

  get shape(): unknown {
    return this._zod.def['shape']
  }

  /** A union's. */
  get options(): unknown {
    return this._zod.def['options']
  }

  /** A literal's. */
  get values(): unknown {
    return this._zod.def['values']
  }

  /** Reads a value, and then asks of it what its type does not say. */
  run(value: unknown, faults: Fault[]): unknown {
    // A list over its bound is not looked into, however long it is.
    const bound = Array.isArray(value)
      ? this.#checks.find((check) => check.isBound && !check.holds(value))
      : undefined
    if (bound !== undefined) {
      faults.push({ ...bound.faultOf(value), continue: false })
      return value
    }
    const before = faults.length
    const result = this.#read(value, faults)
    for (const check of this.#checks) {
      const found = findFault(check, result, faults.slice(before))
      if (found !== undefined) faults.push(found)
    }
    return result
  }

  safeParse(value: unknown): Parsed {
    const issues: Fault[] = []
    const data = this.run(value, issues)
    return issues.length === 0 ? { success: true, data } : { success: false, error: { issues } }
  }

  /** @throws TypeError for a value that will not do; who may be given one asks {@link safeParse} */
  parse(value: unknown): unknown {
    const parsed = this.safeParse(value)
    if (parsed.success) return parsed.data
    throw new TypeError(parsed.error.issues.map(({ message }) => message).join('; '))
  }

  refine(holds: (value: unknown) => unknown, told?: Told): PlainSchema {
    return this.#with(custom(holds, told))
  }

  regex(pattern: RegExp, told?: Told): PlainSchema {
    return this.#with(matching(pattern, told))
  }

  min(least: number, told?: Told): PlainSchema {
    return this.#with(this.#isNumber ? atLeast(least, told) : longEnough(least, told))
  }

  max(most: number, told?: Told): PlainSchema {
    return this.#with(this.#isNumber ? atMost(most, told) : shortEnough(most, told))
  }

  positive(): PlainSchema {
    return this.#with(above(0))
  }

  optional(): PlainSchema {
    const read: Reader = (value, faults) => (value === undefined ? value : this.run(value, faults))
    return new PlainSchema({ type: 'optional', innerType: this }, read, [], 'optional')
  }

  nullable(): PlainSchema {
    const read: Reader = (value, faults) => (value === null ? value : this.run(value, faults))
    return new PlainSchema({ type: 'nullable', innerType: this }, read, [], this._zod.optin)
  }

  /** Absent or null. */
  nullish(): PlainSchema {
    return this.nullable().optional()
  }

  default(instead: unknown): PlainSchema {
    const read: Reader = (value, faults) => (value === undefined ? anew(instead) : this.run(value, faults))
    return new PlainSchema({ type: 'default', innerType: this }, read, [], 'defaulted')
  }

  /** As {@link default}, and what takes the place of nothing is read like any other value. */
  prefault(instead: unknown): PlainSchema {
    const read: Reader = (value, faults) => this.run(value === undefined ? instead : value, faults)
    return new PlainSchema({ type: 'prefault', innerType: this }, read, [], 'defaulted')
  }

  transform(change: (value: unknown) => unknown): PlainSchema {
    return this.#then(change)
  }

  pipe(next: PlainSchema): PlainSchema {
    return this.#then((value, faults) => next.run(value, faults))
  }

  /** An object with further members, or with other ones of the same names. */
  extend(more: Readonly<Record<string, PlainSchema>>): PlainSchema {
    return this.#reshape((shape) => ({ ...shape, ...more }))
  }

  /** An object without some members. */
  omit(names: Readonly<Record<string, true>>): PlainSchema {
    return this.#keep((name) => !Object.hasOwn(names, name))
  }

  /** An object with some of its members alone. */
  pick(names: Readonly<Record<string, true>>): PlainSchema {
    return this.#keep((name) => Object.hasOwn(names, name))
  }

  /** What is published with a schema changes nothing about what it takes. */
  meta(): PlainSchema {
    return this
  }

  /** As {@link meta}. */
  describe(): PlainSchema {
    return this
  }

  get #isNumber(): boolean {
    return this._zod.def.type === 'number'
  }

  #with(check: Check): PlainSchema {
    return new PlainSchema(this._zod.def, this.#read, [...this.#checks, check], this._zod.optin)
  }

  #then(change: Reader): PlainSchema {
    const read: Reader = (value, faults) => {
      const before = faults.length
      const result = this.run(value, faults)
      return faults.length > before ? result : change(result, faults)
    }
    return new PlainSchema({ type: 'pipe', in: this }, read, [], this._zod.optin)
  }

  #keep(isKept: (name: string) => boolean): PlainSchema {
    return this.#reshape((shape) =>
      Object.fromEntries(Object.entries(shape).filter(([name]) => isKept(name))),
    )
  }

  #reshape(change: (shape: object) => object): PlainSchema {
    const { def } = this._zod
    const remake = def['remake']
    const shape = this.shape
    if (typeof remake !== 'function' || !(shape instanceof Object))
      throw new TypeError('No object has this schema.')
    const made: unknown = Reflect.apply(remake, undefined, [change(shape)])
    if (!(made instanceof PlainSchema)) throw new TypeError('No object has this schema.')
    return made
  }
}

/** Whoever gets a default may write into it. */
function anew(instead: unknown): unknown {
  if (Array.isArray(instead)) return [...instead]
  return isJsonObject(instead) ? { ...instead } : instead
}
