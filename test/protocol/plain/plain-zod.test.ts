/**
 * The schemas as the client, the daemon and the command have them, without zod, against the same schemas with it: the same
 * values are taken, the same is made of them, and the same is said of the others (AC-005, ACQ-08, ACQ-37).
 */
import * as fc from 'fast-check'
import { beforeAll, describe, expect, expectTypeOf, test, vi } from 'vitest'
import { z } from 'zod'
import { wordIssue } from '../../../src/core/issue-words.ts'
import * as configFile from '../../../src/host/config/config-file.ts'
import * as linkSection from '../../../src/host/config/link-section.ts'
import * as readerSections from '../../../src/host/config/reader-sections.ts'
import * as frames from '../../../src/protocol/frame/frame.ts'
import * as kinds from '../../../src/protocol/frame/kinds.ts'
import type { KINDS, Kind, Payload } from '../../../src/protocol/frame/kinds.ts'
import * as daemonReplies from '../../../src/protocol/http/daemon-replies.ts'
import * as envelopeReplies from '../../../src/protocol/http/envelope-replies.ts'
import * as frameReplies from '../../../src/protocol/http/frame-replies.ts'
import * as inboxReplies from '../../../src/protocol/http/inbox-replies.ts'
import * as linkExchange from '../../../src/protocol/http/link-exchange.ts'
import * as linksReply from '../../../src/protocol/http/links-reply.ts'
import * as needs from '../../../src/protocol/http/need.ts'
import * as requests from '../../../src/protocol/http/requests.ts'
import * as sessionReplies from '../../../src/protocol/http/session-replies.ts'
import * as submissions from '../../../src/protocol/http/submission-requests.ts'
import * as watchEvents from '../../../src/protocol/http/watch-events.ts'
import * as plain from '../../../src/protocol/plain/plain-zod.ts'
import * as hookRoutes from '../../../src/protocol/routes/hook-routes.ts'
import * as mcpRoutes from '../../../src/protocol/routes/mcp-routes.ts'
import * as verbs from '../../../src/protocol/verb/verbs.ts'
import { arbitraryFrame } from '../../support/frames.ts'
import { changed, oddities, placesIn } from '../../support/oddities.ts'
import { orRefusal } from '../../../src/core/thrown.ts'

const WITH_ZOD: Readonly<Record<string, object>> = {
  '../../../src/host/config/config-file.ts': configFile,
  '../../../src/host/config/link-section.ts': linkSection,
  '../../../src/host/config/reader-sections.ts': readerSections,
  '../../../src/protocol/frame/frame.ts': frames,
  '../../../src/protocol/frame/kinds.ts': kinds,
  '../../../src/protocol/http/daemon-replies.ts': daemonReplies,
  '../../../src/protocol/http/envelope-replies.ts': envelopeReplies,
  '../../../src/protocol/http/frame-replies.ts': frameReplies,
  '../../../src/protocol/http/inbox-replies.ts': inboxReplies,
  '../../../src/protocol/http/link-exchange.ts': linkExchange,
  '../../../src/protocol/http/links-reply.ts': linksReply,
  '../../../src/protocol/http/need.ts': needs,
  '../../../src/protocol/http/requests.ts': requests,
  '../../../src/protocol/http/session-replies.ts': sessionReplies,
  '../../../src/protocol/http/submission-requests.ts': submissions,
  '../../../src/protocol/http/watch-events.ts': watchEvents,
  '../../../src/protocol/routes/hook-routes.ts': hookRoutes,
  '../../../src/protocol/routes/mcp-routes.ts': mcpRoutes,
  '../../../src/protocol/verb/verbs.ts': verbs,
}

/** What reads a value. */
type Reading = (value: unknown) => { success: boolean; data?: unknown; error?: { issues: readonly Issue[] } }

