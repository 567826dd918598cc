/**
 * Whether hooks of this machine can reach the daemon by `curl`, and with what.
 *
 * @see docs/runtimes.md §10 rules 10, 12; OP-02, OP-04
 */
import { spawnSync } from 'node:child_process'
import { UsageError } from '../../core/errors.ts'
import { isVersionAtLeast } from '../../core/versions.ts'
import { keyHeaderPath, removeKeyHeader, writeKeyHeader } from '../../host/config/key-header.ts'
import { configString, resolveSocketPath, type Environment } from '../../host/config/paths.ts'
import type { SocketCall } from './files/curl-line.ts'
import { manifestNames } from './manifest.ts'
import { findProgram } from './paths.ts'

/** How long `curl` may take to say what it can, in milliseconds. */
const VERSION_MS = 2_000

/** The first that takes a header from a file. */
const LEAST_CURL = '7.55'

/**
 * @param named - `--socket`; undefined for the place of this environment's daemon
 * @returns undefined where no `curl` is on PATH, none that can do it, and where no place for a socket can be had
 */
export function findSocketCall(environment: Environment, named?: string): SocketCall | undefined {
  const curl = findProgram(environment, 'curl')
  const socket = findSocketPlace(environment, named)
  if (curl === undefined || socket === undefined || !canCall(curl)) return undefined
  return { curl, socket, keyHeader: needsKey(environment) ? keyHeaderPath(environment) : undefined }
}

/**
 * Sees to it that the file of the key is there as long as lines name it, and gone with the last of them.
 *
 * @throws HostRefusal where that cannot be done
 */
export function settleKeyHeader(environment: Environment): void {
  const isSetUp = manifestNames(environment).length > 0
  if (isSetUp && needsKey(environment)) writeKeyHeader(environment)
  else removeKeyHeader(environment)
}

/** Where the daemon of this environment listens. @returns undefined where no place for it can be had */
export function findSocketPlace(environment: Environment, named: string | undefined): string | undefined {
  try {
    return resolveSocketPath(environment, named).path
  } catch (error) {
    if (error instanceof UsageError) return undefined
    throw error
  }
}

/** With `"auth": "session"` nobody is heard without a token or the key. */
function needsKey(environment: Environment): boolean {
  return configString(environment, 'auth') === 'session'
}

function canCall(curl: string): boolean {
  const { stdout, status } = spawnSync(curl, ['-q', '--version'], { timeout: VERSION_MS, encoding: 'utf8' })
  const [, version = ''] = /^curl (\d+\.\d+)/.exec(stdout ?? '') ?? []
  const isNew = isVersionAtLeast(version, LEAST_CURL)
  return status === 0 && isNew && /^Features:.*\bUnixSockets\b/m.test(stdout)
}
