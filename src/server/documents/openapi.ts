/**
 * What describes the wire, so that the contract is one `curl` away: the published schemas, and the route table as an OpenAPI 3.1
 * document, in which each of them stands once, under its name, and whatever else is said refers to it there.
 *
 * Loaded on demand, and bundled apart: it takes zod itself to write a schema down, and a start does without.
 *
 * @see docs/http.md §10; docs/decisions/006-short-ways.md; PD-15
 */
import type { z } from 'zod'
import { ENVELOPE_SCHEMA_NAMES, findEnvelopeSchema } from '../../aee/schemas/published.ts'
import { isJsonObject } from '../../core/text/json-object.ts'
import { MEDIA_FORM, MEDIA_JSON, MEDIA_NDJSON, MEDIA_SSE } from '../../protocol/http/media.ts'
import { DEFS, nameOf, toJsonSchema, type JsonSchema } from '../../protocol/published/json-schema.ts'
import { SCHEMA_NAMES, findJsonSchema, verbSchemaName } from '../../protocol/published/schemas.ts'
import { ERROR_CODES } from '../../protocol/refusal/error-codes.ts'
import { describeRule, type QueryRule } from '../../protocol/http/query-rules.ts'
import type { Route } from '../../protocol/routes/route.ts'
import { ROUTES } from '../../protocol/routes/routes.ts'
import * as sse from '../../protocol/sse/encoder.ts'
import { READING_VERBS, VERBS } from '../../protocol/verb/verbs.ts'

const COMPONENTS = '#/components/schemas/'

/** The names under which schemas are asked for, of envelopes too. */
export const PUBLISHED_NAMES: readonly string[] = [...SCHEMA_NAMES, ...ENVELOPE_SCHEMA_NAMES]

/** @returns undefined for a name that is not published */
export function findSchema(name: string): JsonSchema | undefined {
  return findJsonSchema(name) ?? findEnvelopeSchema(name)
}

/** @param version - of agentd */
export function openApiDocument(version: string): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const [name, route] of Object.entries<Route>(ROUTES)) {
    paths[route.path] ??= {}
    Object.assign(paths[route.path] ?? {}, { [route.method.toLowerCase()]: operation(name, route) })
  }
  return {
    openapi: '3.1.0',
    info: { title: 'agentd', version, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: 'http://agentd', description: 'HTTP/1.1 over the per-user Unix socket' }],
    security: ANY_CALLER,
    paths,
    components: {
      securitySchemes: {
        session: { type: 'http', scheme: 'bearer' },
        link: { type: 'http', scheme: 'bearer', description: 'the token a bridge is started with' },
      },
      responses: {
        refused: {
          description: 'Refused; `code` says why',
          content: { [MEDIA_JSON]: { schema: referTo('error') } },
        },
      },
      schemas: Object.fromEntries(PUBLISHED_NAMES.map((name) => [name, asComponent(findSchema(name))])),
    },
    'x-error-codes': ERROR_CODES,
  }
}

/** A published document as a part of this one: without an id, which would be the base of its references. */
function asComponent(document: JsonSchema = {}): JsonSchema {
  const { $schema: _, $id: __, $defs: ___, ...said } = document
  return referringHere(said)
}

function referringHere(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(schema).replaceAll(`"$ref":"${DEFS}`, `"$ref":"${COMPONENTS}`)
  return { ...JSON.parse(text) }
}

function referTo(name: string): JsonSchema {
  return { $ref: `${COMPONENTS}${name}` }
}

function anyOf(names: readonly string[]): JsonSchema {
  return { anyOf: names.map(referTo) }
}

/** A reference where the schema has a name, and what it says where it has none. */
function schemaOf(schema: z.ZodType | undefined): JsonSchema | undefined {
  if (schema === undefined) return undefined
  const name = nameOf(schema)
  if (name !== undefined) return referTo(name)
  const { $defs: _, ...said } = toJsonSchema(schema)
  return referringHere(said)
}

/** Bodies and answers that have no schema in the table, or more than one. */
const BODIES: Readonly<Record<string, JsonSchema>> = {
  submitEnvelope: referTo('aee-v1'),
  submitLog: referTo('aee-log'),
  callVerb: anyOf([...Object.keys(VERBS), ...Object.keys(READING_VERBS)].map(verbSchemaName)),
}
const ANSWERS: Readonly<Record<string, JsonSchema>> = {
  getEnvelope: referTo('aee-v1'),
  callVerb: anyOf(['verb-reply', 'roster-reply', 'subscribe-reply']),
}

/** What a stream may say besides what it is opened for. */
const ASIDES = { [sse.EVENT_GAP]: 'gap', [sse.EVENT_BYE]: 'bye-event' }

