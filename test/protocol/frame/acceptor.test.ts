/**
 * The short answer to whether a value is a frame: the schema's own, or none (AC-001…AC-042).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compileAcceptor } from '../../../src/protocol/frame/acceptor.ts'
import { Frame } from '../../../src/protocol/frame/frame.ts'
import { KIND_NAMES } from '../../../src/protocol/frame/kinds.ts'
import { arbitraryFrame, validFrame } from '../../support/frames.ts'
import { changed, oddities, placesIn } from '../../support/oddities.ts'

const isFrame = compileAcceptor(Frame)

test('every valid frame is accepted, of each kind (AC-031)', () => {
  for (const kind of KIND_NAMES) expect(isFrame(validFrame(kind))).toBe(true)
  fc.assert(
    fc.property(arbitraryFrame(), (frame) => {
      expect(isFrame(frame)).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test('nothing is accepted that the schema refuses, wherever a frame is changed (AC-005, AC-041)', () => {
  let refused = 0
  fc.assert(
    fc.property(arbitraryFrame(), fc.nat(), oddities, fc.constantFrom('set', 'drop', 'add'), (...args) => {
      const [frame, at, oddity, how] = args
      const places = placesIn(frame)
      const value = changed(frame, places[at % places.length] ?? [], (part) => {
        if (how === 'set') return oddity
        if (how === 'drop') return undefined
        return typeof part === 'object' ? { ...part, extra: oddity } : oddity
      })
      const isValid = Frame.safeParse(value).success
      if (!isValid) refused += 1
      if (isFrame(value)) expect(isValid).toBe(true)
      // Of JSON it also accepts all that the schema does, save strings longer than their bound in UTF-16 alone.
      else if (isValid) expect(JSON.stringify(value)).toMatch(/[\uD800-\uDFFF]/)
    }),
    { numRuns: 4_000 },
  )
  expect(refused).toBeGreaterThan(1_000)
})

test.each([null, undefined, 1, 'x', [], [validFrame()], new Map(), () => 0])('%j is no frame', (value) => {
  expect(isFrame(value)).toBe(false)
})

test('names that every object inherits are strangers like any other (ACQ-40)', () => {
  const text = JSON.stringify(validFrame())
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    const value: unknown = JSON.parse(`{"${name}":null,${text.slice(1)}`)
    expect(isFrame(value)).toBe(false)
    const inside: unknown = JSON.parse(text.replace('"payload":{', `"payload":{"${name}":"x",`))
    expect(isFrame(inside)).toBe(false)
  }
})

describe('a schema it does not know', () => {
  test.each<[string, z.ZodType]>([
    ['an open object', z.object({ a: z.string() })],
    ['a loose object', z.looseObject({ a: z.string() })],
    ['a number that may be a fraction', z.number()],
    ['a union without a tag', z.union([z.string(), z.boolean()])],
    ['a default', z.string().default('x')],
    ['a transform', z.string().transform((text) => text.length)],
    ['a format of zod', z.email()],
    ['a least length of a string, which counts code points', z.string().min(2)],
    ['an expression that keeps its place', z.string().regex(/x/g)],
    ['an expression that sticks', z.string().regex(/x/y)],
    ['a refinement with a condition', z.string().refine(() => true, { when: () => false })],
    ['a change of case', z.string().toLowerCase()],
    ['a multiple', z.int().multipleOf(2)],
    ['any value', z.unknown()],
    ['something optional where no member is', z.array(z.string().optional())],
  ])('is refused when it is compiled: %s', (_, schema) => {
    expect(() => compileAcceptor(schema)).toThrow(TypeError)
  })
})
