/**
 * What was thrown, looked at: it may be any value, and is an error most of the time.
 */
import { AgentdError } from './errors.ts'

/** What it says of itself. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** The code the system gave with an error, such as `ENOENT`; undefined when it gave none. */
export function systemErrorCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string'
    ? thrown.code
    : undefined
}

/** What the call returns, or the refusal it ends with; whatever else it throws is thrown on. */
export function orRefusal<Result>(call: () => Result): Result | AgentdError {
  try {
    return call()
  } catch (thrown) {
    if (thrown instanceof AgentdError) return thrown
    throw thrown
  }
}

/** As {@link orRefusal}, for those whom no refusal tells anything: undefined is one. */
export function unlessRefused<Result>(call: () => Result): Result | undefined {
  const result = orRefusal(call)
  return result instanceof AgentdError ? undefined : result
}

/** V8 says it in these words alone; its other `RangeError` is of a string beyond what it can hold. */
export function isStackOverflow(thrown: unknown): boolean {
  return thrown instanceof RangeError && thrown.message.includes('call stack')
}
