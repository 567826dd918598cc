/**
 * The server of a hub: `nats-server`, found, and told of a changed configuration.
 *
 * @see FED-12, FED-43
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, readFileSync } from 'node:fs'
import { basename, delimiter, join } from 'node:path'
import { systemErrorCode } from '../../../core/thrown.ts'
import type { Environment } from '../../../host/config/paths.ts'
import { HostRefusal } from '../../../host/files/refusal.ts'

/** The program. */
const SERVER = 'nats-server'

/** Where packages put it, and a user's PATH often does not look: Debian and Homebrew. */
const FURTHER = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin']

/** `ps` answers in some milliseconds. */
const PS_TIMEOUT_MS = 2_000

/** Where it is; undefined where it is not installed. */
export function findServerProgram({ env }: Environment): string | undefined {
  const folders = [...(env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== ''), ...FURTHER]
  return folders.map((folder) => join(folder, SERVER)).find(isProgram)
}

/** @throws HostRefusal that says what to install */
export function requireServerProgram(environment: Environment): string {
  const found = findServerProgram(environment)
  if (found !== undefined) return found
  throw new HostRefusal(
    'There is no nats-server here, and it is what a hub runs; install it ("apt install nats-server", "brew install nats-server").',
  )
}

/** The server that runs with the configuration of this hub; undefined where none does. */
export function findServer(pidPath: string): number | undefined {
  const pid = Number(readText(pidPath)?.trim())
  // A number that was left behind is somebody else's by now, and a signal would end that.
  return Number.isInteger(pid) && pid > 1 && basename(programOf(pid)) === SERVER ? pid : undefined
}

/** Has it read its configuration again; who was taken out of it is cut off. @returns whether there is one */
export function reloadServer(pidPath: string): boolean {
  const pid = findServer(pidPath)
  if (pid === undefined) return false
  try {
    return process.kill(pid, 'SIGHUP')
  } catch (error) {
    if (systemErrorCode(error) === 'ESRCH') return false
    throw error
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch (error) {
    if (systemErrorCode(error) !== undefined) return false
    throw error
  }
}

function programOf(pid: number): string {
  const options = { encoding: 'utf8', timeout: PS_TIMEOUT_MS } as const
  return spawnSync('ps', ['-o', 'comm=', '-p', `${pid}`], options).stdout?.trim() ?? ''
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
