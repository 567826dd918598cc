/**
 * The table with all that is known of each runtime, loaded for a command that asks for it.
 */
import { RUNTIMES } from './catalogue.ts'
import type { KnownRuntime, Runtime } from './record/record.ts'

/** In the order of the table. */
export function loadRuntimes(runtimes: readonly Runtime[] = RUNTIMES): Promise<readonly KnownRuntime[]> {
  return Promise.all(runtimes.map(async (runtime) => ({ ...runtime, ...(await runtime.load()).about })))
}
