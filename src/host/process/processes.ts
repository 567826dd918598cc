/**
 * Telling one process from a later one with the same number.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { systemErrorCode } from '../../core/thrown.ts'

/** Process numbers are positive 32-bit integers everywhere. */
const MAX_PID = 2 ** 31 - 1

/** `ps` answers in a few milliseconds; the bound keeps a hanging one from holding the daemon. */
const PS_TIMEOUT_MS = 1_000

/** Where fields stand in /proc/PID/stat, counted from the state, the first one after the name. */
const THREADS_AFTER_NAME = 17
const START_TIME_AFTER_NAME = 19

/**
 * When a process started, as an opaque text to compare with an earlier answer: equal means the same process.
 * On Linux it holds the boot id too, since start times count from boot.
 *
 * @returns undefined when no such process lives; a zombie no longer does, unless threads of it are still there: those hold its
 *   files and ports
 */
export function processStartTime(
  pid: number,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  return processStartTimes(platform)(pid)
}

/** As {@link processStartTime}, for whoever asks often: what holds for the machine as long as it runs is read once. */
export function processStartTimes(
  platform: NodeJS.Platform = process.platform,
): (pid: number) => string | undefined {
  const boot = platform === 'linux' ? (bootId() ?? '') : ''
  return (pid) => {
    if (!isPid(pid)) return undefined
    return platform === 'linux' ? linuxStartTime(pid, boot) : psStartTime(pid)
  }
}

/**
 * As {@link processStartTime}, for whoever tells it to another process: of numbers as this one has them.
 *
 * @returns undefined also where /proc is that of another process namespace, in which the number is somebody else's, and where
 *   a program would have to be started to find out
 */
export function tellableStartTime(
  pid: number,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  return platform === 'linux' && isOwnProc() ? processStartTime(pid, platform) : undefined
}

/** Whether /proc has this process under the number that it has for itself. */
function isOwnProc(): boolean {
  try {
    return readlinkSync('/proc/self') === String(process.pid)
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    return false
  }
}

/** Whether there is a process of this number, whoever's it is, and be it one that nobody has waited for yet. */
export function processExists(pid: number): boolean {
  if (!isPid(pid)) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return systemErrorCode(error) !== 'ESRCH'
  }
}

function isPid(pid: number): boolean {
  return Number.isInteger(pid) && pid >= 1 && pid <= MAX_PID
}

function linuxStartTime(pid: number, boot: string): string | undefined {
  const stat = readProc(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // The name stands in parentheses and may hold spaces and parentheses itself; nothing after it does.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state] = fields
  const startTime = fields[START_TIME_AFTER_NAME]
  const hasEnded = state === 'X' || (state === 'Z' && Number(fields[THREADS_AFTER_NAME]) <= 1)
  if (startTime === undefined || hasEnded) return undefined
  return `${boot}:${startTime}`
}

/**
 * Names this boot of the machine: a store that was not closed cleanly asks whether the kernel lived on.
 *
 * @returns undefined where the system does not say; then the machine counts as having gone down
 */
export function bootId(): string | undefined {
  return readProc('/proc/sys/kernel/random/boot_id')?.trim()
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = systemErrorCode(error)
    // ESRCH: the process went between open and read.
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES') return undefined
    throw error
  }
}

function psStartTime(pid: number): string | undefined {
  try {
    const answer = execFileSync('/bin/ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      timeout: PS_TIMEOUT_MS,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { LC_ALL: 'C', TZ: 'UTC' },
    }).trim()
    const [state = '', ...startTime] = answer.split(/\s+/)
    return state === '' || state.startsWith('Z') ? undefined : startTime.join(' ')
  } catch {
    // `ps` leaves with 1 when there is no such process; one it cannot tell us about is no better.
    return undefined
  }
}
