/**
 * What the OpenAPI document that a daemon serves says of its answers, held by a validator that is not ours; beyond the schemas,
 * no answer may have a member that its schema does not name.
 */
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import { ENVELOPE_SCHEMA_NAMES } from '../../../src/aee/schemas/published.ts'
import { isJsonObject, tryParseJson } from '../../../src/core/text/json-object.ts'
import { strictAjv } from '../../support/published.ts'
import { operationsOf, type Content, type OpenApi, type Operation } from '../documented.ts'

/** One answer as it came, or one event of a stream that did. */
export interface Answer {
  readonly operationId: string
  readonly status: number
  /** Without parameters; empty for an answer without a body. */
  readonly mediaType: string
  readonly text: string
  /** The name of the event whose data `text` is. */
  readonly event?: string
}

/** `name status type`, or `name event`: what a sample is a sample of. */
export function kindOf({ operationId, status, mediaType, event }: Answer): string {
  if (event !== undefined) return `${operationId} ${event}`
  return status < 400 ? `${operationId} ${status} ${mediaType}`.trimEnd() : `${operationId} ${status}`
}

export class AnswerContract {
  readonly #document: OpenApi
  readonly #operations: ReadonlyMap<string, Operation>
  readonly #ajv = strictAjv()
  readonly #compiled = new Map<string, ValidateFunction>()

  constructor(document: OpenApi) {
    this.#document = document
    this.#operations = new Map(operationsOf(document).map((one) => [one.operationId, one]))
    const schemas = Object.entries(document.components.schemas).map(([name, schema]) => [
      name,
      // An envelope, and a line of a log, may have more; whatever the daemon itself says may not.
      ENVELOPE_SCHEMA_NAMES.includes(name) ? schema : closed(schema),
    ])
    this.#ajv.addVocabulary(['components', 'x-line-schema', 'x-event-schemas'])
    this.#ajv.addSchema(
      { $id: 'openapi', components: { schemas: Object.fromEntries(schemas) } },
      undefined,
      false,
      false,
    )
  }

  get operations(): readonly Operation[] {
    return [...this.#operations.values()]
  }

  /** @throws Error for one that is not documented */
  operation(operationId: string): Operation {
    const found = this.#operations.get(operationId)
    if (found === undefined) throw new Error(`no operation ${operationId}`)
    return found
  }

  /** Every answer that is no refusal, and every event, of an operation. */
  documented({ operationId, responses }: Operation): readonly string[] {
    return Object.entries(responses).flatMap(([status, { content = {} }]) => {
      if (status === 'default') return []
      const types = Object.keys(content)
      const answers = types.length === 0 ? [''] : types.map(withoutParameters)
      const events = types.flatMap((type) => Object.keys(content[type]?.['x-event-schemas'] ?? {}))
      return [
        ...answers.map((mediaType) => kindOf({ operationId, status: Number(status), mediaType, text: '' })),
        ...events.map((event) => kindOf({ operationId, status: 200, mediaType: '', text: '', event })),
      ]
    })
  }

  /** @returns what of an answer the document does not have, in words */
  faultsOf(answer: Answer): readonly string[] {
    return this.#judge(answer).map((fault) => `${kindOf(answer)}: ${fault} in ${answer.text.slice(0, 300)}`)
  }

  #judge({ operationId, status, mediaType, text, event }: Answer): readonly string[] {
    const content = this.#contentOf(this.operation(operationId), status)
    if (content === undefined) return [`${status} is not documented`]
    if (Object.keys(content).length === 0) return text === '' ? [] : ['a body that is not documented']
    const [, said] = Object.entries(content).find(([type]) => withoutParameters(type) === mediaType) ?? []
    if (said === undefined) return [`${mediaType} is not documented`]
    if (event !== undefined) {
      const schema = said['x-event-schemas']?.[event]
      return schema === undefined ? [`event ${event} is not documented`] : this.#validate(schema, text)
    }
    const line = said['x-line-schema']
    if (line !== undefined) {
      const lines = text.split('\n').filter((one) => one !== '')
      return lines.flatMap((one) => this.#validate({ anyOf: [line, ERROR] }, one))
    }
    const isJson = /^application\/(?:.*\+)?json$/.test(mediaType)
    return isJson && said.schema !== undefined ? this.#validate(said.schema, text) : []
  }

  /** What is documented of a status; of one that is not named, as of any refusal. */
  #contentOf({ responses }: Operation, status: number): Content | undefined {
    const said = responses[String(status)] ?? (status >= 400 ? responses['default'] : undefined)
    const name = said?.$ref?.split('/').at(-1)
    const found = name === undefined ? said : this.#document.components.responses[name]
    return found === undefined ? undefined : (found.content ?? {})
  }

  #validate(schema: object, text: string): readonly string[] {
    const value = tryParseJson(text)
    if (value === undefined) return ['no JSON']
    const key = JSON.stringify(schema)
    const validate = this.#compiled.get(key) ?? this.#ajv.compile(referringTo(closed(schema)))
    this.#compiled.set(key, validate)
    return validate(value) ? [] : (validate.errors ?? []).map(inWords)
  }
}

/** `text/plain` of `text/plain; charset=utf-8` */
export function withoutParameters(mediaType: string): string {
  return (mediaType.split(';')[0] ?? '').trim()
}

const ERROR = { $ref: '#/components/schemas/error' }

function inWords({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath} ${message} ${JSON.stringify(params)}`
}

/** A part of the document by itself: its references lead into the document. */
function referringTo(schema: object): object {
  return Object(JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openapi#/')))
}

/** A schema whose objects have the members that they name, and no others. */
function closed(schema: object): object {
  const parts = Object.entries(schema).map(([key, part]: [string, unknown]) => [key, closedPart(part)])
  const isOpen = 'properties' in schema && !('additionalProperties' in schema)
  return {
    ...Object.fromEntries(parts),
    ...(isOpen && 'type' in schema && { unevaluatedProperties: false }),
  }
}

function closedPart(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closedPart)
  return isJsonObject(part) ? closed(part) : part
}
