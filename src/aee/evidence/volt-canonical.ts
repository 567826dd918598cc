/**
 * Canonical JSON as VOLT defines it, which is not that of RFC 8785: names in the order of their UTF-8 bytes,
 * strings in NFC, numbers without an exponent. For names in ASCII, strings already in NFC and safe integers the two
 * agree.
 *
 * @see VOLT 0.1 §3.2, docs/requirements.md §2.3
 */
import { UsageError } from '../../core/errors.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

/** A number as ECMAScript writes it where it needs an exponent. */
const WITH_EXPONENT = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/

/**
 * The canonical form of a JSON value at most `MAX_JSON_DEPTH` levels deep.
 *
 * @throws UsageError for what has none: half a surrogate pair, two names that are one in NFC, a value no JSON
 *   text can hold
 */
export function voltCanonicalJson(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'number') return writeNumber(value)
  if (value === null || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return `[${value.map((item) => voltCanonicalJson(item)).join(',')}]`
  if (isJsonObject(value)) return `{${writeMembers(value).join(',')}}`
  throw new UsageError('The event holds a value that is not JSON.')
}

function writeMembers(record: Readonly<Record<string, unknown>>): readonly string[] {
  const members = Object.entries(record)
    .map(([name, member]) => ({ name: name.normalize('NFC'), member }))
    .map(({ name, member }) => ({ name, bytes: Buffer.from(name), member }))
    .toSorted((one, other) => Buffer.compare(one.bytes, other.bytes))
  for (const [i, { name }] of members.entries()) {
    if (name === members[i + 1]?.name) throw new UsageError('The event has two names that are one in NFC.')
  }
  return members.map(({ name, member }) => `${quote(name)}:${voltCanonicalJson(member)}`)
}

function quote(text: string): string {
  if (!text.isWellFormed()) throw new UsageError('The event holds half a surrogate pair.')
  return JSON.stringify(text.normalize('NFC'))
}

/** An exponent is written out: `1e21` as a 1 with 21 zeros, `1.5e-7` as `0.00000015`. */
function writeNumber(value: number): string {
  if (!Number.isFinite(value)) throw new UsageError('The event holds a number that JSON cannot carry.')
  const text = JSON.stringify(value)
  const [, sign = '', first = '', rest = '', exponent] = WITH_EXPONENT.exec(text) ?? []
  if (exponent === undefined) return text
  const digits = first + rest
  const shift = Number(exponent)
  // A double has at most 17 digits and gets an exponent from 21 on, so no digit falls behind the point.
  return shift > 0 ? `${sign}${digits.padEnd(shift + 1, '0')}` : `${sign}0.${'0'.repeat(-shift - 1)}${digits}`
}
