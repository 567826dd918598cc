/**
 * Where the daemon's log is: what its stderr is open on while it runs, and where it would be otherwise.
 */
import { readFileSync, readlinkSync } from 'node:fs'
import { systemErrorCode } from '../../core/thrown.ts'
import { daemonLogPath } from '../config/paths.ts'
import type { Environment } from '../config/paths.ts'

/** A place that a log is in, or why there is none to read. */
export type DaemonLog =
  /** Of a start in the background, of launchd, or wherever a shell has sent it. */
  | { readonly kind: 'file'; readonly path: string }
  /** systemd has started it. */
  | { readonly kind: 'journal'; readonly unit: string }
  /** It runs in the foreground, on a terminal or for a program that reads it. */
  | { readonly kind: 'foreground'; readonly pid: number }

/** What `agentd service install` calls it. */
const UNIT = 'agentd.service'

/**
 * @param pid - the daemon's; undefined where none runs
 * @param isService - whether systemd is to start it; asked where no process shows it
 */
export function findDaemonLog(
  environment: Environment,
  pid: number | undefined,
  isService: boolean,
): DaemonLog {
  const usual: DaemonLog = { kind: 'file', path: daemonLogPath(environment) }
  // launchd writes to the same file as a start in the background.
  if (environment.platform !== 'linux') return usual
  const open = pid === undefined ? undefined : openAs(pid)
  if (pid === undefined || open === undefined)
    return isService && pid === undefined ? { kind: 'journal', unit: UNIT } : usual
  // A pipe of Node's is a socket, too.
  if (open.startsWith('socket:') && isOfUnit(pid)) return { kind: 'journal', unit: UNIT }
  if (!open.startsWith('/') || open.startsWith('/dev/')) return { kind: 'foreground', pid }
  // What was set aside under it, or removed, is found by its name again.
  const path = open.replace(/ \(deleted\)$/, '')
  return path === `${usual.path}.1` ? usual : { kind: 'file', path }
}

/** What the kernel says that a process has its stderr open on; undefined where it does not say. */
function openAs(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/2`)
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    return undefined
  }
}

/** Whether systemd has a process in the group of the unit. */
function isOfUnit(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, 'utf8').includes(`/${UNIT}`)
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    return false
  }
}
