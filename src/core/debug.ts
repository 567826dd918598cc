/**
 * What agentd tells somebody who looks inside (`AGENTD_DEBUG`): a line per hook, per request and per wake. A port:
 * `host/process/debug-sink.ts` writes it, and where nobody asked there is none.
 */
import type { LogFields } from './log.ts'

/**
 * Tells one thing that is over.
 *
 * @param what - `hook`, `request` or `wake`
 * @param fields - names out of closed sets, numbers and what {@link errorFields} leaves of an error; never a payload,
 *   never a token
 */
export type Debug = (what: 'hook' | 'request' | 'wake', fields: LogFields) => void

/** Characters of a stack, and of a message; the first frames say where. */
const MAX_STACK_CHARS = 4_000
const MAX_MESSAGE_CHARS = 500

/** What a code is made of; anything else is text, and text may be somebody's. */
const CODE = /^[A-Za-z_][\w-]{0,39}$/

/**
 * An error without what it may quote: its name, its code, the frames of its stack. Its message stands only where
 * that cannot hold anybody's content: the system's own, and a slip of the program's.
 */
export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error }
  const frames = (error.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line))
  return {
    error: CODE.test(error.name) ? error.name : 'Error',
    code: codeOf(error, 'code'),
    how: codeOf(error, 'how'),
    message: isPlain(error) ? error.message.slice(0, MAX_MESSAGE_CHARS) : undefined,
    stack: frames.length === 0 ? undefined : frames.join('\n').slice(0, MAX_STACK_CHARS),
  }
}

/** `JSON.parse` quotes the text, and Node the value of an argument; the kernel and V8 name paths and members. */
function isPlain(error: Error): boolean {
  const hasCode = Reflect.get(error, 'code') !== undefined
  if (Reflect.get(error, 'syscall') !== undefined) return true
  return !hasCode && (error instanceof TypeError || error instanceof ReferenceError)
}

function codeOf(error: Error, name: string): string | undefined {
  const code: unknown = Reflect.get(error, name)
  return typeof code === 'string' && CODE.test(code) ? code : undefined
}
