/**
 * What a call was refused with, for tests that look at errors.
 */
import { AgentdError } from '../../src/core/errors.ts'

/** The part of an error that programs act on. */
export interface Refusal {
  readonly code: string
  readonly field: string | undefined
}

/**
 * Calls, and returns the refusal; undefined when the call was not refused.
 *
 * @throws whatever else the call threw: that is a defect
 */
export function refusalOf(call: () => unknown): Refusal | undefined {
  try {
    call()
    return undefined
  } catch (error) {
    if (error instanceof AgentdError) return { code: error.code, field: error.field }
    throw error
  }
}