interface Issue {
  readonly code: string
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** Where a schema is → itself, and how it reads with and without zod. */
const PAIRS = new Map<string, { schema: z.ZodType; withZod: Reading; without: Reading }>()

let withoutZod: typeof frames

beforeAll(async () => {
  vi.resetModules()
  vi.doMock('zod', () => import('../../../src/protocol/plain/plain-zod.ts'))
  for (const [path, module] of Object.entries(WITH_ZOD)) pair(path, module, await import(path))
  withoutZod = await import('../../../src/protocol/frame/frame.ts')
  vi.doUnmock('zod')
})

/** What a module has under a name: a schema, or a table of some. */
function pair(path: string, one: unknown, twin: unknown): void {
  if (one instanceof z.ZodType) {
    PAIRS.set(path, { schema: one, withZod: readingOf(one), without: readingOf(twin) })
    return
  }
  const isTable = Object(one) === one && [Object.prototype, null].includes(Object.getPrototypeOf(one))
  if (!isTable) return
  for (const [name, part] of Object.entries(Object(one))) pair(`${path} ${name}`, part, Object(twin)[name])
}

function readingOf(schema: unknown): Reading {
  if (!(schema instanceof Object) || !('safeParse' in schema) || typeof schema.safeParse !== 'function')
    throw new Error('no schema')
  const { safeParse } = schema
  // What either says is said in words of ours.
  return (value) => Reflect.apply(safeParse, schema, [value, { error: wordIssue }])
}

function defOf(schema: z.core.$ZodType) {
  // zod's own union of everything a schema can be.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (schema as z.core.$ZodTypes)._zod.def
}

/** Values of a schema, made from what it says of itself. */
function arbitraryOf(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  const def = defOf(schema)
  if (def.type === 'string') return fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom(...TEXTS))
  if (def.type === 'number') return fc.nat()
  if (def.type === 'boolean') return fc.boolean()
  if (def.type === 'unknown') return fc.jsonValue({ maxDepth: 1 })
  if (def.type === 'custom') return fc.dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 1 }))
  if (def.type === 'enum') return fc.constantFrom(...Object.values(def.entries))
  if (def.type === 'literal') return fc.constantFrom(...def.values)
  if (def.type === 'array') return fc.array(arbitraryOf(def.element), { maxLength: 3 })
  if (def.type === 'optional') return fc.option(arbitraryOf(def.innerType), { nil: undefined })
  if (def.type === 'default' || def.type === 'prefault')
    return fc.option(arbitraryOf(def.innerType), { nil: undefined })
  if (def.type === 'nullable') return fc.option(arbitraryOf(def.innerType), { nil: null })
  if (def.type === 'pipe') return arbitraryOf(def.in)
  if (def.type === 'record')
    return fc.dictionary(fc.constantFrom(...NAMES), arbitraryOf(def.valueType), { maxKeys: 3 })
  if (schema === frames.Frame) return arbitraryFrame()
  if (def.type === 'union') return fc.oneof(...def.options.map(arbitraryOf))
  if (def.type === 'object') return arbitraryObject(def.shape)
  throw new Error(`Nothing makes values of a schema of the type ${def.type}.`)
}

/** What some texts have to be like, so that every schema is given a good value now and then. */
const TEXTS = [
  '2026-11-22T10:00:00Z',
  '~alice',
  '7',
  'cc',
  'agent_query,agent_advisory',
  '5f0c2f0e-8d8b-4f0a-9c0b-1c2d3e4f5a6b',
  '/tmp',
]

const NAMES = ['ops.*', 'work', '*', 'A b', '', '__proto__', 'constructor', 'ops.deploy']

function arbitraryObject(shape: Readonly<Record<string, z.core.$ZodType>>): fc.Arbitrary<unknown> {
  const members = Object.entries(shape).map(([name, field]) => {
    const def = defOf(field)
    const mayBeAbsent = def.type === 'optional' || def.type === 'default' || def.type === 'prefault'
    return mayBeAbsent ? ([name, def.innerType, true] as const) : ([name, field, false] as const)
  })
  const requiredKeys = members.flatMap(([name, , isOptional]) => (isOptional ? [] : name))
  const all = Object.fromEntries(members.map(([name, field]) => [name, arbitraryOf(field)]))
  return fc.record(all, { requiredKeys }).map((value) => ({ ...value }))
}

function outcome(read: Reading, value: unknown) {
  const { success, data, error } = read(value)
  return success
    ? { data }
    : { issues: error?.issues.map(({ code, path, message }) => ({ code, path, message })) }
}

test('every schema of a frame, a request, a reply, a verb and the configuration has a twin', () => {
  expect(PAIRS.size).toBeGreaterThan(150)
})

