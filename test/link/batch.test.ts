/**
 * Batches of the link and their signatures (FED-17, FED-18, FED-41).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AgentdError } from '../../src/core/errors.ts'
import { orRefusal } from '../../src/core/thrown.ts'
import {
  HEADER_SIGNATURE,
  MAX_BATCH_OCTETS,
  MAX_BATCH_RECORDS,
  formatBatch,
  readBatch,
  readHead,
  signBatch,
  signatureText,
  verifyBatch,
  type BatchHead,
} from '../../src/link/batch.ts'
import { createNodeKey, readNodeKey } from '../../src/link/keys/node-key.ts'
import { ownLane } from '../../src/link/realm.ts'
import { MAX_RECORD_OCTETS, formatRecord } from '../../src/link/record.ts'
import { AT_MS, REALM, headOf, hostileObject } from './samples.ts'

const LANE = ownLane(REALM, 'laptop')

function lineOf(frameText: string, seq = 41): string {
  return formatRecord({
    t: 'frame',
    e: `6f1c-${seq}`,
    scope: '~a/*',
    sender: undefined,
    at: AT_MS,
    frameText,
  })
}

/** The code and field a body is refused with; `ok` when it is not. */
function verdictOn(body: string): string {
  const found = orRefusal(() => readBatch(body))
  return found instanceof AgentdError ? `${found.code} ${found.field}` : 'ok'
}

function headWith(changes: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify({ ...headOf(), ...changes })}\n${lineOf('{}')}`
}

/** A body of so many records. */
function bodyOf(count: number): string {
  const lines = Array.from({ length: count }, () => '{}')
  return formatBatch(headOf(), lines)
}

/** Every text that differs in one character. */
function others(text: string): string[] {
  return Array.from(
    text,
    (unit, at) => `${text.slice(0, at)}${unit === 'x' ? 'y' : 'x'}${text.slice(at + 1)}`,
  )
}

describe('a body', () => {
  test('comes back as it went: its head, and each record octet for octet (FED-17)', () => {
    const head = fc.record({
      prev: fc.constantFrom(null, '6f1c-40'),
      digest: fc.constantFrom(null, 'x'),
      clean: fc.boolean(),
      reports: fc.nat(),
    })
    fc.assert(
      fc.property(head, fc.array(hostileObject, { minLength: 1, maxLength: 8 }), (changes, texts) => {
        const lines = texts.map((text, i) => lineOf(text, i + 1))

        const read = readBatch(formatBatch(headOf(changes), lines))

        expect(read).toEqual({ head: headOf(changes), lines })
      }),
    )
  })

  test('holds 1 to 256 records (FED-18)', () => {
    expect([1, MAX_BATCH_RECORDS].map((count) => verdictOn(bodyOf(count)))).toEqual(['ok', 'ok'])
    expect(verdictOn(bodyOf(0))).toBe('field-invalid batch')
    expect(verdictOn(bodyOf(MAX_BATCH_RECORDS + 1))).toBe('field-invalid batch')
    expect(verdictOn('\n'.repeat(MAX_BATCH_OCTETS))).toBe('field-invalid head')
  })

  test('holds one record of the largest size, and no octet more than that (FED-18)', () => {
    const rest = lineOf('""').length
    const largest = lineOf(`"${'x'.repeat(MAX_RECORD_OCTETS - rest)}"`)

    expect(verdictOn(formatBatch(headOf(), [largest]))).toBe('ok')
    expect(verdictOn('x'.repeat(MAX_BATCH_OCTETS + 1))).toBe('field-invalid batch')
  })

  test('with half a surrogate pair is none', () => {
    expect(verdictOn(`${JSON.stringify(headOf())}\n"\ud800"`)).toBe('field-invalid batch')
  })
})

describe('a head', () => {
  test('of a later version is refused as that, whatever else has changed (FED-17)', () => {
    expect(verdictOn('{"v":2}\n{}')).toBe('version-unsupported v')
    expect(() => readHead('{"v":2,"node":{"a":1}}')).toThrow('version 2')
  })

  test('may hold members that nobody here knows (FED-17)', () => {
    expect(readBatch(headWith({ later: { a: [1] } })).head).toEqual(headOf())
  })

  test.each<[keyof BatchHead, unknown]>([
    ['v', '1'],
    ['v', 1.5],
    ['node', 'Laptop'],
    ['node', 'a.b'],
    ['epoch', ''],
    ['prev', '6f1c'],
    ['last', 7],
    ['digest', ''],
    ['clean', 'yes'],
    ['reports', -1],
    ['sent_at', '2026-11-23T12:00:00Z'],
    ['authority_epoch', 0.5],
  ])('with %s %j is refused, by name', (name, value) => {
    expect(verdictOn(headWith({ [name]: value }))).toBe(`field-invalid ${name}`)
  })

  test.each(Object.keys(headOf()))('without %s is refused, by name', (name) => {
    expect(verdictOn(headWith({ [name]: undefined }))).toBe(`field-missing ${name}`)
  })
})

describe('a signature', () => {
  const { seed, publicX } = createNodeKey()
  const { key } = readNodeKey(seed)

  test('holds for its body, its lane and its key, and for nothing else (FED-41)', () => {
    const body = formatBatch(headOf(), [lineOf('{"a":"\u2028"}')])
    const header = signBatch(key, 'laptop', LANE, body)

    expect(readNodeKey(seed).publicX).toBe(publicX)
    expect(verifyBatch(header, publicX, LANE, body)).toBe(true)
    expect(verifyBatch(header, publicX, ownLane('p.bob', 'laptop'), body)).toBe(false)
    expect(verifyBatch(header, createNodeKey().publicX, LANE, body)).toBe(false)
    expect(verifyBatch(header, 'AA', LANE, body)).toBe(false)
    expect(
      verifyBatch(
        signBatch(key, 'laptop', ownLane(REALM, 'devbox'), body),
        publicX,
        ownLane(REALM, 'devbox'),
        body,
      ),
    ).toBe(false)
  })

  test('is lost with every single octet of body, subject and header that is another one (FED-41)', () => {
    const body = formatBatch(headOf(), [lineOf('{"a":1}')])
    const header = signBatch(key, 'laptop', LANE, body)

    const held = [
      ...others(body).filter((other) => verifyBatch(header, publicX, LANE, other)),
      ...others(LANE).filter((other) => verifyBatch(header, publicX, other, body)),
      ...others(header).filter((other) => verifyBatch(other, publicX, LANE, body)),
    ]

    expect(held).toEqual([])
  })

  test('has one spelling', () => {
    const header = signBatch(key, 'laptop', LANE, 'x')
    const last = header.at(-3) ?? ''
    const stray = `${header.slice(0, -3)}${String.fromCodePoint((last.codePointAt(0) ?? 0) + 1)}==`

    for (const other of [stray, header.replace('==', ''), ` ${header}`, header.replace(' ', '  '), ''])
      expect(verifyBatch(other, publicX, LANE, 'x'), other).toBe(false)
  })

  test('is a header beside the body, over a line of its own, the subject and the body (FED-41)', () => {
    expect(HEADER_SIGNATURE).toBe('Agentd-Sig')
    expect(signatureText('a.b', '{}\n{}')).toBe('agentd-link-1\na.b\n{}\n{}')
  })

  test('needs a seed of 32 bytes, and an error never quotes one', () => {
    const broken = orRefusal(() => readNodeKey(seed.slice(1)))

    expect(broken).toMatchObject({ code: 'field-invalid', field: 'node_key' })
    expect(JSON.stringify(broken)).not.toContain(seed.slice(1, 9))
  })
})
