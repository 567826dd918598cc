/**
 * The published contract as others read it: the OpenAPI document by a validator that is not ours, the schemas by strict JSON
 * Schema, from the wire and from the files of the package.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { join, sep } from 'node:path'
import { expect, test } from 'vitest'
import { publishedPath } from '../../src/aee/schemas/published.ts'
import { SCHEMA_NAMES } from '../../src/protocol/published/schemas.ts'
import { SharedDaemon } from '../server/shared-daemon.ts'
import { operationsOf, type Operation } from './documented.ts'
import { PUBLISHED_NAMES, publishedSchema, strictAjv } from '../support/published.ts'

const FILES = join(import.meta.dirname, '..', '..', 'dist', 'schemas')
const VALIDATOR = join(import.meta.dirname, 'validate-openapi.mjs')

const shared = new SharedDaemon()

function judge(document: unknown): { readonly valid: boolean; readonly errors: unknown } {
  const input = JSON.stringify(document)
  const { stdout, stderr } = spawnSync(process.execPath, [VALIDATOR], { input, encoding: 'utf8' })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

/** A published file as a program reads it that knows nothing of ids. */
function readPublished(name: string): Readonly<Record<string, unknown>> {
  const place = SCHEMA_NAMES.includes(name) ? `http/${name}.schema.json` : publishedPath(name)
  return JSON.parse(readFileSync(join(FILES, place), 'utf8'))
}

/** Every reference in a document, with what it leads to inside the same document. */
function referencesIn(document: unknown): readonly (readonly [string, unknown])[] {
  const found = JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)
  return [...found].map(([, reference = '']) => {
    const [base, pointer = ''] = reference.split('#')
    const steps = pointer.split('/').slice(1)
    const target = steps.reduce<unknown>(
      (at, step) => (at instanceof Object ? Reflect.get(at, step) : at),
      document,
    )
    return [reference, base === '' ? target : undefined]
  })
}

test('the OpenAPI document that the daemon serves is valid to a validator that is not ours (PD-15)', async () => {
  const { body } = await shared.get('/v1/openapi.json')

  expect(judge(body)).toEqual({ valid: true, errors: [] })
})

test('that validator finds what is wrong: an id twice, a reference to nowhere, a word OpenAPI has not (PD-15)', async () => {
  const { body } = await shared.get('/v1/openapi.json')
  const named = { $id: 'urn:agentd:schema:aee-v1' }
  const withSchemas = (more: object) => ({
    ...body,
    components: { ...body.components, schemas: { ...body.components.schemas, ...more } },
  })

  for (const wrong of [
    withSchemas({ one: named, other: named }),
    withSchemas({ one: { $ref: '#/components/schemas/nothing' } }),
    { ...body, path: {} },
  ])
    expect(judge(wrong).valid).toBe(false)
})

test('every schema of the OpenAPI document is one to strict JSON Schema, and stands in it once (PD-15)', async () => {
  const { body } = await shared.get('/v1/openapi.json')
  const ajv = strictAjv()
  // Only its parts are schemas; the document is where their references lead.
  ajv.addSchema({ $id: 'openapi', components: body.components }, undefined, false, false)
  ajv.addVocabulary(['components'])

  expect(Object.keys(body.components.schemas)).toEqual(PUBLISHED_NAMES)
  for (const name of PUBLISHED_NAMES)
    expect(ajv.compile({ $ref: `openapi#/components/schemas/${name}` }), name).toBeTypeOf('function')
  expect(referencesIn(body).filter(([, target]) => !(target instanceof Object))).toEqual([])
  expect(JSON.stringify(body)).not.toContain('"$id"')
})

/** What is said of bodies, of lines and of the data of events, wherever that is JSON. */
function schemasOf({ requestBody, responses }: Operation): readonly object[] {
  const contents = [requestBody, ...Object.values(responses)].map((one) => one?.content ?? {})
  return contents.flatMap((content) =>
    Object.entries(content).flatMap(([type, said]) => [
      ...(/^application\/json$/.test(type) && said.schema !== undefined ? [said.schema] : []),
      ...Object.values(said['x-event-schemas'] ?? {}),
      ...(said['x-line-schema'] === undefined ? [] : [said['x-line-schema']]),
    ]),
  )
}

test('every request, reply, line and event is a published schema, or one of several (PD-15)', async () => {
  const { body } = await shared.get('/v1/openapi.json')
  const schemas = operationsOf(body).map((one) => [one.operationId, schemasOf(one)] as const)
  const unnamed = schemas.filter(([, all]) =>
    all.some((schema) => {
      const [[keyword, value] = []] = Object.entries<unknown>({ ...schema })
      const parts = keyword === 'anyOf' && Array.isArray(value) ? value : [schema]
      return !parts.every((part) => Object.keys(Object(part)).join(' ') === '$ref')
    }),
  )

  expect(unnamed).toEqual([])
  expect(schemas.flatMap(([, all]) => all).length).toBeGreaterThan(60)
})

test('every schema has an id of its own and is a file of the package, the same as the daemon serves (PD-15, AEE-067)', async () => {
  const ids = new Set<unknown>()
  for (const name of PUBLISHED_NAMES) {
    const { status, body } = await shared.get(`/v1/schemas/${name}`)

    expect([status, body.$id]).toEqual([200, `urn:agentd:schema:${name}`])
    expect(readPublished(name)).toEqual(body)
    expect(body).toEqual(publishedSchema(name))
    ids.add(body.$id)
  }
  // What commands print is beside them, in a folder of its own (docs/json.md).
  const files = readdirSync(FILES, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.json') && !file.startsWith(`cli${sep}`),
  )

  expect([ids.size, files.length]).toEqual([PUBLISHED_NAMES.length, PUBLISHED_NAMES.length])
})

test('every file is a strict schema by itself, and all of them can be loaded together (PD-15)', () => {
  const alone = strictAjv()
  const together = strictAjv()
  for (const name of PUBLISHED_NAMES) {
    const schema = readPublished(name)

    expect(alone.compile(schema), name).toBeTypeOf('function')
    alone.removeSchema(String(schema['$id']))
    expect(together.addSchema(schema).getSchema(`urn:agentd:schema:${name}`), name).toBeTypeOf('function')
    expect(
      referencesIn(schema).filter(([, target]) => !(target instanceof Object)),
      name,
    ).toEqual([])
  }
})