test(
  'what is good is read alike, and what is made bad in one place is refused alike',
  { timeout: 60_000 },
  () => {
    const seen = { good: 0, bad: 0 }
    for (const [name, { schema, withZod, without }] of PAIRS) {
      const value = arbitraryOf(schema)
      fc.assert(
        fc.property(
          value,
          fc.nat(),
          oddities,
          fc.constantFrom('keep', 'set', 'drop', 'add'),
          (made, at, oddity, how) => {
            const places = placesIn(made)
            const asked = changed(
              made,
              how === 'keep' ? ['no such place'] : (places[at % places.length] ?? []),
              (part) => {
                if (how === 'set') return oddity
                if (how === 'drop') return undefined
                return typeof part === 'object' ? { ...part, extra: oddity } : oddity
              },
            )
            const expected = outcome(withZod, asked)
            if ('data' in expected) seen.good += 1
            else seen.bad += 1
            expect(outcome(without, asked), name).toEqual(expected)
          },
        ),
        { numRuns: 100 },
      )
    }
    expect(seen.good).toBeGreaterThan(1_000)
    expect(seen.bad).toBeGreaterThan(1_000)
  },
)

test('an object with a member that is called "length" is measured by it', () => {
  const withZod = readingOf(z.string().min(1).max(2))
  const without = readingOf(plain.string().min(1).max(2))
  for (const length of [0, 1, 2, 3, '3', null, 'x'])
    expect(outcome(without, { length })).toEqual(outcome(withZod, { length }))
})

test('the length of a text where a list belongs is counted in characters', () => {
  const withZod = readingOf(z.array(z.string()).min(2).max(3))
  const without = readingOf(plain.array(plain.string()).min(2).max(3))
  for (const text of ['', 'x', 'xyz', 'abcd']) expect(outcome(without, text)).toEqual(outcome(withZod, text))
  expect(outcome(without, 'x').issues).toMatchObject([{}, { message: 'must hold at least 2 characters' }])
})

test('the one fault that a frame is refused with is the same (ACQ-08)', () => {
  let refused = 0
  fc.assert(
    fc.property(arbitraryFrame(), fc.nat(), oddities, (frame, at, oddity) => {
      const places = placesIn(frame)
      const asked = changed(frame, places[at % places.length] ?? [], () => oddity)
      const expected = orRefusal(() => frames.parseFrame(asked))
      // Another instance of the module throws another class.
      const actual = thrownBy(() => withoutZod.parseFrame(asked))
      if (expected instanceof Error) {
        refused += 1
        expect(actual).toMatchObject({ code: expected.code, field: expected.field })
      } else expect(actual).toEqual(expected)
    }),
    { numRuns: 2_000 },
  )
  expect(refused).toBeGreaterThan(500)
})

function thrownBy(call: () => unknown): unknown {
  try {
    return call()
  } catch (thrown) {
    return thrown
  }
}

describe('names that every object inherits', () => {
  test.each(['__proto__', 'constructor', 'toString'])(
    '%s is a stranger, or a member like any other (ACQ-40)',
    (name) => {
      const value: unknown = JSON.parse(`{"${name}":{"a":1},"sender":null,"scope":"x"}`)
      for (const { withZod, without } of PAIRS.values())
        expect(outcome(without, value)).toEqual(outcome(withZod, value))
    },
  )
})

test('a frame as a type is what its schema says (AC-005, AC-031)', () => {
  expectTypeOf<z.infer<typeof frames.Frame>>().toEqualTypeOf<frames.Frame>()
  type OfSchema = { [K in Kind]: z.infer<(typeof KINDS)[K]['payload']> }
  expectTypeOf<OfSchema>().toEqualTypeOf<{ [K in Kind]: Payload<K> }>()
})

test('what the client declares and never reads is declared without zod as well: null, absent and a value (ACQ-37)', async () => {
  vi.resetModules()
  vi.doMock('zod', () => import('../../../src/protocol/plain/plain-zod.ts'))
  const { SessionRequest } = await import('../../../src/protocol/http/requests.ts')
  vi.doUnmock('zod')

  for (const tool of [null, undefined, 'cc'])
    expect(SessionRequest.safeParse({ instrument: 'x', tool }).success, String(tool)).toBe(true)
  expect(SessionRequest.safeParse({ instrument: 'x', tool: 7 }).success).toBe(false)
})
