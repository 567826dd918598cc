/**
 * JSON Schema 2020-12 as agentd runs it.
 *
 * Trusted are the schemas: they are the person's own files, and a recursion that doubles at every level costs
 * what its author wrote. Not trusted are the payloads: an envelope bounds their size and depth, and everything
 * here takes time and memory in proportion to that. Patterns never backtrack, since hardly anyone sees of a
 * pattern that it would.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { CodeOptions, ErrorObject } from 'ajv/dist/2020.js'
import { toComplaints } from './payload-complaints.ts'
import type { JsonSchema } from '../intents/payload-schema.ts'
import { compilePattern } from './pattern.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

/** Members and items of a payload whose faults are all looked for; of a larger one only the first is told. */
const MAX_THOROUGH_PARTS = 10_000

/** Instructions that matching one payload may run: about a second, and half a mebibyte against plain patterns. */
const MAX_PATTERN_STEPS = 200_000_000

/** What a character costs beside the instructions of the pattern, in instructions. */
const STEPS_PER_CHARACTER = 300

/** A set of schemas, each compiled when it is first used. */
export class SchemaValidator {
  readonly #patterns = new PatternRunner()
  /** Stops at the first fault, so that its work does not grow with the number of faults. */
  readonly #quick = createAjv({ allErrors: false, patterns: this.#patterns })
  /** Finds all faults; built when there is a first one to tell. */
  #thorough: Ajv2020 | undefined
  readonly #schemas = new Map<string, JsonSchema>()

  /** What keeps a document from being a schema, as sentences; none when it is one. */
  check(schema: JsonSchema): readonly string[] {
    this.#patterns.reset()
    const isSchema = this.#quick.validateSchema(schema) === true
    return isSchema ? [] : toComplaints(this.#quick.errors ?? [], schema, 'schema')
  }

  /**
   * Adds a schema that {@link check} has passed.
   *
   * @param key - its name here, and its URI unless it has an `$id`
   * @throws Error when something else has the name or the `$id`
   */
  add(key: string, schema: JsonSchema): void {
    this.#quick.addSchema(schema, key, false, false)
    this.#schemas.set(key, schema)
  }

  /**
   * What is wrong with a payload, as sentences; none when it fits.
   *
   * @throws Error when the schema cannot be compiled or run
   */
  validate(key: string, payload: unknown): readonly string[] {
    this.#patterns.reset()
    const quick = errorsOf(this.#quick, key, payload)
    // Asked even where nothing was found: within "not", a pattern that was not run counts as one that fits.
    if (this.#patterns.isSpent) return ['"payload" has too much text for the patterns of its schema.']
    if (quick.length === 0) return []
    const isSmall = countParts(payload, MAX_THOROUGH_PARTS) > 0
    return toComplaints((isSmall && this.#allErrors(key, payload)) || quick, payload, 'payload')
  }

  /** @returns undefined when looking for all of them is too much */
  #allErrors(key: string, payload: unknown): readonly ErrorObject[] | undefined {
    this.#patterns.reset()
    const errors = errorsOf(this.#thoroughAjv(), key, payload)
    return this.#patterns.isSpent ? undefined : errors
  }

  #thoroughAjv(): Ajv2020 {
    if (this.#thorough === undefined) {
      this.#thorough = createAjv({ allErrors: true, patterns: this.#patterns })
      for (const [key, schema] of this.#schemas) this.#thorough.addSchema(schema, key, false, false)
    }
    return this.#thorough
  }
}

/** @throws Error when the schema cannot be compiled or run */
function errorsOf(ajv: Ajv2020, key: string, payload: unknown): readonly ErrorObject[] {
  const validate = ajv.getSchema(key)
  if (validate === undefined) throw new TypeError(`no schema was added as ${key}`)
  if (validate(payload) === true) return []
  return validate.errors ?? []
}

type RegExpEngine = NonNullable<CodeOptions['regExp']>

interface CompiledPattern {
  readonly test: (text: string) => boolean
  readonly toString: () => string
}

/** Matches within a budget, which is that of one payload. */
class PatternRunner {
  #left = MAX_PATTERN_STEPS
  readonly #compiled = new Map<string, CompiledPattern>()

  /** Whether something was left unmatched since {@link reset}. */
  get isSpent(): boolean {
    return this.#left < 0
  }

  reset(): void {
    this.#left = MAX_PATTERN_STEPS
  }

  /** As the validator wants it. @throws Error for what {@link compilePattern} cannot compile */
  engine(): RegExpEngine {
    const compile = (source: string) => this.#compile(source)
    // Only written into programs that are to be kept, and none is.
    return Object.assign(compile, { code: 'compilePattern' })
  }

  #compile(source: string): CompiledPattern {
    const known = this.#compiled.get(source)
    if (known !== undefined) return known
    const pattern = compilePattern(source)
    if (pattern === undefined) throw new TypeError('it has a pattern that cannot be matched in bounded time')
    const compiled = {
      test: (text: string) => {
        this.#left -= (text.length + 1) * (pattern.size + STEPS_PER_CHARACTER)
        return !this.isSpent && pattern.test(text)
      },
      // The validator takes two patterns for one when they are the same text.
      toString: () => source,
    }
    this.#compiled.set(source, compiled)
    return compiled
  }
}

interface AjvParts {
  readonly allErrors: boolean
  readonly patterns: PatternRunner
}

function createAjv({ allErrors, patterns }: AjvParts): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors,
    // Unknown keywords and formats are notes of the author, not mistakes.
    strict: false,
    validateFormats: false,
    // Inlining would copy a definition to each of its uses: a short document could become a very long program.
    inlineRefs: false,
    code: { regExp: patterns.engine() },
    // What a prototype has is not a member (AEQ-24).
    ownProperties: true,
    logger: false,
  })
  // The validator's own compares all pairs: a payload of a mebibyte would hold the daemon for minutes.
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    compile: (isOn: boolean) => (isOn ? hasUniqueItems : () => true),
    error: { message: 'must not hold the same item twice' },
  })
  return ajv
}

function hasUniqueItems(items: readonly unknown[]): boolean {
  return new Set(items.map(identityOf)).size === items.length
}

/** A text that two JSON values share when they are equal. */
function identityOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(identityOf).join(',')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${identityOf(member)}`,
  )
  return `{${members.toSorted().join(',')}}`
}

/** Takes the parts of a value off a budget. @returns what is left; zero or less when it is spent */
function countParts(value: unknown, budget: number): number {
  if (typeof value !== 'object' || value === null) return budget - 1
  let left = budget - 1
  for (const part of Object.values(value)) {
    left = countParts(part, left)
    if (left <= 0) break
  }
  return left
}
