/**
 * References to earlier envelopes: `payload.references[]`, in place of envelopes inside envelopes.
 *
 * @see draft-cowles-aee-00 §10, AEE-069…AEE-075
 */
import type { Envelope } from '../envelope/envelope.ts'
import { invalidField, type ConformanceFinding } from '../envelope/fault.ts'
import { readMember, type RecordMembers } from '../envelope/record.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

/** What points to one envelope, or to something else that its `type` names. */
export interface Reference {
  /** The id of what it points to. */
  readonly id: string
  /** The workflow that belongs to; absent, not said. */
  readonly corr?: string
  /** `aee.envelope` for an envelope (AEE-072). */
  readonly type: string
  /** Where the whole is to be had: a URI or a path (AEE-073). */
  readonly locator?: string
  /** `sha256:` and the digest of the canonical envelope (AEE-074, AEQ-22). */
  readonly hash?: string
}

/** References read of one payload; whoever names more has nested a log. */
const MAX_REFERENCES = 1_000

const LOCATOR_PREFIX = 'store://envelopes/'

/** What would end the path of a locator, or is none of a URI at all; ids are percent-encoded there. */
const OUTSIDE_SEGMENT = /[/?#\s]/

/** Member → whether a reference has to have it. */
const MEMBERS: readonly (readonly [keyof Reference, boolean])[] = [
  ['id', true],
  ['type', true],
  ['corr', false],
  ['locator', false],
  ['hash', false],
]

/** The well-formed references of an envelope, in order; the others are left out, and at most 1 000 are read. */
export function referencesOf(envelope: Envelope): readonly Reference[] {
  return listOf(envelope.payload).flatMap((item) => (isReference(item) ? [toReference(item)] : []))
}

/** The first thing about a payload's `references` that is not as it should be; null counts as none. */
export function referenceFinding(payload: RecordMembers): ConformanceFinding | undefined {
  const references = readMember(payload, 'references') ?? []
  if (!Array.isArray(references))
    return { field: 'payload.references', rule: 'must be an array of references' }
  for (const [at, item] of listOf(payload).entries()) {
    const fault = faultOf(item)
    if (fault !== undefined) return { ...fault, field: `payload.references[${at}]${fault.field}` }
  }
  return undefined
}

/**
 * Where this daemon keeps an envelope: `store://envelopes/<id>`, the id percent-encoded.
 *
 * @throws AgentdError `field-invalid`, field `id`, for an id that no URI can hold
 */
export function locatorOf(id: string): string {
  if (!id.isWellFormed()) throw invalidField('id', 'must be well-formed Unicode')
  return `${LOCATOR_PREFIX}${encodeURIComponent(id)}`
}

/** The id that a locator of {@link locatorOf} names; undefined for any other text. */
export function readLocator(text: string): string | undefined {
  if (!text.startsWith(LOCATOR_PREFIX)) return undefined
  const segment = text.slice(LOCATOR_PREFIX.length)
  if (segment === '' || OUTSIDE_SEGMENT.test(segment)) return undefined
  try {
    return decodeURIComponent(segment)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

function listOf(payload: RecordMembers): readonly unknown[] {
  const references = readMember(payload, 'references')
  return Array.isArray(references) ? references.slice(0, MAX_REFERENCES) : []
}

function isReference(item: unknown): item is RecordMembers & Reference {
  return faultOf(item) === undefined
}

/** @returns a field that begins with a dot, or is empty when the item itself is meant */
function faultOf(item: unknown): ConformanceFinding | undefined {
  if (!isJsonObject(item)) return { field: '', rule: 'must be an object with "id" and "type"' }
  for (const [name, isRequired] of MEMBERS) {
    const value = readMember(item, name)
    if (value === undefined && isRequired) return { field: `.${name}`, rule: 'is required' }
    if (value !== undefined && typeof value !== 'string')
      return { field: `.${name}`, rule: 'must be a string' }
    if (value === '' && isRequired) return { field: `.${name}`, rule: 'must not be empty' }
  }
  return undefined
}

/** The members that a reference has, and no others: what else is there means nothing here. */
function toReference(item: Reference): Reference {
  const { id, type, corr, locator, hash } = item
  return {
    id,
    ...(corr !== undefined && { corr }),
    type,
    ...(locator !== undefined && { locator }),
    ...(hash !== undefined && { hash }),
  }
}
