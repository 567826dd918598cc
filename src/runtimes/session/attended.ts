/**
 * Whether a person sits at the session that runs this hook.
 *
 * A headless Claude Code waits for the hooks that may wake it: for that of its start before the first turn, and
 * for that of a turn's end before it ends itself. A waiter would hold it up for as long as nobody writes.
 */
import type { Environment } from '../../host/config/paths.ts'
import type { HookRuntime } from '../events/hook-runtime.ts'

/** False only where the runtime says so. */
export function isAttended({ attendedVariable }: HookRuntime, { env }: Environment): boolean {
  return attendedVariable === undefined || env[attendedVariable] !== '0'
}
