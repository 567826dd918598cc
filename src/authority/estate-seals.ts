/**
 * What an estate says of the keys that its realm is sealed with: each wrapped for the machines that were in it when it was
 * signed. What is in there nobody reads here.
 *
 * @see FED-46
 */
import { invalidField } from '../aee/envelope/fault.ts'
import { readMember } from '../aee/envelope/record.ts'
import { isJsonObject } from '../core/text/json-object.ts'
import { octetLength } from '../core/text/octets.ts'
import { isLabel } from '../protocol/address/label.ts'

/** The key of one epoch. */
export interface EstateSeal {
  /** Of the estate that it came with. */
  readonly epoch: number
  /** X25519, 32 bytes as base64url. */
  readonly from: string
  /** Node → what it alone opens, base64url. */
  readonly keys: Readonly<Record<string, string>>
}

/** Epochs whose keys an estate has: what was sealed with an older one can be read no more. */
export const MAX_ESTATE_SEALS = 16

/** All of them as JSON, but the newest: the machines need their room too. */
const MAX_SEALS_OCTETS = 24_576

const NAMES: ReadonlySet<string> = new Set(['epoch', 'from', 'keys'])
const WRAPPED = /^[A-Za-z0-9_-]{43,128}$/

/** Those that an estate keeps with a new one: the newest, and of the older ones as many as there is room for. */
export function withSeal(former: readonly EstateSeal[], next: EstateSeal): readonly EstateSeal[] {
  const seals = [...former, next].slice(-MAX_ESTATE_SEALS)
  while (seals.length > 1 && octetLength(JSON.stringify(seals)) > MAX_SEALS_OCTETS) seals.shift()
  return seals
}

/** Whether a value may be the list of them. */
export function isSealList(value: unknown): boolean {
  return Array.isArray(value) && value.length >= 1 && value.length <= MAX_ESTATE_SEALS
}

/** @throws AgentdError `field-invalid`, field `seals[0]` */
export function readSeals(value: unknown): readonly EstateSeal[] {
  return Array.isArray(value) ? value.map((one, i) => readSeal(one, `seals[${i}]`)) : []
}

function readSeal(value: unknown, field: string): EstateSeal {
  if (!isJsonObject(value) || Object.keys(value).some((name) => !NAMES.has(name)))
    throw invalidField(field, `must be an object of ${[...NAMES].join(', ')}`)
  const [epoch, from, keys] = [...NAMES].map((name) => readMember(value, name))
  if (!Number.isSafeInteger(epoch) || Number(epoch) < 1)
    throw invalidField(`${field}.epoch`, 'must be a whole number of 1 or more')
  return { epoch: Number(epoch), from: textIn(from, `${field}.from`), keys: readKeys(keys, `${field}.keys`) }
}

function readKeys(value: unknown, field: string): EstateSeal['keys'] {
  if (!isJsonObject(value) || !Object.keys(value).every(isLabel))
    throw invalidField(field, 'must be an object of machines')
  return Object.fromEntries(Object.entries(value).map(([node, text]) => [node, textIn(text, field)]))
}

function textIn(value: unknown, field: string): string {
  if (typeof value === 'string' && WRAPPED.test(value)) return value
  throw invalidField(field, 'must be octets as base64url')
}
