/**
 * What a JSON Schema refers to and what it can be referred to by, found without compiling it.
 *
 * Compiling costs a millisecond a schema and waits for the first payload; what a person got wrong is to be
 * told when the folder is read.
 */
import { DIALECT } from '../intents/payload-schema.ts'
import type { JsonSchema } from '../intents/payload-schema.ts'
import { readMember } from '../envelope/record.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

/** What one document says of itself and of others. */
export interface SchemaSurvey {
  /** Every `$ref` and `$dynamicRef`, as written. */
  readonly references: ReadonlySet<string>
  /** Names that a fragment may use beside JSON pointers. */
  readonly anchors: ReadonlySet<string>
  /** Every regular expression. */
  readonly patterns: ReadonlySet<string>
  /** Whether something inside the document calls itself a document. */
  readonly hasInnerId: boolean
}

/** A document in its place: the URI that its relative references start from, and what was found in it. */
export interface LocatedSchema {
  readonly base: string
  readonly schema: JsonSchema
  readonly survey: SchemaSurvey
}

/** Keywords whose value is data, in which `$ref` is a member like any other. */
const DATA_KEYWORDS = new Set(['const', 'enum', 'default', 'examples'])

/** Keywords whose value maps names to schemas; a name there is no keyword. */
const MAP_KEYWORDS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])

const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:/i

/** Looks a document through, once; its depth has a bound, as that of all JSON here. */
export function surveySchema(schema: JsonSchema): SchemaSurvey {
  const found = {
    references: new Set<string>(),
    anchors: new Set<string>(),
    patterns: new Set<string>(),
    hasInnerId: false,
  }
  const visit = (place: unknown, isRoot: boolean): void => {
    if (Array.isArray(place)) for (const item of place) visit(item, false)
    if (!isJsonObject(place)) return
    for (const [keyword, value] of Object.entries(place)) {
      if (keyword === '$id' && typeof value === 'string' && !isRoot) found.hasInnerId = true
      if (typeof value === 'string') note(found, keyword, value)
      else if (MAP_KEYWORDS.has(keyword) && isJsonObject(value)) {
        if (keyword === 'patternProperties') for (const name of Object.keys(value)) found.patterns.add(name)
        for (const member of Object.values(value)) visit(member, false)
      } else if (!DATA_KEYWORDS.has(keyword)) visit(value, false)
    }
  }
  visit(schema, true)
  return found
}

interface Findings {
  readonly references: Set<string>
  readonly anchors: Set<string>
  readonly patterns: Set<string>
}

function note({ references, anchors, patterns }: Findings, keyword: string, value: string): void {
  if (keyword === '$ref' || keyword === '$dynamicRef') references.add(value)
  if (keyword === '$anchor' || keyword === '$dynamicAnchor') anchors.add(value)
  if (keyword === 'pattern') patterns.add(value)
}

/**
 * The first reference of a document that leads nowhere.
 *
 * @param known - every other document by its URI; nothing is ever fetched
 */
export function findDanglingReference(
  document: LocatedSchema,
  known: ReadonlyMap<string, LocatedSchema>,
): string | undefined {
  return [...document.survey.references].find((reference) => {
    const hash = reference.indexOf('#')
    const uri = hash === -1 ? reference : reference.slice(0, hash)
    const fragment = hash === -1 ? '' : reference.slice(hash + 1)
    const absolute = uri === '' ? document.base : resolve(uri, document.base)
    if (absolute === DIALECT) return false
    const target = absolute === document.base ? document : known.get(absolute)
    return target === undefined || !hasPlace(target, fragment)
  })
}

function resolve(uri: string, base: string): string {
  if (HAS_SCHEME.test(uri) || !HAS_SCHEME.test(base)) return uri
  // A URN has no folders, so nothing is relative to it.
  return URL.canParse(uri, base) ? new URL(uri, base).href : uri
}

function hasPlace({ schema, survey }: LocatedSchema, fragment: string): boolean {
  if (fragment === '') return true
  if (!fragment.startsWith('/')) return survey.anchors.has(fragment)
  let place: unknown = schema
  for (const step of fragment.slice(1).split('/')) {
    const name = decodeStep(step)
    if (Array.isArray(place)) place = /^\d{1,9}$/.test(name) ? place[Number(name)] : undefined
    else place = isJsonObject(place) ? readMember(place, name) : undefined
  }
  return place !== undefined
}

/** One step of a JSON pointer within a URI; what is broken there names nothing. */
function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch (error) {
    if (error instanceof URIError) return ''
    throw error
  }
}
