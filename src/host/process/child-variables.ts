/**
 * What a daemon may know of the surroundings of whoever starts it: a list of names, and nothing else
 * (HD-22).
 *
 * A shell and a runtime hold credentials; they must not live on in a process that outlasts them.
 */
import type { Environment } from '../config/paths.ts'

/** Where things are, who the user is and how it writes times and words. Of ours, not what is one process's own business. */
const PASSED: ReadonlySet<string> = new Set([
  'HOME',
  'PATH',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'LC_MESSAGES',
  'LC_TIME',
  'TZ',
  'TMPDIR',
  'XDG_CONFIG_HOME',
  'XDG_STATE_HOME',
  'XDG_RUNTIME_DIR',
  'NODE_V8_COVERAGE',
  'AGENTD_SOCKET',
  'AGENTD_STATE_DIR',
  'AGENTD_CONFIG',
  'AGENTD_PRINCIPAL',
  'AGENTD_PROFILE',
  'AGENTD_DEBUG',
])

/** The variables of those names that are set. */
export function daemonVariables({ env }: Environment): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => PASSED.has(name)))
}
