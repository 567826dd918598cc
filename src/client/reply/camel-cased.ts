/**
 * The daemon's answers under the names of a program: `event_id` → `eventId`, at every depth outside of what others
 * wrote.
 */

/** `event_id` → `eventId`, as a type. */
type CamelName<Name> = Name extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<CamelName<Rest>>}`
  : Name

/** Members whose value somebody else wrote: its names are not ours to change. */
type AsWritten = 'frame' | 'envelope'

/** What {@link camelCased} makes of a value. A member that may be absent reads as undefined. */
export type CamelCased<Value> = Value extends readonly (infer Item)[]
  ? readonly CamelCased<Item>[]
  : Value extends object
    ? {
        readonly [Name in keyof Required<Value> as CamelName<Name>]: Name extends AsWritten
          ? Value[Name]
          : CamelCased<Value[Name]>
      }
    : Value

const AS_WRITTEN: ReadonlySet<string> = new Set<AsWritten>(['frame', 'envelope'])

/** Copies a parsed answer. */
export function camelCased<Value extends object>(value: Value): CamelCased<Value>
export function camelCased(value: object): unknown {
  return copy(value)
}

function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => copy(item))
  if (typeof value !== 'object' || value === null) return value
  // Entries, since a member may be called `__proto__` and stay one.
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      toCamelName(name),
      AS_WRITTEN.has(name) ? member : copy(member),
    ]),
  )
}

function toCamelName(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
