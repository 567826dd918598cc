/**
 * The way to an implementation: it is asked one thing at a time, and answers.
 */
import type { JsonObject } from './json.ts'

/** One question; docs/conformance.md has the members of each operation. */
export interface Question extends JsonObject {
  readonly op: string
}

/**
 * What is answered: `{"ok":true,…}`, `{"ok":false,"error":{"code","field"}}`, or `{"unsupported":true}` where an
 * implementation has no such operation.
 */
export type Answer = JsonObject

/** An implementation as it is reached. */
export interface Adapter {
  /** @throws Error when it gives no answer at all */
  ask(question: Question): Promise<Answer>
  close(): Promise<void>
}

/** The answer for an operation that is not there. */
export const UNSUPPORTED: Answer = { unsupported: true }

/** What went wrong between here and the implementation, and not in it. */
export class AdapterError extends Error {
  override readonly name = 'AdapterError'
}
