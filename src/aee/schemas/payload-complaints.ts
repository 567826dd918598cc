/**
 * What a validator found, as sentences that name the member and never repeat its value: they go into answers
 * and logs, and a payload may hold what nobody else is to read (AEE-090).
 */
import { clip } from '../../core/text/clip.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import { readMember } from '../envelope/record.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

/** Sentences of one verdict; the first few are all that anybody mends at once. */
export const MAX_ERRORS = 32

/** Code units of one sentence: a member's name, or the list of an `enum`, can be as long as its author likes. */
const MAX_SENTENCE_LENGTH = 300

/** The part of a validator's finding that is looked at. */
export interface SchemaFinding {
  /** JSON pointer to the value that does not fit. */
  readonly instancePath: string
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  /** The end of a sentence in the validator's own words: `must be >= 1`. Made from the schema alone. */
  readonly message?: string | undefined
}

/** The types of JSON Schema as people say them. */
const TYPE_WORDS: ReadonlyMap<unknown, string> = new Map([
  ['object', 'an object'],
  ['array', 'an array'],
  ['string', 'a string'],
  ['number', 'a number'],
  ['integer', 'a whole number'],
  ['boolean', 'true or false'],
  ['null', 'null'],
])

/**
 * At most `MAX_ERRORS` sentences, none twice.
 *
 * @param value - what was validated; tells the index of an array from the name of a member
 * @param root - what the sentences call it, such as `payload`
 */
export function toComplaints(
  findings: readonly SchemaFinding[],
  value: unknown,
  root: string,
): readonly string[] {
  const sentences = new Set<string>()
  for (const finding of findings) {
    if (sentences.size === MAX_ERRORS) break
    const said = safeLine(sentence(finding, fieldPath(finding.instancePath, value, root)))
    sentences.add(clip(said, MAX_SENTENCE_LENGTH))
  }
  return [...sentences]
}

function sentence({ keyword, params, message }: SchemaFinding, path: string): string {
  switch (keyword) {
    case 'required':
      return `"${path}.${String(params['missingProperty'])}" is required.`
    case 'additionalProperties':
      return `"${path}.${String(params['additionalProperty'])}" is not a member it may have.`
    case 'unevaluatedProperties':
      return `"${path}.${String(params['unevaluatedProperty'])}" is not a member it may have.`
    case 'type':
      return `"${path}" must be ${typeWords(params['type'])}.`
    case 'enum':
      return `"${path}" must be one of ${allowedWords(params['allowedValues'])}.`
    case 'const':
      return `"${path}" must be ${JSON.stringify(params['allowedValue'])}.`
    case 'false schema':
      return `"${path}" must not be there.`
    default:
      return `"${path}" ${message ?? 'does not fit the schema'}.`
  }
}

function typeWords(types: unknown): string {
  const names: readonly unknown[] = Array.isArray(types) ? types : [types]
  return names.map((name) => TYPE_WORDS.get(name) ?? String(name)).join(' or ')
}

function allowedWords(values: unknown): string {
  return Array.isArray(values)
    ? values.map((value) => JSON.stringify(value)).join(', ')
    : 'the allowed values'
}

/** A dotted path, array indices in brackets (ACQ-39). */
function fieldPath(pointer: string, value: unknown, root: string): string {
  let path = root
  let place = value
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    path += Array.isArray(place) ? `[${name}]` : `.${name}`
    if (Array.isArray(place)) place = place[Number(name)]
    else place = isJsonObject(place) ? readMember(place, name) : undefined
  }
  return path
}
