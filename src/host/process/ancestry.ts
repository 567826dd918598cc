/**
 * The process that runs a hook: the nearest forebear that is no shell.
 *
 * Some runtimes start hooks themselves, some through `sh -c`; the shell is gone a moment later, and a session
 * that hung on its life would be too.
 *
 * @see docs/runtimes.md §9
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { basename, isAbsolute } from 'node:path'

/** A process, and what is known of its program. */
export interface Forebear {
  readonly pid: number
  /** The base name of its program. */
  readonly name: string
  /** The absolute path of its program; undefined where the system does not say. */
  readonly path: string | undefined
}

/** Shells, and programs that only start another one. */
const BETWEEN = new Set(['sh', 'bash', 'dash', 'zsh', 'fish', 'ksh', 'busybox', 'env', 'timeout', 'script'])

/** A shell in a shell in a shell is already unusual. */
const MAX_STEPS = 8

const PS_TIMEOUT_MS = 200

/** @returns undefined when there is none but the first process of the machine */
export function findForebear(
  parentPid: number = process.ppid,
  platform: NodeJS.Platform = process.platform,
): Forebear | undefined {
  let pid = parentPid
  for (let step = 0; step < MAX_STEPS && pid > 1; step += 1) {
    const found = platform === 'linux' ? lookInProc(pid) : askPs(pid)
    if (found === undefined) return undefined
    if (!BETWEEN.has(found.name)) return { pid, name: found.name, path: found.path }
    pid = found.parentPid
  }
  return undefined
}

/** Who a process is, whatever it is. */
export function describeProcess(
  pid: number,
  platform: NodeJS.Platform = process.platform,
): Forebear | undefined {
  const found = platform === 'linux' ? lookInProc(pid) : askPs(pid)
  return found && { pid, name: found.name, path: found.path }
}

/** The process that started another one, as Linux tells in /proc; undefined once that one is gone. */
export function parentOf(pid: number): number | undefined {
  return lookInProc(pid)?.parentPid
}

/** Forebears looked at; a process stands tens of levels deep in the worst of terminals. */
export const MAX_FOREBEARS = 64

/** Whether a process is another one or a forebear of it, as Linux tells in /proc; false once the other one is gone. */
export function isForebear(pid: number, of: number): boolean {
  let current: number | undefined = of
  for (let step = 0; step < MAX_FOREBEARS && current !== undefined && current > 1; step += 1) {
    if (current === pid) return true
    current = lookInProc(current)?.parentPid
  }
  return false
}

type Found = Omit<Forebear, 'pid'> & { readonly parentPid: number }

function lookInProc(pid: number): Found | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name stands in parentheses and may hold anything; nothing after it does.
    const close = stat.lastIndexOf(')')
    const parentPid = Number(stat.slice(close + 2).split(' ')[1])
    const path = programPath(pid)
    const name = path === undefined ? stat.slice(stat.indexOf('(') + 1, close) : basename(path)
    return Number.isInteger(parentPid) ? { name, path, parentPid } : undefined
  } catch {
    return undefined
  }
}

/** A program that was replaced while it runs is listed with a remark, and is no longer there to be started. */
function programPath(pid: number): string | undefined {
  try {
    const path = readlinkSync(`/proc/${pid}/exe`)
    return isAbsolute(path) && !path.endsWith(' (deleted)') ? path : undefined
  } catch {
    return undefined
  }
}

function askPs(pid: number): Found | undefined {
  try {
    const answer = execFileSync('/bin/ps', ['-o', 'ppid=,comm=', '-p', String(pid)], {
      encoding: 'utf8',
      timeout: PS_TIMEOUT_MS,
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
    const [, parentPid = '', path = ''] = /^(\d+)\s+(.+)$/.exec(answer) ?? []
    if (path === '') return undefined
    const name = basename(path).replace(/^-/, '')
    return { name, path: isAbsolute(path) ? path : undefined, parentPid: Number(parentPid) }
  } catch {
    return undefined
  }
}
