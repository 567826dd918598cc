/**
 * Every payload schema this daemon knows: those of the protocol, and those in the person's folders.
 *
 * @see AEE-022, AEE-055, AEE-056, AEE-064, AEE-067
 */
import { messageOf } from '../../core/thrown.ts'
import { aeeIntents, aeeSchema } from '../intents/intents.ts'
import { PAYLOAD_VARIANTS } from '../intents/payload-schema.ts'
import type { JsonSchema, PayloadVariant } from '../intents/payload-schema.ts'
import { documentFault, quote, readSchemaDocument } from './document.ts'
import type { SchemaDocument, SchemaFile } from './document.ts'
import { findDanglingReference, surveySchema } from './survey.ts'
import type { LocatedSchema } from './survey.ts'
import { SchemaValidator } from './validator.ts'

/** What the schemas say of a payload. `unknown` is no refusal: nobody published a schema (AEE-056). */
export type Validation =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'valid' }
  /** Sentences, at most `MAX_ERRORS`, that repeat no value of the payload. */
  | { readonly kind: 'invalid'; readonly errors: readonly string[] }

/**
 * A set of schemas that never changes; when the folders do, a new one is made.
 *
 * A file that cannot be used is a sentence in `faults`; the others work. Schemas refer to each other by `$id`
 * or by file name, and to nothing elsewhere: nothing is ever fetched.
 */
export class SchemaRegistry {
  /** Every intent with at least one schema, sorted. */
  readonly intents: readonly string[]
  readonly #validator = new SchemaValidator()
  /** `<intent>.<variant>` → what the validator and the public get. */
  readonly #schemas = new Map<string, { readonly key: string; readonly schema: JsonSchema }>()
  /** Found when the files were read: each with the name of its file. */
  readonly #fileFaults: { readonly name: string; readonly sentence: string }[] = []
  readonly #filesInUse: SchemaFile[] = []
  /** Key → what went wrong when a schema was first used; such a schema is not used again. */
  readonly #lateFaults = new Map<string, string>()

  constructor(files: readonly SchemaFile[] = []) {
    const intents = new Set<string>()
    for (const intent of aeeIntents()) {
      intents.add(intent)
      for (const variant of PAYLOAD_VARIANTS)
        this.#addBuiltIn(`${intent}.${variant}`, aeeSchema(intent, variant))
    }
    for (const document of this.#usable(files)) {
      if (this.#addDocument(document)) intents.add(document.intent)
    }
    this.intents = [...intents].toSorted()
  }

  /** What is wrong with the files, a sentence each; grows when a schema fails at its first use. */
  get faults(): readonly string[] {
    return [...this.#fileFaults.map(({ sentence }) => sentence), ...this.#lateFaults.values()]
  }

  /** The files that payloads are held against. */
  get filesInUse(): readonly SchemaFile[] {
    return this.#filesInUse
  }

  /** What was wrong with the files of one name when they were read, a sentence each. */
  faultsOf(name: string): readonly string[] {
    return this.#fileFaults.filter((fault) => fault.name === name).map(({ sentence }) => sentence)
  }

  /** The schema of a payload, to be published; undefined when there is none. */
  find(intent: string, variant: PayloadVariant): JsonSchema | undefined {
    return this.#schemas.get(`${intent}.${variant}`)?.schema
  }

  /** Holds a payload against the schema of its intent. Never throws. */
  validate(intent: string, variant: PayloadVariant, payload: unknown): Validation {
    const key = this.#schemas.get(`${intent}.${variant}`)?.key
    if (key === undefined || this.#lateFaults.has(key)) return { kind: 'unknown' }
    try {
      const errors = this.#validator.validate(key, payload)
      return errors.length === 0 ? { kind: 'valid' } : { kind: 'invalid', errors }
    } catch (error) {
      // What only compiling shows, such as a reference to itself: the schema's fault, never the payload's.
      this.#lateFaults.set(key, documentFault(key, `cannot be used: ${reasonOf(error)}`))
      return { kind: 'unknown' }
    }
  }

  #addBuiltIn(subject: string, schema: JsonSchema): void {
    this.#validator.add(subject, schema)
    this.#schemas.set(subject, { key: subject, schema })
  }

  /** @returns whether it could be added */
  #addDocument({ name, text, subject, schema }: SchemaDocument): boolean {
    try {
      this.#validator.add(name, schema)
    } catch (error) {
      this.#noteFault(name, `cannot be used: ${reasonOf(error)}`)
      return false
    }
    this.#schemas.set(subject, { key: name, schema })
    this.#filesInUse.push({ name, text })
    return true
  }

  /** @param wrong - ends a sentence that the name begins */
  #noteFault(name: string, wrong: string): void {
    this.#fileFaults.push({ name, sentence: documentFault(name, wrong) })
  }

  /** The files that are schemas and whose references all lead somewhere. */
  #usable(files: readonly SchemaFile[]): readonly SchemaDocument[] {
    const known = this.#builtInsByUri()
    const documents: SchemaDocument[] = []
    for (const file of files) {
      const document = this.#read(file, known)
      if (document === undefined) continue
      documents.push(document)
      for (const uri of [document.name, document.base]) known.set(uri, document)
    }
    return this.#withoutDangling(documents, known)
  }

  #read(file: SchemaFile, known: ReadonlyMap<string, LocatedSchema>): SchemaDocument | undefined {
    const found = readSchemaDocument(file)
    if (found.kind === 'fault') {
      this.#fileFaults.push({ name: file.name, sentence: found.sentence })
      return undefined
    }
    const { document } = found
    const [complaint] = this.#validator.check(document.schema)
    let wrong: string | undefined
    if (complaint !== undefined) wrong = `is no JSON Schema: ${complaint.replace(/\.$/, '')}`
    else if (known.has(document.name)) wrong = 'is there twice; the first one is used'
    else if (known.has(document.base)) wrong = `has the $id ${quote(document.base)}, which another schema has`
    if (wrong !== undefined) this.#noteFault(document.name, wrong)
    return wrong === undefined ? document : undefined
  }

  /** Drops who refers to nothing, then who referred to those, until all that is left holds together. */
  #withoutDangling(
    documents: readonly SchemaDocument[],
    known: Map<string, LocatedSchema>,
  ): readonly SchemaDocument[] {
    let kept = documents
    // Every round drops one document at least, so there are at most as many rounds as documents.
    for (;;) {
      const sound = kept.filter((document) => {
        const reference = findDanglingReference(document, known)
        if (reference === undefined) return true
        const wrong = `refers to ${quote(reference)}, which no schema here is; nothing is fetched from elsewhere`
        this.#noteFault(document.name, wrong)
        for (const uri of [document.name, document.base]) known.delete(uri)
        return false
      })
      if (sound.length === kept.length) return sound
      kept = sound
    }
  }

  #builtInsByUri(): Map<string, LocatedSchema> {
    const known = new Map<string, LocatedSchema>()
    for (const { schema } of this.#schemas.values()) {
      const base = String(schema['$id'])
      known.set(base, { base, schema, survey: surveySchema(schema) })
    }
    return known
  }
}

function reasonOf(error: unknown): string {
  return messageOf(error).replace(/\.$/, '')
}
