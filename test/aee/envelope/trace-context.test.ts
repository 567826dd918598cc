/**
 * Traces and the header of W3C Trace Context (AEE-015, AEE-C22, AEQ-11).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Trace } from '../../../src/aee/envelope/envelope.ts'
import {
  childTrace,
  formatTraceparent,
  newSpanId,
  newTraceId,
  readTraceparent,
} from '../../../src/aee/envelope/trace-context.ts'

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN_ID = '00f067aa0ba902b7'
const HEADER = `00-${TRACE_ID}-${SPAN_ID}-01`

/** So many lower-case hex digits. */
function hex(length: number): fc.Arbitrary<string> {
  return fc
    .array(fc.nat(15), { minLength: length, maxLength: length })
    .map((digits) => digits.map((digit) => digit.toString(16)).join(''))
}

describe('a traceparent header', () => {
  test('is read as W3C wrote it', () => {
    expect(readTraceparent(HEADER)).toEqual({ traceId: TRACE_ID, spanId: SPAN_ID, flags: 1 })
    expect(readTraceparent(HEADER.replace(/01$/, '00'))?.flags).toBe(0)
    expect(readTraceparent(HEADER.replace(/01$/, 'ff'))?.flags).toBe(255)
  })

  test('of a later version is read as far as it is known', () => {
    expect(readTraceparent(`cc${HEADER.slice(2)}`)?.traceId).toBe(TRACE_ID)
    expect(readTraceparent(`cc${HEADER.slice(2)}-what-comes-later`)?.spanId).toBe(SPAN_ID)
  })

  test.each([
    '',
    HEADER.toUpperCase(),
    ` ${HEADER}`,
    `${HEADER}\n`,
    `${HEADER}-more`,
    `${HEADER}0`,
    `ff${HEADER.slice(2)}`,
    `cc${HEADER.slice(2)}.more`,
    HEADER.replace(TRACE_ID, '0'.repeat(32)),
    HEADER.replace(SPAN_ID, '0'.repeat(16)),
    HEADER.replace(TRACE_ID, TRACE_ID.slice(1)),
    HEADER.replace('4bf9', '4bg9'),
    HEADER.replaceAll('-', '_'),
    `00-${TRACE_ID}-${SPAN_ID}`,
  ])('is not %j', (text) => {
    expect(readTraceparent(text)).toBeUndefined()
  })

  test('is made of a trace with ids of W3C, and of no other', () => {
    expect(formatTraceparent({ trace_id: TRACE_ID, span_id: SPAN_ID, more: 1 })).toBe(HEADER)
    for (const trace of [
      null,
      undefined,
      {},
      { trace_id: TRACE_ID },
      { span_id: SPAN_ID },
      { trace_id: '9f3c', span_id: 'a12b' },
      { trace_id: TRACE_ID.toUpperCase(), span_id: SPAN_ID },
      { trace_id: '0'.repeat(32), span_id: SPAN_ID },
      { trace_id: TRACE_ID, span_id: '0'.repeat(16) },
      { trace_id: `${TRACE_ID}\r\nx: y`, span_id: SPAN_ID },
    ]) {
      expect(formatTraceparent(trace), JSON.stringify(trace)).toBeUndefined()
    }
  })

  test('comes back from what it was made of', () => {
    fc.assert(
      fc.property(hex(32), hex(16), (traceId, spanId) => {
        const header = formatTraceparent({ trace_id: traceId, span_id: spanId })
        const isValid = !/^0*$/.test(traceId) && !/^0*$/.test(spanId)
        expect(header && readTraceparent(header)).toEqual(isValid ? { traceId, spanId, flags: 1 } : undefined)
      }),
    )
  })
})

describe('a child', () => {
  test('is in its parent’s trace, under a span of its own (AEE-C22)', () => {
    const parent = { trace_id: '9f3c', span_id: 'a12b', parent_span_id: 'older', tracestate: 'x' }

    expect(childTrace(parent, 'c01d')).toEqual({ trace_id: '9f3c', span_id: 'c01d', parent_span_id: 'a12b' })
    expect(childTrace({ trace_id: '9f3c' }, 'c01d')).toEqual({ trace_id: '9f3c', span_id: 'c01d' })
  })

  test('of what is in no trace is in none', () => {
    for (const parent of [null, undefined, {}, { span_id: 'a12b' }])
      expect(childTrace(parent, 'c01d')).toBeNull()
    const heir: Trace = Object.create({ trace_id: '9f3c' })
    expect(childTrace(heir, 'c01d')).toBeNull()
  })
})

test('new ids are W3C’s, and never the same', () => {
  const traceIds = new Set(Array.from({ length: 1_000 }, newTraceId))
  const spanIds = new Set(Array.from({ length: 1_000 }, newSpanId))

  expect(traceIds.size).toBe(1_000)
  expect(spanIds.size).toBe(1_000)
  for (const [at, traceId] of [...traceIds].entries()) {
    expect(formatTraceparent({ trace_id: traceId, span_id: [...spanIds][at]! })).toBeDefined()
  }
})
