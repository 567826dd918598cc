/**
 * One file in which a person says what the payloads of an intent look like.
 *
 * @see AEE-055, AEE-067, AEE-068
 */
import { clip } from '../../core/text/clip.ts'
import { orRefusal } from '../../core/thrown.ts'
import { AgentdError } from '../../core/errors.ts'
import { parseJson } from '../../core/text/json.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import { isReservedIntent } from '../conformance/advice.ts'
import { isAeeIntent } from '../intents/intents.ts'
import { DIALECT, PAYLOAD_VARIANTS } from '../intents/payload-schema.ts'
import type { JsonSchema } from '../intents/payload-schema.ts'
import { readMember } from '../envelope/record.ts'
import { compilePattern } from './pattern.ts'
import { surveySchema } from './survey.ts'
import type { LocatedSchema } from './survey.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

/** A file as it was found: its name without the folder, and its content. */
export interface SchemaFile {
  readonly name: string
  readonly text: string
}

/** A file that holds what its name promises. */
export interface SchemaDocument extends LocatedSchema {
  /** The name of the file, which is also its URI for the other files, unless it has an `$id`. */
  readonly name: string
  /** The content that it was read from. */
  readonly text: string
  readonly intent: string
  /** `<intent>.<variant>`. */
  readonly subject: string
}

/** What came of reading a file; `sentence` tells the person what to mend. */
export type ReadDocument =
  | { readonly kind: 'document'; readonly document: SchemaDocument }
  | { readonly kind: 'fault'; readonly sentence: string }

/** `<intent>.<variant>.schema.json`; an intent in a file name keeps to characters that no file system minds. */
const FILE_NAME = new RegExp(
  `^(?<subject>(?<intent>\\w[\\w.-]{2,199})\\.(?:${PAYLOAD_VARIANTS.join('|')}))\\.schema\\.json$`,
)

/** Names and patterns as they are quoted in a sentence. */
const MAX_QUOTED_LENGTH = 120

/** Reads one file, as far as it can be judged by itself. */
export function readSchemaDocument({ name, text }: SchemaFile): ReadDocument {
  const names = FILE_NAME.exec(name)?.groups
  const intent = names?.['intent']
  const subject = names?.['subject']
  if (intent === undefined || subject === undefined)
    return fault(name, 'is not named <intent>.task.schema.json, .result.schema.json or .error.schema.json')
  if (isAeeIntent(intent)) return fault(name, `cannot replace what the protocol says of ${intent}`)
  if (isReservedIntent(intent))
    return fault(name, 'is in the reserved namespace aee.*; extensions are below aee.ext.*')
  const parsed = parse(text)
  if (typeof parsed === 'string') return fault(name, parsed)
  const schema = parsed.schema
  const id = readMember(schema, '$id')
  const base = typeof id === 'string' ? withoutHash(id) : name
  const document = { name, text, intent, subject, base, schema, survey: surveySchema(schema) }
  const wrong = schemaFault(document)
  return wrong === undefined ? { kind: 'document', document } : fault(name, wrong)
}

/** One spelling of what is wrong with a file; `wrong` ends a sentence that its name begins. */
export function documentFault(name: string, wrong: string): string {
  return `The intent schema ${quote(name)} ${safeLine(wrong)}.`
}

/** A text from a file, fit to stand in a sentence. */
export function quote(text: string): string {
  return `"${safeLine(clip(text, MAX_QUOTED_LENGTH))}"`
}

function fault(name: string, wrong: string): ReadDocument {
  return { kind: 'fault', sentence: documentFault(name, wrong) }
}

/** @returns the object, or the end of a sentence that says why there is none */
function parse(text: string): { readonly schema: JsonSchema } | string {
  const schema = orRefusal(() => parseJson(text, 'schema'))
  if (isJsonObject(schema) && !(schema instanceof AgentdError)) return { schema }
  // The sentence of the parser is about a body; here it is about the file that is named already.
  const why = schema instanceof AgentdError ? schema.message : 'The body is not a JSON object.'
  return why.replace(/^The body /, '').replace(/\.$/, '')
}

function schemaFault({ schema, survey }: LocatedSchema): string | undefined {
  const dialect = readMember(schema, '$schema')
  if (dialect !== undefined && (typeof dialect !== 'string' || withoutHash(dialect) !== DIALECT))
    return `has another $schema than ${DIALECT}`
  // The validator would answer such a schema with a promise, and a promise is not a refusal.
  if (Object.hasOwn(schema, '$async')) return 'has $async, which is not of JSON Schema'
  if (survey.hasInnerId) return 'has an $id inside; only the whole document may have one'
  return patternFault(survey.patterns)
}

/** Both engines are asked: this one is what the author means, the other what is run. */
function patternFault(patterns: ReadonlySet<string>): string | undefined {
  for (const pattern of patterns) {
    if (!isPattern(pattern)) return `has the broken pattern ${quote(pattern)}`
    if (compilePattern(pattern) === undefined)
      return `has a pattern that cannot be matched in bounded time: ${quote(pattern)}`
  }
  return undefined
}

function withoutHash(uri: string): string {
  return uri.endsWith('#') ? uri.slice(0, -1) : uri
}

function isPattern(source: string): boolean {
  try {
    // Never run: it may backtrack without end.
    return new RegExp(source, 'u').unicode
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}