/** Event → the schema of its data. */
const EVENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  openStream: { [sse.EVENT_FRAME]: 'frame', [sse.EVENT_ENVELOPE]: 'aee-v1', ...ASIDES },
  openWatch: {
    [sse.EVENT_SNAPSHOT]: 'snapshot-event',
    [sse.EVENT_PASSED]: 'passed-event',
    [sse.EVENT_SESSION]: 'session-event',
    [sse.EVENT_NEED]: 'need-event',
    [sse.EVENT_RECEIPT]: 'receipt-event',
    [sse.EVENT_FORGOTTEN]: 'forgotten-event',
    ...ASIDES,
  },
}
const PARAMETERS: Readonly<Record<string, JsonSchema>> = {
  '/v1/verbs/{verb}': { enum: [...Object.keys(VERBS), ...Object.keys(READING_VERBS)] },
  '/v1/schemas/{name}': { enum: PUBLISHED_NAMES },
}

/** Which tokens do where an operation does not say; an empty one stands for none. */
const ANY_CALLER: readonly JsonSchema[] = [{}, { session: [] }]

/** Class of caller → which tokens do. */
const SECURITY: Readonly<Record<Route['auth'], readonly JsonSchema[] | undefined>> = {
  open: undefined,
  caller: undefined,
  session: [{ session: [] }],
  link: [{ link: [] }],
}

function operation(name: string, route: Route): JsonSchema {
  const body = BODIES[name] ?? schemaOf(route.request)
  const answer = ANSWERS[name] ?? schemaOf(route.reply)
  // Where one may be sent alone, or as a line among others, it is answered likewise.
  const isInLines = [MEDIA_JSON, MEDIA_NDJSON].every((type) => route.takes.includes(type))
  const types = [route.answers, route.mayAnswer ?? '', isInLines ? MEDIA_NDJSON : '']
  const content = contentOf(types, answer, EVENTS[name])
  const done = (status: number): JsonSchema => ({
    description: status === 204 ? 'Done, with nothing to say' : 'Done',
    ...(status !== 204 && { content }),
  })
  const security = SECURITY[route.auth]
  return {
    operationId: name,
    summary: route.summary,
    ...(security !== undefined && { security }),
    parameters: [...pathParameters(route), ...queryParameters(route)],
    ...(route.takes.length > 0 && { requestBody: { required: true, content: contentOf(route.takes, body) } }),
    responses: {
      ...Object.fromEntries(statusesOf(route).map((status) => [status, done(status)])),
      default: { $ref: '#/components/responses/refused' },
    },
  }
}

function statusesOf({ answers, statuses }: Route): readonly number[] {
  return statuses ?? [answers === '' ? 204 : 200]
}

/** Media types → what a body of each is; an empty one stands for none. */
function contentOf(
  types: readonly string[],
  schema: JsonSchema | undefined,
  events?: Readonly<Record<string, string>>,
): JsonSchema {
  const named = types.filter((type) => type !== '')
  return Object.fromEntries(named.map((type) => [type, mediaOf(type, schema, events)]))
}

/** OpenAPI 3.1 has no word for a body of lines, or of events, so what one is stands beside it under a name of ours. */
function mediaOf(
  type: string,
  schema: JsonSchema | undefined,
  events: Readonly<Record<string, string>> = {},
): JsonSchema {
  if (type === MEDIA_NDJSON)
    return { schema: { type: 'string' }, ...(schema !== undefined && { 'x-line-schema': schema }) }
  if (type === MEDIA_SSE) {
    const schemas = Object.entries(events).map(([event, of]) => [event, referTo(of)])
    return { schema: { type: 'string' }, 'x-event-schemas': Object.fromEntries(schemas) }
  }
  if (type.startsWith('text/')) return { schema: { type: 'string' } }
  if (type === MEDIA_FORM) return { schema: { type: 'object' } }
  return schema === undefined ? {} : { schema }
}

function pathParameters({ path }: Route): JsonSchema[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', ...PARAMETERS[path] },
  }))
}

/** A list is written with commas; what holds of a parameter and others together is told with each of them. */
function queryParameters({ query, rules = [] }: Route): JsonSchema[] {
  const { properties, required = [] } = schemaOf(query) ?? {}
  return Object.entries(Object(properties)).map(([name, schema]) => ({
    name,
    in: 'query',
    required: Array.isArray(required) && required.includes(name),
    ...describeTogether(rules, name),
    ...(isList(schema) && { style: 'form', explode: false }),
    schema,
  }))
}

/** What the rules about a parameter say, with the code of a refusal; nothing where there are none. */
function describeTogether(rules: readonly QueryRule[], name: string): JsonSchema {
  const said = rules.flatMap((rule) => {
    const isBeside = rule.beside.includes(name)
    const fields = rule.fields.filter((field) => isBeside || field === name)
    return fields.map((field) => describeRule(rule, field))
  })
  return said.length === 0 ? {} : { description: said.join(' ') }
}

function isList(schema: unknown): boolean {
  return isJsonObject(schema) && schema['type'] === 'array'
}
