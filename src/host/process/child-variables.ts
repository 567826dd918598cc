/**
 * What a program that a hook starts may know of the hook's surroundings.
 *
 * A runtime hands its hooks credentials of its own; they must not live on in a daemon.
 */
import type { Environment } from '../config/paths.ts'

/** Variables that say where things are and who the user is. */
const PASSED =
  /^(?:HOME|PATH|USER|LOGNAME|SHELL|LANG|LC_[A-Z]+|TZ|TMPDIR|XDG_[A-Z_]+|AGENTD_[A-Z_]+|NODE_V8_COVERAGE)$/

/** Of ours, those that are one process's own business. */
const KEPT_BACK = new Set(['AGENTD_TOKEN', 'AGENTD_NO_START', 'AGENTD_READY_FD'])

export function daemonVariables({ env }: Environment): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => PASSED.test(name) && !KEPT_BACK.has(name)))
}
