/**
 * An envelope's trace and the `traceparent` header of W3C Trace Context, one made from the other.
 *
 * AEE takes any strings as ids; the header takes 32 and 16 lower-case hex digits that are not all zero. What does
 * not fit is not bent into shape.
 *
 * @see AEE-015, AEE-C22, W3C Trace Context §3.2
 */
import { randomBytes } from 'node:crypto'
import type { Trace } from './envelope.ts'
import { readMember } from './record.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

/** What a `traceparent` header says. */
export interface TraceParent {
  /** 32 lower-case hex digits. */
  readonly traceId: string
  /** 16 lower-case hex digits. */
  readonly spanId: string
  /** One octet; its lowest bit says that the caller records this trace. */
  readonly flags: number
}

const TRACE_ID = /^(?!0{32})[\da-f]{32}$/
const SPAN_ID = /^(?!0{16})[\da-f]{16}$/

/** Version, trace id, parent id, flags; what a later version appends is not read. */
const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/

/** The version that allows nothing after the flags. */
const FIRST_VERSION = '00'

/** A version that never will be. */
const FORBIDDEN_VERSION = 'ff'

/** The flags of a header made here: an envelope that carries a trace is part of one that is recorded. */
const RECORDED = '01'

/** Reads a `traceparent` header; undefined when it is not one, and then the trace begins anew. */
export function readTraceparent(text: string): TraceParent | undefined {
  const [, version, traceId = '', spanId = '', flags = '', rest] = TRACEPARENT.exec(text) ?? []
  if (version === undefined || version === FORBIDDEN_VERSION) return undefined
  if (version === FIRST_VERSION && rest !== undefined) return undefined
  if (!TRACE_ID.test(traceId) || !SPAN_ID.test(spanId)) return undefined
  return { traceId, spanId, flags: Number.parseInt(flags, 16) }
}

/** The header of an envelope's trace; undefined when there is none, or its ids are not W3C's. */
export function formatTraceparent(trace: Trace | null | undefined): string | undefined {
  const traceId = idOf(trace, 'trace_id')
  const spanId = idOf(trace, 'span_id')
  if (traceId === undefined || spanId === undefined) return undefined
  if (!TRACE_ID.test(traceId) || !SPAN_ID.test(spanId)) return undefined
  return `${FIRST_VERSION}-${traceId}-${spanId}-${RECORDED}`
}

/**
 * The trace of what is sent because of another envelope: the same trace, a span of its own, and whose child it is
 * (AEE-C22). Other members of the parent say something about the parent, and are not handed on.
 *
 * @returns null when the parent is in no trace
 */
export function childTrace(parent: Trace | null | undefined, newSpanId: string): Trace | null {
  const traceId = idOf(parent, 'trace_id')
  if (traceId === undefined) return null
  const parentId = idOf(parent, 'span_id')
  return {
    trace_id: traceId,
    span_id: newSpanId,
    ...(parentId !== undefined && { parent_span_id: parentId }),
  }
}

/** A span id as W3C has them: 16 random lower-case hex digits. */
export function newSpanId(): string {
  return randomId(8)
}

/** A trace id as W3C has them: 32 random lower-case hex digits. */
export function newTraceId(): string {
  return randomId(16)
}

/** All zeros is the one id that is not valid. */
function randomId(octets: number): string {
  let bytes = randomBytes(octets)
  while (bytes.every((octet) => octet === 0)) bytes = randomBytes(octets)
  return bytes.toString('hex')
}

function idOf(trace: Trace | null | undefined, name: 'trace_id' | 'span_id'): string | undefined {
  const id = isJsonObject(trace) ? readMember(trace, name) : undefined
  return typeof id === 'string' ? id : undefined
}
