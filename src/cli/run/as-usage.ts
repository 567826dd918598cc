/**
 * What is refused before any daemon has said so.
 */
import { AgentdError, UsageError } from '../../core/errors.ts'

/** What the call returns. @throws UsageError for a refusal: it is what the person wrote */
export function asUsage<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof AgentdError) throw new UsageError(error.message, { cause: error })
    throw error
  }
}
