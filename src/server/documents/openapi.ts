/**
 * The route table as an OpenAPI 3.1 document, so that the contract is one `curl` away.
 */
import { ENVELOPE_SCHEMA } from '../../aee/schemas/schema.ts'
import { ERROR_CODES } from '../../protocol/refusal/error-codes.ts'
import { ErrorReply } from '../../protocol/http/daemon-replies.ts'
import type { Route } from '../../protocol/routes/route.ts'
import { ROUTES } from '../../protocol/routes/routes.ts'
import { toJsonSchema } from '../../protocol/http/schemas.ts'
import { VERBS, READING_VERBS } from '../../protocol/verb/verbs.ts'

type Json = Readonly<Record<string, unknown>>

export function openApiDocument(version: string): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const [name, route] of Object.entries<Route>(ROUTES)) {
    paths[route.path] ??= {}
    Object.assign(paths[route.path] ?? {}, { [route.method.toLowerCase()]: operation(name, route) })
  }
  return {
    openapi: '3.1.0',
    info: { title: 'agentd', version, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: 'http://agentd', description: 'HTTP/1.1 over the per-user Unix socket' }],
    paths,
    components: {
      securitySchemes: { session: { type: 'http', scheme: 'bearer' } },
      schemas: {
        error: toJsonSchema(ErrorReply),
        ...Object.fromEntries(Object.entries(VERBS).map(([verb, { args }]) => [verb, toJsonSchema(args)])),
        ...Object.fromEntries(
          Object.entries(READING_VERBS).map(([verb, args]) => [verb, toJsonSchema(args)]),
        ),
      },
    },
    'x-error-codes': ERROR_CODES,
  }
}

function operation(name: string, route: Route): Json {
  return {
    operationId: name,
    summary: route.summary,
    security: route.auth === 'session' ? [{ session: [] }] : [{}, { session: [] }],
    parameters: [...pathParameters(route), ...queryParameters(route)],
    ...(route.takes.length > 0 && {
      requestBody: {
        required: true,
        content: Object.fromEntries(
          route.takes.map((type) => [
            type,
            // The one body that has a schema of its own making.
            name === 'submitEnvelope'
              ? { schema: ENVELOPE_SCHEMA }
              : route.request === undefined
                ? {}
                : { schema: toJsonSchema(route.request) },
          ]),
        ),
      },
    }),
    responses: {
      '2XX': {
        description: 'Done',
        ...(route.answers !== '' && {
          content: {
            [route.answers]: route.reply === undefined ? {} : { schema: toJsonSchema(route.reply) },
            ...(route.mayAnswer !== undefined && { [route.mayAnswer]: { schema: { type: 'string' } } }),
          },
        }),
      },
      default: {
        description: 'Refused; `code` says why',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/error' } } },
      },
    },
  }
}

function pathParameters({ path }: Route): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
}

function queryParameters({ query }: Route): Json[] {
  const { properties } = toJsonSchema(query)
  if (typeof properties !== 'object' || properties === null) return []
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema }))
}
