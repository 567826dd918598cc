/**
 * Who holds a lock file: a process, told from a later one of the same number.
 */
import { readFileSync, readlinkSync } from 'node:fs'
import { systemErrorCode } from '../../core/thrown.ts'
import { processExists, processStartTime } from './processes.ts'

/** `unknown`: whoever it is cannot be seen from here. */
export type OwnerState = 'alive' | 'gone' | 'unknown'

/** `<pid> <process namespace> <start time>`. */
const PATTERN = /^(\d{1,10}) (\S+) (\S.*)$/

/** How a file begins that nobody holds any more: it is written over what stood there, in one go. */
const FREE = 'free'

/** What this process writes into a lock of its own. */
export function describeSelf(): string {
  return `${process.pid} ${processNamespace()} ${processStartTime(process.pid) ?? 'unknown'}`
}

/** Says of a lock that it was given back. */
export function describeNobody(): string {
  return FREE
}

/** A process that still lives, told from a later one of the same number. */
export interface LivingOwner {
  readonly pid: number
  readonly startTime: string
}

/** The process that a file of {@link describeSelf} is of, where it certainly still lives; undefined otherwise. */
export function livingOwner(path: string): LivingOwner | undefined {
  const text = readText(path)
  const [, pid, , startTime] = PATTERN.exec(text) ?? []
  if (pid === undefined || startTime === undefined || stateOf(text) !== 'alive') return undefined
  return { pid: Number(pid), startTime }
}

/**
 * Looks whether the process still lives.
 *
 * @param path - of a file that one of the two above was written to
 */
export function ownerState(path: string): OwnerState {
  return stateOf(readText(path))
}

function stateOf(text: string): OwnerState {
  if (text.startsWith(FREE)) return 'gone'
  const [, pid, namespace, startTime] = PATTERN.exec(text) ?? []
  // Whoever writes one writes it whole: this is what a power cut leaves, or nobody's.
  if (pid === undefined) return 'gone'
  // From a container with numbers of its own.
  if (namespace !== processNamespace() || startTime === 'unknown') return 'unknown'
  if (!processExists(Number(pid))) return 'gone'
  const found = processStartTime(Number(pid))
  if (found === undefined) return process.platform === 'linux' ? 'gone' : 'unknown'
  return found === startTime ? 'alive' : 'gone'
}

/** A file that goes meanwhile says nothing. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error
    return ''
  }
}

/** Process numbers mean something within it only. */
function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    return 'none'
  }
}
