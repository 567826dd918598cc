/**
 * As much of JSON-RPC as a pipe has to know: what is asked, what is answered, and what a failure looks like.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic
 */

/** A line, as far as it matters here. */
export interface Message {
  readonly line: Buffer
  /** JSON of the id, which tells `1` from `"1"`; undefined for a notification, and for what is no JSON-RPC. */
  readonly id: string | undefined
  /** Undefined for an answer. */
  readonly method: string | undefined
  /** The request that a notification calls off, as `id`. */
  readonly cancels: string | undefined
}

/** The method whose effect cannot be told from here. */
export const CALL = 'tools/call'

/** The first words of a host that shakes hands; later ones do not. */
export const INITIALIZE = 'initialize'
export const INITIALIZED = 'notifications/initialized'

const CANCELLED = 'notifications/cancelled'

/** JSON-RPC's own codes, and the first of those that are free. */
const INVALID_REQUEST = -32_600
const SERVER_FAULT = -32_000

/** @param line - without its end; what is no JSON-RPC has neither id nor method */
export function readMessage(line: Buffer): Message {
  const value = parse(line)
  const method: unknown = memberOf(value, 'method')
  const isCancel = method === CANCELLED
  return {
    line,
    id: idOf(memberOf(value, 'id')),
    method: typeof method === 'string' ? method : undefined,
    cancels: isCancel ? idOf(memberOf(memberOf(value, 'params'), 'requestId')) : undefined,
  }
}

/** Why a call did not come to its end, as a tool's result has it. */
export interface CallFault {
  /** As the tools' own codes: `unreachable`, `lost`. */
  readonly code: string
  readonly message: string
}

/**
 * What a host is told of a request that has no answer: of a call a result, which its model reads, of anything else an
 * error.
 *
 * @param isModern - whether results say that they are whole, as of 2026-07-28
 */
export function failureOf({ id = 'null', method }: Message, fault: CallFault, isModern: boolean): string {
  if (method !== CALL) return errorLine(id, SERVER_FAULT, fault.message)
  const structuredContent = { error: fault }
  const result = {
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
    structuredContent,
    isError: true,
    ...(isModern && { resultType: 'complete' }),
  }
  return `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}\n`
}

/** As {@link failureOf} of a request that is refused whatever it asks. */
export function refusalOf({ id = 'null' }: Message, sentence: string): string {
  return errorLine(id, SERVER_FAULT, sentence)
}

/** What is said of a line that was not read. */
export function unreadable(sentence: string): string {
  return errorLine('null', INVALID_REQUEST, sentence)
}

function errorLine(id: string, code: number, message: string): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}\n`
}

function idOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? JSON.stringify(value) : undefined
}

function memberOf(value: unknown, name: string): unknown {
  return value instanceof Object && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
}

function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString())
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
