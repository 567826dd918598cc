/**
 * `agentd mcp` as its own short way: a process that lives as long as a session does, so what it does not load counts.
 *
 * @see docs/http.md §10 "MCP"; OP-08
 */
import {
  readEnvironment,
  readPersonKey,
  resolveSocketPath,
  type Environment,
} from '../../host/config/paths.ts'
import { sessionVariables } from '../../host/process/session-variables.ts'
import { requireOwnSocket } from '../../host/socket/own-socket.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import { MAX_SURROUNDINGS_LENGTH } from '../../core/limits.ts'
import { AS_HEADER, KEY_HEADER, SURROUNDINGS_HEADER } from '../../protocol/http/headers.ts'
import { PIPE_BOUNDS } from '../pipe/bounds.ts'
import { openOfflineLink, type OfflineServer } from '../pipe/offline-link.ts'
import { McpPipe } from '../pipe/pipe.ts'
import { reachDaemonLink } from '../pipe/reach.ts'
import { printError } from '../terminal/print.ts'

const MCP_PATH = '/v1/mcp'

/** A pipe as it was called. */
export interface McpInvocation {
  /** `--socket`, where that was given. */
  readonly socket?: string | undefined
  /** Whether a daemon that is not running may be started. */
  readonly mayStart: boolean
  /** Which tools; absent, agentd's own. */
  readonly verbs?: 'memo' | undefined
  /** `--as`: the declared handle its sessions go by; absent, what `AGENTD_AS` says, or the principal's (ACQ-13). */
  readonly as?: string | undefined
  /** `bin/agentd.cjs`, absolute. */
  readonly launcher: string
  readonly offline: OfflineServer
}

/** Copies until the host goes, and ends the process. @throws UsageError or HostRefusal before anything was copied */
export async function runMcp(invocation: McpInvocation): Promise<never> {
  const { socket, mayStart, verbs, launcher, offline } = invocation
  const environment = readEnvironment()
  const { path } = resolveSocketPath(environment, socket)
  // At once, and as the end of the server: a host shows that, and a session without its tools goes on.
  requireOwnSocket(path)
  const { headMs, busyMs, endMs } = PIPE_BOUNDS
  const startWords =
    mayStart && !environment.env['AGENTD_NO_START'] ? [launcher, '--socket', path, 'start'] : undefined
  const pipe = new McpPipe({
    output: process.stdout,
    // The key may be made by the daemon that is started.
    reach: (events) => {
      const headers = headersOf(environment, invocation.as)
      const door = {
        socketPath: path,
        path: MCP_PATH + (verbs === undefined ? '' : `?verbs=${verbs}`),
        headers,
        headMs,
      }
      return reachDaemonLink({ door, busyMs, startWords }, events)
    },
    openOffline: (events) => openOfflineLink({ ...offline, verbs }, events),
    onTrouble: (sentence) => printError(`agentd mcp: ${safeLine(sentence)}\n`),
    bounds: PIPE_BOUNDS,
  })
  const end = (): void => {
    process.stdin.destroy()
    // Whatever is waited for just now, a host need not wait for its child.
    setTimeout(() => process.exit(0), 2 * endMs).unref()
  }
  process.once('SIGTERM', end).once('SIGINT', end)
  // A host that is gone reads nothing any more, and need not end what it writes.
  process.stdout.on('error', end)
  await pipe.run(process.stdin)
  process.exit(0)
}

/** Who calls, as far as only a child of the runtime can tell. */
function headersOf(environment: Environment, as?: string): Readonly<Record<string, string>> {
  const key = readPersonKey(environment)
  // An empty variable is how a shell says "none".
  const handle = as ?? (environment.env['AGENTD_AS'] || undefined)
  return {
    [SURROUNDINGS_HEADER]: surroundingsOf(environment),
    ...(key !== undefined && { [KEY_HEADER]: key }),
    ...(handle !== undefined && { [AS_HEADER]: handle }),
  }
}

/** Hosts start a server as their own child: the parent's life is the session's. */
function surroundingsOf(environment: Environment): string {
  const facts = { pid: process.ppid, env: sessionVariables(environment) }
  const whole = encode({ cwd: process.cwd(), ...facts })
  return whole.length <= MAX_SURROUNDINGS_LENGTH ? whole : encode(facts)
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
